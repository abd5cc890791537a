//! A command waits for the running turn to end (rule 4).

use crate::command::{Queued, QueuedCommand};
use crate::commit::{AskWrite, Commit};
use crate::snapshot::{PendingAsk, Snapshot};
use turnwright_schemas::row::AskStatus;

use super::slot::status_after;

/// Stores a command in the inbox. With `claims` it will end that ask, which takes no other answer from now on and
/// is no longer shown as pending (rule 2).
pub fn enqueue(
    command: QueuedCommand,
    claims: Option<&PendingAsk>,
    snapshot: &Snapshot,
    commit: &mut Commit,
) {
    let author = commit.author();
    if let Some(ask) = claims {
        commit.ask_changes.push((ask.id, AskWrite::Claimed(author.command_id)));
        let shown = match &command {
            QueuedCommand::Prompt { .. } => AskStatus::Cancelled,
            QueuedCommand::Answer { answer } => status_after(answer.action),
        };
        commit.row_statuses.push((ask.message_seq, shown));
    }
    commit.enqueued = Some(Queued {
        seq: snapshot.inbox.last_seq + 1,
        command_id: author.command_id,
        task_id: author.task_id,
        command,
    });
    commit.conversation.inbox_count += 1;
}
