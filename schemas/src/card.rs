//! Simple cards: short text and at most three buttons, each with the exact answer it sends (reference, "Simple cards").

mod buttons;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::Ask;
use crate::codes::ErrorCode;
use crate::error::AskError;
use crate::kind::AskKind;
use crate::limits::LIMITS;
use crate::report::{list_names, quote};
use crate::text::cut;

/// How a button looks, and whether a gesture may press it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ButtonStyle {
    /// One answer among equals.
    Default,
    /// The suggested answer.
    Primary,
    /// An answer that cannot be undone.
    Destructive,
    /// The way out.
    Cancel,
}

impl ButtonStyle {
    /// Every style.
    pub const ALL: &[Self] = &[Self::Default, Self::Primary, Self::Destructive, Self::Cancel];

    /// The style's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Primary => "primary",
            Self::Destructive => "destructive",
            Self::Cancel => "cancel",
        }
    }
}

/// One button of a simple card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimpleCardButton {
    /// Unique within the card.
    pub id: String,
    /// At most 20 UTF-16 code units.
    pub label: String,
    /// How it looks.
    pub style: ButtonStyle,
    /// The answer envelope the button sends, opaque to the card: it stays what it was when the ask was made.
    pub response: Value,
}

/// What a client that knows no ask kinds shows. Derived once, when the ask is made, and stored with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SimpleCard {
    /// The ask's tool call id.
    pub tool_call_id: String,
    /// The ask's kind.
    pub kind: AskKind,
    /// The ask's title, cut to 40 UTF-16 code units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The ask's prompt, cut to 140 UTF-16 code units.
    pub text: String,
    /// At most three.
    pub buttons: Vec<SimpleCardButton>,
    /// Whether the buttons cannot show every option, so that the user needs the full app.
    pub handoff: bool,
}

impl SimpleCard {
    /// Derives the card of an ask. Each button's response is a valid answer to that ask.
    pub fn of(ask: &Ask, tool_call_id: &str) -> Self {
        let limits = &LIMITS.simple_card;
        let (buttons, handoff) = buttons::of(ask);
        Self {
            tool_call_id: tool_call_id.to_owned(),
            kind: ask.kind(),
            title: ask.title().map(|title| cut(title, limits.title_max_length).into_owned()),
            text: cut(ask.prompt(), limits.text_max_length).into_owned(),
            buttons,
            handoff,
        }
    }

    /// The button with this id.
    ///
    /// # Errors
    ///
    /// `UNKNOWN_BUTTON` at `buttonId` when the card has no such button; the fix lists the ids it has.
    pub fn resolve_button(&self, id: &str) -> Result<&SimpleCardButton, AskError> {
        self.buttons.iter().find(|button| button.id == id).ok_or_else(|| {
            let fix = if self.buttons.is_empty() {
                "Answer in the full app: this card has no buttons.".to_owned()
            } else {
                let ids = list_names(self.buttons.iter().map(|button| button.id.as_str()));
                format!("Use the id of one of the card's buttons: {ids}.")
            };
            AskError {
                path: "buttonId".to_owned(),
                code: ErrorCode::UnknownButton,
                message: format!("{} is not a button of the ask's card.", quote(id)),
                fix,
            }
        })
    }
}
