//! The continuation of an answer failed before anything of it was published: the answer is undone (rule 6).

use turnwright_schemas::cloud_event::AskChange;
use turnwright_schemas::events::{AskEvent, MessageRemovedEvent, TurnEvent};
use turnwright_schemas::row::AskStatus;

use super::{done, slot};
use crate::clock::Timestamp;
use crate::commit::{AskWrite, Commit, Fence, TaskWrite};
use crate::ids::AskId;
use crate::turn_state::{Resumed, TurnState};

/// The answered ask, as its row reads.
#[derive(Debug, Clone)]
pub struct AnsweredAsk {
    /// Its id.
    pub id: AskId,
    /// What the wire said of it.
    pub event: AskEvent,
    /// The `seq` of its row in the transcript.
    pub message_seq: i64,
    /// When it was made.
    pub created: Timestamp,
}

/// Removes the answer, puts the ask back into the slot and lets the turn wait again.
pub fn undo(
    mut state: TurnState,
    resumed: Resumed,
    error: String,
    ask: &AnsweredAsk,
    fence: Fence,
    commit: &mut Commit,
) {
    state.messages.truncate(resumed.closed);
    state.step = Some(resumed.paused);
    state.steps = resumed.steps;
    state.resumed = None;
    state.answered_files = None;

    commit.removed_message = Some(resumed.result_seq);
    commit.conversation.message_count = commit.conversation.message_count.saturating_sub(1);
    let index = commit.conversation.message_count;
    commit.event(TurnEvent::MessageRemoved { message_removed: MessageRemovedEvent { index } });
    commit.ask_changes.push((ask.id, AskWrite::Reopened));
    commit.row_statuses.push((ask.message_seq, AskStatus::Pending));
    commit.conversation.pending_ask = Some(ask.id);
    let seq = commit.upcoming_seq();
    let event = slot::event_of(ask.event.clone(), commit);
    commit.event(event);
    let opened = slot::opened(&ask.event, seq, ask.created.iso(), commit);
    commit.outbox.push(AskChange::Reopened(opened));
    commit.event(TurnEvent::Error { error });
    let event = done(commit, Some(ask.event.tool_call_id.clone()), false);
    commit.event(event);
    commit.tasks.push(TaskWrite::Wait { fence, state });
    commit.conversation.active_task = None;
}
