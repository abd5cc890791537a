//! Ending the ask in the slot.

use serde_json::Value;
use turnwright_schemas::cloud_event::{AskChange, AskClosed, AskOpened};
use turnwright_schemas::events::{AskEvent, AskResolvedEvent, TurnEvent};
use turnwright_schemas::row::AskStatus;
use turnwright_schemas::{Action, AskResponse, CancelReason, SimpleCard};

use super::host_result;
use crate::commit::{AskWrite, Author, Commit, Fence, NewAsk, TaskEnd, TaskWrite};
use crate::message::{AskTag, MessageBody};
use crate::ports::ToolOutput;
use crate::question::NewQuestion;
use crate::snapshot::PendingAsk;
use crate::turn_state::CallState;

/// Writes asks that never reach the slot: all their rows, cancelled, then all their results.
pub fn cancel_unasked(questions: &[NewQuestion], envelope: &Value, commit: &mut Commit) {
    for question in questions {
        let row = ask_call(question);
        let message_seq = commit.ask_message(row, AskStatus::Cancelled);
        let ask = new_ask(question, AskStatus::Cancelled, message_seq, commit);
        commit.asks.push(ask);
    }
    for question in questions {
        commit.message(MessageBody::ToolResult {
            tool_name: question.question.row_tool_name().to_owned(),
            tool_call_id: question.question.tool_call_id.clone(),
            result: envelope.clone(),
            answers_ask: true,
        });
    }
}

/// The row of a question's ask.
pub fn new_ask(question: &NewQuestion, status: AskStatus, message_seq: i64, commit: &Commit) -> NewAsk {
    NewAsk {
        id: question.ask_id,
        task_id: commit.author().task_id,
        tool_call_id: question.question.tool_call_id.clone(),
        kind: question.question.ask.kind(),
        input: question.question.ask.input(),
        simple: SimpleCard::of(&question.question.ask, &question.question.tool_call_id),
        approves: question.question.approves.clone(),
        status,
        message_seq,
    }
}

/// Cancels the pending ask and ends the turn that waits for it: `askResolved`, then the ask's result, then a
/// denial for every host call the turn leaves without a result.
pub fn cancel(ask: &PendingAsk, reason: CancelReason, commit: &mut Commit) {
    let author = commit.author();
    // The rows belong to the turn that asked, within which call ids are unique.
    commit.on_behalf_of(Author { task_id: ask.task.id, ..author });
    let envelope = AskResponse::cancelled(reason).to_json();
    close(ask, Action::Cancel, &envelope, commit);
    for call in ask.task.state.step.iter().flat_map(|step| &step.calls) {
        let denial = match call.state {
            CallState::AwaitingApproval => ToolOutput::denied(reason),
            CallState::Denied => ToolOutput::denied(CancelReason::OneAskAtATime),
            CallState::Running
            | CallState::Asks
            | CallState::NeedsApproval
            | CallState::Asking
            | CallState::Done { .. } => continue,
        };
        commit.message(host_result(&call.call.name, &call.call.id, &denial));
    }
    commit.tasks.push(TaskWrite::End { fence: resting_fence(ask), end: TaskEnd::Cancelled });
    commit.on_behalf_of(author);
}

/// Ends the ask with an answer: event, result row, status, outbox. The `seq` of the result row.
pub fn close(ask: &PendingAsk, action: Action, envelope: &Value, commit: &mut Commit) -> i64 {
    let seq = commit.upcoming_seq();
    commit.event(TurnEvent::AskResolved {
        ask_resolved: AskResolvedEvent { tool_call_id: ask.question.tool_call_id.clone(), action },
    });
    let result_seq = commit.message(MessageBody::ToolResult {
        tool_name: ask.question.row_tool_name().to_owned(),
        tool_call_id: ask.question.tool_call_id.clone(),
        result: envelope.clone(),
        answers_ask: true,
    });
    commit.ask_changes.push((ask.id, AskWrite::Ended { by: commit.author().command_id, action }));
    commit.row_statuses.push((ask.message_seq, status_after(action)));
    commit.conversation.pending_ask = None;
    commit.outbox.push(AskChange::Resolved(AskClosed {
        history_id: commit.conversation_id.to_string(),
        tool_call_id: ask.question.tool_call_id.clone(),
        kind: ask.question.ask.kind(),
        seq: seq.unsigned_abs(),
        action,
        reason: envelope.get("reason").and_then(Value::as_str).map(str::to_owned),
        resolved_at: commit.now.iso(),
        origin: ask.question.origin(),
        tool_name: ask.question.approved_tool(),
    }));
    result_seq
}

/// The pair that fences the turn that waits for an ask.
pub fn resting_fence(ask: &PendingAsk) -> Fence {
    Fence { task_id: ask.task.id, token: ask.task.token, checkpoint: ask.task.checkpoint }
}

/// What an ask's row shows once it was answered so.
pub fn status_after(action: Action) -> AskStatus {
    match action {
        Action::Accept | Action::Decline => AskStatus::Answered,
        Action::Cancel => AskStatus::Cancelled,
    }
}

/// What was asked, in the words of the wire.
pub fn event_of(event: AskEvent, commit: &Commit) -> TurnEvent {
    TurnEvent::Ask { ask: event, history_id: commit.conversation_id.to_string() }
}

/// What subscribers hear of an ask that is pending now. `seq` is that of its `ask` event.
pub fn opened(event: &AskEvent, seq: i64, created: String, commit: &Commit) -> AskOpened {
    AskOpened {
        history_id: commit.conversation_id.to_string(),
        tool_call_id: event.tool_call_id.clone(),
        kind: event.kind,
        seq: seq.unsigned_abs(),
        input: event.input.clone(),
        simple: event.simple.clone(),
        origin: event.origin,
        tool_name: event.tool_name.clone(),
        created,
    }
}

/// The transcript row of a question.
pub fn ask_call(question: &NewQuestion) -> MessageBody {
    MessageBody::ToolCall {
        tool_name: question.question.row_tool_name().to_owned(),
        tool_call_id: question.question.tool_call_id.clone(),
        args: question.question.ask.input(),
        ask: Some(AskTag { kind: question.question.ask.kind(), origin: question.question.origin() }),
    }
}
