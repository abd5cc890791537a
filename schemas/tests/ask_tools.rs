//! The tools a model asks with: their schemas take every valid ask and refuse what JSON Schema can refuse.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use serde_json::Value;
use support::shared;
use turnwright_schemas::{AskKind, AskTool, LIMITS, Surface, ask_tools};

/// What a schema can refuse by itself. The other codes need more than the shape: other fields, trimmed text,
/// UTF-16 lengths, calendars.
const SHAPE_CODES: [&str; 7] = [
    "INVALID_ENUM",
    "INVALID_FORMAT",
    "INVALID_TYPE",
    "MISSING_REQUIRED",
    "TOO_FEW",
    "TOO_MANY",
    "UNKNOWN_KEY",
];

/// An input of the reference's vectors and the codes of its errors.
struct Checked {
    kind: AskKind,
    surface: Surface,
    input: Value,
    codes: Vec<String>,
}

fn checked_inputs() -> Vec<Checked> {
    let lines = shared::read("vectors/asks.jsonl").unwrap_or_default();
    let checks = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    checks
        .filter(|check| check["op"] == "validateInput")
        .map(|check| {
            let errors = check["expect"]["errors"].as_array().unwrap();
            Checked {
                kind: check["kind"].as_str().unwrap().parse().unwrap(),
                surface: check["surface"].as_str().map_or(Surface::Full, |name| name.parse().unwrap()),
                input: check["input"].clone(),
                codes: errors.iter().map(|error| error["code"].as_str().unwrap().to_owned()).collect(),
            }
        })
        .collect()
}

fn accepts(kind: AskKind, surface: Surface, input: &Value) -> bool {
    let tools = ask_tools(&LIMITS, &[kind], surface);
    let [AskTool { input_schema, .. }] = tools.as_slice() else {
        panic!("{kind} is not offered on {surface}");
    };
    jsonschema::draft7::is_valid(input_schema, input)
}

#[test]
fn the_tools_for_every_kind_and_surface() {
    for surface in Surface::ALL {
        for tool in ask_tools(&LIMITS, AskKind::ALL, *surface) {
            let shown =
                serde_json::json!({"description": tool.description, "inputSchema": tool.input_schema});
            insta::assert_json_snapshot!(format!("{}-{surface}", tool.name), shown);
        }
    }
}

#[test]
fn the_compact_surface_has_only_the_kinds_it_offers() {
    let names = |kinds: &[AskKind], surface| -> Vec<&str> {
        ask_tools(&LIMITS, kinds, surface).iter().map(|tool| tool.name).collect()
    };
    let all = ["ask_choice", "ask_confirm", "ask_markdown", "ask_form", "ask_files"];
    assert_eq!(names(AskKind::ALL, Surface::Full), all);
    assert_eq!(names(AskKind::ALL, Surface::Compact), ["ask_choice", "ask_confirm"]);
    assert_eq!(names(&[AskKind::Files, AskKind::Choice], Surface::Full), ["ask_files", "ask_choice"]);
    assert!(names(&[], Surface::Full).is_empty());
}

#[test]
fn every_valid_input_is_accepted() {
    for check in checked_inputs().iter().filter(|check| check.codes.is_empty()) {
        assert!(accepts(check.kind, check.surface, &check.input), "{} {}", check.kind, check.input);
    }
}

#[test]
fn every_input_whose_shape_is_wrong_is_refused() {
    for check in checked_inputs() {
        if check.codes.iter().any(|code| SHAPE_CODES.contains(&code.as_str())) {
            let (kind, input, codes) = (check.kind, &check.input, &check.codes);
            assert!(!accepts(kind, check.surface, input), "{kind} {codes:?} {input}");
        }
    }
}

#[test]
fn input_schemas_are_plain_objects_that_every_provider_reads() {
    for surface in Surface::ALL {
        for tool in ask_tools(&LIMITS, AskKind::ALL, *surface) {
            assert!(jsonschema::draft7::meta::is_valid(&tool.input_schema), "{}", tool.name);
            assert!(jsonschema::draft202012::meta::is_valid(&tool.input_schema), "{}", tool.name);
            assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
            for keyword in ["$schema", "$ref", "anyOf", "oneOf"] {
                assert!(tool.input_schema.get(keyword).is_none(), "{} has {keyword}", tool.name);
            }
        }
    }
}

#[test]
fn a_changed_limit_changes_the_tools() {
    let mut limits = LIMITS.clone();
    limits.choice.options_max = 7_777;
    limits.simple_card.buttons_max = 7_778;
    let options = |surface| ask_tools(&limits, &[AskKind::Choice], surface)[0].input_schema.to_string();
    assert!(options(Surface::Full).contains("\"maxItems\":7777"));
    assert!(options(Surface::Compact).contains("\"maxItems\":7778"));
}
