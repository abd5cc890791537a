//! What an engine is told when it starts.

use std::time::Duration;

use turnwright_schemas::{AskKind, LIMITS};

/// The engine's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineSettings {
    /// Which asks there are.
    pub asks: AskSettings,
    /// The most model requests of a turn since the user last said or answered something.
    pub max_steps: u32,
    /// How many prompts of a conversation may wait while a turn runs.
    pub queue_limit: u32,
    /// The longest a turn may work until it rests; waiting for an answer does not count.
    pub run_deadline: Duration,
    /// The longest one model request may take.
    pub request_deadline: Duration,
}

/// Which asks there are (spec "Enable asks").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskSettings {
    /// Whether there are asks and approvals at all.
    pub enabled: bool,
    /// The kinds offered to the model. None still lets approvals work.
    pub kinds: Vec<AskKind>,
    /// The cap on each file of an answer, in bytes.
    pub max_file_size_bytes: u64,
}

impl Default for AskSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            kinds: AskKind::ALL.to_vec(),
            max_file_size_bytes: LIMITS.files.default_max_file_size_bytes,
        }
    }
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            asks: AskSettings::default(),
            max_steps: 10,
            queue_limit: 32,
            run_deadline: Duration::from_secs(900),
            request_deadline: Duration::from_secs(300),
        }
    }
}
