//! The model replied: the turn is over.

use super::{done, next};
use crate::commit::{Commit, Fence, RunningTask, TaskEnd, TaskWrite};
use crate::error::EngineError;
use crate::ids::LeaseToken;
use crate::message::MessageBody;
use crate::snapshot::Snapshot;

/// Saves the reply and ends the turn. A reply without text leaves no row.
///
/// # Errors
/// When the inbox contradicts the slot.
pub fn finish(
    reply: String,
    fence: Fence,
    snapshot: &Snapshot,
    token: LeaseToken,
    commit: &mut Commit,
) -> Result<Option<RunningTask>, EngineError> {
    if !reply.is_empty() {
        commit.message(MessageBody::Assistant { text: reply });
    }
    let event = done(commit, None, false);
    commit.event(event);
    commit.tasks.push(TaskWrite::End { fence, end: TaskEnd::Completed });
    next::begin_next(snapshot, token, commit)
}
