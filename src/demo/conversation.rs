//! What a model request asks: the user's newest words, and what came of the calls made since.

use turnwright_actors::ports::{ModelMessage, ModelResult};

/// The newest text of the user; empty when there is none.
pub(super) fn newest_user_text(messages: &[ModelMessage]) -> &str {
    messages.iter().rev().find_map(user_text).unwrap_or_default()
}

/// The last result since the user's newest text: what this request is to be about. `None` when the text is.
pub(super) fn newest_result(messages: &[ModelMessage]) -> Option<&ModelResult> {
    messages.iter().rev().take_while(|message| user_text(message).is_none()).find_map(|message| match message
    {
        ModelMessage::Tool { results } => results.last(),
        ModelMessage::User { .. } | ModelMessage::Assistant { .. } => None,
    })
}

fn user_text(message: &ModelMessage) -> Option<&str> {
    match message {
        ModelMessage::User { text } => Some(text),
        ModelMessage::Assistant { .. } | ModelMessage::Tool { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use turnwright_actors::ports::ToolOutput;

    use super::*;

    fn user(text: &str) -> ModelMessage {
        ModelMessage::User { text: text.to_owned() }
    }

    fn result(id: &str) -> ModelMessage {
        let output = ToolOutput::Json(json!({}));
        let result =
            ModelResult { id: id.to_owned(), name: "ask_choice".to_owned(), output, files: Vec::new() };
        ModelMessage::Tool { results: vec![result] }
    }

    #[test]
    fn a_result_belongs_to_the_request_only_after_the_newest_user_text() {
        let messages = [user("first"), result("call_1"), user("second")];
        assert_eq!(newest_user_text(&messages), "second");
        assert_eq!(newest_result(&messages), None);
        assert_eq!(newest_result(&messages[..2]).map(|result| result.id.as_str()), Some("call_1"));
    }

    #[test]
    fn a_request_without_messages_has_no_text() {
        assert_eq!(newest_user_text(&[]), "");
        assert_eq!(newest_result(&[]), None);
    }
}
