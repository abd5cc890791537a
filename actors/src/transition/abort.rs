//! A turn that is to be cancelled ends.

use turnwright_schemas::CancelReason;
use turnwright_schemas::events::TurnEvent;

use super::{done, fail, slot};
use crate::command::Queued;
use crate::commit::{Author, Commit, Fence, TaskEnd, TaskWrite};
use crate::message::MessageBody;
use crate::snapshot::PendingAsk;
use crate::turn_state::TurnState;

/// What a waiting command of a deleted conversation is told.
const DELETED: &str = "The conversation was deleted.";

/// Ends the turn of a deleted conversation, its pending ask and every waiting command; nothing begins.
pub fn abort(
    state: &mut TurnState,
    said: String,
    waiting: &[Queued],
    ask: Option<&PendingAsk>,
    fence: Fence,
    commit: &mut Commit,
) {
    fail::write_interrupted(state, commit);
    if !said.is_empty() {
        commit.message(MessageBody::Assistant { text: said });
    }
    let event = done(commit, None, true);
    commit.event(event);
    commit.tasks.push(TaskWrite::End { fence, end: TaskEnd::Cancelled });
    if let Some(ask) = ask {
        slot::cancel(ask, CancelReason::UserCancelled, commit);
    }
    for queued in waiting {
        commit.on_behalf_of(Author { command_id: queued.command_id, task_id: queued.task_id });
        commit.event(TurnEvent::Error { error: DELETED.to_owned() });
        let event = done(commit, None, true);
        commit.event(event);
    }
    commit.inbox_cleared = !waiting.is_empty();
    commit.conversation.inbox_count = 0;
    commit.conversation.active_task = None;
}
