//! One listener's queue. Facts are shared and previews that wait are merged, so a slow listener costs memory for the
//! text of its turns, not for how it was cut; and one that does not read at all, for no more than [`PREVIEWS`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{BusEvent, Delta};
use crate::ids::CommandId;

/// How many bytes of previews may wait. Beyond that all of them are dropped: their text comes with the stored message.
const PREVIEWS: usize = 1024 * 1024;

/// What a step has said when somebody begins to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The command the turn runs for.
    pub command_id: CommandId,
    /// The last durable `seq`.
    pub after_seq: i64,
    /// The text so far.
    pub text: String,
}

/// The receiving end of a conversation's events. Dropping it ends the listening.
pub struct Listener {
    queue: Arc<Queue>,
    progress: Option<Progress>,
    leave: Option<Box<dyn FnOnce() + Send>>,
}

#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

#[derive(Default)]
struct Waiting {
    events: VecDeque<BusEvent>,
    preview_bytes: usize,
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing panics while the lock is held; a poisoned queue still holds whole events.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, event: BusEvent) {
        self.waiting().push(event);
        self.arrived.notify_one();
    }

    fn pop(&self) -> Option<BusEvent> {
        self.waiting().pop()
    }
}

impl Waiting {
    fn push(&mut self, event: BusEvent) {
        self.preview_bytes += preview_bytes(&event);
        match (self.events.back_mut(), &event) {
            (Some(BusEvent::Delta(last)), BusEvent::Delta(next)) if continues(last, next) => {
                last.text.push_str(&next.text);
                last.end = next.end;
            }
            _ => self.events.push_back(event),
        }
        if self.preview_bytes > PREVIEWS {
            self.events.retain(|event| !matches!(event, BusEvent::Delta(_)));
            self.preview_bytes = 0;
        }
    }

    fn pop(&mut self) -> Option<BusEvent> {
        let event = self.events.pop_front()?;
        self.preview_bytes -= preview_bytes(&event);
        Some(event)
    }
}

fn preview_bytes(event: &BusEvent) -> usize {
    match event {
        BusEvent::Delta(delta) => delta.text.len(),
        BusEvent::Durable(_) | BusEvent::Retracted { .. } | BusEvent::Closed => 0,
    }
}

fn continues(last: &Delta, next: &Delta) -> bool {
    last.command_id == next.command_id
        && last.after_seq == next.after_seq
        && last.end + next.text.len() == next.end
}

impl Listener {
    pub(super) fn new(
        queue: Arc<Queue>,
        progress: Option<Progress>,
        leave: Box<dyn FnOnce() + Send>,
    ) -> Self {
        Self { queue, progress, leave: Some(leave) }
    }

    /// The text of the step that runs, as of the moment listening began.
    pub fn take_progress(&mut self) -> Option<Progress> {
        self.progress.take()
    }

    /// The next event. Cancel safe.
    pub async fn next(&mut self) -> BusEvent {
        loop {
            if let Some(event) = self.queue.pop() {
                return event;
            }
            self.queue.arrived.notified().await;
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(leave) = self.leave.take() {
            leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(after_seq: i64, end: usize, bytes: usize) -> BusEvent {
        let command_id = CommandId::new();
        BusEvent::Delta(Delta { command_id, after_seq, end, text: "x".repeat(bytes) })
    }

    #[test]
    fn previews_nobody_reads_are_dropped_and_nothing_else_is() {
        let mut waiting = Waiting::default();
        for step in 0..100 {
            waiting.push(delta(step, 50_000, 50_000));
            waiting.push(BusEvent::Retracted { command_id: CommandId::new(), after_seq: step });
        }
        assert!(waiting.preview_bytes <= PREVIEWS);
        let (mut previews, mut others) = (0, 0);
        while let Some(event) = waiting.pop() {
            previews += preview_bytes(&event);
            others += usize::from(preview_bytes(&event) == 0);
        }
        assert!(previews <= PREVIEWS);
        assert_eq!((others, waiting.preview_bytes), (100, 0));
    }
}
