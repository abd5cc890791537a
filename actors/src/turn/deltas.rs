//! Previews of a step's text: sent as it arrives, but not more often than somebody can read.

use std::time::Duration;

use tokio::time::Instant;

use crate::bus::{BusEvent, Delta, EventBus};
use crate::ids::{CommandId, ConversationId};

/// How long text may wait to be joined with what follows.
const WINDOW: Duration = Duration::from_millis(50);
/// How much text waits at the most, in bytes.
const SIZE: usize = 1024;

/// Publishes the text of one step.
pub struct Deltas<'a> {
    bus: &'a dyn EventBus,
    conversation_id: ConversationId,
    command_id: CommandId,
    after_seq: i64,
    waiting: String,
    published: usize,
    last: Option<Instant>,
}

impl<'a> Deltas<'a> {
    /// For a step that begins after the conversation's durable `seq`.
    pub fn new(
        bus: &'a dyn EventBus,
        conversation_id: ConversationId,
        command_id: CommandId,
        after_seq: i64,
    ) -> Self {
        Self { bus, conversation_id, command_id, after_seq, waiting: String::new(), published: 0, last: None }
    }

    /// Adds text; the first piece goes out at once.
    pub fn push(&mut self, text: &str) {
        self.waiting.push_str(text);
        let due = self.last.is_none_or(|last| last.elapsed() >= WINDOW);
        if due || self.waiting.len() >= SIZE {
            self.flush();
        }
    }

    /// When waiting text must go out.
    pub fn due(&self) -> Option<Instant> {
        if self.waiting.is_empty() { None } else { self.last.map(|last| last + WINDOW) }
    }

    /// Sends what waits.
    pub fn flush(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        self.published += self.waiting.len();
        self.last = Some(Instant::now());
        self.bus.publish(
            self.conversation_id,
            BusEvent::Delta(Delta {
                command_id: self.command_id,
                after_seq: self.after_seq,
                end: self.published,
                text: std::mem::take(&mut self.waiting),
            }),
        );
    }

    /// Takes everything back: the step calls tools, so its text is not the reply.
    pub fn retract(&mut self) {
        self.waiting.clear();
        if self.published > 0 {
            self.bus.publish(
                self.conversation_id,
                BusEvent::Retracted { command_id: self.command_id, after_seq: self.after_seq },
            );
        }
    }

    /// Whether anything went out.
    pub fn any_published(&self) -> bool {
        self.published > 0
    }
}
