//! A new holder opens its attempt at a model request: what the lost one had published of it is void.

use turnwright_schemas::events::{Retracted, TurnEvent};

use crate::commit::{Commit, Fence, TaskWrite};
use crate::machine::Phase;
use crate::turn_state::TurnState;

/// Writes the durable `retracted`. The answer the turn goes on with cannot be undone any more (rule 6), and the lost
/// attempts still count (rule 9).
pub fn retract(mut state: TurnState, fence: Fence, commit: &mut Commit) -> TurnState {
    state.resumed = None;
    commit.event(TurnEvent::Retracted { retracted: Retracted::Text });
    commit.tasks.push(TaskWrite::Advance {
        fence,
        phase: Phase::Request,
        state: state.clone(),
        despite_cancel: false,
        progress: false,
    });
    state
}
