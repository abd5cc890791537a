//! A turn that cannot go on is saved as far as it came (rule 7).

use serde_json::json;
use turnwright_schemas::CancelReason;
use turnwright_schemas::events::TurnEvent;

use super::{done, host_result, next, slot};
use crate::commit::{Commit, Fence, RunningTask, TaskEnd, TaskWrite};
use crate::error::EngineError;
use crate::ids::LeaseToken;
use crate::message::MessageBody;
use crate::ports::ToolOutput;
use crate::question::NewQuestion;
use crate::snapshot::Snapshot;
use crate::turn_state::{CallState, TurnState};

/// How a turn failed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What the agent had said in the failing step.
    pub said: String,
    /// The sentence the user reads.
    pub error: String,
    /// Valid asks of the failing step: they end cancelled, and no row is left pending without an ask.
    pub asks: Vec<NewQuestion>,
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
    slot::cancel_unasked(&failure.asks, &json!({"action": "cancel"}), commit);
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
            CallState::Running => ToolOutput::interrupted(),
            CallState::NeedsApproval | CallState::AwaitingApproval => ToolOutput::not_run(),
            CallState::Denied => ToolOutput::denied(CancelReason::OneAskAtATime),
            CallState::Asks | CallState::Asking | CallState::Done { .. } => continue,
        };
        commit.message(host_result(&call.call.name, &call.call.id, &output));
        call.state = CallState::Done { output };
    }
}
