//! The event bus: what a running turn says, on its way to whoever listens.
//!
//! A projection: the database is the record. Publishing never blocks a turn.

mod in_process;
mod listener;

use std::sync::Arc;

use turnwright_schemas::events::TurnEvent;
use turnwright_schemas::row::MessageRow;

use crate::ids::{CommandId, ConversationId};
use crate::message::MessageBody;

pub use in_process::InProcessBus;
pub use listener::{Listener, Progress};

/// Carries events from the node that runs a turn to the listeners of its conversation.
pub trait EventBus: Send + Sync {
    /// Tells every listener of the conversation. Never waits.
    fn publish(&self, conversation_id: ConversationId, event: BusEvent);

    /// Starts to listen. What is published from now on is heard, in order.
    fn listen(&self, conversation_id: ConversationId) -> Listener;
}

/// What travels on the bus.
#[derive(Debug, Clone)]
pub enum BusEvent {
    /// A fact that was committed.
    Durable(Arc<Published>),
    /// A preview of the text a step writes.
    Delta(Delta),
    /// The step's text so far is void.
    Retracted {
        /// The command the turn runs for.
        command_id: CommandId,
        /// The last durable `seq`.
        after_seq: i64,
    },
    /// The conversation is gone; listening ends.
    Closed,
}

/// A committed fact.
#[derive(Debug, Clone)]
pub struct Published {
    /// Its place among the conversation's facts.
    pub seq: i64,
    /// On whose behalf it was written.
    pub command_id: CommandId,
    /// What it is.
    pub fact: Fact,
}

/// What a committed fact is.
#[derive(Debug, Clone)]
pub enum Fact {
    /// A durable event.
    Event(TurnEvent),
    /// A message, which is its own event.
    Message {
        /// What it says.
        body: MessageBody,
        /// The row as the API gives it.
        row: MessageRow,
    },
}

/// A piece of a step's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The command the turn runs for.
    pub command_id: CommandId,
    /// The last durable `seq` when it was written.
    pub after_seq: i64,
    /// The offset after its last byte, in UTF-8 bytes of the step's text.
    pub end: usize,
    /// The piece.
    pub text: String,
}
