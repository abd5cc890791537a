//! The `choice` ask: pick one option, or several, or type an answer of one's own (reference, "choice").

pub(crate) mod answer;
pub(crate) mod input;

use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::object::WireName;

/// The fewest choices of an ask with `"many"` that sets no `minSelected`.
const DEFAULT_MIN_SELECTED: usize = 1;

/// How many options an answer picks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelectMode {
    /// Exactly one.
    One,
    /// Several, between bounds.
    Many,
}

impl WireName for SelectMode {
    const VALUES: &'static [Self] = &[Self::One, Self::Many];

    fn wire_name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Many => "many",
        }
    }
}

/// One option of a `choice` ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChoiceOption {
    /// Matches `choice.optionIdPattern`; unique within the ask.
    pub id: String,
    /// What the user reads, 1 to 120 characters.
    pub label: String,
    /// A line under the label, at most 280 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A valid `choice` ask. It serializes to exactly the input it was parsed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ChoiceAsk {
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
    /// One option or several.
    pub select: SelectMode,
    /// 2 to 50 options in display order.
    pub options: Vec<ChoiceOption>,
    /// Ids selected from the start; each is one of `options`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<String>>,
    /// The fewest choices an answer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_selected: Option<usize>,
    /// The most choices an answer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_selected: Option<usize>,
    /// Whether the user may type an answer of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_other: Option<bool>,
    /// The label of the Other field, at most 120 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_label: Option<String>,
}

/// A valid answer to a `choice` ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChoiceAnswer {
    /// The ids picked, each one of the ask's options.
    pub selected: Vec<String>,
    /// What the user typed instead of, or besides, the options; it counts as one choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
}

impl ChoiceAsk {
    /// How many choices an answer must hold, Other included.
    pub fn selection_bounds(&self) -> Bounds {
        match self.select {
            SelectMode::One => Bounds { min: 1, max: 1 },
            SelectMode::Many => Bounds {
                min: self.min_selected.unwrap_or(DEFAULT_MIN_SELECTED),
                max: self.max_selected.unwrap_or_else(|| self.choices_offered()),
            },
        }
    }

    /// The options, plus one when the user may type an answer of their own.
    pub fn choices_offered(&self) -> usize {
        self.options.len() + usize::from(self.offers_other())
    }

    /// Whether the user may type an answer of their own.
    pub fn offers_other(&self) -> bool {
        self.allow_other == Some(true)
    }

    /// The option with this id.
    pub fn option(&self, id: &str) -> Option<&ChoiceOption> {
        self.options.iter().find(|option| option.id == id)
    }
}
