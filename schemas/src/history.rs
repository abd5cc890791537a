//! A conversation as the API gives it (reference, "Stored state"). What only the model needs is not in it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::card::SimpleCard;
use crate::events::AskOrigin;
use crate::kind::AskKind;
use crate::row::MessageRow;

/// A conversation, which the wire calls a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its owner.
    pub user_id: String,
    /// Its title; empty until the first message or a client sets it.
    pub title: String,
    /// Its transcript.
    pub prompts: Vec<MessageRow>,
    /// The ask it waits on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_ask: Option<HistoryPendingAsk>,
    /// When it was made.
    pub created: String,
    /// When it last changed.
    pub updated: String,
}

/// The ask a conversation waits on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPendingAsk {
    /// The call an answer names.
    pub tool_call_id: String,
    /// Its kind.
    pub kind: AskKind,
    /// Its input.
    pub input: Value,
    /// Its card, as the `{ask}` event sent it.
    pub simple: SimpleCard,
    /// When it was made.
    pub created: String,
    /// Set when the server asks before a tool runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<AskOrigin>,
    /// An approval's own id, the same as `tool_call_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// An approval's host tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
}
