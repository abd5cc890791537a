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
    fn spec(&self) -> &ToolSpec {
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
