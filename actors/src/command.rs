//! What a client wants of a conversation, parsed and checked.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use turnwright_schemas::{Action, Surface};

use crate::ids::{AskId, CommandId, TaskId};
use crate::turn_state::AnswerFile;

/// A user's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The text; it is not empty.
    pub text: String,
    /// The screen it was sent from.
    pub surface: Surface,
}

/// An answer that fits the ask it names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckedAnswer {
    /// The ask it was checked against.
    pub ask_id: AskId,
    /// What it does with the ask.
    pub action: Action,
    /// Why it does not allow the call, when the ask is an approval; `None` allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denial: Option<String>,
    /// The envelope as it is stored and as the model reads it: without bytes.
    pub envelope: Value,
    /// The files of a `files` answer, already in the file store.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AnswerFile>,
    /// The screen it was sent from.
    pub surface: Surface,
}

/// What a command wants.
#[derive(Debug, Clone)]
pub enum ClientCommand {
    /// To say something, in a turn with that id.
    Prompt {
        /// The turn it will begin.
        task_id: TaskId,
        /// What is said.
        prompt: Prompt,
        /// Whether it ends the ask it meets (rule 3). Where asks are off it does not: the ask stays stored.
        ends_ask: bool,
    },
    /// To answer an ask.
    Answer {
        /// The ask as the client names it.
        tool_call_id: String,
        /// The checked answer.
        answer: CheckedAnswer,
    },
}

impl ClientCommand {
    /// The ask an answer names.
    pub fn tool_call_id(&self) -> Option<&str> {
        match self {
            Self::Prompt { .. } => None,
            Self::Answer { tool_call_id, .. } => Some(tool_call_id),
        }
    }
}

/// A stored command that waits for its turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    /// Its place in the inbox.
    pub seq: i64,
    /// Its id.
    pub command_id: CommandId,
    /// The turn it will begin or resume.
    pub task_id: TaskId,
    /// What it wants.
    pub command: QueuedCommand,
}

/// What a stored command wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum QueuedCommand {
    /// A message.
    #[serde(rename_all = "camelCase")]
    Prompt {
        /// The message.
        prompt: Prompt,
        /// The ask it will cancel: the one that was pending when it was stored (rule 3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cancels: Option<AskId>,
    },
    /// An answer to the ask it claimed.
    Answer {
        /// The answer.
        answer: CheckedAnswer,
    },
}

impl QueuedCommand {
    /// The `kind` column.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Prompt { .. } => "prompt",
            Self::Answer { .. } => "answer",
        }
    }
}
