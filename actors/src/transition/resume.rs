//! An answer resumes the turn that asked.

use serde_json::Value;

use super::{host_result, results, slot};
use crate::command::CheckedAnswer;
use crate::commit::{Author, Commit, Fence, RunningTask, TaskWrite};
use crate::error::EngineError;
use crate::ids::LeaseToken;
use crate::machine::Phase;
use crate::ports::ToolOutput;
use crate::snapshot::PendingAsk;
use crate::turn_state::{AnsweredFiles, CallState, Resumed, Step, TurnState};

/// Ends the ask with `answer` and lets its turn go on: with the model, or with the tool an approval allowed.
///
/// # Errors
/// When the waiting turn does not hold the ask.
pub fn resume(
    answer: CheckedAnswer,
    ask: &PendingAsk,
    author: Author,
    token: LeaseToken,
    commit: &mut Commit,
) -> Result<RunningTask, EngineError> {
    commit.on_behalf_of(author);
    let result_seq = slot::close(ask, answer.action, &answer.envelope, commit);

    let mut state = ask.task.state.clone();
    let Some(paused) = state.step.clone() else {
        return Err(EngineError::Invariant("a waiting turn has the step that asked"));
    };
    let settled = match &ask.question.approves {
        None => settle_ask(&mut state, answer.envelope),
        Some(_) => settle_approval(&mut state, answer.denial, commit),
    }?;
    let phase = match settled {
        Settled::Runs => Phase::Tools,
        Settled::Goes => {
            results::write_denials(&mut state, commit);
            Phase::Request
        }
    };
    // Once a host result is published with the answer, nothing can be undone (rule 6).
    let only_the_answer = commit.messages.last().is_some_and(|message| message.seq == result_seq);
    state.resumed = (phase == Phase::Request && only_the_answer).then_some(Resumed {
        ask_id: ask.id,
        result_seq,
        closed: state.messages.len(),
        paused,
        steps: state.steps,
    });
    state.steps = 0;
    state.surface = answer.surface;
    state.answered_files = (!answer.files.is_empty())
        .then(|| AnsweredFiles { tool_call_id: ask.question.tool_call_id.clone(), files: answer.files });

    let resting = slot::resting_fence(ask);
    let task = RunningTask {
        fence: Fence { token, ..resting.next() },
        command_id: author.command_id,
        phase,
        state,
        after_seq: commit.conversation.event_seq,
        losses: 0,
    };
    commit.tasks.push(TaskWrite::Resume { fence: resting, task: task.clone() });
    commit.conversation.active_task = Some(task.fence.task_id);
    Ok(task)
}

enum Settled {
    /// An approved tool runs first.
    Runs,
    /// The model goes on at once.
    Goes,
}

fn settle_ask(state: &mut TurnState, envelope: Value) -> Result<Settled, EngineError> {
    let asking = open_step(state)?.calls.iter_mut().find(|call| call.state == CallState::Asking);
    let Some(call) = asking else {
        return Err(EngineError::Invariant("a waiting turn holds the call that asked"));
    };
    call.state = CallState::Done { output: ToolOutput::Json(envelope) };
    Ok(Settled::Goes)
}

fn settle_approval(
    state: &mut TurnState,
    denial: Option<String>,
    commit: &mut Commit,
) -> Result<Settled, EngineError> {
    let waiting = open_step(state)?.calls.iter_mut().find(|call| call.state == CallState::AwaitingApproval);
    let Some(call) = waiting else {
        return Err(EngineError::Invariant("a waiting turn holds the call that needs the approval"));
    };
    match denial {
        None => {
            call.state = CallState::Running;
            Ok(Settled::Runs)
        }
        Some(reason) => {
            let output = ToolOutput::ExecutionDenied { reason };
            commit.message(host_result(&call.call.name, &call.call.id, &output));
            call.state = CallState::Done { output };
            Ok(Settled::Goes)
        }
    }
}

fn open_step(state: &mut TurnState) -> Result<&mut Step, EngineError> {
    state.step.as_mut().ok_or(EngineError::Invariant("a waiting turn has the step that asked"))
}
