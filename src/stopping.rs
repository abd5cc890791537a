//! The word that a node is to stop, for what would otherwise go on: streams, and those who wait for a turn.

use tokio::sync::watch;

/// Said once; clones hear it.
#[derive(Debug, Clone)]
pub struct Stopping(watch::Sender<bool>);

impl Stopping {
    /// Not said yet.
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Says it.
    pub fn say(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was said.
    pub fn was_said(&self) -> bool {
        *self.0.borrow()
    }

    /// Ready when it is said.
    pub async fn said(&self) {
        // The sender lives as long as `self`, so waiting ends only with the word.
        let _ = self.0.subscribe().wait_for(|said| *said).await;
    }
}

impl Default for Stopping {
    fn default() -> Self {
        Self::new()
    }
}
