//! Telling a running turn that it is to be cancelled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::ids::TaskId;

/// The turns of this node that can be told.
#[derive(Clone, Default)]
pub struct CancelSignals {
    running: Arc<Mutex<HashMap<TaskId, watch::Sender<bool>>>>,
}

/// What a running turn watches. Dropping it ends the registration.
pub struct CancelSignal {
    task_id: TaskId,
    told: watch::Receiver<bool>,
    signals: CancelSignals,
}

impl CancelSignals {
    fn running(&self) -> MutexGuard<'_, HashMap<TaskId, watch::Sender<bool>>> {
        // Nothing panics while the lock is held.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a turn that begins to run.
    pub fn register(&self, task_id: TaskId) -> CancelSignal {
        let (sender, told) = watch::channel(false);
        self.running().insert(task_id, sender);
        CancelSignal { task_id, told, signals: self.clone() }
    }

    /// Tells a turn, if it runs here.
    pub fn cancel(&self, task_id: TaskId) {
        if let Some(sender) = self.running().get(&task_id) {
            sender.send_replace(true);
        }
    }

    /// How many turns run here.
    pub fn running_count(&self) -> usize {
        self.running().len()
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
        let mut running = self.signals.running();
        if running.get(&self.task_id).is_some_and(|sender| sender.same_receiver(&self.told)) {
            running.remove(&self.task_id);
        }
    }
}

trait SameReceiver {
    fn same_receiver(&self, receiver: &watch::Receiver<bool>) -> bool;
}

impl SameReceiver for watch::Sender<bool> {
    fn same_receiver(&self, receiver: &watch::Receiver<bool>) -> bool {
        self.subscribe().same_channel(receiver)
    }
}
