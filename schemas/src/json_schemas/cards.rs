//! The simple card and the answers its buttons carry.

use super::{kind, tool_call_id};
use crate::card::ButtonStyle;
use crate::json_schema::{JsonSchema, Property, optional, required};
use crate::limits::Limits;
use crate::response::Action;

/// `simpleCard.schema.json`
pub(super) fn simple_card_document(limits: &Limits) -> JsonSchema {
    simple_card(limits).described(format!(
        "An ask for a small screen: short text and at most {} buttons, each with the exact answer it sends. \
         The ids of a card's buttons differ from each other, which JSON Schema cannot say.",
        limits.simple_card.buttons_max
    ))
}

/// A simple card.
pub(super) fn simple_card(limits: &Limits) -> JsonSchema {
    let card = &limits.simple_card;
    JsonSchema::object([
        required("toolCallId", tool_call_id()),
        required("kind", kind()),
        optional("title", JsonSchema::text(card.title_max_length)),
        required("text", JsonSchema::text(card.text_max_length)),
        required("buttons", JsonSchema::list_up_to(card.buttons_max, button(limits))),
        required(
            "handoff",
            JsonSchema::boolean().described(
                "Whether answering may need the full app, because a button for every option does not fit.",
            ),
        ),
    ])
    .titled("SimpleCard")
}

fn button(limits: &Limits) -> JsonSchema {
    JsonSchema::object([
        required("id", JsonSchema::nonempty()),
        required("label", JsonSchema::text(limits.simple_card.button_label_max_length)),
        required("style", JsonSchema::one_word_of(ButtonStyle::ALL.iter().map(|style| style.as_str()))),
        required("response", ask_response(limits)),
    ])
    .titled("SimpleCardButton")
}

/// The answer envelope.
fn ask_response(limits: &Limits) -> JsonSchema {
    envelope(limits, || None).titled("AskResponse")
}

/// The answer envelope with the id of the ask it answers, as bodies carry it.
pub(super) fn ask_answer(limits: &Limits) -> JsonSchema {
    envelope(limits, || Some(required("toolCallId", tool_call_id()))).titled("AskAnswer")
}

fn envelope(limits: &Limits, address: impl Fn() -> Option<Property>) -> JsonSchema {
    let shape = |action: Action, payload: Option<Property>| {
        let action = required("action", JsonSchema::word(action.as_str()));
        JsonSchema::object(address().into_iter().chain([action]).chain(payload))
    };
    let content = JsonSchema::open_object([]).described("The answer, in the form of the ask's kind.");
    let reason = JsonSchema::text(limits.shared.cancel_reason_max_length);
    JsonSchema::one_of([
        shape(Action::Accept, Some(required("content", content))),
        shape(Action::Decline, None),
        shape(Action::Cancel, Some(optional("reason", reason))),
    ])
}
