//! What the holder of a running turn may write, and what comes of it.

use super::fail::Failure;
use super::pause::Pause;
use super::results::CallResult;
use super::undo::AnsweredAsk;
use super::{abort, calls, fail, finish, pause, results, retract, undo};
use crate::command::Queued;
use crate::commit::{Commit, Fence, RunningTask};
use crate::error::EngineError;
use crate::ids::{AskId, LeaseToken};
use crate::machine::{Decision, Input, Phase};
use crate::snapshot::{PendingAsk, Snapshot};
use crate::turn_state::TurnState;

/// What a turn wants to commit.
#[derive(Debug, Clone)]
pub enum TurnWrite {
    /// The opening of a new holder's attempt.
    Retract(TurnState),
    /// The model's calls, before any runs.
    Calls(TurnState),
    /// Results of calls that may not run twice, as they arrive.
    SaveResults(TurnState, Vec<CallResult>),
    /// The remaining results.
    Results(TurnState, Vec<CallResult>),
    /// The asks of a step.
    Pause(TurnState, Pause),
    /// The reply.
    Finish(String),
    /// The end of a turn that cannot go on; undone when that is wanted and still possible.
    Fail {
        /// What it remembers.
        state: TurnState,
        /// How it failed.
        failure: Failure,
        /// Whether the answer it goes on with should be undone.
        undo: bool,
    },
    /// The end of a turn whose `cancel_at` is set, with what it had said.
    Abort(TurnState, String),
}

/// What a commit led to.
#[derive(Debug)]
pub enum TurnCommitted {
    /// The turn goes on.
    Goes {
        /// What it remembers now.
        state: TurnState,
        /// What it does next.
        phase: Phase,
    },
    /// The turn is at rest.
    Rests {
        /// The turn to run next: that of the command whose turn it is now, if one waited.
        next: Option<RunningTask>,
        /// Whether the conversation is gone.
        gone: bool,
    },
    /// Nothing was written: `cancel_at` is set, and only an abort may be.
    MustAbort,
}

/// Rows that only some writes need, read under the same lock.
#[derive(Debug, Default)]
pub struct Extra {
    /// The ask an undo puts back.
    pub answered: Option<AnsweredAsk>,
    /// The ask an abort ends.
    pub slot: Option<PendingAsk>,
    /// The commands an abort drops.
    pub waiting: Vec<Queued>,
}

impl TurnWrite {
    /// The input the state machine decides on.
    pub fn input(&self) -> Input {
        match self {
            Self::Retract(_) => Input::Retract,
            Self::Calls(_) => Input::Calls,
            Self::SaveResults(..) => Input::ToolResult,
            Self::Results(..) => Input::Results,
            Self::Pause(..) => Input::Pause,
            Self::Finish(_) => Input::Finish,
            Self::Fail { undo: true, .. } => Input::Undo,
            Self::Fail { undo: false, .. } => Input::Fail,
            Self::Abort(..) => Input::Abort,
        }
    }

    /// What an abort in its place must not lose: results that tools gave, and what was said.
    pub fn into_remains(self) -> (Vec<CallResult>, String) {
        match self {
            Self::SaveResults(_, results) | Self::Results(_, results) => (results, String::new()),
            Self::Pause(_, pause) => (pause.results, String::new()),
            Self::Finish(said) | Self::Abort(_, said) => (Vec::new(), said),
            Self::Fail { failure, .. } => (Vec::new(), failure.said),
            Self::Retract(_) | Self::Calls(_) => (Vec::new(), String::new()),
        }
    }

    /// The ask that is to be put back into the slot.
    pub fn reopens(&self) -> Option<AskId> {
        match self {
            Self::Fail { state, undo: true, .. } => state.resumed.as_ref().map(|resumed| resumed.ask_id),
            _ => None,
        }
    }
}

/// Writes what a turn wants as the state machine decided.
///
/// # Errors
/// [`EngineError::LeaseLost`] when the turn does not run any more; an invariant that does not hold.
pub fn turn(
    decision: Decision,
    write: TurnWrite,
    fence: Fence,
    snapshot: &Snapshot,
    extra: Extra,
    token: LeaseToken,
    commit: &mut Commit,
) -> Result<TurnCommitted, EngineError> {
    match decision {
        Decision::Commit | Decision::CancelNewAsk | Decision::Keep => {}
        Decision::MustAbort => return Ok(TurnCommitted::MustAbort),
        Decision::Begin { .. }
        | Decision::Enqueue { .. }
        | Decision::Resume
        | Decision::Remove { .. }
        | Decision::RemoveAndCancel
        | Decision::NotFound
        | Decision::NotPending
        | Decision::QueueFull
        | Decision::LeaseLost => return Err(EngineError::LeaseLost),
    }
    let goes = |state, phase| TurnCommitted::Goes { state, phase };
    let rests = |next| TurnCommitted::Rests { next, gone: false };
    Ok(match write {
        TurnWrite::Retract(state) => goes(retract::retract(state, fence, commit), Phase::Request),
        TurnWrite::Calls(state) => goes(calls::calls(state, fence, commit), Phase::Tools),
        TurnWrite::SaveResults(state, done) => goes(results::save(state, &done, fence, commit), Phase::Tools),
        TurnWrite::Results(state, done) => {
            goes(results::results(state, &done, fence, commit), Phase::Request)
        }
        TurnWrite::Pause(state, asked) if decision == Decision::CancelNewAsk => {
            rests(pause::cancel_new_asks(state, asked, fence, snapshot, token, commit)?)
        }
        TurnWrite::Pause(state, asked) => rests(pause::pause(state, asked, fence, snapshot, token, commit)?),
        TurnWrite::Finish(reply) => rests(finish::finish(reply, fence, snapshot, token, commit)?),
        TurnWrite::Fail { mut state, failure, undo: wanted } => {
            let resumed = state.resumed.take().filter(|_| wanted && decision == Decision::Commit);
            match (resumed, extra.answered) {
                (Some(resumed), Some(ask)) => {
                    undo::undo(state, resumed, failure.error, &ask, fence, commit);
                    rests(None)
                }
                _ => rests(fail::fail(&mut state, failure, fence, snapshot, token, commit)?),
            }
        }
        TurnWrite::Abort(mut state, said) => {
            abort::abort(&mut state, said, &extra.waiting, extra.slot.as_ref(), fence, commit);
            TurnCommitted::Rests { next: None, gone: true }
        }
    })
}
