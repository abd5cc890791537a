//! What a transaction reads under the lock on a conversation's row. Every decision is made from it alone.

use turnwright_schemas::SimpleCard;

use crate::clock::Timestamp;
use crate::command::Queued;
use crate::ids::{AskId, CommandId, ConversationId, LeaseToken, TaskId, UserId};
use crate::machine::{Fate, Phase, Queue, Slot, State};
use crate::question::Question;
use crate::turn_state::TurnState;

/// A conversation and what belongs to it, as one transaction sees it.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The conversation's own row.
    pub conversation: Conversation,
    /// The ask in the slot, as far as the decision may need it.
    pub ask: Option<PendingAsk>,
    /// The inbox, when a turn runs.
    pub inbox: Inbox,
}

/// A conversation's row.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// Its owner.
    pub user_id: UserId,
    /// Empty until the first message or a client sets it.
    pub title: String,
    /// How many messages it has; the next one's index.
    pub message_count: u32,
    /// The last `seq` given to a message or event.
    pub event_seq: i64,
    /// The running turn.
    pub active_task: Option<TaskId>,
    /// The ask in the slot.
    pub pending_ask: Option<AskId>,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// The ask in the slot, with the turn that waits for it.
#[derive(Debug, Clone)]
pub struct PendingAsk {
    /// Its row.
    pub id: AskId,
    /// What was asked.
    pub question: Question,
    /// Its card, as it was made.
    pub simple: SimpleCard,
    /// The stored command that will end it.
    pub claimed_by: Option<CommandId>,
    /// The `seq` of its row in the transcript.
    pub message_seq: i64,
    /// When it was made.
    pub created: Timestamp,
    /// The turn that made it.
    pub task: WaitingTask,
}

/// A turn that waits for an answer.
#[derive(Debug, Clone)]
pub struct WaitingTask {
    /// Its id.
    pub id: TaskId,
    /// Its last token; with the checkpoint it fences the resume.
    pub token: LeaseToken,
    /// Its commits so far.
    pub checkpoint: i64,
    /// What it remembers.
    pub state: TurnState,
}

/// The commands that wait for the running turn to end.
#[derive(Debug, Clone, Default)]
pub struct Inbox {
    /// How many commands wait.
    pub count: u32,
    /// How many of them are prompts, which alone count against the limit.
    pub prompts: u32,
    /// The oldest.
    pub head: Option<Queued>,
    /// The greatest place given so far.
    pub last_seq: i64,
}

impl Snapshot {
    /// The state a command meets. `queue_limit` is how many prompts may wait.
    pub fn state(&self, phase: Phase, queue_limit: u32) -> State {
        match (self.conversation.active_task, self.conversation.deleted) {
            (None, true) => State::Gone,
            (None, false) => State::Resting { asking: self.conversation.pending_ask.is_some() },
            (Some(_), deleted) => State::Running {
                phase,
                fate: if deleted { Fate::Deleted } else { Fate::Going },
                slot: match (&self.conversation.pending_ask, &self.ask) {
                    (None, _) => Slot::Free,
                    (Some(_), Some(ask)) if ask.claimed_by.is_some() => Slot::Claimed,
                    (Some(_), _) => Slot::Pending,
                },
                queue: match &self.inbox {
                    Inbox { count: 0, .. } => Queue::Empty,
                    Inbox { prompts, .. } if *prompts >= queue_limit => Queue::Full,
                    Inbox { .. } => Queue::Waiting,
                },
            },
        }
    }
}
