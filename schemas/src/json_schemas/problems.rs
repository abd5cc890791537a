//! Problem documents: the body of every refusal.

use super::events::action;
use super::timestamp;
use crate::codes::ErrorCode;
use crate::json_schema::{JsonSchema, optional, required};
use crate::problem::{AskEndedStatus, ProblemCode};

/// `problem.schema.json`
pub(super) fn problem() -> JsonSchema {
    JsonSchema::object([
        required("status", JsonSchema::whole(400, 599).described("The HTTP status.")),
        required(
            "title",
            JsonSchema::nonempty().described("What was refused, the same for every request refused so."),
        ),
        required("detail", JsonSchema::string().described("What is wrong with this request.")),
        required("requestId", JsonSchema::nonempty().described("The request's id, to quote in a report.")),
        optional("code", JsonSchema::one_word_of(ProblemCode::ALL.iter().map(|code| code.as_str()))),
        optional("fields", ask_errors().described("What is wrong with an answer sent to POST /gpt/prompt.")),
        optional("meta", JsonSchema::one_of([body_errors(), answer_errors(), ask_ended()])),
    ])
    .titled("Problem")
    .described("Why a request was refused (application/problem+json).")
}

fn body_errors() -> JsonSchema {
    let fields = JsonSchema::map_to(JsonSchema::string());
    JsonSchema::object([required("fields", fields.described("What is wrong with the body, for each field."))])
        .titled("BodyErrors")
}

fn answer_errors() -> JsonSchema {
    JsonSchema::object([required(
        "fields",
        ask_errors().described("What is wrong with the answer or the button."),
    )])
    .titled("AnswerErrors")
}

fn ask_ended() -> JsonSchema {
    let statuses = AskEndedStatus::ALL.iter().map(|status| status.as_str());
    JsonSchema::object([
        required(
            "status",
            JsonSchema::one_word_of(statuses)
                .described("How the ask ended; claimed while the command that ends it waits its turn."),
        ),
        optional("action", action()),
        optional("resolvedAt", timestamp()),
    ])
    .titled("AskEnded")
}

fn ask_errors() -> JsonSchema {
    let error = JsonSchema::object([
        required("path", JsonSchema::string().described("Where: such as content.selected[0].")),
        required("code", JsonSchema::one_word_of(ErrorCode::ALL.iter().map(|code| code.as_str()))),
        required("message", JsonSchema::nonempty().described("What is wrong, in one sentence.")),
        required("fix", JsonSchema::nonempty().described("One instruction that mends it.")),
    ]);
    JsonSchema::list(error.titled("AskError"))
}
