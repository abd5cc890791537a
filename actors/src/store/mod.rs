//! The rows: SeaORM on SQLite or Postgres, and every transaction of the engine.

pub mod apply;
mod client_commits;
mod conversations;
mod database;
pub mod entity;
pub mod load;
mod statements;
mod takeover;
mod transcript;
mod turn_commits;

pub use client_commits::{Submit, Submitted, Waiting};
pub use conversations::{HistoryPage, Viewer};
pub use database::Database;
pub use takeover::HeldTask;
pub use transcript::Record;
pub use turn_commits::{Holder, TurnCommit};

use crate::clock::Clock;
use crate::ids::NodeId;

/// The store of one node.
#[derive(Clone)]
pub struct Store {
    database: Database,
    clock: Clock,
    node: NodeId,
    queue_limit: u32,
}

impl Store {
    /// The store as that node writes it. `queue_limit` is how many prompts of a conversation may wait.
    pub fn new(database: Database, clock: Clock, node: NodeId, queue_limit: u32) -> Self {
        Self { database, clock, node, queue_limit }
    }

    /// The database itself.
    pub fn database(&self) -> &Database {
        &self.database
    }
}
