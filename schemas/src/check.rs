//! The checks of `turnwright check`: one JSON line in, one result out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::Ask;
use crate::card::SimpleCard;
use crate::error::AskError;
use crate::kind::{AskKind, Surface};
use crate::limits::LIMITS;
use crate::sniff::check_file_bytes;

/// One check, as a line spells it. Fields a check does not name, such as `expect`, are ignored.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Operation {
    ValidateInput {
        kind: AskKind,
        input: Value,
        #[serde(default)]
        surface: Surface,
    },
    ValidateResponse {
        kind: AskKind,
        input: Value,
        response: Value,
        #[serde(default = "default_max_file_size_bytes")]
        max_file_size_bytes: u64,
    },
    SimpleCard {
        kind: AskKind,
        input: Value,
        tool_call_id: String,
    },
    CheckFileBytes {
        bytes_base64: String,
        index: usize,
        mime_type: String,
        max_file_size_bytes: u64,
    },
    ResolveButton {
        card: SimpleCard,
        button_id: String,
    },
}

fn default_max_file_size_bytes() -> u64 {
    LIMITS.files.default_max_file_size_bytes
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CheckOutput {
    /// What is wrong; empty when nothing is.
    Errors(Vec<AskError>),
    /// The card of the ask.
    Card(SimpleCard),
    /// The answer the button sends.
    Response(Value),
}

impl CheckOutput {
    /// Whether the check found no error.
    pub fn is_clean(&self) -> bool {
        match self {
            Self::Errors(errors) => errors.is_empty(),
            Self::Card(_) | Self::Response(_) => true,
        }
    }
}

/// Why a line is no check.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The line is not JSON, or not the JSON of a check.
    #[error("The line is not a check: {0}.")]
    Unreadable(#[from] serde_json::Error),
    /// `bytesBase64` is not base64.
    #[error("bytesBase64 is not base64: {0}.")]
    NotBase64(#[from] base64::DecodeError),
}

/// Runs the check of one line.
///
/// `validateResponse` and `simpleCard` need a valid ask; for any other they give the errors of the ask itself.
///
/// # Errors
///
/// When the line is not a check.
pub fn check_line(line: &str) -> Result<CheckOutput, CheckError> {
    Ok(match serde_json::from_str(line)? {
        Operation::ValidateInput { kind, input, surface } => errors_of(Ask::parse(kind, &input, surface)),
        Operation::ValidateResponse { kind, input, response, max_file_size_bytes } => errors_of(
            Ask::parse(kind, &input, Surface::Full)
                .and_then(|ask| ask.check_response(&response, max_file_size_bytes)),
        ),
        Operation::SimpleCard { kind, input, tool_call_id } => {
            match Ask::parse(kind, &input, Surface::Full) {
                Ok(ask) => CheckOutput::Card(SimpleCard::of(&ask, &tool_call_id)),
                Err(errors) => CheckOutput::Errors(errors),
            }
        }
        Operation::CheckFileBytes { bytes_base64, index, mime_type, max_file_size_bytes } => {
            let bytes = BASE64.decode(bytes_base64)?;
            CheckOutput::Errors(check_file_bytes(&bytes, index, &mime_type, max_file_size_bytes))
        }
        Operation::ResolveButton { card, button_id } => match card.resolve_button(&button_id) {
            Ok(button) => CheckOutput::Response(button.response.clone()),
            Err(error) => CheckOutput::Errors(vec![error]),
        },
    })
}

fn errors_of<T>(result: Result<T, Vec<AskError>>) -> CheckOutput {
    CheckOutput::Errors(result.err().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn output(line: &Value) -> Result<Value, String> {
        check_line(&line.to_string()).map(|output| json!(output)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_valid_input_gives_an_empty_list() {
        let line =
            json!({"op": "validateInput", "kind": "confirm", "input": {"prompt": "Go?"}, "expect": {}});
        assert_eq!(output(&line), Ok(json!({"errors": []})));
    }

    #[test]
    fn an_answer_to_an_invalid_ask_gives_the_errors_of_the_ask() {
        let line = json!({"op": "validateResponse", "kind": "confirm", "input": {}, "response": {"action": "cancel"}});
        let errors = check_line(&line.to_string()).ok();
        let Some(CheckOutput::Errors(errors)) = errors else {
            unreachable!("a response check gives errors");
        };
        assert_eq!(errors.first().map(|error| error.path.as_str()), Some("prompt"));
    }

    #[test]
    fn a_card_leads_from_a_button_to_its_answer() {
        let line = json!({"op": "simpleCard", "kind": "confirm", "input": {"prompt": "Go?"}, "toolCallId": "call_1"});
        let card = output(&line).map(|output| output["card"].clone());
        let resolve =
            |button: &str| json!({"op": "resolveButton", "card": card.as_ref().ok(), "buttonId": button});
        let answer = json!({"action": "accept", "content": {"confirmed": true}});
        assert_eq!(output(&resolve("approve")), Ok(json!({"response": answer})));
        let errors = output(&resolve("maybe")).map(|output| output["errors"][0].clone());
        assert_eq!(errors.as_ref().map(|error| &error["code"]), Ok(&json!("UNKNOWN_BUTTON")));
        assert_eq!(
            errors.as_ref().map(|error| &error["fix"]),
            Ok(&json!("Use the id of one of the card's buttons: \"approve\", \"deny\"."))
        );
    }

    #[test]
    fn an_unreadable_line_gives_a_sentence() {
        let bytes = json!({"op": "checkFileBytes", "bytesBase64": "?", "index": 0, "mimeType": "", "maxFileSizeBytes": 1});
        for line in [json!(1), json!({"op": "guess"}), json!({"op": "validateInput", "kind": "poll"}), bytes]
        {
            let error = output(&line);
            assert!(error.is_err_and(|sentence| sentence.ends_with('.')), "{line}");
        }
    }
}
