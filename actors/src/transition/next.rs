//! The commit that ends a turn begins the head of the inbox, so a non-empty inbox implies a running turn.

use super::{begin, resume};
use crate::command::{Queued, QueuedCommand};
use crate::commit::{Author, Commit, RunningTask};
use crate::error::EngineError;
use crate::ids::LeaseToken;
use crate::snapshot::{PendingAsk, Snapshot};

/// Begins or resumes with the oldest waiting command, or leaves the conversation at rest.
///
/// # Errors
/// When a waiting answer's ask is not the one in the slot.
pub fn begin_next(
    snapshot: &Snapshot,
    token: LeaseToken,
    commit: &mut Commit,
) -> Result<Option<RunningTask>, EngineError> {
    commit.conversation.active_task = None;
    let Some(Queued { seq, command_id, task_id, command }) = snapshot.inbox.head.clone() else {
        return Ok(None);
    };
    commit.dequeued = Some(seq);
    commit.conversation.inbox_count = commit.conversation.inbox_count.saturating_sub(1);
    let author = Author { command_id, task_id };
    let claimed = |ask: &&PendingAsk| ask.claimed_by == Some(command_id);
    let task = match command {
        QueuedCommand::Prompt { prompt, cancels } => {
            let cancels = snapshot.ask.as_ref().filter(claimed).filter(|ask| cancels == Some(ask.id));
            begin::begin(prompt, cancels, author, token, commit)
        }
        QueuedCommand::Answer { answer } => {
            let Some(ask) = snapshot.ask.as_ref().filter(claimed) else {
                return Err(EngineError::Invariant("a waiting answer has claimed the ask in the slot"));
            };
            resume::resume(answer, ask, author, token, commit)?
        }
    };
    Ok(Some(task))
}
