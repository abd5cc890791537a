//! A conversation is deleted.

use turnwright_schemas::CancelReason;

use super::slot;
use crate::commit::{Commit, TaskWrite};
use crate::snapshot::Snapshot;

/// Marks a resting conversation deleted and ends its ask.
pub fn remove(snapshot: &Snapshot, commit: &mut Commit) {
    commit.conversation.deleted = true;
    if let Some(ask) = &snapshot.ask {
        slot::cancel(ask, CancelReason::UserCancelled, commit);
    }
}

/// Marks a conversation deleted whose turn still runs; the abort does the rest.
pub fn remove_and_cancel(snapshot: &Snapshot, commit: &mut Commit) {
    commit.conversation.deleted = true;
    if let Some(task_id) = snapshot.conversation.active_task {
        commit.tasks.push(TaskWrite::Cancel(task_id));
    }
}
