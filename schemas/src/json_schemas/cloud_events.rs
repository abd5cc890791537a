//! What subscribers hear about asks, in CloudEvents 1.0.

use super::cards::simple_card;
use super::events::{action, approved_tool, ask_input, origin};
use super::{history_id, kind, timestamp, tool_call_id};
use crate::cloud_event::{self, SOURCE};
use crate::json_schema::{JsonSchema, Property, optional, required};
use crate::limits::Limits;

/// `askCreated.schema.json`
pub(super) fn created(limits: &Limits) -> JsonSchema {
    cloud_event(cloud_event::CREATED, ask_opened(limits))
        .titled("AskCreated")
        .described("A conversation waits on an ask.")
}

/// `askReopened.schema.json`
pub(super) fn reopened(limits: &Limits) -> JsonSchema {
    cloud_event(cloud_event::REOPENED, ask_opened(limits))
        .titled("AskReopened")
        .described("The answer could not be used: the same ask waits again.")
}

/// `askResolved.schema.json`
pub(super) fn resolved(limits: &Limits) -> JsonSchema {
    cloud_event(cloud_event::RESOLVED, ask_closed(limits))
        .titled("AskResolved")
        .described("The ask was answered or cancelled. What was answered is not told.")
}

fn cloud_event(name: &'static str, data: JsonSchema) -> JsonSchema {
    JsonSchema::object([
        required("specversion", JsonSchema::word("1.0")),
        required("id", JsonSchema::nonempty().described("An event delivered twice has the same id.")),
        required("source", JsonSchema::word(SOURCE)),
        required("type", JsonSchema::word(name)),
        required("subject", history_id()),
        required("time", timestamp().described("When it was committed, in UTC.")),
        required("datacontenttype", JsonSchema::word("application/json")),
        required("data", data),
    ])
}

fn ask_opened(limits: &Limits) -> JsonSchema {
    let opened = [
        required("input", ask_input()),
        required("simple", simple_card(limits)),
        required("created", timestamp().described("When the ask was made, in UTC.")),
    ];
    JsonSchema::object(about_the_ask().into_iter().chain(opened)).titled("AskOpened")
}

fn ask_closed(limits: &Limits) -> JsonSchema {
    let reason = JsonSchema::text(limits.shared.cancel_reason_max_length);
    let closed = [
        required("action", action()),
        optional("reason", reason.described("Why it was cancelled, when that is known.")),
        required("resolvedAt", timestamp().described("When it ended, in UTC.")),
    ];
    JsonSchema::object(about_the_ask().into_iter().chain(closed)).titled("AskClosed")
}

/// What every event says about its ask.
fn about_the_ask() -> [Property; 6] {
    [
        required("historyId", history_id()),
        required("toolCallId", tool_call_id()),
        required("kind", kind()),
        required(
            "seq",
            JsonSchema::whole_from(1)
                .described("Grows with every event of the conversation: an event with a lower one is older."),
        ),
        optional("origin", origin()),
        optional("toolName", approved_tool()),
    ]
}
