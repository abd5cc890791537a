//! How an ask ended, as a refused answer is told (rule 2).

use serde::Serialize;
use turnwright_schemas::Action;

/// The `meta` of a 409: what became of the ask the answer named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AskOutcome {
    /// How the ask stands.
    pub status: OutcomeStatus,
    /// What ended it; absent while the winner waits its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// When it ended; absent while the winner waits its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
}

/// How an ask that takes no answer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeStatus {
    /// A stored command will end it when its turn comes.
    Claimed,
    /// It was accepted or declined.
    Answered,
    /// It was dropped.
    Cancelled,
}
