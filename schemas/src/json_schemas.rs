//! The JSON Schemas published for clients that do not run Rust (reference, "JSON Schemas and fixtures").
//!
//! They are closed: a field they do not define is refused. So they say exactly what this version writes, and a
//! new field is a new version of the document. Titles are the names generated code gives to the types.

mod bodies;
mod cards;
mod cloud_events;
mod events;
mod history;
mod problems;

use crate::json_schema::JsonSchema;
use crate::kind::AskKind;
use crate::limits::Limits;

/// A published document.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaDocument {
    /// Its file name.
    pub file: &'static str,
    /// Its content.
    pub schema: JsonSchema,
}

/// Every published document, ordered by file name.
pub fn schema_documents(limits: &Limits) -> Vec<SchemaDocument> {
    let documents = [
        ("askCreated.schema.json", cloud_events::created(limits)),
        ("askReopened.schema.json", cloud_events::reopened(limits)),
        ("askResolved.schema.json", cloud_events::resolved(limits)),
        ("history.schema.json", history::history(limits)),
        ("pendingAsksResponse.schema.json", bodies::pending_asks_response(limits)),
        ("problem.schema.json", problems::problem()),
        ("simpleCard.schema.json", cards::simple_card_document(limits)),
        ("turnEvent.schema.json", events::turn_event(limits)),
        ("turnRequest.schema.json", bodies::turn_request(limits)),
        ("turnResponse.schema.json", bodies::turn_response(limits)),
    ];
    let publish = |(file, schema): (_, JsonSchema)| SchemaDocument { file, schema: schema.document() };
    documents.map(publish).into()
}

/// An ask kind.
fn kind() -> JsonSchema {
    JsonSchema::one_word_of(AskKind::ALL.iter().map(|kind| kind.as_str()))
}

/// An instant in UTC: a real day, seconds, any fraction of them, `Z`.
fn timestamp() -> JsonSchema {
    const LEAP_DAY: &str =
        "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29";
    const TO_28: &str = "(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])";
    const TO_30: &str = "(?:0[13-9]|1[0-2])-(?:29|30)";
    const TO_31: &str = "(?:0[13578]|1[02])-31";
    const TIME: &str = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z";
    let day = format!("(?:{LEAP_DAY}|[0-9]{{4}}-(?:{TO_28}|{TO_30}|{TO_31}))");
    JsonSchema::matching(format!("^{day}T{TIME}$")).formatted("date-time")
}

/// A conversation's id.
fn history_id() -> JsonSchema {
    JsonSchema::nonempty().described("The conversation's id.")
}

/// A conversation's title.
fn conversation_title() -> JsonSchema {
    JsonSchema::string().described("The conversation's title, once it has one.")
}

/// An ask's tool call id.
fn tool_call_id() -> JsonSchema {
    JsonSchema::nonempty().described("The ask's tool call id. Answers name it.")
}
