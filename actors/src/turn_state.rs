//! What a turn remembers between its commits: the `state` of the task `agent.turn@1`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use turnwright_schemas::{CancelReason, FileMimeType, Surface};

use crate::ids::{AskId, CommandId};
use crate::ports::{ModelCall, ModelMessage, ModelResult, ToolOutput};

/// The name of a turn's task.
pub const TURN_TASK: &str = "agent.turn";
/// The version of [`TurnState`] this build writes and reads.
pub const TURN_VERSION: i32 = 1;

/// The state of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnState {
    /// The screen of the command that began or resumed the turn last.
    pub surface: Surface,
    /// The index of the turn's user message. The rows up to it come before the turn's own messages (rule 13).
    pub prompt_index: u32,
    /// How many model requests the turn has made.
    pub requests: u32,
    /// How many of them since the user last said or answered something.
    pub steps: u32,
    /// The turn's closed steps, replayed to the model verbatim.
    pub messages: Vec<ModelMessage>,
    /// The newest step with calls. It closes when the next one is committed, so that an undo finds it open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// The files of the answer this turn goes on with: the model has them until the turn rests (spec "files").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_files: Option<AnsweredFiles>,
    /// The answer this turn goes on with, while it can still be undone (rule 6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Resumed>,
}

/// One step of the model that made calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What the model wrote beside its calls. Only the model sees it again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The provider's own form of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Value>,
    /// The calls, in the model's order.
    pub calls: Vec<StepCall>,
}

/// A call of a step and how it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepCall {
    /// The call.
    pub call: ModelCall,
    /// How it stands.
    pub state: CallState,
}

/// How a call stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum CallState {
    /// Its tool was entered and has no stored result.
    Running,
    /// It is a valid ask, not put to the user yet.
    Asks,
    /// It is a host call that needs an approval, not asked for yet.
    NeedsApproval,
    /// It is the ask in the slot.
    Asking,
    /// It is a host call that waits for the approval in the slot.
    AwaitingApproval,
    /// A host call that was not approved because another ask holds the slot. Its row is written with the answer.
    Denied,
    /// It has its result.
    Done {
        /// The result.
        output: ToolOutput,
    },
}

/// The files of an answer, and the call they are the result of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredFiles {
    /// The ask's call.
    pub tool_call_id: String,
    /// The files, in the user's order.
    pub files: Vec<AnswerFile>,
}

/// One file of an answer, where the answering turn finds its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerFile {
    /// The command whose answer it belongs to.
    pub command_id: CommandId,
    /// Its place in the answer, from 0.
    pub number: usize,
    /// The name the user gave it.
    pub filename: String,
    /// Its checked media type.
    pub mime_type: FileMimeType,
    /// Its real size in bytes.
    pub size: u64,
}

/// How to undo the answer a turn goes on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resumed {
    /// The ask that was answered.
    pub ask_id: AskId,
    /// The `seq` of the answer's row.
    pub result_seq: i64,
    /// How many closed steps the paused turn had.
    pub closed: usize,
    /// The step as it paused.
    pub paused: Step,
    /// The steps counter as it paused.
    pub steps: u32,
}

impl TurnState {
    /// The state of a turn whose user message has that index.
    pub fn new(surface: Surface, prompt_index: u32) -> Self {
        Self {
            surface,
            prompt_index,
            requests: 0,
            steps: 0,
            messages: Vec::new(),
            step: None,
            answered_files: None,
            resumed: None,
        }
    }

    /// Closes the newest step: its message and its results become part of what is replayed.
    pub fn close_step(&mut self) {
        if let Some(step) = self.step.take() {
            let [said, results] = step.into_messages();
            self.messages.push(said);
            self.messages.push(results);
        }
    }

    /// Counts one model request.
    pub fn count_request(&mut self) {
        self.requests = self.requests.saturating_add(1);
        self.steps = self.steps.saturating_add(1);
    }
}

impl Step {
    /// The step as the model's own message and the results after it. A call without a result counts as
    /// interrupted.
    pub fn into_messages(self) -> [ModelMessage; 2] {
        let results = self
            .calls
            .iter()
            .map(|call| ModelResult {
                id: call.call.id.clone(),
                name: call.call.name.clone(),
                output: call.state.output(),
                files: Vec::new(),
            })
            .collect();
        let calls = self.calls.into_iter().map(|call| call.call).collect();
        [
            ModelMessage::Assistant { text: self.text, calls, provider: self.provider },
            ModelMessage::Tool { results },
        ]
    }

    /// The host calls that were entered and have no result.
    pub fn running(&self) -> impl Iterator<Item = &StepCall> {
        self.calls.iter().filter(|call| call.state == CallState::Running)
    }

    /// Whether it holds an ask or an approval that was not put to the user yet.
    pub fn must_pause(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.state, CallState::Asks | CallState::NeedsApproval))
    }

    /// The call with that id.
    pub fn call_mut(&mut self, tool_call_id: &str) -> Option<&mut StepCall> {
        self.calls.iter_mut().find(|call| call.call.id == tool_call_id)
    }
}

impl CallState {
    fn output(&self) -> ToolOutput {
        match self {
            Self::Done { output } => output.clone(),
            Self::Denied => ToolOutput::denied(CancelReason::OneAskAtATime),
            Self::Running | Self::Asks | Self::NeedsApproval | Self::Asking | Self::AwaitingApproval => {
                ToolOutput::interrupted()
            }
        }
    }
}

impl ToolOutput {
    /// The result of a call that may have run, but whose outcome is lost.
    pub fn interrupted() -> Self {
        Self::Error(json!({"error": "The call was interrupted. It may have run."}))
    }

    /// The result of a call that needs an approval nobody was asked for, because the turn ended first.
    pub fn not_run() -> Self {
        Self::Error(json!({"error": "The call did not run: the turn ended before it was approved."}))
    }

    /// The result of a call that was not allowed.
    pub fn denied(reason: CancelReason) -> Self {
        Self::ExecutionDenied { reason: reason.as_str().to_owned() }
    }

    /// The result as transcript rows and `{toolResult}` events show it.
    pub fn shown(&self) -> Value {
        match self {
            Self::Json(value) | Self::Error(value) => value.clone(),
            Self::ExecutionDenied { reason } => json!({"approved": false, "reason": reason}),
        }
    }
}
