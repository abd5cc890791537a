//! What can go wrong in the engine.

use turnwright_schemas::AskError;
use turnwright_schemas::problem::AskEnded;

/// Every failure of the engine that a caller can meet.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The database refused, is gone, or holds what we did not write.
    #[error("the database failed: {0}")]
    Database(#[from] sea_orm::DbErr),
    /// The database server does not let us in.
    #[error("{0}")]
    Unreachable(String),
    /// A stored document does not read back.
    #[error("a stored {what} cannot be read: {source}")]
    Corrupt {
        /// Which document.
        what: &'static str,
        /// Why it does not parse.
        source: serde_json::Error,
    },
    /// A stored row breaks a rule the engine keeps.
    #[error("the database breaks an invariant: {0}")]
    Invariant(&'static str),
    /// Another holder runs the task now; nothing more may be written for it.
    #[error("the lease of this turn is gone")]
    LeaseLost,
    /// The file store failed.
    #[error("the file store failed: {0}")]
    Files(#[from] object_store::Error),
    /// The node is stopping and takes no new commands.
    #[error("this node is stopping")]
    Stopping,
    /// A value the engine was started with is wrong.
    #[error("{0}")]
    Settings(String),
}

/// Why a command was refused. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// No conversation has that id, or it was deleted.
    #[error("History not found")]
    NotFound,
    /// The conversation belongs to somebody else.
    #[error("Not authorized to access this history")]
    NotOwner,
    /// The ask named is not the one the conversation waits on. `None` when there never was one.
    #[error("This ask is no longer pending")]
    AskNotPending(Option<AskEnded>),
    /// The answer does not fit the ask.
    #[error("Invalid askResponse")]
    InvalidAnswer(Vec<AskError>),
    /// The button is not on the pending ask's card.
    #[error("Unknown buttonId")]
    UnknownButton(AskError),
    /// So many prompts already wait.
    #[error("{limit} messages already wait in this conversation")]
    QueueFull {
        /// How many may wait.
        limit: u32,
    },
    /// The conversation's mailbox is full.
    #[error("Too many requests wait for this conversation")]
    MailboxFull,
    /// The system prompt or the tools could not be prepared.
    #[error("The agent could not be prepared: {0}")]
    NotPrepared(String),
    /// Something of ours failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<sea_orm::DbErr> for Refusal {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Engine(error.into())
    }
}
