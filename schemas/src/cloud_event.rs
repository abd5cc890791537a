//! What subscribers hear: CloudEvents 1.0 about asks, one for each committed change of a conversation's slot.
//!
//! They never hold an answer's content or a file's bytes: a subscriber that may see those reads the conversation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::card::SimpleCard;
use crate::events::AskOrigin;
use crate::kind::AskKind;
use crate::response::Action;

/// The `source` of every event.
pub const SOURCE: &str = "/turnwright";

/// The `type` of the event of a turn that paused on an ask.
pub const CREATED: &str = "turnwright.ask.created.v1";

/// The `type` of the event of an ask that was answered or cancelled.
pub const RESOLVED: &str = "turnwright.ask.resolved.v1";

/// The `type` of the event of an ask that waits again.
pub const REOPENED: &str = "turnwright.ask.reopened.v1";

/// One CloudEvent, in the JSON format of CloudEvents 1.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloudEvent {
    /// The version of the CloudEvents format.
    pub specversion: SpecVersion,
    /// The event's id. An event delivered twice has the same.
    pub id: String,
    /// Who speaks: always [`SOURCE`].
    pub source: String,
    /// The conversation's id.
    pub subject: String,
    /// When it was committed: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub time: String,
    /// The format of `data`.
    pub datacontenttype: ContentType,
    /// `type` and `data`.
    #[serde(flatten)]
    pub change: AskChange,
}

impl CloudEvent {
    /// The event `id` about a change of the conversation the change names, committed at `time`.
    pub fn new(id: String, time: String, change: AskChange) -> Self {
        Self {
            specversion: SpecVersion::V1,
            id,
            source: SOURCE.to_owned(),
            subject: change.history_id().to_owned(),
            time,
            datacontenttype: ContentType::Json,
            change,
        }
    }
}

/// The CloudEvents version spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpecVersion {
    /// 1.0
    #[serde(rename = "1.0")]
    V1,
}

/// The format of an event's `data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContentType {
    /// JSON.
    #[serde(rename = "application/json")]
    Json,
}

/// What happened to a conversation's pending-ask slot: the event's `type` and `data`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum AskChange {
    /// A turn paused on an ask.
    #[serde(rename = "turnwright.ask.created.v1")]
    Created(AskOpened),
    /// The ask was answered or cancelled.
    #[serde(rename = "turnwright.ask.resolved.v1")]
    Resolved(AskClosed),
    /// The answer was undone: the same ask waits again.
    #[serde(rename = "turnwright.ask.reopened.v1")]
    Reopened(AskOpened),
}

impl AskChange {
    /// The event's `type`.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Created(_) => CREATED,
            Self::Resolved(_) => RESOLVED,
            Self::Reopened(_) => REOPENED,
        }
    }

    /// The conversation.
    pub fn history_id(&self) -> &str {
        match self {
            Self::Created(ask) | Self::Reopened(ask) => &ask.history_id,
            Self::Resolved(ask) => &ask.history_id,
        }
    }
}

/// An ask that waits for its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskOpened {
    /// The conversation.
    pub history_id: String,
    /// The ask's tool call id.
    pub tool_call_id: String,
    /// The ask's kind.
    pub kind: AskKind,
    /// The number of this change among the conversation's events: a later one has a higher number.
    pub seq: u64,
    /// The validated ask input.
    pub input: Value,
    /// The card.
    pub simple: SimpleCard,
    /// Set when the server made the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<AskOrigin>,
    /// The host tool an approval is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// When the ask was made: `YYYY-MM-DDTHH:MM:SS.mmmZ`. An ask that is reopened keeps it.
    pub created: String,
}

/// An ask that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskClosed {
    /// The conversation.
    pub history_id: String,
    /// The ask's tool call id.
    pub tool_call_id: String,
    /// The ask's kind.
    pub kind: AskKind,
    /// The number of this change among the conversation's events: a later one has a higher number.
    pub seq: u64,
    /// The answer's action.
    pub action: Action,
    /// Why the ask was cancelled, when that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it ended: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub resolved_at: String,
    /// Set when the server made the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<AskOrigin>,
    /// The host tool an approval is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
}
