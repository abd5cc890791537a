//! A step asks: the turn pauses on the first ask or approval, and every other one of the step is settled.

use turnwright_schemas::cloud_event::AskChange;
use turnwright_schemas::events::AskEvent;
use turnwright_schemas::row::AskStatus;
use turnwright_schemas::{AskResponse, CancelReason};

use super::results::{CallResult, write_results};
use super::{calls, done, host_result, next, slot};
use crate::commit::{Commit, Fence, RunningTask, TaskEnd, TaskWrite};
use crate::error::EngineError;
use crate::ids::LeaseToken;
use crate::machine::Phase;
use crate::ports::ToolOutput;
use crate::question::{HostCall, NewQuestion};
use crate::snapshot::Snapshot;
use crate::turn_state::{CallState, TurnState};

/// What a step that asks has to say.
#[derive(Debug, Clone)]
pub struct Pause {
    /// The results its tools gave that are not saved yet.
    pub results: Vec<CallResult>,
    /// Its asks and approvals, in the model's order; at least one.
    pub questions: Vec<NewQuestion>,
    /// The phase the turn pauses from: its host calls have rows when it comes from `tools`.
    pub from: Phase,
}

/// Pauses on the first question. The others are cancelled or denied with `one_ask_at_a_time`.
///
/// # Errors
/// When the inbox contradicts the slot, or nothing is asked.
pub fn pause(
    mut state: TurnState,
    pause: Pause,
    fence: Fence,
    snapshot: &Snapshot,
    token: LeaseToken,
    commit: &mut Commit,
) -> Result<Option<RunningTask>, EngineError> {
    write_host_rows(&mut state, &pause, commit);
    let mut questions = pause.questions.into_iter();
    let Some(first) = questions.next() else {
        return Err(EngineError::Invariant("a turn pauses on a question"));
    };
    let (approvals, asks): (Vec<_>, Vec<_>) =
        questions.partition(|question| question.question.approves.is_some());
    let event = open(&first, &mut state, commit);
    cancel_asks(asks, &mut state, commit);
    for approval in approvals {
        set(&mut state, &approval.call_id, CallState::Denied);
    }

    let seq = commit.upcoming_seq();
    let opened = slot::opened(&event, seq, commit.now.iso(), commit);
    let tool_call_id = event.tool_call_id.clone();
    let event = slot::event_of(event, commit);
    commit.event(event);
    commit.outbox.push(AskChange::Created(opened));
    let event = done(commit, Some(tool_call_id), false);
    commit.event(event);

    state.resumed = None;
    state.answered_files = None;
    commit.tasks.push(TaskWrite::Wait { fence, state });
    commit.conversation.pending_ask = Some(first.ask_id);
    next::begin_next(snapshot, token, commit)
}

/// The slot is taken by another turn's ask: every question of the step is cancelled or denied, and the turn
/// finishes with the events it has (rule 1).
///
/// # Errors
/// When the inbox contradicts the slot.
pub fn cancel_new_asks(
    mut state: TurnState,
    pause: Pause,
    fence: Fence,
    snapshot: &Snapshot,
    token: LeaseToken,
    commit: &mut Commit,
) -> Result<Option<RunningTask>, EngineError> {
    write_host_rows(&mut state, &pause, commit);
    let denials: Vec<HostCall> =
        pause.questions.iter().filter_map(|question| question.question.approves.clone()).collect();
    cancel_asks(pause.questions, &mut state, commit);
    for call in denials {
        let denial = ToolOutput::denied(CancelReason::OneAskAtATime);
        commit.message(host_result(&call.tool_name, &call.tool_call_id, &denial));
    }
    let event = done(commit, None, false);
    commit.event(event);
    commit.tasks.push(TaskWrite::End { fence, end: TaskEnd::Completed });
    next::begin_next(snapshot, token, commit)
}

fn write_host_rows(state: &mut TurnState, pause: &Pause, commit: &mut Commit) {
    match pause.from {
        Phase::Request => calls::write_host_calls(state, commit),
        Phase::Tools => write_results(state, &pause.results, commit),
    }
}

/// Puts the question into the slot; what the wire says of it.
fn open(question: &NewQuestion, state: &mut TurnState, commit: &mut Commit) -> AskEvent {
    let message_seq = commit.ask_message(slot::ask_call(question), AskStatus::Pending);
    let held =
        if question.question.approves.is_some() { CallState::AwaitingApproval } else { CallState::Asking };
    set(state, &question.call_id, held);
    let ask = slot::new_ask(question, AskStatus::Pending, message_seq, commit);
    let event = AskEvent {
        tool_call_id: ask.tool_call_id.clone(),
        kind: ask.kind,
        input: ask.input.clone(),
        simple: ask.simple.clone(),
        origin: question.question.origin(),
        tool_name: question.question.approved_tool(),
    };
    commit.asks.push(ask);
    event
}

/// Cancels the model's other asks.
fn cancel_asks(questions: Vec<NewQuestion>, state: &mut TurnState, commit: &mut Commit) {
    let envelope = AskResponse::cancelled(CancelReason::OneAskAtATime).to_json();
    slot::cancel_unasked(&questions, &envelope, commit);
    for question in questions {
        let output = ToolOutput::Json(envelope.clone());
        set(state, &question.call_id, CallState::Done { output });
    }
}

fn set(state: &mut TurnState, call_id: &str, to: CallState) {
    if let Some(call) = state.step.as_mut().and_then(|step| step.call_mut(call_id)) {
        call.state = to;
    }
}
