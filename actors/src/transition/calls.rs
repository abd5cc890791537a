//! The model called tools: their calls become rows before any of them starts.

use super::host_call;
use crate::commit::{Commit, Fence, TaskWrite};
use crate::machine::Phase;
use crate::turn_state::{CallState, TurnState};

/// Writes the step's host calls and enters `tools`, which counts as starting every call of the step.
pub fn calls(mut state: TurnState, fence: Fence, commit: &mut Commit) -> TurnState {
    write_host_calls(&state, commit);
    state.resumed = None;
    commit.tasks.push(TaskWrite::Advance {
        fence,
        phase: Phase::Tools,
        state: state.clone(),
        despite_cancel: false,
        progress: true,
    });
    state
}

/// Writes a row for each host call of the newest step.
pub fn write_host_calls(state: &TurnState, commit: &mut Commit) {
    for call in state.step.iter().flat_map(|step| &step.calls) {
        if matches!(call.state, CallState::Running | CallState::NeedsApproval) {
            commit.message(host_call(&call.call));
        }
    }
}
