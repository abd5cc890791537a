//! One listener's queue. Previews that wait are merged, so a slow listener costs memory for the text and for the
//! facts of its turns, not for how they were cut.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{BusEvent, Delta};
use crate::ids::CommandId;

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
    events: Mutex<VecDeque<BusEvent>>,
    arrived: Notify,
}

impl Queue {
    fn events(&self) -> MutexGuard<'_, VecDeque<BusEvent>> {
        // Nothing panics while the lock is held; a poisoned queue still holds whole events.
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, event: BusEvent) {
        let mut events = self.events();
        match (events.back_mut(), &event) {
            (Some(BusEvent::Delta(last)), BusEvent::Delta(next)) if continues(last, next) => {
                last.text.push_str(&next.text);
                last.end = next.end;
            }
            _ => events.push_back(event),
        }
        drop(events);
        self.arrived.notify_one();
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
            if let Some(event) = self.queue.events().pop_front() {
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
