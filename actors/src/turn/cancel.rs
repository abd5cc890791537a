//! Telling a running turn that it is to be cancelled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::ids::TaskId;

/// The turns of this node that can be told.
#[derive(Clone, Default)]
pub struct CancelSignals {
    turns: Arc<Mutex<HashMap<TaskId, Turn>>>,
}

struct Turn {
    told: watch::Sender<bool>,
    /// False from the commit that lets the turn run until its run begins to watch.
    watched: bool,
}

impl Turn {
    fn new(watched: bool) -> Self {
        Self { told: watch::Sender::new(false), watched }
    }
}

/// What a running turn watches. Dropping it ends the registration.
pub struct CancelSignal {
    task_id: TaskId,
    told: watch::Receiver<bool>,
    signals: CancelSignals,
}

impl CancelSignals {
    fn turns(&self) -> MutexGuard<'_, HashMap<TaskId, Turn>> {
        // Nothing panics while the lock is held.
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes sure that a turn which will run here hears what it is told before it does.
    pub fn announce(&self, task_id: TaskId) {
        self.turns().insert(task_id, Turn::new(false));
    }

    /// Registers a turn that begins to run.
    pub fn register(&self, task_id: TaskId) -> CancelSignal {
        let mut turns = self.turns();
        let turn = turns.entry(task_id).or_insert_with(|| Turn::new(false));
        if turn.watched {
            *turn = Turn::new(false);
        }
        turn.watched = true;
        CancelSignal { task_id, told: turn.told.subscribe(), signals: self.clone() }
    }

    /// Tells a turn, if it runs here.
    pub fn cancel(&self, task_id: TaskId) {
        if let Some(turn) = self.turns().get(&task_id) {
            turn.told.send_replace(true);
        }
    }

    /// How many turns run here.
    pub fn running_count(&self) -> usize {
        self.turns().len()
    }
}

impl CancelSignal {
    /// Returns once the turn is told. Cancel safe.
    pub async fn cancelled(&self) {
        let mut told = self.told.clone();
        if told.wait_for(|told| *told).await.is_err() {
            // A newer run of the same task took the registration: this one is told by its lost lease.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for CancelSignal {
    fn drop(&mut self) {
        let mut turns = self.signals.turns();
        if turns.get(&self.task_id).is_some_and(|turn| turn.told.subscribe().same_channel(&self.told)) {
            turns.remove(&self.task_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn is_told(signal: &CancelSignal) -> bool {
        signal.cancelled().now_or_never().is_some()
    }

    #[test]
    fn a_turn_hears_what_it_was_told_before_it_ran() {
        let (signals, task) = (CancelSignals::default(), TaskId::new());
        signals.announce(task);
        signals.cancel(task);
        assert!(is_told(&signals.register(task)));
        assert_eq!(signals.running_count(), 0);
    }

    #[test]
    fn only_the_newest_run_of_a_task_is_told() {
        let (signals, task) = (CancelSignals::default(), TaskId::new());
        let old = signals.register(task);
        let new = signals.register(task);
        signals.cancel(task);
        assert!(is_told(&new) && !is_told(&old));
        drop(old);
        assert_eq!(signals.running_count(), 1);
        drop(new);
        assert_eq!(signals.running_count(), 0);
    }
}
