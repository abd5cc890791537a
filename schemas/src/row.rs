//! A row of a conversation's transcript, as reading the conversation gives it (reference, "Stored state").

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::events::AskOrigin;
use crate::kind::AskKind;

/// One entry of a conversation's `prompts`. Holds names, types and sizes of files, never their bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageRow {
    /// The row's place in the transcript, from 0. Ratings name it.
    pub index: u32,
    /// Who speaks.
    #[serde(rename = "type")]
    pub kind: RowType,
    /// What was said; on tool rows `Tool call: <name>` or `Tool result: <name>`.
    pub text: String,
    /// The tool of a tool row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The id that ties a tool's result to its call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// What a tool call passed; an ask's input on the row of an ask.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// What a tool returned; the answer envelope on the row of an answer.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Set on the tool call row of an ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<RowAsk>,
    /// The owner's rating of a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// When the row was written: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub created: String,
}

/// A value that is there, `null` included: a tool may return `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Who speaks in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowType {
    /// The conversation's owner.
    User,
    /// The agent.
    Assistant,
    /// The agent called a tool, or asked.
    ToolCall,
    /// A tool returned, or the owner answered.
    ToolResult,
}

impl RowType {
    /// Every row type.
    pub const ALL: &[Self] = &[Self::User, Self::Assistant, Self::ToolCall, Self::ToolResult];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolCall => "tool-call",
            Self::ToolResult => "tool-result",
        }
    }
}

/// The ask of a tool call row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RowAsk {
    /// The ask's kind.
    pub kind: AskKind,
    /// Whether it still waits.
    pub status: AskStatus,
    /// Set when the server made the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<AskOrigin>,
}

/// Whether an ask still waits, and how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AskStatus {
    /// The conversation waits on it.
    Pending,
    /// It was answered, or skipped.
    Answered,
    /// It was dropped.
    Cancelled,
}

impl AskStatus {
    /// Every status.
    pub const ALL: &[Self] = &[Self::Pending, Self::Answered, Self::Cancelled];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Answered => "answered",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What the owner thought of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rating {
    /// Good.
    Up,
    /// Bad.
    Down,
}

impl Rating {
    /// Every rating.
    pub const ALL: &[Self] = &[Self::Up, Self::Down];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}
