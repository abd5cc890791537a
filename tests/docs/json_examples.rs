//! Every JSON example parses, and is what its mark says.
//!
//! A block ` ```json ask choice ` is a valid ask of that kind, ` ```json answer ` a valid answer to the ask before
//! it, and ` ```json <name> ` a document of a published schema.

use jsonschema::Validator;
use serde_json::{Value, json};
use turnwright_schemas::json_schemas::schema_documents;
use turnwright_schemas::{Ask, AskError, LIMITS, Surface};

use crate::page::{Block, Page};

/// The marks of documents, and the published schema of each.
const DOCUMENTS: [(&str, &str); 6] = [
    ("event", "turnEvent.schema.json"),
    ("card", "simpleCard.schema.json"),
    ("problem", "problem.schema.json"),
    ("turn", "turnRequest.schema.json"),
    ("outcome", "turnResponse.schema.json"),
    ("pending", "pendingAsksResponse.schema.json"),
];

fn schema(file: &str) -> Validator {
    let documents = schema_documents(&LIMITS);
    let document = documents.into_iter().find(|document| document.file == file).unwrap();
    jsonschema::validator_for(&json!(document.schema)).unwrap()
}

fn ask(block: &Block, example: &Value) -> Ask {
    let kind = block.marks.get(2).and_then(|kind| kind.parse().ok());
    let kind = kind.unwrap_or_else(|| panic!("{}: name the ask's kind", block.place));
    let valid: Result<Ask, Vec<AskError>> = Ask::parse(kind, example, Surface::Full);
    valid.unwrap_or_else(|errors| panic!("{}: {errors:#?}", block.place))
}

#[test]
fn every_json_example_is_what_its_mark_says() {
    let mut seen = 0;
    for page in Page::all() {
        let mut asked: Option<Ask> = None;
        for block in page.blocks().iter().filter(|block| block.language() == "json") {
            seen += 1;
            let place = &block.place;
            let example: Value =
                serde_json::from_str(&block.text).unwrap_or_else(|error| panic!("{place}: {error}"));
            match block.mark() {
                Some("ask") => asked = Some(ask(block, &example)),
                Some("answer") => {
                    let asked = asked.as_ref().unwrap_or_else(|| panic!("{place}: answers no ask"));
                    let checked = asked.check_response(&example, LIMITS.files.default_max_file_size_bytes);
                    assert!(checked.is_ok(), "{place}: {:#?}", checked.err());
                }
                Some("script") => {}
                mark => {
                    let file = DOCUMENTS.iter().find(|(name, _)| Some(*name) == mark);
                    let (_, file) = file.unwrap_or_else(|| panic!("{place}: the mark {mark:?} is not known"));
                    let error = schema(file).validate(&example).err().map(|error| error.to_string());
                    assert_eq!(error, None, "{place}");
                }
            }
        }
    }
    assert!(seen > 0, "no page holds a JSON example");
}
