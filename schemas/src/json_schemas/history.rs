//! A conversation as the API gives it.

use super::cards::simple_card;
use super::events::{approved_tool, ask_input, message, origin};
use super::{kind, timestamp, tool_call_id};
use crate::json_schema::{JsonSchema, optional, required};
use crate::limits::Limits;

pub(super) fn history(limits: &Limits) -> JsonSchema {
    JsonSchema::object([
        required("_id", JsonSchema::nonempty()),
        required("userId", JsonSchema::nonempty().described("The owner.")),
        required("title", JsonSchema::string().described("Empty until the first message.")),
        required("prompts", JsonSchema::list(message()).described("The transcript, oldest first.")),
        optional("pendingAsk", pending_ask(limits)),
        required("created", timestamp()),
        required("updated", timestamp()),
    ])
    .titled("History")
    .described("A conversation. Of its fields only title can be written.")
}

fn pending_ask(limits: &Limits) -> JsonSchema {
    JsonSchema::object([
        required("toolCallId", tool_call_id()),
        required("kind", kind()),
        required("input", ask_input()),
        required("simple", simple_card(limits)),
        required("created", timestamp().described("When the agent asked, in UTC.")),
        optional("origin", origin()),
        optional("approvalId", JsonSchema::nonempty().described("An approval's id, the same as toolCallId.")),
        optional("toolName", approved_tool()),
    ])
    .titled("HistoryPendingAsk")
    .described("The ask the conversation waits on.")
}
