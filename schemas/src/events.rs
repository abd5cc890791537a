//! What a turn says while it runs: one JSON object for each `data:` line of a stream.
//!
//! An event has no type name on the wire, its first key tells what it is. Durable events and the deltas of a
//! reply have the same shape wherever they travel: the POST stream, `…/events`, the bus and the events table.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::card::SimpleCard;
use crate::kind::AskKind;
use crate::literal::True;
use crate::response::Action;
use crate::row::MessageRow;

/// One event of a conversation, as clients read it.
///
/// Unknown keys are ignored when one is read, so that a node or a client can be older than the writer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum TurnEvent {
    /// More text of the reply in progress: a preview, never the record.
    Text {
        /// The characters that follow those sent before.
        text: String,
    },
    /// What the step said so far is void: it went on to call a tool or to ask, or it starts over.
    Retracted {
        /// What is void.
        retracted: Retracted,
    },
    /// The model called one of the host's tools. Ask tools are never shown this way.
    ToolCall {
        /// The call.
        tool_call: ToolCallEvent,
    },
    /// A tool of the host answered, or an approval was denied.
    ToolResult {
        /// The call's result.
        tool_result: ToolResultEvent,
    },
    /// The reply holds an image.
    Image {
        /// The image.
        image: ImageEvent,
    },
    /// The reply holds a file.
    File {
        /// The file.
        file: FileEvent,
    },
    /// The turn paused on an ask. It is saved before this is sent.
    Ask {
        /// The ask to show.
        ask: AskEvent,
        /// The conversation that waits, so that a new chat can answer before `done` arrives.
        history_id: String,
    },
    /// The pending ask was answered, or cancelled by a new prompt.
    AskResolved {
        /// Which ask, and how it ended.
        ask_resolved: AskResolvedEvent,
    },
    /// The turn failed after its stream began. `done` follows.
    Error {
        /// What went wrong, in a sentence for the user.
        error: String,
    },
    /// The turn rests: it replied, paused, failed or was cancelled. The last event of a POST stream.
    Done(DoneEvent),
    /// A row of the transcript was written. Only on `…/events`.
    Message {
        /// The row as reading the conversation gives it.
        message: MessageRow,
    },
    /// A row of the transcript was taken back, because the answer it held was undone. Only on `…/events`.
    MessageRemoved {
        /// Which row.
        message_removed: MessageRemovedEvent,
    },
    /// The event id the listener named is older than what is kept: the transcript follows as messages. Only on
    /// `…/events`.
    Reload {
        /// Always `true`.
        reload: True,
    },
}

/// What a [`TurnEvent::Retracted`] takes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Retracted {
    /// The text of the current step, from its first character.
    Text,
}

/// A call of one of the host's tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallEvent {
    /// The call's id, unique within its turn.
    pub tool_call_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// What the model passed.
    pub args: Value,
}

/// The result of a call of one of the host's tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultEvent {
    /// The id of the call this answers.
    pub tool_call_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// What the tool returned, or `{approved: false, reason}` for an approval that was denied.
    pub result: Value,
}

/// An image in a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageEvent {
    /// The image's media type.
    pub mime_type: String,
    /// Where its bytes are.
    pub url: String,
}

/// A file in a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileEvent {
    /// The file's name.
    pub filename: String,
    /// The file's media type.
    pub mime_type: String,
    /// Where its bytes are.
    pub url: String,
}

/// An ask as the stream shows it (reference, "SSE events").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskEvent {
    /// The ask's tool call id. Answers must name it.
    pub tool_call_id: String,
    /// The ask's kind.
    pub kind: AskKind,
    /// The validated ask input, as stored.
    pub input: Value,
    /// The card, as derived when the ask was made.
    pub simple: SimpleCard,
    /// Set when the server made the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<AskOrigin>,
    /// The host tool an approval is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
}

/// Who made an ask, when it was not the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AskOrigin {
    /// The server, before a tool that needs approval runs.
    Approval,
}

impl AskOrigin {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "approval",
        }
    }
}

/// How the pending ask ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskResolvedEvent {
    /// The ask's tool call id.
    pub tool_call_id: String,
    /// The answer's action. Its content is not repeated here.
    pub action: Action,
}

/// The end of a turn, for now or for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DoneEvent {
    /// Always `true`.
    pub done: True,
    /// The conversation.
    pub history_id: String,
    /// The conversation's title, once it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The ask the conversation waits on now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_ask: Option<PendingAskRef>,
    /// Whether the turn ended because it was cancelled. Left out when it was not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

impl DoneEvent {
    /// The end of a turn of `history_id` that replied, without a title.
    pub const fn new(history_id: String) -> Self {
        Self { done: True, history_id, title: None, pending_ask: None, cancelled: false }
    }
}

/// Names the ask a conversation waits on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingAskRef {
    /// The ask's tool call id.
    pub tool_call_id: String,
}

/// Names a row that was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageRemovedEvent {
    /// The row's place in the transcript, from 0.
    pub index: u32,
}
