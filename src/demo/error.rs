//! Why the demo agent cannot play.

use std::io;
use std::path::{Path, PathBuf};

/// Every failure of the demo agent that a person can mend.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The script is absent or may not be read.
    #[error("the demo script {} cannot be read: {source}", file.display())]
    ScriptUnreadable {
        /// The script.
        file: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
    /// The script's file holds something else than a script.
    #[error("the demo script {} is wrong at {reason}", file.display())]
    ScriptInvalid {
        /// The script.
        file: PathBuf,
        /// Where it is wrong, and what is wrong there.
        reason: String,
    },
    /// The record cannot be written.
    #[error("the demo record {} cannot be opened: {source}", file.display())]
    Record {
        /// The record.
        file: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
}

impl DemoError {
    pub(super) fn script_unreadable(file: &Path, source: io::Error) -> Self {
        Self::ScriptUnreadable { file: file.to_owned(), source }
    }
}
