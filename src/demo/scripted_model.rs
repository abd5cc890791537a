//! A model that plays a script, and the script's tools.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::Value;
use turnwright_actors::ports::{
    Approval, LanguageModel, ModelError, ModelPart, ModelRequest, Replay, Tool, ToolCall, ToolError, ToolSpec,
};

use super::conversation::newest_user_text;
use super::script::{ApprovalWording, Object, Script, ScriptedPart, ScriptedToolEntry};

/// What the model says where its script says nothing.
const NOTHING_SCRIPTED: &str = "ok";

/// A model that plays a script.
pub(super) struct ScriptedModel(pub(super) Arc<Script>);

impl LanguageModel for ScriptedModel {
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelPart, ModelError>> {
        let parts = match self.0.parts(newest_user_text(&request.messages), request.request) {
            Some(parts) => parts.to_vec(),
            None => vec![ScriptedPart::Text(NOTHING_SCRIPTED.to_owned())],
        };
        stream::iter(parts).filter_map(play).boxed()
    }
}

/// What the engine gets of a part: nothing of a wait once it is over.
async fn play(part: ScriptedPart) -> Option<Result<ModelPart, ModelError>> {
    match part {
        ScriptedPart::Text(text) => Some(Ok(ModelPart::Text(text))),
        ScriptedPart::Call(Object(call)) => Some(Ok(ModelPart::Call(call.into()))),
        ScriptedPart::Fail(Object(fail)) => {
            Some(Err(ModelError { message: fail.message, status: fail.status }))
        }
        ScriptedPart::WaitMs(millis) => {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            None
        }
    }
}

/// A tool that waits, then gives the result its script names.
pub(super) struct ScriptedTool(pub(super) ScriptedToolEntry);

impl Tool for ScriptedTool {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.0.spec
    }

    fn replay(&self) -> Replay {
        self.0.replay
    }

    fn approval(&self) -> Option<&dyn Approval> {
        self.0.approval.as_ref().map(|wording| wording as &dyn Approval)
    }

    fn run(&self, _call: ToolCall) -> BoxFuture<'_, Result<Value, ToolError>> {
        Box::pin(async {
            if !self.0.wait.is_zero() {
                tokio::time::sleep(self.0.wait).await;
            }
            self.0.outcome.clone().map_err(ToolError)
        })
    }
}

impl Approval for ApprovalWording {
    fn confirm_input(&self, _args: &Value) -> Option<Result<Value, ToolError>> {
        match self {
            Self::Default => None,
            Self::Input(input) => Some(Ok(input.clone())),
            Self::Fails => Some(Err(ToolError("The script does not word this approval.".to_owned()))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use std::path::Path;

    use futures_util::FutureExt;
    use serde_json::json;
    use turnwright_actors::ids::{TaskId, UserId};
    use turnwright_actors::ports::{ModelCall, ModelMessage};
    use turnwright_schemas::Surface;

    use super::*;

    fn script(document: &Value) -> Arc<Script> {
        Arc::new(Script::parse(Path::new("play.json"), document.to_string().as_bytes()).unwrap())
    }

    fn played() -> Arc<Script> {
        script(&json!({
            "rules": [{"when": "pay", "requests": [
                [{"text": "Let me "}, {"text": "see."}, {"call": {"id": "call_1", "name": "charge", "args": [1]}}],
                [{"text": "Oh"}, {"fail": {"status": 503, "message": "down"}}],
            ]}],
            "tools": [
                {"name": "charge", "result": {"ok": true}},
                {"name": "refund", "fail": {"message": "no funds"}, "needsApproval": true, "replay": "safe"},
            ],
        }))
    }

    fn request(texts: &[&str], request: u32) -> ModelRequest {
        let messages = texts.iter().map(|text| ModelMessage::User { text: (*text).to_owned() }).collect();
        ModelRequest {
            task_id: TaskId::new(),
            request,
            surface: Surface::Full,
            system: String::new(),
            messages,
            tools: Vec::new(),
        }
    }

    /// Everything of a stream that waits for nothing.
    fn stream(texts: &[&str], nth: u32) -> Vec<Result<ModelPart, ModelError>> {
        ScriptedModel(played()).stream(request(texts, nth)).collect::<Vec<_>>().now_or_never().unwrap()
    }

    #[test]
    fn the_nth_request_of_a_turn_plays_the_nth_part_of_the_rule() {
        let [first, second, third] = &stream(&["pay"], 0)[..] else { panic!("three parts") };
        assert!(matches!(first, Ok(ModelPart::Text(text)) if text == "Let me "));
        assert!(matches!(second, Ok(ModelPart::Text(text)) if text == "see."));
        let expected = ModelCall { id: "call_1".to_owned(), name: "charge".to_owned(), args: json!([1]) };
        assert!(matches!(third, Ok(ModelPart::Call(call)) if *call == expected));
    }

    #[test]
    fn a_scripted_failure_has_its_status_and_message() {
        let [_, failure] = &stream(&["pay"], 1)[..] else { panic!("two parts") };
        let Err(ModelError { message, status }) = failure else { panic!("{failure:?}") };
        assert_eq!((message.as_str(), *status), ("down", Some(503)));
    }

    #[test]
    fn past_the_end_and_without_a_matching_rule_it_says_ok() {
        for parts in [stream(&["pay"], 2), stream(&["hello"], 0), stream(&["pay", "hello"], 0)] {
            assert!(matches!(&parts[..], [Ok(ModelPart::Text(text))] if text == "ok"), "{parts:?}");
        }
    }

    #[tokio::test]
    async fn a_wait_delays_what_follows_it_and_is_no_part() {
        let script =
            script(&json!({"rules": [{"when": "", "requests": [[{"waitMs": 15}, {"text": "late"}]]}]}));
        let start = std::time::Instant::now();
        let parts: Vec<_> = ScriptedModel(script).stream(request(&["x"], 0)).collect().await;
        assert!(matches!(&parts[..], [Ok(ModelPart::Text(text))] if text == "late"));
        assert!(start.elapsed() >= Duration::from_millis(15));
    }

    #[test]
    fn a_scripted_tool_gives_its_result_or_its_failure() {
        let script = played();
        let [charge, refund] = script.tools() else { panic!("two tools") };
        let call = ToolCall {
            task_id: TaskId::new(),
            request: 0,
            tool_call_id: "call_1".to_owned(),
            args: Value::Null,
            user_id: UserId::new(),
        };
        let charge = ScriptedTool(charge.clone());
        assert!(charge.approval().is_none());
        assert_eq!(charge.run(call.clone()).now_or_never().unwrap().unwrap(), json!({"ok": true}));
        let refund = ScriptedTool(refund.clone());
        assert!(refund.approval().unwrap().confirm_input(&Value::Null).is_none());
        assert_eq!(refund.replay(), Replay::Safe);
        assert_eq!(refund.run(call).now_or_never().unwrap().unwrap_err().0, "no funds");
    }

    #[test]
    fn an_approval_is_worded_by_the_script_or_fails() {
        let input = json!({"prompt": "Pay?"});
        let worded = ApprovalWording::Input(input.clone()).confirm_input(&Value::Null);
        assert_eq!(worded.unwrap().unwrap(), input);
        assert!(ApprovalWording::Fails.confirm_input(&Value::Null).unwrap().is_err());
    }
}
