//! The `markdown` ask: edit a draft and send it back (reference, "markdown").

pub(crate) mod answer;
pub(crate) mod input;

use serde::Serialize;

use crate::bounds::Bounds;
use crate::limits::LIMITS;

/// A valid `markdown` ask. It serializes to exactly the input it was parsed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MarkdownAsk {
    /// The question, 1 to 500 characters of plain text.
    pub prompt: String,
    /// A heading, at most 80 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The label of the submit button, at most 24 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_label: Option<String>,
    /// Whether the user may skip; they may when it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_decline: Option<bool>,
    /// The draft, at most 20,000 UTF-16 code units. It may break the ask's own bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// A hint shown while the editor is empty, at most 120 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// The fewest UTF-16 code units an answer holds without white space at its ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<usize>,
    /// The most UTF-16 code units an answer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<usize>,
}

/// A valid answer to a `markdown` ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MarkdownAnswer {
    /// The text sent back.
    pub markdown: String,
    /// Whether the text differs from the draft.
    pub changed: bool,
}

impl MarkdownAsk {
    /// The draft, empty when the ask has none.
    pub fn draft(&self) -> &str {
        self.initial.as_deref().unwrap_or_default()
    }

    /// How long an answer may be, in UTF-16 code units.
    pub fn length_bounds(&self) -> Bounds {
        Bounds {
            min: self.min_length.unwrap_or(0),
            max: self.max_length.unwrap_or(LIMITS.markdown.max_length),
        }
    }
}
