//! What a turn body may say, and under which field each mistake is reported.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::mutation::{mutations, replacements};
use support::strategy::any_json;
use turnwright_schemas::json_schemas::schema_documents;
use turnwright_schemas::{LIMITS, Surface, TurnRequest, TurnShape};

fn parse(body: Value) -> Result<TurnRequest, BTreeMap<String, String>> {
    TurnRequest::parse(body)
}

/// The fields a refusal names.
fn refused_under(body: Value) -> Vec<String> {
    parse(body).unwrap_err().into_keys().collect()
}

fn schema() -> jsonschema::Validator {
    let documents = schema_documents(&LIMITS);
    let document = documents.iter().find(|document| document.file == "turnRequest.schema.json").unwrap();
    jsonschema::draft7::new(&document.schema.to_value()).unwrap()
}

fn right_bodies() -> Vec<Value> {
    vec![
        json!({"prompt": "Book the tent"}),
        json!({"prompt": "Book the tent", "surface": "compact"}),
        json!({"askResponse": {"toolCallId": "c1", "action": "accept", "content": {"confirmed": true}}}),
        json!({"askResponse": {"toolCallId": "c1", "action": "decline"}, "surface": "full"}),
        json!({"askResponse": {"toolCallId": "c1", "action": "cancel"}}),
        json!({"askResponse": {"toolCallId": "c1", "action": "cancel", "reason": "late"}}),
        json!({"toolCallId": "c1", "buttonId": "approve"}),
    ]
}

/// The rule JSON Schema cannot express: exactly one of the three shapes.
fn is_one_shape(body: &Value) -> bool {
    let sent = ["prompt", "askResponse", "toolCallId", "buttonId"].map(|name| body.get(name).is_some());
    [[true, false, false, false], [false, true, false, false], [false, false, true, true]].contains(&sent)
}

fn assert_agrees(schema: &jsonschema::Validator, body: &Value) {
    let by_schema = schema.is_valid(body) && is_one_shape(body);
    assert_eq!(parse(body.clone()).is_ok(), by_schema, "{body}");
}

#[test]
fn each_shape_is_read() {
    let prompt = parse(json!({"prompt": "Book the tent", "surface": "compact"})).unwrap();
    assert_eq!(prompt.shape, TurnShape::Prompt("Book the tent".to_owned()));
    assert_eq!(prompt.surface, Surface::Compact);

    let answer = parse(json!({"askResponse": {"toolCallId": "c1", "action": "decline"}})).unwrap();
    let response = json!({"action": "decline"});
    assert_eq!(answer.shape, TurnShape::Answer { tool_call_id: "c1".to_owned(), response });
    assert_eq!(answer.surface, Surface::Full);

    let button = parse(json!({"toolCallId": "c1", "buttonId": "approve"})).unwrap();
    let (tool_call_id, button_id) = ("c1".to_owned(), "approve".to_owned());
    assert_eq!(button.shape, TurnShape::Button { tool_call_id, button_id });
}

#[test]
fn an_empty_body_reports_under_prompt() {
    assert_eq!(refused_under(json!({})), ["prompt"]);
    assert_eq!(refused_under(json!({"surface": "full"})), ["prompt"]);
}

#[test]
fn a_mixed_body_reports_under_each_field_sent() {
    let answer = json!({"toolCallId": "c1", "action": "decline"});
    assert_eq!(refused_under(json!({"prompt": "Hi", "askResponse": answer})), ["askResponse", "prompt"]);
    assert_eq!(refused_under(json!({"prompt": "Hi", "buttonId": "skip"})), ["buttonId", "prompt"]);
    let all = json!({"prompt": "Hi", "askResponse": answer, "toolCallId": "c1", "buttonId": "skip"});
    assert_eq!(refused_under(all), ["askResponse", "buttonId", "prompt", "toolCallId"]);
}

#[test]
fn half_a_button_reports_under_the_missing_field() {
    assert_eq!(refused_under(json!({"toolCallId": "c1"})), ["buttonId"]);
    assert_eq!(refused_under(json!({"buttonId": "skip"})), ["toolCallId"]);
}

#[test]
fn an_unknown_field_reports_under_its_name() {
    assert_eq!(refused_under(json!({"prompt": "Hi", "attachments": []})), ["attachments"]);
    let answer = json!({"toolCallId": "c1", "action": "decline", "content": {}});
    assert_eq!(refused_under(json!({"askResponse": answer})), ["askResponse.content"]);
}

#[test]
fn an_unknown_surface_reports_the_known_ones() {
    let errors = parse(json!({"prompt": "Hi", "surface": "watch"})).unwrap_err();
    assert!(errors["surface"].contains("full, compact"), "{errors:?}");
}

#[test]
fn a_body_that_is_no_object_reports_under_the_root() {
    for body in [json!(null), json!([]), json!("prompt"), json!(1)] {
        assert_eq!(refused_under(body), [""]);
    }
}

#[test]
fn every_mistake_is_reported_at_once() {
    let body = json!({"prompt": "", "surface": 1, "extra": 1});
    assert_eq!(refused_under(body), ["extra", "prompt", "surface"]);
    let answer = json!({"action": "cancel", "reason": "x".repeat(201), "content": {}});
    let fields = ["askResponse.content", "askResponse.reason", "askResponse.toolCallId"];
    assert_eq!(refused_under(json!({"askResponse": answer})), fields);
}

#[test]
fn every_single_mutation_is_judged_as_the_published_schema_does() {
    let schema = schema();
    for seed in right_bodies() {
        assert_agrees(&schema, &seed);
        for mutation in mutations(&seed, &replacements(&[200])) {
            assert_agrees(&schema, &mutation.apply(&seed));
        }
    }
}

proptest! {
    #[test]
    fn any_json_is_judged_as_the_published_schema_does(
        prompt in prop::option::of(any_json()),
        answer in prop::option::of(any_json()),
        body in any_json(),
    ) {
        thread_local! { static SCHEMA: jsonschema::Validator = schema(); }
        let mut close = json!({});
        if let Some(prompt) = prompt {
            close["prompt"] = prompt;
        }
        if let Some(answer) = answer {
            close["askResponse"] = json!({"toolCallId": answer, "action": "accept", "content": answer});
        }
        SCHEMA.with(|schema| {
            assert_agrees(schema, &body);
            assert_agrees(schema, &close);
        });
    }
}
