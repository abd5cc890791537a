//! Why a command of `turnwright` could not do its work.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use turnwright_actors::error::EngineError;

use crate::settings::DatabaseLocation;

/// Every failure that ends the program, as the sentence it prints.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A key that no setting has.
    #[error("{key} is not a setting{origin}; config/default.toml lists them all")]
    UnknownSetting {
        /// The key.
        key: String,
        /// Where it was written, or nothing.
        origin: String,
    },
    /// A setting of the wrong type, or out of its type's range.
    #[error("the setting {key} must be {expected}, not {found}{origin}")]
    WrongSetting {
        /// The key.
        key: &'static str,
        /// What was written.
        found: String,
        /// What is wanted.
        expected: &'static str,
        /// Where it was written, or nothing.
        origin: String,
    },
    /// A setting whose value cannot be used.
    #[error("the setting {key} cannot be used: {reason}")]
    RefusedSetting {
        /// The key.
        key: &'static str,
        /// Why not, and what to do.
        reason: String,
    },
    /// The built-in defaults do not name a setting that is read.
    #[error("the setting {key} has no default")]
    MissingSetting {
        /// The key.
        key: &'static str,
    },
    /// A settings file that cannot be read.
    #[error("the settings cannot be read: {0}")]
    SettingsFile(#[from] config::ConfigError),
    /// A file or folder the command needs.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Generated files were to be checked in a folder that is no checkout.
    #[error("the folder {} is no checkout of the repository, as it has no folder schemas; name one with --root", .0.display())]
    NoCheckout(PathBuf),
    /// Another process runs on the same SQLite database.
    #[error("another process serves the database {}; stop it, or give this one its own with --database-url", .0.display())]
    DatabaseInUse(PathBuf),
    /// The database cannot be opened. The location is printed without its secrets.
    #[error("the database {location:?} cannot be opened (the setting database.url): {cause}")]
    DatabaseUnusable {
        /// Where it was looked for.
        location: DatabaseLocation,
        /// Why it cannot be opened.
        cause: EngineError,
    },
    /// The tables are not those of this version.
    #[error("the database has missing or old tables; run `turnwright migrate` with the same settings first")]
    OldTables,
    /// The database or the file store.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused a thread, a signal handler or a pipe.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl StartError {
    /// Whether whoever read the command's output has read enough, which is no failure worth a word.
    pub fn is_closed_output(&self) -> bool {
        matches!(self, Self::System(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<sea_orm::DbErr> for StartError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Engine(error.into())
    }
}
