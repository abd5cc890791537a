//! The bodies of the headless endpoints (reference, "Headless endpoints").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::card::SimpleCard;
use crate::kind::{AskKind, Surface};
use crate::limits::LIMITS;
use crate::response::Action;

/// What is wrong with a body: one sentence for each field, keyed by its name or dotted path. What is wrong with
/// the body itself stands under `""`.
pub type BodyErrors = BTreeMap<String, String>;

/// The body of `POST /gpt/histories/:id/turn`.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRequest {
    /// What the client wants.
    pub shape: TurnShape,
    /// The screen it was sent from.
    pub surface: Surface,
}

/// The one of three shapes a turn body has.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnShape {
    /// A new message. It cancels the pending ask.
    Prompt(String),
    /// A full answer to the pending ask.
    Answer {
        /// The ask answered.
        tool_call_id: String,
        /// The answer's envelope without the id. Its form is right; what it says is checked against the ask.
        response: Value,
    },
    /// A button of the pending ask's card.
    Button {
        /// The ask answered.
        tool_call_id: String,
        /// The button pressed.
        button_id: String,
    },
}

/// The fields that make a shape, in the order errors are thought of.
const SHAPE_FIELDS: [&str; 4] = ["prompt", "askResponse", "toolCallId", "buttonId"];

impl TurnRequest {
    /// Reads a turn body.
    ///
    /// # Errors
    ///
    /// Every field that is wrong, each with a sentence: a value that `turnRequest.schema.json` refuses, or a body
    /// that is not exactly one of the three shapes, which a JSON Schema cannot say. An empty body reports under
    /// `prompt`, a mixed one under each field sent, half a button under the missing one.
    pub fn parse(body: Value) -> Result<Self, BodyErrors> {
        let Value::Object(fields) = body else {
            return Err(root_error("The body must be a JSON object."));
        };
        let mut reader = BodyReader { fields, errors: BodyErrors::new() };
        reader.refuse_unknown_fields();
        reader.require_one_shape();
        let surface = reader.surface();
        let prompt = reader.text("prompt");
        let answer = reader.answer();
        let tool_call_id = reader.text("toolCallId");
        let button_id = reader.text("buttonId");
        if !reader.errors.is_empty() {
            return Err(reader.errors);
        }
        let shape = match (prompt, answer, tool_call_id, button_id) {
            (Some(prompt), None, None, None) => TurnShape::Prompt(prompt),
            (None, Some(answer), None, None) => answer,
            (None, None, Some(tool_call_id), Some(button_id)) => {
                TurnShape::Button { tool_call_id, button_id }
            }
            _ => return Err(root_error(SHAPES)),
        };
        Ok(Self { shape, surface })
    }
}

/// The three shapes, in a sentence.
const SHAPES: &str = "Send exactly one of prompt, askResponse, or toolCallId with buttonId.";

fn root_error(message: &str) -> BodyErrors {
    BodyErrors::from([(String::new(), message.to_owned())])
}

/// A body being taken apart, and what was wrong with it so far.
struct BodyReader {
    fields: Map<String, Value>,
    errors: BodyErrors,
}

impl BodyReader {
    /// Notes what is wrong with a field. The first thing said about it stands.
    fn refuse(&mut self, path: &str, message: impl Into<String>) {
        if !self.errors.contains_key(path) {
            self.errors.insert(path.to_owned(), message.into());
        }
    }

    fn refuse_unknown_fields(&mut self) {
        let known = |name: &str| name == "surface" || SHAPE_FIELDS.contains(&name);
        let unknown = self.fields.keys().filter(|name| !known(name));
        self.errors.extend(
            unknown.map(|name| (name.clone(), format!("\"{name}\" is not a field of a turn. {SHAPES}"))),
        );
    }

    fn require_one_shape(&mut self) {
        let mut sent = SHAPE_FIELDS.to_vec();
        sent.retain(|name| self.fields.contains_key(*name));
        match sent.as_slice() {
            ["prompt"] | ["askResponse"] | ["toolCallId", "buttonId"] => {}
            [] => self.refuse("prompt", format!("prompt is missing. {SHAPES}")),
            ["toolCallId"] => self.refuse("buttonId", "buttonId is required with toolCallId."),
            ["buttonId"] => self.refuse("toolCallId", "toolCallId is required with buttonId."),
            mixed => mixed.iter().for_each(|name| self.refuse(name, SHAPES)),
        }
    }

    fn surface(&mut self) -> Surface {
        match self.fields.remove("surface") {
            None => return Surface::default(),
            Some(Value::String(name)) => match name.parse::<Surface>() {
                Ok(surface) => return surface,
                Err(unknown) => self.refuse("surface", unknown.to_string()),
            },
            Some(_) => self.refuse("surface", "surface must be a string."),
        }
        Surface::default()
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let value = self.fields.remove(name)?;
        self.nonempty(name, value)
    }

    fn answer(&mut self) -> Option<TurnShape> {
        let Value::Object(mut envelope) = self.fields.remove("askResponse")? else {
            self.refuse("askResponse", "askResponse must be an object.");
            return None;
        };
        let id_path = "askResponse.toolCallId";
        let tool_call_id = match envelope.remove("toolCallId") {
            Some(id) => self.nonempty(id_path, id),
            None => {
                self.refuse(id_path, "askResponse.toolCallId is required.");
                None
            }
        };
        self.check_envelope(&envelope);
        Some(TurnShape::Answer { tool_call_id: tool_call_id?, response: Value::Object(envelope) })
    }

    fn check_envelope(&mut self, envelope: &Map<String, Value>) {
        let action = envelope.get("action").and_then(Value::as_str);
        let named = |name| Action::ALL.iter().find(|action| action.as_str() == name);
        let Some(action) = action.and_then(named) else {
            let message = "askResponse.action must be accept, decline or cancel.";
            return self.refuse("askResponse.action", message);
        };
        let payload = match action {
            Action::Accept => {
                if !envelope.get("content").is_some_and(Value::is_object) {
                    self.refuse("askResponse.content", "askResponse.content must be an object.");
                }
                Some("content")
            }
            Action::Decline => None,
            Action::Cancel => {
                if let Some(reason) = envelope.get("reason") {
                    self.check_reason(reason);
                }
                Some("reason")
            }
        };
        for name in envelope.keys() {
            if name != "action" && Some(name.as_str()) != payload {
                let message = format!("\"{name}\" is not a field of a {action} answer.");
                self.refuse(&format!("askResponse.{name}"), message);
            }
        }
    }

    fn check_reason(&mut self, reason: &Value) {
        let path = "askResponse.reason";
        let max = LIMITS.shared.cancel_reason_max_length;
        match reason.as_str().map(|text| text.chars().count()) {
            None => self.refuse(path, "askResponse.reason must be a string."),
            Some(0) => self.refuse(path, "askResponse.reason must not be empty."),
            Some(length) if length > max => {
                self.refuse(path, format!("askResponse.reason has at most {max} characters."));
            }
            Some(_) => {}
        }
    }

    fn nonempty(&mut self, path: &str, value: Value) -> Option<String> {
        match value {
            Value::String(text) if !text.is_empty() => return Some(text),
            Value::String(_) => self.refuse(path, format!("{path} must not be empty.")),
            _ => self.refuse(path, format!("{path} must be a string.")),
        }
        None
    }
}

/// The `data` of the response to a turn, sent once the turn rests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnResult {
    /// The conversation.
    pub history_id: String,
    /// The text the turn produced; empty when the agent only asked.
    pub text: String,
    /// The conversation's title, once it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The ask the turn paused on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_ask: Option<PendingAskSummary>,
    /// Set when the turn failed after it started. `text` holds what was said before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A pending ask as a small client needs it: enough to show the card and to press a button.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingAskSummary {
    /// The ask's tool call id. Answers must name it.
    pub tool_call_id: String,
    /// The ask's kind.
    pub kind: AskKind,
    /// The card, as derived when the ask was made.
    pub simple: SimpleCard,
}

/// One of the caller's pending asks (`GET /gpt/histories/pendingAsks`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingAskListItem {
    /// The conversation that waits.
    pub history_id: String,
    /// The conversation's title, once it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The ask's tool call id.
    pub tool_call_id: String,
    /// The ask's kind.
    pub kind: AskKind,
    /// The card, as derived when the ask was made.
    pub simple: SimpleCard,
    /// When the ask was made: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    pub created: String,
}
