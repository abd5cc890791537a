//! Tools gave their results.

use turnwright_schemas::CancelReason;

use super::host_result;
use crate::commit::{Commit, Fence, TaskWrite};
use crate::machine::Phase;
use crate::ports::ToolOutput;
use crate::turn_state::{CallState, TurnState};

/// A call's result.
#[derive(Debug, Clone)]
pub struct CallResult {
    /// The call.
    pub tool_call_id: String,
    /// What came of it.
    pub output: ToolOutput,
}

/// Saves results as they arrive, of calls that may not run twice. The turn stays in `tools`.
pub fn save(mut state: TurnState, results: &[CallResult], fence: Fence, commit: &mut Commit) -> TurnState {
    write_results(&mut state, results, commit);
    commit.tasks.push(TaskWrite::Advance {
        fence,
        phase: Phase::Tools,
        state: state.clone(),
        despite_cancel: true,
        progress: true,
    });
    state
}

/// Saves the remaining results; the model is called next.
pub fn results(mut state: TurnState, results: &[CallResult], fence: Fence, commit: &mut Commit) -> TurnState {
    write_results(&mut state, results, commit);
    write_denials(&mut state, commit);
    if !commit.messages.is_empty() {
        state.resumed = None;
    }
    commit.tasks.push(TaskWrite::Advance {
        fence,
        phase: Phase::Request,
        state: state.clone(),
        despite_cancel: false,
        progress: true,
    });
    state
}

/// Writes a row for each result and keeps it in the state, in the order of the calls.
pub fn write_results(state: &mut TurnState, results: &[CallResult], commit: &mut Commit) {
    for call in state.step.iter_mut().flat_map(|step| &mut step.calls) {
        let result = results.iter().find(|result| result.tool_call_id == call.call.id);
        if let (CallState::Running, Some(result)) = (&call.state, result) {
            commit.message(host_result(&call.call.name, &call.call.id, &result.output));
            call.state = CallState::Done { output: result.output.clone() };
        }
    }
}

/// Writes the result of every host call that another ask kept from being approved.
pub fn write_denials(state: &mut TurnState, commit: &mut Commit) {
    let denial = ToolOutput::denied(CancelReason::OneAskAtATime);
    for call in state.step.iter_mut().flat_map(|step| &mut step.calls) {
        if call.state == CallState::Denied {
            commit.message(host_result(&call.call.name, &call.call.id, &denial));
            call.state = CallState::Done { output: denial.clone() };
        }
    }
}
