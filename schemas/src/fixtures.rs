//! Asks published for testing a client's rendering and validation (reference, "JSON Schemas and fixtures").
//!
//! Each one says in this table what must come of it. The published files hold what the validators and the card
//! rules really made of it, and a test holds both against each other, so that neither changes unseen.

mod choice;
mod choice_many;
mod compact;
mod confirm;
mod files;
mod form;
mod form_defaults;
mod markdown;

use serde::Serialize;
use serde_json::Value;

use crate::ask::Ask;
use crate::card::SimpleCard;
use crate::codes::ErrorCode;
use crate::error::AskError;
use crate::kind::{AskKind, Surface};

/// The tool call id of the cards of fixtures.
pub const TOOL_CALL_ID: &str = "call_fixture";

/// An ask, and what must come of it.
#[derive(Debug, Clone, PartialEq)]
pub struct AskFixture {
    /// Its file name without the ending.
    pub name: &'static str,
    /// The ask's kind.
    pub kind: AskKind,
    /// The surface whose rules it is checked by.
    pub surface: Surface,
    /// The ask's input.
    pub input: Value,
    /// What must come of it.
    pub expected: Expected,
}

/// What must come of an ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expected {
    /// It is valid.
    Card {
        /// The ids of its card's buttons, in order.
        buttons: &'static [&'static str],
        /// Whether its card hands off to the full app.
        handoff: bool,
    },
    /// It is invalid: the path and the code of every error, in order.
    Errors(&'static [(&'static str, ErrorCode)]),
}

/// What a fixture's file holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskFixtureFile<'a> {
    kind: AskKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<Surface>,
    input: &'a Value,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Outcome {
    Simple(SimpleCard),
    Errors(Vec<PlacedCode>),
}

/// An error as fixtures publish it: messages and fixes may be worded anew.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct PlacedCode {
    path: String,
    code: ErrorCode,
}

/// Every fixture, by kind.
pub fn ask_fixtures() -> Vec<AskFixture> {
    [
        choice::fixtures(),
        choice_many::fixtures(),
        compact::fixtures(),
        confirm::fixtures(),
        markdown::fixtures(),
        form::fixtures(),
        form_defaults::fixtures(),
        files::fixtures(),
    ]
    .concat()
}

impl AskFixture {
    /// Checks the ask by its surface's rules.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn check(&self) -> Result<SimpleCard, Vec<AskError>> {
        let ask = Ask::parse(self.kind, &self.input, self.surface)?;
        Ok(SimpleCard::of(&ask, TOOL_CALL_ID))
    }

    /// The folder its file is published in.
    pub fn folder(&self) -> &'static str {
        match (self.expected, self.surface) {
            (Expected::Card { .. }, _) => "valid",
            (Expected::Errors(_), Surface::Full) => "invalid",
            (Expected::Errors(_), Surface::Compact) => "invalidCompact",
        }
    }

    /// Its file: the ask and what comes of it. Errors that only a compact turn gives name the surface.
    pub fn file(&self) -> AskFixtureFile<'_> {
        let placed = |error: AskError| PlacedCode { path: error.path, code: error.code };
        let (surface, outcome) = match (self.check(), self.surface) {
            (Ok(card), _) => (None, Outcome::Simple(card)),
            (Err(errors), surface) => (
                (surface == Surface::Compact).then_some(surface),
                Outcome::Errors(errors.into_iter().map(placed).collect()),
            ),
        };
        AskFixtureFile { kind: self.kind, surface, input: &self.input, outcome }
    }
}

/// A valid ask, the buttons of its card and whether that hands off.
fn valid(
    name: &'static str,
    kind: AskKind,
    input: Value,
    buttons: &'static [&'static str],
    handoff: bool,
) -> AskFixture {
    AskFixture { name, kind, surface: Surface::Full, input, expected: Expected::Card { buttons, handoff } }
}

/// An invalid ask and its errors.
fn invalid(
    name: &'static str,
    kind: AskKind,
    input: Value,
    errors: &'static [(&'static str, ErrorCode)],
) -> AskFixture {
    AskFixture { name, kind, surface: Surface::Full, input, expected: Expected::Errors(errors) }
}

/// `base` with some keys replaced; those replaced by `null` are removed.
fn changed(base: Value, changes: Value) -> Value {
    let (Value::Object(mut fields), Value::Object(changes)) = (base, changes) else {
        return Value::Null;
    };
    for (key, value) in changes {
        if value.is_null() {
            fields.remove(&key);
        } else {
            fields.insert(key, value);
        }
    }
    Value::Object(fields)
}
