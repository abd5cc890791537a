//! What is committed is what this crate generates, and is what it should be.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use turnwright_schemas::fixtures::{Expected, ask_fixtures};
use turnwright_schemas::generated::{GENERATED_FOLDERS, generated_files};
use turnwright_schemas::json_schemas::schema_documents;
use turnwright_schemas::{
    Ask, AskKind, CloudEvent, ErrorCode, LIMITS, Problem, SimpleCard, Surface, TurnEvent, examples,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The committed files of the generated folders, by path.
fn committed() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders: Vec<PathBuf> = GENERATED_FOLDERS.map(|folder| root().join(folder)).into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// The committed examples of a folder, by path.
fn committed_examples(folder: &str) -> Vec<(String, String)> {
    let start = format!("schemas/fixtures/{folder}/");
    committed().into_iter().filter(|(path, _)| path.starts_with(&start)).collect()
}

fn schema(file: &str) -> jsonschema::Validator {
    let text = fs::read_to_string(root().join("schemas/json").join(file)).unwrap();
    jsonschema::draft7::new(&serde_json::from_str(&text).unwrap()).unwrap()
}

#[test]
fn committed_files_are_the_generated_ones() {
    let generated: BTreeMap<String, String> =
        generated_files().into_iter().map(|file| (file.path, file.content)).collect();
    let committed = committed();
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&committed), names(&generated), "run `turnwright schemas`");
    for (path, content) in &generated {
        assert!(content == &committed[path], "{path} is out of date: run `turnwright schemas`");
    }
}

#[test]
fn no_two_files_share_a_path() {
    let files = generated_files();
    let paths: BTreeSet<_> = files.iter().map(|file| &file.path).collect();
    assert_eq!(paths.len(), files.len());
}

#[test]
fn what_comes_of_each_ask_is_what_its_table_says() {
    for fixture in ask_fixtures() {
        let name = fixture.name;
        match (fixture.check(), fixture.expected) {
            (Ok(card), Expected::Card { buttons, handoff }) => {
                let ids: Vec<&str> = card.buttons.iter().map(|button| button.id.as_str()).collect();
                assert_eq!(ids, buttons, "{name}");
                assert_eq!(card.handoff, handoff, "{name}");
            }
            (Err(errors), Expected::Errors(expected)) => {
                let found: Vec<_> = errors.iter().map(|error| (error.path.as_str(), error.code)).collect();
                assert_eq!(found, expected, "{name}");
            }
            (outcome, expected) => panic!("{name}: {outcome:?} instead of {expected:?}"),
        }
    }
}

#[test]
fn every_code_an_ask_can_earn_has_a_fixture() {
    let of_answers_and_buttons = [
        ErrorCode::ChangedMismatch,
        ErrorCode::DeclineNotAllowed,
        ErrorCode::FileCount,
        ErrorCode::FileNotOwned,
        ErrorCode::FileTooLarge,
        ErrorCode::FileTypeNotAccepted,
        ErrorCode::MimeMismatch,
        ErrorCode::OptionNotOffered,
        ErrorCode::RequiredField,
        ErrorCode::UnknownButton,
    ];
    let fixtures = ask_fixtures();
    for code in ErrorCode::ALL {
        let earned = fixtures.iter().any(|fixture| match fixture.expected {
            Expected::Errors(errors) => errors.iter().any(|(_, found)| found == code),
            Expected::Card { .. } => false,
        });
        assert_eq!(earned, !of_answers_and_buttons.contains(code), "{code}");
    }
}

#[test]
fn every_kind_has_fixtures_on_both_sides() {
    for kind in AskKind::ALL {
        let of_kind = || ask_fixtures().into_iter().filter(move |fixture| fixture.kind == *kind);
        assert!(of_kind().any(|fixture| fixture.folder() == "valid"), "{kind}");
        assert!(of_kind().any(|fixture| fixture.folder() == "invalid"), "{kind}");
    }
}

#[test]
fn what_only_a_compact_turn_refuses_is_valid_in_the_full_app_or_wrong_there_too() {
    for fixture in ask_fixtures().into_iter().filter(|fixture| fixture.surface == Surface::Compact) {
        if let Ok(card) = fixture.check() {
            let full = Ask::parse(fixture.kind, &fixture.input, Surface::Full).unwrap();
            assert_eq!(SimpleCard::of(&full, "call_fixture"), card, "{}", fixture.name);
            assert!(!card.handoff, "{}", fixture.name);
        }
    }
}

#[test]
fn cards_of_fixtures_match_their_schema() {
    let schema = schema("simpleCard.schema.json");
    for (path, content) in committed_examples("valid") {
        let file: Value = serde_json::from_str(&content).unwrap();
        assert!(schema.is_valid(&file["simple"]), "{path}");
    }
}

#[test]
fn committed_events_match_their_schema_and_are_read_back() {
    let schema = schema("turnEvent.schema.json");
    let files = committed_examples("events");
    assert!(!files.is_empty());
    for (path, content) in files {
        let value: Value = serde_json::from_str(&content).unwrap();
        assert!(schema.is_valid(&value), "{path}");
        let event: TurnEvent = serde_json::from_str(&content).unwrap();
        assert_eq!(serde_json::to_value(&event).unwrap(), value, "{path}");
    }
}

#[test]
fn committed_problems_match_their_schema_and_are_read_back() {
    let schema = schema("problem.schema.json");
    let files = committed_examples("problems");
    assert!(!files.is_empty());
    for (path, content) in files {
        let value: Value = serde_json::from_str(&content).unwrap();
        assert!(schema.is_valid(&value), "{path}");
        let problem: Problem = serde_json::from_str(&content).unwrap();
        assert_eq!(serde_json::to_value(&problem).unwrap(), value, "{path}");
    }
}

#[test]
fn committed_cloud_events_match_their_schema_and_are_read_back() {
    let files = committed_examples("cloudEvents");
    assert!(!files.is_empty());
    for (path, content) in files {
        let name = Path::new(&path).file_stem().unwrap().to_str().unwrap().split('-').next().unwrap();
        let value: Value = serde_json::from_str(&content).unwrap();
        assert!(schema(&format!("{name}.schema.json")).is_valid(&value), "{path}");
        let event: CloudEvent = serde_json::from_str(&content).unwrap();
        assert_eq!(serde_json::to_value(&event).unwrap(), value, "{path}");
    }
}

#[test]
fn every_event_of_the_schema_has_an_example() {
    let documents = schema_documents(&LIMITS);
    let document = documents.iter().find(|document| document.file == "turnEvent.schema.json").unwrap();
    let document = document.schema.to_value();
    for branch in document["oneOf"].as_array().unwrap() {
        let branch = jsonschema::draft7::new(branch).unwrap();
        let mut values =
            examples::events().into_iter().map(|(_, event)| serde_json::to_value(event).unwrap());
        assert!(values.any(|value| branch.is_valid(&value)));
    }
}

#[test]
fn the_card_of_the_examples_is_the_card_of_their_ask() {
    let ask = Ask::parse(AskKind::Confirm, &examples::input(), Surface::Full).unwrap();
    let card = examples::card();
    assert_eq!(SimpleCard::of(&ask, &card.tool_call_id), card);
}

#[test]
fn cloud_events_never_hold_an_answer() {
    for (name, event) in examples::cloud_events() {
        let data = serde_json::to_value(&event).unwrap()["data"].clone();
        for key in ["response", "content", "result", "answer"] {
            assert!(data.get(key).is_none(), "{name} has {key}");
        }
    }
}
