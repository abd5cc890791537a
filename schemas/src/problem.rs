//! Problem documents: the body of every refusal (`application/problem+json`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::AskError;
use crate::response::Action;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The HTTP status, repeated.
    pub status: u16,
    /// The refusal's name, the same for every request refused for this reason.
    pub title: String,
    /// What is wrong with this request and what to do about it.
    pub detail: String,
    /// The request's id, to quote in a report.
    pub request_id: String,
    /// A word for programs, where the reference names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ProblemCode>,
    /// What is wrong with an answer sent to `POST /gpt/prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<AskError>>,
    /// More about the refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<ProblemMeta>,
}

/// The codes of the reference's table under "Headless endpoints".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProblemCode {
    /// The body is not one the endpoint takes.
    #[serde(rename = "action-body-validation-failed")]
    ActionBodyValidationFailed,
    /// The conversation belongs to somebody else.
    #[serde(rename = "action-access-denied")]
    ActionAccessDenied,
    /// No conversation has that id.
    #[serde(rename = "document-not-found")]
    DocumentNotFound,
    /// The button is not on the pending ask's card.
    #[serde(rename = "UNKNOWN_BUTTON")]
    UnknownButton,
}

impl ProblemCode {
    /// Every code.
    pub const ALL: &[Self] = &[
        Self::ActionBodyValidationFailed,
        Self::ActionAccessDenied,
        Self::DocumentNotFound,
        Self::UnknownButton,
    ];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ActionBodyValidationFailed => "action-body-validation-failed",
            Self::ActionAccessDenied => "action-access-denied",
            Self::DocumentNotFound => "document-not-found",
            Self::UnknownButton => "UNKNOWN_BUTTON",
        }
    }
}

/// More about a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ProblemMeta {
    /// What is wrong with a body, one sentence for each field.
    Body {
        /// The field's name, or its dotted path inside an object, and what is wrong with it.
        fields: BTreeMap<String, String>,
    },
    /// What is wrong with an answer, or with the button pressed.
    Answer {
        /// Every error.
        fields: Vec<AskError>,
    },
    /// How the ask that is no longer pending ended.
    AskEnded(AskEnded),
}

/// How an ask ended that is no longer pending (the `meta` of a 409).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskEnded {
    /// Whether it has ended, or is about to.
    pub status: AskEndedStatus,
    /// The answer's action, once it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// When it ended: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
}

/// The status of an ask that no longer takes answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AskEndedStatus {
    /// A command that was stored first will end it, and waits its turn.
    Claimed,
    /// It was answered, or skipped.
    Answered,
    /// It was dropped.
    Cancelled,
}

impl AskEndedStatus {
    /// Every status.
    pub const ALL: &[Self] = &[Self::Claimed, Self::Answered, Self::Cancelled];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Answered => "answered",
            Self::Cancelled => "cancelled",
        }
    }
}
