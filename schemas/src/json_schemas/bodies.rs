//! The bodies of the headless endpoints.

use super::cards::{ask_answer, simple_card};
use super::{conversation_title, history_id, kind, timestamp, tool_call_id};
use crate::json_schema::{JsonSchema, optional, required};
use crate::kind::Surface;
use crate::limits::Limits;

/// `turnRequest.schema.json`
pub(super) fn turn_request(limits: &Limits) -> JsonSchema {
    let surfaces = Surface::ALL.iter().map(|surface| surface.as_str());
    JsonSchema::object([
        optional(
            "prompt",
            JsonSchema::nonempty().described("A new message. It cancels the pending ask, if there is one."),
        ),
        optional(
            "askResponse",
            ask_answer(limits)
                .described("A full answer to the pending ask, from a client that knows the ask's kind."),
        ),
        optional("toolCallId", tool_call_id()),
        optional(
            "buttonId",
            JsonSchema::nonempty()
                .described("The id of the button pressed on the pending ask's card. Goes with toolCallId."),
        ),
        optional(
            "surface",
            JsonSchema::one_word_of(surfaces).described(
                "The screen the user answers from: full unless said otherwise. On compact, such as a watch, \
                 the agent keeps to short replies and to asks whose buttons show every option.",
            ),
        ),
    ])
    .titled("TurnRequest")
    .described(
        "The body of POST /gpt/histories/{id}/turn: exactly one of prompt, askResponse, or toolCallId with \
         buttonId, and perhaps surface. JSON Schema cannot say exactly one; the server checks it.",
    )
}

/// `turnResponse.schema.json`
pub(super) fn turn_response(limits: &Limits) -> JsonSchema {
    response(turn_result(limits))
        .titled("TurnResponse")
        .described("The body of the response to POST /gpt/histories/{id}/turn, sent once the turn rests.")
}

/// `pendingAsksResponse.schema.json`
pub(super) fn pending_asks_response(limits: &Limits) -> JsonSchema {
    response(JsonSchema::list(pending_ask(limits))).titled("PendingAsksResponse").described(
        "The body of the response to GET /gpt/histories/pendingAsks: the caller's asks, newest first.",
    )
}

fn response(data: JsonSchema) -> JsonSchema {
    let request_id = JsonSchema::string().described("The request's id, to quote in a report.");
    JsonSchema::object([required("data", data), optional("requestId", request_id)])
}

fn turn_result(limits: &Limits) -> JsonSchema {
    JsonSchema::object([
        required("historyId", history_id()),
        required("text", JsonSchema::string().described("What the agent said; empty when it only asked.")),
        optional("title", conversation_title()),
        optional("pendingAsk", pending_ask_summary(limits)),
        optional(
            "error",
            JsonSchema::string()
                .described("Why the turn failed after it started; text holds what was said before."),
        ),
    ])
    .titled("TurnResult")
}

fn pending_ask_summary(limits: &Limits) -> JsonSchema {
    JsonSchema::object([
        required("toolCallId", tool_call_id()),
        required("kind", kind()),
        required("simple", simple_card(limits)),
    ])
    .titled("PendingAskSummary")
    .described("The ask the turn paused on. Answer it with toolCallId and the id of one of simple.buttons.")
}

fn pending_ask(limits: &Limits) -> JsonSchema {
    JsonSchema::object([
        required("historyId", history_id()),
        optional("title", conversation_title()),
        required("toolCallId", tool_call_id()),
        required("kind", kind()),
        required("simple", simple_card(limits)),
        required("created", timestamp().described("When the agent asked, in UTC.")),
    ])
    .titled("PendingAsk")
}
