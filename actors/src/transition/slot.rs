//! Ending the ask in the slot.

use serde_json::Value;
use turnwright_schemas::cloud_event::{AskChange, AskClosed, AskOpened};
use turnwright_schemas::events::{AskEvent, AskResolvedEvent, TurnEvent};
use turnwright_schemas::row::AskStatus;
use turnwright_schemas::{Action, AskResponse, CancelReason};

use super::host_result;
use crate::commit::{AskWrite, Commit, Fence, TaskEnd, TaskWrite};
use crate::message::MessageBody;
use crate::ports::ToolOutput;
use crate::snapshot::{HostCall, PendingAsk};
use crate::turn_state::CallState;

/// Cancels the pending ask and ends the turn that waits for it: `askResolved`, then the ask's result, then a
/// denial for every host call the turn leaves without a result.
pub fn cancel(ask: &PendingAsk, reason: CancelReason, commit: &mut Commit) {
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
}

/// Ends the ask with an answer: event, result row, status, outbox. The `seq` of the result row.
pub fn close(ask: &PendingAsk, action: Action, envelope: &Value, commit: &mut Commit) -> i64 {
    let seq = commit.upcoming_seq();
    commit.event(TurnEvent::AskResolved {
        ask_resolved: AskResolvedEvent { tool_call_id: ask.tool_call_id.clone(), action },
    });
    let result_seq = commit.message(MessageBody::ToolResult {
        tool_name: ask.row_tool_name().to_owned(),
        tool_call_id: ask.tool_call_id.clone(),
        result: envelope.clone(),
        answers_ask: true,
    });
    commit.ask_changes.push((ask.id, AskWrite::Ended { by: commit.author().command_id, action }));
    commit.row_statuses.push((ask.message_seq, status_after(action)));
    commit.conversation.pending_ask = None;
    commit.outbox.push(AskChange::Resolved(AskClosed {
        history_id: commit.conversation_id.to_string(),
        tool_call_id: ask.tool_call_id.clone(),
        kind: ask.ask.kind(),
        seq: seq.unsigned_abs(),
        action,
        reason: envelope.get("reason").and_then(Value::as_str).map(str::to_owned),
        resolved_at: commit.now.iso(),
        origin: ask.origin(),
        tool_name: ask.approves.as_ref().map(|call| call.tool_name.clone()),
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

/// The row of an ask's call.
pub fn ask_call(tool_call_id: &str, ask: &turnwright_schemas::Ask, approves: Option<&HostCall>) -> MessageBody {
    MessageBody::ToolCall {
        tool_name: approves
            .map_or_else(|| ask.kind().tool_name().to_owned(), |call| call.tool_name.clone()),
        tool_call_id: tool_call_id.to_owned(),
        args: ask.input(),
        ask: Some(crate::message::AskTag {
            kind: ask.kind(),
            origin: approves.map(|_| turnwright_schemas::events::AskOrigin::Approval),
        }),
    }
}
