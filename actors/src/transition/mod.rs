//! What each decision of the state machine writes: pure functions from what was read to a [`Commit`].

pub mod abort;
pub mod begin;
pub mod calls;
pub mod client;
pub mod delete;
pub mod enqueue;
pub mod fail;
pub mod finish;
pub mod next;
pub mod pause;
pub mod results;
pub mod resume;
pub mod retract;
pub mod slot;
pub mod turn;
pub mod undo;

use turnwright_schemas::events::{DoneEvent, PendingAskRef, TurnEvent};

use crate::commit::Commit;
use crate::message::MessageBody;
use crate::ports::{ModelCall, ToolOutput};

/// The row of a host tool's call.
fn host_call(call: &ModelCall) -> MessageBody {
    MessageBody::ToolCall {
        tool_name: call.name.clone(),
        tool_call_id: call.id.clone(),
        args: call.args.clone(),
        ask: None,
    }
}

/// The row of a host tool's result.
fn host_result(tool_name: &str, tool_call_id: &str, output: &ToolOutput) -> MessageBody {
    MessageBody::ToolResult {
        tool_name: tool_name.to_owned(),
        tool_call_id: tool_call_id.to_owned(),
        result: output.shown(),
        answers_ask: false,
    }
}

/// The event that ends a command's stream.
fn done(commit: &Commit, pending_ask: Option<String>, cancelled: bool) -> TurnEvent {
    let title = &commit.conversation.title;
    TurnEvent::Done(DoneEvent {
        title: (!title.is_empty()).then(|| title.clone()),
        pending_ask: pending_ask.map(|tool_call_id| PendingAskRef { tool_call_id }),
        cancelled,
        ..DoneEvent::new(commit.conversation_id.to_string())
    })
}
