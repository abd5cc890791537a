//! The published vectors and fixtures, read where they lie: every line has the outcome it promises.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use turnwright_schemas::{Ask, AskError, AskKind, SimpleCard, Surface, check_line};

/// The folder `shared` beside the checkout, or `None` with a sentence where it is not there. On CI it must be.
fn shared() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    if shared.is_dir() {
        return Some(shared);
    }
    assert!(std::env::var_os("CI").is_none(), "../shared is not beside this checkout");
    eprintln!("skipped: ../shared is not beside this checkout");
    None
}

fn paths_and_codes(errors: &[AskError]) -> Value {
    errors.iter().map(|error| json!({"path": error.path, "code": error.code})).collect()
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn fixtures(folder: &Path) -> Vec<(String, Value)> {
    let mut fixtures: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), read_json(&path)))
        .collect();
    fixtures.sort_by(|a, b| a.0.cmp(&b.0));
    fixtures
}

/// Fails with the first few of the lines that did not turn out as promised.
fn assert_none(failures: &[String], of: usize) {
    let shown = failures.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {of} failed:\n{shown}", failures.len());
}

#[test]
fn every_vector_has_its_expected_outcome() {
    let Some(shared) = shared() else { return };
    let text = fs::read_to_string(shared.join("vectors/asks.jsonl")).unwrap();
    let mut failures = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let vector: Value = serde_json::from_str(line).unwrap();
        let mut found = serde_json::to_value(check_line(line).unwrap()).unwrap();
        if let Some(errors) = found.get_mut("errors").and_then(Value::as_array_mut) {
            for error in errors {
                let error = error.as_object_mut().unwrap();
                assert!(!error.remove("message").unwrap().as_str().unwrap().is_empty());
                assert!(!error.remove("fix").unwrap().as_str().unwrap().is_empty());
            }
        }
        if found != vector["expect"] {
            failures.push(format!("line {number}: {found}\n  expected {}\n  {line:.900}", vector["expect"]));
        }
    }
    assert_none(&failures, text.lines().count());
}

#[test]
fn every_valid_fixture_is_valid_and_has_its_card() {
    let Some(shared) = shared() else { return };
    let fixtures = fixtures(&shared.join("fixtures/valid"));
    let mut failures = Vec::new();
    for (name, fixture) in &fixtures {
        let kind: AskKind = fixture["kind"].as_str().unwrap().parse().unwrap();
        match Ask::parse(kind, &fixture["input"], Surface::Full) {
            Err(errors) => failures.push(format!("{name}: {errors:?}")),
            Ok(ask) => {
                assert_eq!(ask.input(), fixture["input"], "{name}");
                let card = serde_json::to_value(SimpleCard::of(&ask, "call_fixture")).unwrap();
                if card != fixture["simple"] {
                    failures.push(format!("{name}: {card}"));
                }
            }
        }
    }
    assert_none(&failures, fixtures.len());
}

#[test]
fn every_invalid_fixture_has_its_errors() {
    let Some(shared) = shared() else { return };
    let fixtures = fixtures(&shared.join("fixtures/invalid"));
    let mut failures = Vec::new();
    for (name, fixture) in &fixtures {
        let kind: AskKind = fixture["kind"].as_str().unwrap().parse().unwrap();
        let errors = Ask::parse(kind, &fixture["input"], Surface::Full).err().unwrap_or_default();
        if paths_and_codes(&errors) != fixture["errors"] {
            failures.push(format!("{name}: {errors:?}\n  expected {}", fixture["errors"]));
        }
    }
    assert_none(&failures, fixtures.len());
}
