//! The body of `POST /gpt/prompt`, checked in the order of the reference's table "Error responses".

use serde_json::{Map, Value};
use turnwright_actors::engine::CommandBody;
use turnwright_actors::ids::ConversationId;
use turnwright_actors::streams::StreamText;
use turnwright_schemas::Surface;

use super::error::ApiError;

/// What a client posts to a conversation.
#[derive(Debug)]
pub struct PromptBody {
    /// The conversation; `None` begins a new one.
    pub history: Option<HistoryRef>,
    /// What is wanted.
    pub command: CommandBody,
    /// The screen.
    pub surface: Surface,
    /// How text is to be streamed, when the client says.
    pub stream_text: Option<StreamText>,
}

/// The conversation a body names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryRef {
    /// By an id.
    Id(ConversationId),
    /// By something that is the id of none.
    Unknown,
}

impl PromptBody {
    /// Reads a body. With asks off `askResponse` counts as absent. Unknown fields are ignored.
    ///
    /// # Errors
    /// The first row of the table that applies.
    pub fn parse(body: Value, asks_enabled: bool) -> Result<Self, ApiError> {
        let Value::Object(mut fields) = body else {
            return Err(bad("Invalid JSON body", "The body must be a JSON object."));
        };
        let answer = take(&mut fields, "askResponse").filter(|_| asks_enabled);
        let prompt = take(&mut fields, "prompt").filter(|prompt| prompt != "");
        let attachments = take(&mut fields, "attachments").is_some_and(|list| list != Value::Array(vec![]));
        let history = take(&mut fields, "historyId").filter(|id| id != "").map(|id| HistoryRef::of(&id));
        let command = match (prompt, answer) {
            (None, None) => return Err(prompt_required()),
            (Some(_), Some(_)) => {
                return Err(bad(
                    "Send either prompt or askResponse, not both",
                    "Send prompt to say something, or askResponse to answer the pending ask.",
                ));
            }
            (Some(Value::String(_)), None) if attachments => {
                return Err(bad(
                    "attachments are not supported",
                    "This server takes files as the answer to a files ask only.",
                ));
            }
            (Some(Value::String(text)), None) => CommandBody::Prompt { text },
            (Some(_), None) => return Err(prompt_required()),
            (None, Some(answer)) => answer_body(answer, attachments, history.is_some())?,
        };
        let surface = match take(&mut fields, "surface") {
            None => Surface::Full,
            Some(surface) => known_surface(&surface)?,
        };
        let stream_text = take(&mut fields, "streamText").map(|text| known_stream_text(&text)).transpose()?;
        Ok(Self { history, command, surface, stream_text })
    }
}

impl HistoryRef {
    fn of(id: &Value) -> Self {
        match id.as_str().map(str::parse) {
            Some(Ok(id)) => Self::Id(id),
            _ => Self::Unknown,
        }
    }
}

/// Takes a field; `null` counts as absent.
fn take(fields: &mut Map<String, Value>, name: &str) -> Option<Value> {
    fields.remove(name).filter(|value| !value.is_null())
}

fn answer_body(answer: Value, attachments: bool, in_history: bool) -> Result<CommandBody, ApiError> {
    let Value::Object(mut response) = answer else {
        return Err(bad(
            "askResponse must be an object",
            "Send {toolCallId, action, content?, reason?} as askResponse.",
        ));
    };
    let tool_call_id = match response.remove("toolCallId") {
        Some(Value::String(id)) if !id.is_empty() => id,
        _ => {
            return Err(bad(
                "askResponse.toolCallId is required",
                "Send the toolCallId of the ask that is answered.",
            ));
        }
    };
    if attachments {
        return Err(bad(
            "attachments cannot be sent with askResponse",
            "Send files in the content of the answer to a files ask.",
        ));
    }
    if !in_history {
        return Err(bad(
            "historyId is required with askResponse",
            "Send the historyId of the conversation that waits on the ask.",
        ));
    }
    Ok(CommandBody::Answer { tool_call_id, response: Value::Object(response) })
}

fn known_surface(surface: &Value) -> Result<Surface, ApiError> {
    let known = surface.as_str().and_then(|name| name.parse().ok());
    known.ok_or_else(|| {
        let surfaces: Vec<&str> = Surface::ALL.iter().map(|surface| surface.as_str()).collect();
        bad("surface is not a known surface", &format!("surface is one of: {}.", surfaces.join(", ")))
    })
}

fn known_stream_text(text: &Value) -> Result<StreamText, ApiError> {
    let known = text.as_str().and_then(|name| name.parse().ok());
    known.ok_or_else(|| bad("streamText is not a known mode", "streamText is one of: live, step."))
}

fn prompt_required() -> ApiError {
    bad("prompt is required", "Send prompt, a text that is not empty.")
}

fn bad(title: &'static str, detail: &str) -> ApiError {
    ApiError::BadRequest { title, detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn title(body: Value) -> &'static str {
        match PromptBody::parse(body, true) {
            Err(ApiError::BadRequest { title, .. }) => title,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn the_first_row_of_the_table_that_applies_is_the_refusal() {
        let answer = json!({"toolCallId": "call_1", "action": "decline"});
        for (body, expected) in [
            (json!({}), "prompt is required"),
            (json!({"prompt": ""}), "prompt is required"),
            (json!({"prompt": null, "askResponse": null, "surface": "x"}), "prompt is required"),
            (json!({"prompt": 7}), "prompt is required"),
            (json!({"prompt": "a", "askResponse": 1}), "Send either prompt or askResponse, not both"),
            (json!({"askResponse": [], "surface": "x"}), "askResponse must be an object"),
            (json!({"askResponse": {"toolCallId": ""}}), "askResponse.toolCallId is required"),
            (json!({"askResponse": {"toolCallId": 1}}), "askResponse.toolCallId is required"),
            (
                json!({"askResponse": answer, "attachments": [{}]}),
                "attachments cannot be sent with askResponse",
            ),
            (json!({"askResponse": answer}), "historyId is required with askResponse"),
            (json!({"prompt": "a", "surface": "watch"}), "surface is not a known surface"),
            (json!({"prompt": "a", "attachments": [{}]}), "attachments are not supported"),
            (json!({"prompt": "a", "streamText": "x"}), "streamText is not a known mode"),
        ] {
            assert_eq!(title(body.clone()), expected, "{body}");
        }
    }

    #[test]
    fn unknown_fields_are_ignored_and_null_counts_as_absent() {
        let body = json!({
            "prompt": "a", "askResponse": null, "historyId": null, "surface": null, "attachments": [],
            "model": "x",
        });
        let parsed = PromptBody::parse(body, true).unwrap();
        assert!(matches!(parsed.command, CommandBody::Prompt { text } if text == "a"));
        assert_eq!((parsed.history, parsed.surface, parsed.stream_text), (None, Surface::Full, None));
    }

    #[test]
    fn with_asks_off_an_answer_is_ignored() {
        let answer = json!({"toolCallId": "call_1", "action": "decline"});
        let both = json!({"prompt": "a", "askResponse": answer});
        assert!(PromptBody::parse(both, false).is_ok());
        assert!(PromptBody::parse(json!({"askResponse": answer, "historyId": "x"}), false).is_err());
    }

    #[test]
    fn a_malformed_id_is_the_id_of_no_conversation() {
        for id in [json!("x"), json!(7), json!({})] {
            let parsed = PromptBody::parse(json!({"prompt": "a", "historyId": id}), true).unwrap();
            assert_eq!(parsed.history, Some(HistoryRef::Unknown));
        }
    }
}
