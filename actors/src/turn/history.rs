//! The transcript as a model sees it (rule 13).
//!
//! User and agent messages, and every ask with its result right after its call, wherever the result's row is. An
//! ask without a result is left out, and so are host tools and approvals: what the agent remembers of those is
//! what it wrote in its reply.

use std::collections::HashMap;

use serde_json::Value;

use crate::ids::TaskId;
use crate::message::MessageBody;
use crate::ports::{ModelCall, ModelMessage, ModelResult, ToolOutput};
use crate::store::Record;

/// The messages a turn starts from: `transcript` ends with the turn's own user message.
pub fn model_messages(transcript: Vec<Record>) -> Vec<ModelMessage> {
    let mut results: HashMap<(TaskId, String), Value> = HashMap::new();
    for record in &transcript {
        if let MessageBody::ToolResult { tool_call_id, result, answers_ask: true, .. } = &record.body {
            results.insert((record.task_id, tool_call_id.clone()), result.clone());
        }
    }
    let mut messages = Vec::with_capacity(transcript.len());
    for Record { task_id, body } in transcript {
        match body {
            MessageBody::User { text } => messages.push(ModelMessage::User { text }),
            MessageBody::Assistant { text } => {
                messages.push(ModelMessage::Assistant { text, calls: Vec::new(), provider: None });
            }
            MessageBody::ToolCall { tool_name, tool_call_id, args, ask: Some(tag) }
                if tag.origin.is_none() =>
            {
                if let Some(result) = results.remove(&(task_id, tool_call_id.clone())) {
                    messages.extend(ask_and_result(tool_name, tool_call_id, args, result));
                }
            }
            MessageBody::ToolCall { .. } | MessageBody::ToolResult { .. } => {}
        }
    }
    messages
}

fn ask_and_result(name: String, id: String, args: Value, result: Value) -> [ModelMessage; 2] {
    let call = ModelCall { id: id.clone(), name: name.clone(), args };
    let result = ModelResult { id, name, output: ToolOutput::Json(result), files: Vec::new() };
    [
        ModelMessage::Assistant { text: String::new(), calls: vec![call], provider: None },
        ModelMessage::Tool { results: vec![result] },
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use turnwright_schemas::AskKind;
    use turnwright_schemas::events::AskOrigin;

    use super::*;
    use crate::message::AskTag;

    fn record(task_id: TaskId, body: MessageBody) -> Record {
        Record { task_id, body }
    }

    fn user(task_id: TaskId, text: &str) -> Record {
        record(task_id, MessageBody::User { text: text.to_owned() })
    }

    fn call(task_id: TaskId, id: &str, ask: Option<AskTag>) -> Record {
        let tool_name = "ask_confirm".to_owned();
        record(
            task_id,
            MessageBody::ToolCall { tool_name, tool_call_id: id.to_owned(), args: json!({}), ask },
        )
    }

    fn result(task_id: TaskId, id: &str, result: Value) -> Record {
        let tool_name = "ask_confirm".to_owned();
        record(
            task_id,
            MessageBody::ToolResult { tool_name, tool_call_id: id.to_owned(), result, answers_ask: true },
        )
    }

    const ASK: Option<AskTag> = Some(AskTag { kind: AskKind::Confirm, origin: None });

    #[test]
    fn the_result_of_an_ask_stands_right_after_its_call() {
        let (first, second) = (TaskId::new(), TaskId::new());
        let messages = model_messages(vec![
            user(first, "one"),
            call(first, "call_1", ASK),
            user(second, "two"),
            result(first, "call_1", json!({"action": "decline"})),
        ]);
        let roles: Vec<_> =
            messages.iter().map(|message| matches!(message, ModelMessage::User { .. })).collect();
        assert_eq!(roles, [true, false, false, true]);
        assert!(matches!(&messages[2], ModelMessage::Tool { results } if results[0].id == "call_1"));
    }

    #[test]
    fn an_ask_without_a_result_is_left_out() {
        let task = TaskId::new();
        let messages = model_messages(vec![user(task, "one"), call(task, "call_1", ASK)]);
        assert_eq!(messages.len(), 1);
    }

    #[test]
    fn call_ids_that_turns_share_are_told_apart() {
        let (first, second) = (TaskId::new(), TaskId::new());
        let messages = model_messages(vec![
            call(first, "call_1", ASK),
            result(first, "call_1", json!({"action": "decline"})),
            call(second, "call_1", ASK),
            result(second, "call_1", json!({"action": "cancel"})),
        ]);
        let outputs: Vec<_> = messages
            .iter()
            .filter_map(|message| match message {
                ModelMessage::Tool { results } => Some(results[0].output.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(
            outputs,
            [ToolOutput::Json(json!({"action": "decline"})), ToolOutput::Json(json!({"action": "cancel"}))]
        );
    }

    #[test]
    fn host_tools_and_approvals_are_left_out() {
        let task = TaskId::new();
        let approval = Some(AskTag { kind: AskKind::Confirm, origin: Some(AskOrigin::Approval) });
        let messages = model_messages(vec![
            call(task, "call_1", None),
            call(task, "approval_1", approval),
            result(task, "approval_1", json!({"action": "decline"})),
        ]);
        assert!(messages.is_empty());
    }
}
