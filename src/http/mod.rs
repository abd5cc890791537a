//! The HTTP API: what every path shares, and the paths.

mod around;
mod auth;
pub mod body;
mod chat;
mod client;
mod cors;
pub mod endpoint;
pub mod error;
mod fields;
mod files;
mod files_form;
mod histories;
pub mod openapi;
mod operations;
mod prompt_body;
pub mod reply;
pub mod request_id;
mod routes;
mod server;
mod sse;
pub mod streams;
mod todos;
mod unread_body;

use turnwright_actors::engine::Engine;
use turnwright_actors::files::FileStore;
use turnwright_actors::store::Database;

pub use client::client_address;
pub use routes::{configure, endpoints};
pub use server::{Server, serve};

use crate::auth::Accounts;
use crate::demo::Todos;
use crate::io::Io;
use crate::metrics::Metrics;
use crate::settings::Settings;
use crate::stopping::Stopping;
use streams::Streams;

/// What handlers work with; one for all workers of a node.
pub struct AppState {
    /// What the node was told.
    pub settings: Settings,
    /// Runs database and file work.
    pub io: Io,
    /// The rows.
    pub database: Database,
    /// Users and sessions.
    pub accounts: Accounts,
    /// Conversations and their turns.
    pub engine: Engine,
    /// Uploads.
    pub files: FileStore,
    /// The demo agent's to-do lists.
    pub todos: Todos,
    /// What is counted.
    pub metrics: Metrics,
    /// The event streams that are open.
    pub streams: Streams,
    /// Whether the node was told to stop.
    pub stopping: Stopping,
}

/// The state as handlers take it.
pub type State = actix_web::web::Data<AppState>;

#[cfg(test)]
mod tests;
