//! The answer envelope: accept, decline or cancel (reference, "Answer envelope").

pub(crate) mod envelope;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::choice::ChoiceAnswer;
use crate::files::{FileRef, StoredFile};
use crate::form::FormValues;
use crate::markdown::MarkdownAnswer;

/// What an answer does with its ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The user answered.
    Accept,
    /// The user pressed Skip.
    Decline,
    /// The ask was dropped.
    Cancel,
}

impl Action {
    /// Every action.
    pub const ALL: &[Self] = &[Self::Accept, Self::Decline, Self::Cancel];

    /// The action's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why the server cancels an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// The user sent a message while the ask was pending.
    UserSentMessage,
    /// Another ask holds the conversation's one slot.
    OneAskAtATime,
    /// The user cancelled the paused turn.
    UserCancelled,
}

impl CancelReason {
    /// The reason as a `cancel` answer holds it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UserSentMessage => "user_sent_message",
            Self::OneAskAtATime => "one_ask_at_a_time",
            Self::UserCancelled => "user_cancelled",
        }
    }
}

impl fmt::Display for CancelReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A valid answer to one ask.
#[derive(Debug, Clone, PartialEq)]
pub enum AskResponse {
    /// The user answered.
    Accept(Answer),
    /// The user pressed Skip, which the ask allows.
    Decline,
    /// The ask was dropped.
    Cancel {
        /// Why, at most 200 characters.
        reason: Option<String>,
    },
}

/// What the user answered, by the kind of the ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To a `choice`.
    Choice(ChoiceAnswer),
    /// To a `confirm`.
    Confirm {
        /// Approved, or denied.
        confirmed: bool,
    },
    /// To a `markdown`.
    Markdown(MarkdownAnswer),
    /// To a `form`.
    Form {
        /// Values by field id.
        values: FormValues,
    },
    /// To a `files`.
    Files {
        /// In the order the user picked them.
        files: Vec<FileRef>,
    },
}

impl AskResponse {
    /// The answer with which the server drops an ask.
    pub fn cancelled(reason: CancelReason) -> Self {
        Self::Cancel { reason: Some(reason.as_str().to_owned()) }
    }

    /// What the answer does with its ask.
    pub fn action(&self) -> Action {
        match self {
            Self::Accept(_) => Action::Accept,
            Self::Decline => Action::Decline,
            Self::Cancel { .. } => Action::Cancel,
        }
    }

    /// The envelope, exactly as it was sent: a file's data URL included.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Accept(answer) => accepted(answer.to_json()),
            Self::Decline => json!({"action": Action::Decline}),
            Self::Cancel { reason: None } => json!({"action": Action::Cancel}),
            Self::Cancel { reason: Some(reason) } => json!({"action": Action::Cancel, "reason": reason}),
        }
    }

    /// The envelope as it is stored: of each file only what `files` says, in the order of the answer.
    ///
    /// Only an answer with files differs from [`Self::to_json`]; for any other `files` is empty.
    pub fn to_stored_json(&self, files: &[StoredFile]) -> Value {
        match self {
            Self::Accept(Answer::Files { .. }) => accepted(json!({"files": files})),
            Self::Accept(_) | Self::Decline | Self::Cancel { .. } => self.to_json(),
        }
    }
}

fn accepted(content: Value) -> Value {
    json!({"action": Action::Accept, "content": content})
}

impl Answer {
    fn to_json(&self) -> Value {
        match self {
            Self::Choice(answer) => json!(answer),
            Self::Confirm { confirmed } => json!({"confirmed": confirmed}),
            Self::Markdown(answer) => json!(answer),
            Self::Form { values } => json!({"values": values}),
            Self::Files { files } => json!({"files": files}),
        }
    }
}
