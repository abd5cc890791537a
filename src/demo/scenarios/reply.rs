//! What the demo agent says once an ask is answered, skipped or dropped.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use turnwright_actors::ports::{ModelResult, ToolOutput};
use turnwright_schemas::Surface;

/// One reply in the words of both surfaces.
pub(in crate::demo) struct Reply {
    full: String,
    compact: String,
}

/// An answer as a model is given it (spec, "Answer envelope").
#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
enum Heard<T> {
    Accept { content: T },
    Decline,
    Cancel,
}

impl Reply {
    /// A reply for a full screen, and one of at most two short sentences without markdown for a small one.
    pub(in crate::demo) fn new(full: impl Into<String>, compact: impl Into<String>) -> Self {
        Self { full: full.into(), compact: compact.into() }
    }

    /// A reply that is short enough for both.
    pub(in crate::demo) fn short(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { full: text.clone(), compact: text }
    }

    /// Replies to an answer: in the scenario's words to what was accepted; else by saying what was not done,
    /// such as `set up a plan`.
    pub(super) fn to_answer<T: DeserializeOwned>(
        result: &ModelResult,
        not_done: &str,
        accepted: impl FnOnce(T) -> Self,
    ) -> Self {
        let heard = match &result.output {
            ToolOutput::Json(answer) => Heard::deserialize(answer).ok(),
            ToolOutput::Error(_) | ToolOutput::ExecutionDenied { .. } => None,
        };
        let why = match heard {
            Some(Heard::Accept { content }) => return accepted(content),
            Some(Heard::Decline) => "You skipped the question",
            Some(Heard::Cancel) => "You closed the question",
            None => "My question did not reach you",
        };
        Self::short(format!("{why}, so I did not {not_done}."))
    }

    /// The reply in the words of one surface.
    pub(in crate::demo) fn on(self, surface: Surface) -> String {
        match surface {
            Surface::Full => self.full,
            Surface::Compact => self.compact,
        }
    }
}
