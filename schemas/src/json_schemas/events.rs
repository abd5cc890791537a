//! The events of a turn, one `data:` line each.

use super::cards::simple_card;
use super::{conversation_title, history_id, kind, timestamp, tool_call_id};
use crate::events::AskOrigin;
use crate::json_schema::{JsonSchema, Property, optional, required};
use crate::limits::Limits;
use crate::response::Action;
use crate::row::{AskStatus, Rating, RowType};

/// `turnEvent.schema.json`
pub(super) fn turn_event(limits: &Limits) -> JsonSchema {
    JsonSchema::one_of([
        event("TextEvent", [required("text", JsonSchema::string())])
            .described("More text of the reply in progress."),
        event("RetractedEvent", [required("retracted", JsonSchema::word("text"))])
            .described("The text of the current step is void: forget it."),
        event("ToolCallEvent", [required("toolCall", tool_call())]).described("The agent called a tool."),
        event("ToolResultEvent", [required("toolResult", tool_result())])
            .described("A tool answered, or the user denied it."),
        event("ImageEvent", [required("image", image())]).described("The reply holds an image."),
        event("FileEvent", [required("file", file())]).described("The reply holds a file."),
        event("AskEvent", [required("ask", ask(limits)), required("historyId", history_id())])
            .described("The turn paused on a question. It is saved: it can be answered from now on."),
        event("AskResolvedEvent", [required("askResolved", ask_resolved())])
            .described("The pending ask was answered, or cancelled by a new message."),
        event("ErrorEvent", [required("error", JsonSchema::string())])
            .described("The turn failed after its stream began, in a sentence for the user. done follows."),
        done(),
        event("MessageEvent", [required("message", message())])
            .described("A row of the conversation was written. Only on …/events."),
        event("MessageRemovedEvent", [required("messageRemoved", message_removed())])
            .described("A row was taken back, because the answer it held was undone. Only on …/events."),
        event("ReloadEvent", [required("reload", JsonSchema::always_true())])
            .described("The event asked for is no longer kept: the transcript follows. Only on …/events."),
    ])
    .titled("TurnEvent")
    .described("One data: line of POST /gpt/prompt or GET /gpt/histories/{id}/events.")
}

fn event<const N: usize>(title: &'static str, properties: [Property; N]) -> JsonSchema {
    JsonSchema::object(properties).titled(title)
}

fn tool_call() -> JsonSchema {
    JsonSchema::object([
        required("toolCallId", JsonSchema::nonempty()),
        required("toolName", JsonSchema::nonempty()),
        required("args", JsonSchema::anything().described("What the agent passed.")),
    ])
    .titled("ToolCall")
}

fn tool_result() -> JsonSchema {
    JsonSchema::object([
        required("toolCallId", JsonSchema::nonempty()),
        required("toolName", JsonSchema::nonempty()),
        required(
            "result",
            JsonSchema::anything()
                .described("What the tool returned; {approved: false, reason} when it was denied."),
        ),
    ])
    .titled("ToolResult")
}

fn image() -> JsonSchema {
    JsonSchema::object([
        required("mimeType", JsonSchema::nonempty()),
        required("url", JsonSchema::nonempty()),
    ])
    .titled("Image")
}

fn file() -> JsonSchema {
    JsonSchema::object([
        required("filename", JsonSchema::nonempty()),
        required("mimeType", JsonSchema::nonempty()),
        required("url", JsonSchema::nonempty()),
    ])
    .titled("File")
}

fn ask(limits: &Limits) -> JsonSchema {
    JsonSchema::object([
        required("toolCallId", tool_call_id()),
        required("kind", kind()),
        required("input", ask_input()),
        required("simple", simple_card(limits)),
        optional("origin", origin()),
        optional("toolName", approved_tool()),
    ])
    .titled("Ask")
}

/// An ask's validated input, which differs by kind.
pub(super) fn ask_input() -> JsonSchema {
    JsonSchema::open_object([required("prompt", JsonSchema::nonempty())])
        .described("The ask, in the form of its kind.")
        .titled("AskInput")
}

/// Who made the ask, when it was not the model.
pub(super) fn origin() -> JsonSchema {
    JsonSchema::one_word_of([AskOrigin::Approval.as_str()])
        .described("Set when the server asks before a tool runs.")
}

/// The tool an approval is about.
pub(super) fn approved_tool() -> JsonSchema {
    JsonSchema::nonempty().described("The tool an approval is about.")
}

/// An answer's action.
pub(super) fn action() -> JsonSchema {
    JsonSchema::one_word_of(Action::ALL.iter().map(|action| action.as_str()))
}

fn ask_resolved() -> JsonSchema {
    JsonSchema::object([required("toolCallId", tool_call_id()), required("action", action())])
        .titled("AskResolved")
}

fn done() -> JsonSchema {
    let pending_ask = JsonSchema::object([required("toolCallId", tool_call_id())]).titled("PendingAskRef");
    event(
        "DoneEvent",
        [
            required("done", JsonSchema::always_true()),
            required("historyId", history_id()),
            optional("title", conversation_title()),
            optional("pendingAsk", pending_ask.described("The ask the conversation waits on now.")),
            optional("cancelled", JsonSchema::always_true().described("Set when the turn was cancelled.")),
        ],
    )
    .described("The turn rests. The last event of a POST stream.")
}

pub(super) fn message() -> JsonSchema {
    JsonSchema::object([
        required("index", JsonSchema::whole_from(0).described("The row's place in the transcript.")),
        required("type", JsonSchema::one_word_of(RowType::ALL.iter().map(|kind| kind.as_str()))),
        required("text", JsonSchema::string()),
        optional("toolName", JsonSchema::nonempty()),
        optional("toolCallId", JsonSchema::nonempty()),
        optional("args", JsonSchema::anything()),
        optional("result", JsonSchema::anything()),
        optional("ask", row_ask()),
        optional("rating", JsonSchema::one_word_of(Rating::ALL.iter().map(|rating| rating.as_str()))),
        required("created", timestamp()),
    ])
    .titled("Message")
}

fn row_ask() -> JsonSchema {
    JsonSchema::object([
        required("kind", kind()),
        required("status", JsonSchema::one_word_of(AskStatus::ALL.iter().map(|status| status.as_str()))),
        optional("origin", origin()),
    ])
    .titled("MessageAsk")
}

fn message_removed() -> JsonSchema {
    JsonSchema::object([required("index", JsonSchema::whole_from(0))]).titled("MessageRemoved")
}
