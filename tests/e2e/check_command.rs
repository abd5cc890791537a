//! `turnwright check` says of every published vector and fixture what its expectation says.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Setup, shared};

/// Runs the command over lines and gives its exit code and one result for each.
pub fn check(lines: &[String]) -> (i32, Vec<Value>) {
    let setup = Setup::new();
    let mut command = setup.command(&["check"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut input = process.stdin.take().unwrap();
    let text = lines.join("\n");
    let writing = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let Output { status, stdout, .. } = process.wait_with_output().unwrap();
    writing.join().unwrap();
    let results: Vec<Value> =
        String::from_utf8(stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), lines.len());
    (status.code().unwrap(), results)
}

/// A result without its wording, which is ours.
fn without_words(mut result: Value) -> Value {
    for error in result.get_mut("errors").and_then(Value::as_array_mut).into_iter().flatten() {
        let error = error.as_object_mut().unwrap();
        for words in ["message", "fix"] {
            assert!(!error.remove(words).unwrap().as_str().unwrap().is_empty());
        }
    }
    result
}

fn assert_as_expected(lines: &[String], expected: Vec<Value>) {
    let (code, results) = check(lines);
    let clean = |expected: &Value| expected.get("errors").is_none_or(|errors| errors == &json!([]));
    assert_eq!(code, i32::from(!expected.iter().all(clean)));
    for ((line, result), expected) in lines.iter().zip(results).zip(expected) {
        assert_eq!(without_words(result), expected, "{line:.900}");
    }
}

fn fixtures(folder: &str) -> Vec<Value> {
    shared::files(&format!("fixtures/{folder}"))
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect()
}

#[test]
fn every_vector_has_its_expected_outcome() {
    let Some(text) = shared::read("vectors/asks.jsonl") else { return };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let expect = |line: &String| serde_json::from_str::<Value>(line).unwrap()["expect"].take();
    let expected = lines.iter().map(expect).collect();
    assert_as_expected(&lines, expected);
}

#[test]
fn every_valid_fixture_is_valid_and_has_its_card() {
    let fixtures = fixtures("valid");
    let (mut lines, mut expected) = (Vec::new(), Vec::new());
    for fixture in fixtures {
        let (kind, input) = (&fixture["kind"], &fixture["input"]);
        lines.push(json!({"op": "validateInput", "kind": kind, "input": input}).to_string());
        expected.push(json!({"errors": []}));
        let card = json!({"op": "simpleCard", "kind": kind, "input": input, "toolCallId": "call_fixture"});
        lines.push(card.to_string());
        expected.push(json!({"card": fixture["simple"]}));
    }
    assert_as_expected(&lines, expected);
}

#[test]
fn every_invalid_fixture_has_its_errors() {
    let fixtures = fixtures("invalid");
    let line = |fixture: &Value| {
        json!({"op": "validateInput", "kind": fixture["kind"], "input": fixture["input"]}).to_string()
    };
    let lines: Vec<String> = fixtures.iter().map(line).collect();
    let expected =
        fixtures.into_iter().map(|mut fixture| json!({"errors": fixture["errors"].take()})).collect();
    assert_as_expected(&lines, expected);
}

#[test]
fn the_answer_of_every_button_of_every_valid_fixture_is_taken() {
    let (mut lines, mut expected) = (Vec::new(), Vec::new());
    for fixture in fixtures("valid") {
        for button in fixture["simple"]["buttons"].as_array().unwrap() {
            let resolve = json!({"op": "resolveButton", "card": fixture["simple"], "buttonId": button["id"]});
            lines.push(resolve.to_string());
            expected.push(json!({"response": button["response"]}));
            let (kind, input) = (&fixture["kind"], &fixture["input"]);
            let answer = json!({"op": "validateResponse", "kind": kind, "input": input, "response": button["response"]});
            lines.push(answer.to_string());
            expected.push(json!({"errors": []}));
        }
    }
    assert_as_expected(&lines, expected);
}

#[test]
fn a_line_that_is_no_check_gives_a_sentence_and_the_worst_exit_code() {
    let lines = ["not json", r#"{"op": "validateInput", "kind": "confirm", "input": {}}"#].map(str::to_owned);
    let (code, results) = check(&lines);
    assert_eq!(code, 2);
    assert!(results[0]["error"].as_str().unwrap().ends_with('.'));
    assert_eq!(results[1]["errors"][0]["code"], "MISSING_REQUIRED");
}
