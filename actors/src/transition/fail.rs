//! A turn that cannot go on is saved as far as it came (rule 7).

use serde_json::json;
use turnwright_schemas::events::TurnEvent;
use turnwright_schemas::row::AskStatus;
use turnwright_schemas::{Ask, CancelReason, SimpleCard};

use super::{done, host_result, next, slot};
use crate::commit::{Commit, Fence, NewAsk, RunningTask, TaskEnd, TaskWrite};
use crate::error::EngineError;
use crate::ids::{AskId, LeaseToken};
use crate::message::MessageBody;
use crate::ports::ToolOutput;
use crate::snapshot::Snapshot;
use crate::turn_state::{CallState, TurnState};

/// How a turn failed.
#[derive(Debug)]
pub struct Failure {
    /// What the agent had said in the failing step.
    pub said: String,
    /// The sentence the user reads.
    pub error: String,
    /// Valid asks of the failing step, by call id: they end cancelled, and no row is left pending without an ask.
    pub asks: Vec<(String, Ask)>,
}

/// Writes what was said so far, `error` and `done`.
///
/// # Errors
/// When the inbox contradicts the slot.
pub fn fail(
    state: &mut TurnState,
    failure: Failure,
    fence: Fence,
    snapshot: &Snapshot,
    token: LeaseToken,
    commit: &mut Commit,
) -> Result<Option<RunningTask>, EngineError> {
    write_interrupted(state, commit);
    for (tool_call_id, ask) in &failure.asks {
        write_dropped_ask(tool_call_id, ask, commit);
    }
    if !failure.said.is_empty() {
        commit.message(MessageBody::Assistant { text: failure.said });
    }
    commit.event(TurnEvent::Error { error: failure.error });
    let event = done(commit, None, false);
    commit.event(event);
    commit.tasks.push(TaskWrite::End { fence, end: TaskEnd::Failed });
    next::begin_next(snapshot, token, commit)
}

/// Gives each host call that has a row and no result an interrupted one, or the denial it was due.
pub fn write_interrupted(state: &mut TurnState, commit: &mut Commit) {
    for call in state.step.iter_mut().flat_map(|step| &mut step.calls) {
        let output = match call.state {
            CallState::Running | CallState::NeedsApproval | CallState::AwaitingApproval => {
                ToolOutput::interrupted()
            }
            CallState::Denied => ToolOutput::denied(CancelReason::OneAskAtATime),
            CallState::Asks | CallState::Asking | CallState::Done { .. } => continue,
        };
        commit.message(host_result(&call.call.name, &call.call.id, &output));
        call.state = CallState::Done { output, files: Vec::new() };
    }
}

/// An ask of the failing step: its row, cancelled, with a result.
fn write_dropped_ask(tool_call_id: &str, ask: &Ask, commit: &mut Commit) {
    let seq = commit.ask_message(slot::ask_call(tool_call_id, ask, None), AskStatus::Cancelled);
    commit.message(MessageBody::ToolResult {
        tool_name: ask.kind().tool_name().to_owned(),
        tool_call_id: tool_call_id.to_owned(),
        result: json!({"action": "cancel"}),
        answers_ask: true,
    });
    let author = commit.author();
    commit.asks.push(NewAsk {
        id: AskId::new(),
        task_id: author.task_id,
        tool_call_id: tool_call_id.to_owned(),
        kind: ask.kind(),
        input: ask.input(),
        simple: SimpleCard::of(ask, tool_call_id),
        approves: None,
        status: AskStatus::Cancelled,
        message_seq: seq,
    });
}
