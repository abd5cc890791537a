//! A transcript entry as it is stored, and as the API gives it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use turnwright_schemas::row::{AskStatus, MessageRow, Rating, RowAsk, RowType};
use turnwright_schemas::{AskKind, events::AskOrigin};

use crate::clock::Timestamp;

/// What a message says. Stored as JSON, so that any character survives on any database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum MessageBody {
    /// The user's message.
    User {
        /// The text.
        text: String,
    },
    /// The agent's reply, or what it said before it failed.
    Assistant {
        /// The text.
        text: String,
    },
    /// A call of a host tool, or an ask.
    ToolCall {
        /// The tool's name; for an approval the host tool's.
        tool_name: String,
        /// The call's id; for an approval the approval's.
        tool_call_id: String,
        /// The arguments; for an ask its input.
        args: Value,
        /// Set on asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ask: Option<AskTag>,
    },
    /// The result of a call, or the answer to an ask.
    ToolResult {
        /// The tool's name, as on the call.
        tool_name: String,
        /// The call's id.
        tool_call_id: String,
        /// The result; for an ask the answer envelope.
        result: Value,
        /// Whether the call was an ask.
        #[serde(default)]
        answers_ask: bool,
    },
}

/// What marks a call as an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskTag {
    /// The ask's kind.
    pub kind: AskKind,
    /// Who asked, when it was not the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<AskOrigin>,
}

impl MessageBody {
    /// The row's type on the wire, which is also its `kind` column.
    pub fn row_type(&self) -> RowType {
        match self {
            Self::User { .. } => RowType::User,
            Self::Assistant { .. } => RowType::Assistant,
            Self::ToolCall { .. } => RowType::ToolCall,
            Self::ToolResult { .. } => RowType::ToolResult,
        }
    }

    /// The call a tool row belongs to.
    pub fn tool_call_id(&self) -> Option<&str> {
        match self {
            Self::User { .. } | Self::Assistant { .. } => None,
            Self::ToolCall { tool_call_id, .. } | Self::ToolResult { tool_call_id, .. } => Some(tool_call_id),
        }
    }

    /// The row as the API gives it.
    pub fn into_row(
        self,
        index: u32,
        ask_status: Option<AskStatus>,
        rating: Option<Rating>,
        created: Timestamp,
    ) -> MessageRow {
        let row = |kind, text| MessageRow {
            index,
            kind,
            text,
            tool_name: None,
            tool_call_id: None,
            args: None,
            result: None,
            ask: None,
            rating,
            created: created.iso(),
        };
        match self {
            Self::User { text } => row(RowType::User, text),
            Self::Assistant { text } => row(RowType::Assistant, text),
            Self::ToolCall { tool_name, tool_call_id, args, ask } => MessageRow {
                ask: ask.map(|tag| RowAsk {
                    kind: tag.kind,
                    status: ask_status.unwrap_or(AskStatus::Pending),
                    origin: tag.origin,
                }),
                args: Some(args),
                tool_call_id: Some(tool_call_id),
                tool_name: Some(tool_name.clone()),
                ..row(RowType::ToolCall, format!("Tool call: {tool_name}"))
            },
            Self::ToolResult { tool_name, tool_call_id, result, answers_ask: _ } => MessageRow {
                result: Some(result),
                tool_call_id: Some(tool_call_id),
                tool_name: Some(tool_name.clone()),
                ..row(RowType::ToolResult, format!("Tool result: {tool_name}"))
            },
        }
    }
}
