//! The `confirm` ask: approve or deny one action (reference, "confirm").

pub(crate) mod answer;
pub(crate) mod input;

use serde::Serialize;

const DEFAULT_CONFIRM_LABEL: &str = "Confirm";
const DEFAULT_DENY_LABEL: &str = "Cancel";

/// A valid `confirm` ask. It serializes to exactly the input it was parsed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConfirmAsk {
    /// The question, 1 to 500 characters of plain text.
    pub prompt: String,
    /// A heading, at most 80 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The label of the approve button, at most 20 UTF-16 code units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm_label: Option<String>,
    /// The label of the deny button, at most 20 UTF-16 code units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_label: Option<String>,
    /// Whether the action deletes data or cannot be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Whether the user may skip; they may not when it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_decline: Option<bool>,
}

impl ConfirmAsk {
    /// The label of the approve button, its default filled in.
    pub fn approve_label(&self) -> &str {
        self.confirm_label.as_deref().unwrap_or(DEFAULT_CONFIRM_LABEL)
    }

    /// The label of the deny button, its default filled in.
    pub fn deny_label(&self) -> &str {
        self.deny_label.as_deref().unwrap_or(DEFAULT_DENY_LABEL)
    }
}
