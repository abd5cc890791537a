//! The published JSON Schemas accept and refuse what the reference's published documents do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::mutation::{Mutation, mutations, replacements};
use support::shared;
use turnwright_schemas::json_schemas::schema_documents;
use turnwright_schemas::limits::LIMITS;

/// The four documents both publish, each with bodies that are right in different ways.
fn compared() -> [(&'static str, Vec<Value>); 4] {
    [
        ("simpleCard.schema.json", cards()),
        ("turnRequest.schema.json", turn_requests()),
        ("turnResponse.schema.json", turn_responses()),
        ("pendingAsksResponse.schema.json", pending_asks_responses()),
    ]
}

fn cards() -> Vec<Value> {
    let button = |id: &str, style: &str, response: Value| json!({"id": id, "label": "Go", "style": style, "response": response});
    let accept = button("a", "primary", json!({"action": "accept", "content": {"selected": ["a"]}}));
    let decline = button("b", "cancel", json!({"action": "decline"}));
    let cancel = button("c", "destructive", json!({"action": "cancel", "reason": "gone"}));
    let card = |kind: &str, title: Option<&str>, buttons: Value| {
        let mut card = json!({
            "toolCallId": "call_1", "kind": kind, "text": "Which tent?", "buttons": buttons, "handoff": false,
        });
        if let Some(title) = title {
            card["title"] = json!(title);
        }
        card
    };
    vec![
        card("choice", Some("Tents"), json!([accept, decline, cancel])),
        card("form", None, json!([])),
        card("files", Some("Photos"), json!([button("d", "default", json!({"action": "cancel"}))])),
    ]
}

fn turn_requests() -> Vec<Value> {
    let accept = json!({"toolCallId": "call_1", "action": "accept", "content": {"confirmed": true}});
    let cancel = json!({"toolCallId": "call_1", "action": "cancel", "reason": "too late"});
    vec![
        json!({"prompt": "Book the tent", "surface": "compact"}),
        json!({"askResponse": accept, "surface": "full"}),
        json!({"askResponse": {"toolCallId": "call_1", "action": "decline"}}),
        json!({"askResponse": cancel}),
        json!({"toolCallId": "call_1", "buttonId": "approve"}),
        json!({}),
    ]
}

fn turn_responses() -> Vec<Value> {
    let asked = cards().into_iter().map(|card| {
        let pending = json!({"toolCallId": "call_1", "kind": "choice", "simple": card});
        json!({"data": {"historyId": "h1", "text": "", "pendingAsk": pending}, "requestId": "r1"})
    });
    let failed =
        json!({"data": {"historyId": "h1", "text": "Half", "title": "Trip", "error": "The model failed."}});
    asked.chain([failed]).collect()
}

fn pending_asks_responses() -> Vec<Value> {
    let created = ["2026-02-28T23:59:59.000Z", "2024-02-29T00:00:00Z", "2026-12-31T12:30:00.123456Z"];
    let asks = cards().into_iter().zip(created).map(|(card, created)| {
        json!({"historyId": "h1", "toolCallId": "c1", "kind": "form", "simple": card, "created": created})
    });
    let mut asks: Vec<Value> = asks.collect();
    asks[0]["title"] = json!("Trip");
    vec![json!({"data": asks, "requestId": "r1"}), json!({"data": []})]
}

/// Days and times on either side of every rule of a timestamp.
fn timestamps() -> Vec<String> {
    let years =
        ["0000", "0001", "1900", "1996", "2000", "2023", "2024", "2100", "2104", "9999", "12024", "24"];
    let mut texts = Vec::new();
    for year in years {
        for month in 0..=13 {
            for day in [0, 1, 9, 10, 28, 29, 30, 31, 32] {
                texts.push(format!("{year}-{month:02}-{day:02}T10:20:30.456Z"));
            }
        }
    }
    let times = [
        "00:00:00Z",
        "23:59:59Z",
        "24:00:00Z",
        "19:60:00Z",
        "19:00:60Z",
        "9:00:00Z",
        "09:00Z",
        "09:00:00",
        "09:00:00z",
        "09:00:00.Z",
        "09:00:00.1Z",
        "09:00:00.123456789012Z",
        "09:00:00,1Z",
        "09:00:00+00:00",
        "09:00:00-01:30",
        "09:00:00Z ",
        " 09:00:00Z",
        "09:00:00Z\n",
        "٠9:00:00Z",
    ];
    texts.extend(times.map(|time| format!("2026-10-01T{time}")));
    texts
        .extend(["2026-10-01t09:00:00Z", "2026-10-01 09:00:00Z", "2026-10-01", "", "now"].map(str::to_owned));
    texts
}

/// Ours and theirs.
struct Pair {
    file: &'static str,
    seeds: Vec<Value>,
    ours: jsonschema::Validator,
    theirs: jsonschema::Validator,
}

impl Pair {
    fn load(file: &'static str, seeds: Vec<Value>) -> Option<Self> {
        let theirs = shared::read(&format!("fixtures/schemas/{file}"))?;
        let theirs: Value = serde_json::from_str(&theirs).unwrap();
        let documents = schema_documents(&LIMITS);
        let ours = documents.into_iter().find(|document| document.file == file).unwrap();
        let ours = serde_json::to_value(ours.schema).unwrap();
        let compile = |schema: &Value| jsonschema::draft7::new(schema).unwrap();
        Some(Self { file, seeds, ours: compile(&ours), theirs: compile(&theirs) })
    }

    fn load_all() -> Vec<Self> {
        compared().into_iter().filter_map(|(file, seeds)| Self::load(file, seeds)).collect()
    }

    fn assert_same(&self, body: &Value) {
        let (ours, theirs) = (self.ours.is_valid(body), self.theirs.is_valid(body));
        assert_eq!(ours, theirs, "{} disagrees on {body}", self.file);
    }
}

#[test]
fn right_bodies_are_accepted_by_both() {
    for pair in Pair::load_all() {
        for body in &pair.seeds {
            assert!(pair.ours.is_valid(body) && pair.theirs.is_valid(body), "{}: {body}", pair.file);
        }
    }
}

#[test]
fn every_single_mutation_is_judged_alike() {
    for pair in Pair::load_all() {
        let mut judged = 0;
        let mut refused = 0;
        for seed in &pair.seeds {
            for mutation in mutations(seed, &replacements(&[20, 40, 140, 200])) {
                let body = mutation.apply(seed);
                pair.assert_same(&body);
                judged += 1;
                refused += usize::from(!pair.ours.is_valid(&body));
            }
        }
        assert!(judged > 100 && refused > judged / 2, "{}: {refused} of {judged} refused", pair.file);
    }
}

#[test]
fn every_timestamp_is_judged_alike() {
    for pair in Pair::load_all() {
        if pair.file != "pendingAsksResponse.schema.json" {
            continue;
        }
        for text in timestamps() {
            let mut body = pair.seeds[0].clone();
            body["data"][0]["created"] = json!(text);
            pair.assert_same(&body);
        }
    }
}

proptest! {
    #[test]
    fn bodies_with_several_mutations_are_judged_alike(
        choices in prop::collection::vec(any::<prop::sample::Index>(), 2..6),
        seed in any::<prop::sample::Index>(),
    ) {
        thread_local! { static PAIRS: Vec<Pair> = Pair::load_all(); }
        PAIRS.with(|pairs| {
            for pair in pairs {
                let mut body = seed.get(&pair.seeds).clone();
                for choice in &choices {
                    let candidates: Vec<Mutation> = mutations(&body, &replacements(&[20, 140]));
                    if !candidates.is_empty() {
                        body = choice.get(&candidates).apply(&body);
                    }
                }
                pair.assert_same(&body);
            }
        });
    }
}

#[test]
fn every_card_of_the_vectors_is_accepted() {
    let documents = schema_documents(&LIMITS);
    let document = documents.iter().find(|document| document.file == "simpleCard.schema.json").unwrap();
    let schema = jsonschema::draft7::new(&document.schema.to_value()).unwrap();
    let lines = shared::read("vectors/asks.jsonl").unwrap_or_default();
    for line in lines.lines() {
        let check: Value = serde_json::from_str(line).unwrap();
        if check["op"] == "simpleCard" {
            assert!(schema.is_valid(&check["expect"]["card"]), "{line}");
        }
    }
}

#[test]
fn every_document_names_its_dialect_and_its_title() {
    for document in schema_documents(&LIMITS) {
        let schema = serde_json::to_value(&document.schema).unwrap();
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#", "{}", document.file);
        assert!(jsonschema::draft7::meta::is_valid(&schema), "{}", document.file);
        let title = schema["title"].as_str().unwrap();
        let stem = document.file.strip_suffix(".schema.json").unwrap();
        assert!(title.eq_ignore_ascii_case(stem), "{title} is not {stem}");
    }
}

#[test]
fn nested_types_have_the_titles_the_reference_names() {
    let documents = schema_documents(&LIMITS);
    let text = serde_json::to_string(&documents.iter().map(|document| &document.schema).collect::<Vec<_>>())
        .unwrap();
    let titles = [
        "SimpleCard",
        "SimpleCardButton",
        "AskResponse",
        "AskAnswer",
        "PendingAsk",
        "PendingAskSummary",
        "TurnResult",
    ];
    for title in titles {
        assert!(text.contains(&format!("\"title\":\"{title}\"")), "{title}");
    }
}

#[test]
fn a_changed_limit_changes_the_documents() {
    let mut limits = LIMITS.clone();
    limits.simple_card.text_max_length = 7;
    let body = json!({"toolCallId": "c", "kind": "form", "text": "12345678", "buttons": [], "handoff": true});
    let accepts = |limits| {
        let documents = schema_documents(limits);
        let card = documents.iter().find(|document| document.file == "simpleCard.schema.json").unwrap();
        jsonschema::draft7::is_valid(&serde_json::to_value(&card.schema).unwrap(), &body)
    };
    assert!(accepts(&LIMITS));
    assert!(!accepts(&limits));
}
