//! What the engine asks of the world: an agent, its model and its tools (DESIGN section 9).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use turnwright_schemas::Surface;

use crate::ids::{ConversationId, TaskId, UserId};

/// Prepares what a turn runs with. Called before a command is stored and again when a queued one starts.
pub trait Agent: Send + Sync {
    /// The model, the system prompt and the tools for one turn.
    ///
    /// # Errors
    /// When either cannot be had now; the command is then refused and nothing is written.
    fn prepare<'a>(&'a self, turn: &'a TurnContext) -> BoxFuture<'a, Result<Prepared, PrepareError>>;
}

/// Whose turn is prepared, and for which screen.
#[derive(Debug, Clone)]
pub struct TurnContext {
    /// The conversation's owner, for whom tools act.
    pub user_id: UserId,
    /// The conversation; `None` before a new chat's first prompt is stored.
    pub conversation_id: Option<ConversationId>,
    /// The screen the command was sent from.
    pub surface: Surface,
}

/// A turn's model, system prompt and tools.
#[derive(Clone)]
pub struct Prepared {
    /// Who answers.
    pub model: Arc<dyn LanguageModel>,
    /// What it is told first; the engine appends the ask sections.
    pub system_prompt: String,
    /// What it may call besides asks.
    pub tools: Vec<Arc<dyn Tool>>,
}

/// Why a turn could not be prepared, in one sentence.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct PrepareError(pub String);

/// A language model.
pub trait LanguageModel: Send + Sync {
    /// Whether the model can call tools; one that cannot is offered none, asks included.
    fn calls_tools(&self) -> bool {
        true
    }

    /// Runs one model request. The stream ends by itself after the last part; dropping it ends the request.
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelPart, ModelError>>;
}

/// What a model is given for one request.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequest {
    /// The turn.
    pub task_id: TaskId,
    /// Which model request of the turn this is, from 0. One that is replayed keeps its number.
    pub request: u32,
    /// The screen the turn's last command was sent from.
    pub surface: Surface,
    /// The whole system prompt.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<ModelMessage>,
    /// What may be called, asks included.
    pub tools: Vec<Arc<ToolSpec>>,
}

/// One message as a model sees it. What a turn produced is stored like this and replayed verbatim (rule 13).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum ModelMessage {
    /// What the user said.
    User {
        /// The text.
        text: String,
    },
    /// What the model said and called in one step.
    Assistant {
        /// The text before the calls; empty when it only called.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// The calls, in the model's order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ModelCall>,
        /// The provider's own form of the message (thought signatures, reasoning), when it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Value>,
    },
    /// The results of the calls before it.
    Tool {
        /// One result per call.
        results: Vec<ModelResult>,
    },
}

/// A tool call as a model made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelCall {
    /// Unique within the turn.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, as the model wrote them.
    pub args: Value,
}

/// A tool's result as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelResult {
    /// The call it answers.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The result itself.
    pub output: ToolOutput,
    /// The files of a `files` answer, in the user's order; sent only while the answering turn runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FilePart>,
}

/// What came of a tool call: `{"type": "json" | "error", "value": …}`, or `{"type": "execution-denied", "reason": …}`
/// (spec "Approval asks").
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "OutputForm<Value>")]
pub enum ToolOutput {
    /// The tool's result, or an ask's answer envelope.
    Json(Value),
    /// The call failed or was invalid; the model may mend it.
    Error(Value),
    /// The user did not allow the call; the reason says how.
    ExecutionDenied {
        /// `user_denied`, `user_declined`, `user_cancelled`, `user_sent_message` or `one_ask_at_a_time`.
        reason: String,
    },
}

/// A [`ToolOutput`] as JSON.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum OutputForm<V> {
    Json { value: V },
    Error { value: V },
    ExecutionDenied { reason: String },
}

impl From<OutputForm<Value>> for ToolOutput {
    fn from(form: OutputForm<Value>) -> Self {
        match form {
            OutputForm::Json { value } => Self::Json(value),
            OutputForm::Error { value } => Self::Error(value),
            OutputForm::ExecutionDenied { reason } => Self::ExecutionDenied { reason },
        }
    }
}

impl Serialize for ToolOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => OutputForm::Json { value },
            Self::Error(value) => OutputForm::Error { value },
            Self::ExecutionDenied { reason } => OutputForm::ExecutionDenied { reason: reason.clone() },
        }
        .serialize(serializer)
    }
}

/// One file of a `files` answer as a model sees it (spec "files").
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilePart {
    /// `File 1 of 2: receipt.png (image/png, 48213 bytes)`.
    pub caption: String,
    /// The declared and checked media type.
    pub mime_type: String,
    /// The content.
    #[serde(skip, default = "FileContent::absent")]
    pub content: FileContent,
}

impl fmt::Debug for FilePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FilePart({})", self.caption)
    }
}

/// A file's content in the form the model takes. Never serialized: bytes reach no row, event or log (rule 11).
#[derive(Clone, PartialEq)]
pub enum FileContent {
    /// An image part.
    Image(bytes::Bytes),
    /// A file part, such as a PDF.
    File(bytes::Bytes),
    /// Text, cut to the limit with its note.
    Text(String),
    /// The bytes are gone: the turn has ended or paused since.
    Absent,
}

impl FileContent {
    fn absent() -> Self {
        Self::Absent
    }
}

/// One part of a model's stream.
#[derive(Debug, Clone)]
pub enum ModelPart {
    /// A piece of the reply.
    Text(String),
    /// A tool call, complete.
    Call(ModelCall),
    /// The provider's own form of the whole message, at most once.
    Provider(Value),
}

/// Why a model request failed. The message reaches the user: no secret belongs in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// One sentence for the user.
    pub message: String,
    /// The provider's HTTP status, when there was one.
    pub status: Option<u16>,
}

/// A tool the model may call.
pub trait Tool: Send + Sync {
    /// What the model is told of it, and how the engine treats it.
    fn spec(&self) -> &Arc<ToolSpec>;

    /// Whether a lost call may run again.
    fn replay(&self) -> Replay {
        Replay::Never
    }

    /// The approval a call needs before it runs; `None` when it needs none (spec "Approval asks").
    fn approval(&self) -> Option<&dyn Approval> {
        None
    }

    /// How long one run may take.
    fn deadline(&self) -> Duration {
        Duration::from_secs(60)
    }

    /// Runs one call.
    fn run(&self, call: ToolCall) -> BoxFuture<'_, Result<Value, ToolError>>;
}

/// Words the card of a tool that needs approval.
pub trait Approval: Send + Sync {
    /// The `confirm` input for a call, from its arguments. `None`, an error or an invalid input gives the default
    /// wording.
    fn confirm_input(&self, _args: &Value) -> Option<Result<Value, ToolError>> {
        None
    }
}

/// What a model is told of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Its name; `ask_` is reserved for asks.
    pub name: String,
    /// What it does, for the model; the default approval card shows it to the user.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// Whether a call whose result was lost may run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replay {
    /// It may have had its effect: reported to the model as interrupted.
    #[default]
    Never,
    /// Running it again does no harm.
    Safe,
}

/// One run of a tool. The task, the request and the call id together are its idempotency key (DESIGN section 4).
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The turn.
    pub task_id: TaskId,
    /// The model request that made the call.
    pub request: u32,
    /// The call's id, unique within the turn.
    pub tool_call_id: String,
    /// The arguments, as the model wrote them.
    pub args: Value,
    /// For whom.
    pub user_id: UserId,
}

/// Why a tool failed, in one sentence the model reads.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);
