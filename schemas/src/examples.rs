//! One example of everything that is sent, published beside the schemas: events, problems and CloudEvents.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::card::{ButtonStyle, SimpleCard, SimpleCardButton};
use crate::cloud_event::{AskChange, AskClosed, AskOpened, CloudEvent};
use crate::codes::ErrorCode;
use crate::error::AskError;
use crate::events::{
    AskEvent, AskOrigin, AskResolvedEvent, DoneEvent, FileEvent, ImageEvent, MessageRemovedEvent,
    PendingAskRef, Retracted, ToolCallEvent, ToolResultEvent, TurnEvent,
};
use crate::kind::AskKind;
use crate::literal::True;
use crate::problem::{AskEnded, AskEndedStatus, Problem, ProblemCode, ProblemMeta};
use crate::response::{Action, CancelReason};
use crate::row::{AskStatus, MessageRow, Rating, RowAsk, RowType};

/// An example and its file name without the ending.
pub type Example<T> = (&'static str, T);

const HISTORY_ID: &str = "0199a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b";
const TOOL_CALL_ID: &str = "call_7h2k";
const REQUEST_ID: &str = "0199a1b2-9d8c-7b6a-8f5e-4d3c2b1a0f9e";
const TOOL: &str = "closeGate";
const ASKED: &str = "2026-10-01T09:30:00.120Z";
const RESOLVED: &str = "2026-10-01T09:30:41.007Z";

/// An example of every event, with and without what it may leave out.
pub fn events() -> Vec<Example<TurnEvent>> {
    let row = |index, kind, text: &str| MessageRow {
        index,
        kind,
        text: text.to_owned(),
        tool_name: None,
        tool_call_id: None,
        args: None,
        result: None,
        ask: None,
        rating: None,
        created: ASKED.to_owned(),
    };
    let reply = row(4, RowType::Assistant, "The gate is closed.");
    let tool_row = MessageRow {
        tool_name: Some(TOOL.to_owned()),
        tool_call_id: Some(TOOL_CALL_ID.to_owned()),
        ..row(2, RowType::ToolCall, "Tool call: closeGate")
    };
    let ask =
        RowAsk { kind: AskKind::Confirm, status: AskStatus::Pending, origin: Some(AskOrigin::Approval) };
    let done =
        DoneEvent { title: Some("Close the gate".to_owned()), ..DoneEvent::new(HISTORY_ID.to_owned()) };
    let waiting = PendingAskRef { tool_call_id: TOOL_CALL_ID.to_owned() };
    vec![
        ("text", TurnEvent::Text { text: "The gate ".to_owned() }),
        ("retracted", TurnEvent::Retracted { retracted: Retracted::Text }),
        ("toolCall", TurnEvent::ToolCall { tool_call: tool_call() }),
        ("toolResult", TurnEvent::ToolResult { tool_result: tool_result(json!({"closed": true})) }),
        ("toolResult-denied", TurnEvent::ToolResult { tool_result: tool_result(denied()) }),
        (
            "image",
            TurnEvent::Image {
                image: ImageEvent { mime_type: "image/png".to_owned(), url: "/files/gate".to_owned() },
            },
        ),
        (
            "file",
            TurnEvent::File {
                file: FileEvent {
                    filename: "visitors.csv".to_owned(),
                    mime_type: "text/csv".to_owned(),
                    url: "/files/visitors".to_owned(),
                },
            },
        ),
        ("ask", ask_event(None)),
        ("ask-approval", ask_event(Some(AskOrigin::Approval))),
        (
            "askResolved",
            TurnEvent::AskResolved {
                ask_resolved: AskResolvedEvent {
                    tool_call_id: TOOL_CALL_ID.to_owned(),
                    action: Action::Accept,
                },
            },
        ),
        ("error", TurnEvent::Error { error: "The model did not answer.".to_owned() }),
        ("done", TurnEvent::Done(done.clone())),
        ("done-untitled", TurnEvent::Done(DoneEvent::new(HISTORY_ID.to_owned()))),
        ("done-waiting", TurnEvent::Done(DoneEvent { pending_ask: Some(waiting), ..done.clone() })),
        ("done-cancelled", TurnEvent::Done(DoneEvent { cancelled: true, ..done })),
        ("message-user", TurnEvent::Message { message: row(0, RowType::User, "Close the gate for tonight") }),
        (
            "message-assistant",
            TurnEvent::Message { message: MessageRow { rating: Some(Rating::Up), ..reply } },
        ),
        (
            "message-ask",
            TurnEvent::Message {
                message: MessageRow { args: Some(input()), ask: Some(ask), ..tool_row.clone() },
            },
        ),
        (
            "message-answer",
            TurnEvent::Message {
                message: MessageRow {
                    index: 3,
                    kind: RowType::ToolResult,
                    text: "Tool result: closeGate".to_owned(),
                    result: Some(json!({"action": "accept", "content": {"confirmed": true}})),
                    ..tool_row
                },
            },
        ),
        ("messageRemoved", TurnEvent::MessageRemoved { message_removed: MessageRemovedEvent { index: 3 } }),
        ("reload", TurnEvent::Reload { reload: True }),
    ]
}

/// An example of each kind of problem document.
pub fn problems() -> Vec<Example<Problem>> {
    let problem = |status, title: &str, detail: &str| Problem {
        status,
        title: title.to_owned(),
        detail: detail.to_owned(),
        request_id: REQUEST_ID.to_owned(),
        code: None,
        fields: None,
        meta: None,
    };
    let wrong_option = AskError {
        path: "content.selected[0]".to_owned(),
        code: ErrorCode::OptionNotOffered,
        message: "\"west\" is not one of the ask's options.".to_owned(),
        fix: "Use one of the ids north, south.".to_owned(),
    };
    let wrong_button = AskError {
        path: "buttonId".to_owned(),
        code: ErrorCode::UnknownButton,
        message: "\"open\" is not a button of the pending ask.".to_owned(),
        fix: "Use one of the ids approve, deny.".to_owned(),
    };
    let missing =
        BTreeMap::from([("buttonId".to_owned(), "buttonId is required with toolCallId.".to_owned())]);
    let no_longer_pending = |meta| Problem {
        meta,
        ..problem(409, "This ask is no longer pending", "Read the conversation again.")
    };
    let invalid_answer = problem(400, "Invalid askResponse", "The answer does not fit the ask. See fields.");
    let ended = AskEnded {
        status: AskEndedStatus::Answered,
        action: Some(Action::Accept),
        resolved_at: Some(RESOLVED.to_owned()),
    };
    let claimed = AskEnded { status: AskEndedStatus::Claimed, action: None, resolved_at: None };
    vec![
        ("answer-invalid", Problem { fields: Some(vec![wrong_option.clone()]), ..invalid_answer.clone() }),
        (
            "answer-invalid-headless",
            Problem { meta: Some(ProblemMeta::Answer { fields: vec![wrong_option] }), ..invalid_answer },
        ),
        (
            "button-unknown",
            Problem {
                code: Some(ProblemCode::UnknownButton),
                meta: Some(ProblemMeta::Answer { fields: vec![wrong_button] }),
                ..problem(400, "Unknown buttonId", "The card has no such button. See meta.fields.")
            },
        ),
        (
            "body-invalid",
            Problem {
                code: Some(ProblemCode::ActionBodyValidationFailed),
                meta: Some(ProblemMeta::Body { fields: missing }),
                ..problem(400, "Validation failed", "The body is not one a turn takes. See meta.fields.")
            },
        ),
        ("ask-answered", no_longer_pending(Some(ProblemMeta::AskEnded(ended)))),
        ("ask-claimed", no_longer_pending(Some(ProblemMeta::AskEnded(claimed)))),
        ("ask-unknown", no_longer_pending(None)),
        (
            "access-denied",
            Problem {
                code: Some(ProblemCode::ActionAccessDenied),
                ..problem(403, "Access denied", "The conversation belongs to another user.")
            },
        ),
        (
            "not-found",
            Problem {
                code: Some(ProblemCode::DocumentNotFound),
                ..problem(404, "Document not found", "No conversation has this id.")
            },
        ),
        ("unauthorized", problem(401, "Unauthorized", "Sign in and send the token as a bearer token.")),
    ]
}

/// An example of each CloudEvent, named as its schema.
pub fn cloud_events() -> Vec<Example<CloudEvent>> {
    let opened = |seq, origin: Option<AskOrigin>| AskOpened {
        history_id: HISTORY_ID.to_owned(),
        tool_call_id: TOOL_CALL_ID.to_owned(),
        kind: AskKind::Confirm,
        seq,
        input: input(),
        simple: card(),
        origin,
        tool_name: origin.map(|_| TOOL.to_owned()),
        created: ASKED.to_owned(),
    };
    let closed = |seq, action, reason: Option<CancelReason>| AskClosed {
        history_id: HISTORY_ID.to_owned(),
        tool_call_id: TOOL_CALL_ID.to_owned(),
        kind: AskKind::Confirm,
        seq,
        action,
        reason: reason.map(|reason| reason.as_str().to_owned()),
        resolved_at: RESOLVED.to_owned(),
        origin: None,
        tool_name: None,
    };
    let event = |id: &str, time: &str, change| CloudEvent::new(id.to_owned(), time.to_owned(), change);
    let cancelled = closed(9, Action::Cancel, Some(CancelReason::UserSentMessage));
    vec![
        ("askCreated", event("41", ASKED, AskChange::Created(opened(3, None)))),
        ("askCreated-approval", event("42", ASKED, AskChange::Created(opened(3, Some(AskOrigin::Approval))))),
        ("askResolved", event("43", RESOLVED, AskChange::Resolved(closed(5, Action::Accept, None)))),
        ("askResolved-cancelled", event("44", RESOLVED, AskChange::Resolved(cancelled))),
        ("askReopened", event("45", RESOLVED, AskChange::Reopened(opened(7, None)))),
    ]
}

fn tool_call() -> ToolCallEvent {
    let (tool_call_id, tool_name) = ("call_3f9d".to_owned(), TOOL.to_owned());
    ToolCallEvent { tool_call_id, tool_name, args: json!({"gate": "north"}) }
}

fn tool_result(result: Value) -> ToolResultEvent {
    let ToolCallEvent { tool_call_id, tool_name, .. } = tool_call();
    ToolResultEvent { tool_call_id, tool_name, result }
}

fn denied() -> Value {
    json!({"approved": false, "reason": "user_denied"})
}

fn ask_event(origin: Option<AskOrigin>) -> TurnEvent {
    let ask = AskEvent {
        tool_call_id: TOOL_CALL_ID.to_owned(),
        kind: AskKind::Confirm,
        input: input(),
        simple: card(),
        origin,
        tool_name: origin.map(|_| TOOL.to_owned()),
    };
    TurnEvent::Ask { ask, history_id: HISTORY_ID.to_owned() }
}

/// The input of the ask of every example.
pub fn input() -> Value {
    json!({
        "prompt": "Close the north gate until tomorrow morning?",
        "title": "North gate",
        "confirmLabel": "Close it",
        "denyLabel": "Leave it open",
    })
}

/// Its card.
pub fn card() -> SimpleCard {
    let button = |id: &str, label: &str, style, confirmed: bool| SimpleCardButton {
        id: id.to_owned(),
        label: label.to_owned(),
        style,
        response: json!({"action": "accept", "content": {"confirmed": confirmed}}),
    };
    SimpleCard {
        tool_call_id: TOOL_CALL_ID.to_owned(),
        kind: AskKind::Confirm,
        title: Some("North gate".to_owned()),
        text: "Close the north gate until tomorrow morning?".to_owned(),
        buttons: vec![
            button("approve", "Close it", ButtonStyle::Primary, true),
            button("deny", "Leave it open", ButtonStyle::Cancel, false),
        ],
        handoff: false,
    }
}
