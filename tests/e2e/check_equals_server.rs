//! What `turnwright check` says of an ask or an answer is what the server says of it.
//!
//! The asks and answers are drawn at random, the same ones at every run.

use base64::Engine as _;
use proptest::prop_oneof;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use reqwest::Method;
use serde_json::{Value, json};
use turnwright_schemas::{AskKind, Surface};

use crate::check_command::check;
use crate::support::asks::{broken, compact, valid};
use crate::support::client::Response;
use crate::support::mutation::{mutations, replacements};
use crate::support::play::{accept, call, rule, text};
use crate::support::{Client, Node, invariants};

const ASKS: usize = 60;
const ANSWERS: usize = 16;
const BROKEN: usize = 250;
const MAX_FILE_BYTES: u64 = 10_485_760;

/// A node whose model, told `case <n>.`, calls the tool of the nth kind with the nth input.
async fn node_that_asks(cases: &[(AskKind, Value)]) -> Node {
    let rules: Vec<Value> = cases
        .iter()
        .enumerate()
        .map(|(number, (kind, input))| {
            let ask = call("call_1", kind.tool_name(), input.clone());
            rule(&format!("^case {number}\\.$"), [vec![ask], vec![text("done")]])
        })
        .collect();
    Node::scripted(json!({"rules": rules})).await
}

fn drawn<T>(runner: &mut TestRunner, strategy: &impl Strategy<Value = T>) -> T {
    strategy.new_tree(runner).unwrap().current()
}

/// The list of errors a check gives.
fn errors_of(result: &Value) -> Vec<Value> {
    result["errors"].as_array().unwrap_or_else(|| panic!("not a list of errors: {result}")).clone()
}

#[tokio::test]
async fn an_ask_is_judged_alike() {
    let runner = &mut TestRunner::deterministic();
    let asks = prop_oneof![3 => broken(), 1 => valid(), 1 => compact()];
    let cases: Vec<(AskKind, Value)> = (0..BROKEN).map(|_| drawn(runner, &asks)).collect();
    let surface = |number: usize| if number.is_multiple_of(3) { Surface::Compact } else { Surface::Full };
    let lines: Vec<String> = cases
        .iter()
        .enumerate()
        .map(|(number, (kind, input))| {
            json!({"op": "validateInput", "kind": kind, "input": input, "surface": surface(number)})
                .to_string()
        })
        .collect();
    let (_, results) = check(&lines);
    let node = node_that_asks(&cases).await;
    let user = node.user("asked").await;
    let mut turns = Vec::new();
    for number in 0..cases.len() {
        let body = json!({"prompt": format!("case {number}."), "surface": surface(number)});
        turns.push(user.prompt(body).await.rest().await);
    }
    let requests = node.record().requests;
    let (mut taken, mut refused) = (0, 0);
    for (number, (((kind, input), result), turn)) in cases.iter().zip(&results).zip(&turns).enumerate() {
        let is_of_case = |request: &&Value| request["messages"][0]["text"] == format!("case {number}.");
        let newest = requests.iter().rfind(is_of_case).unwrap();
        let told = &newest["messages"].as_array().unwrap().last().unwrap()["results"][0]["output"];
        if surface(number) == Surface::Compact && !matches!(kind, AskKind::Choice | AskKind::Confirm) {
            // A tool that is not offered is not judged at all.
            assert_eq!(turn.text(), "done");
        } else if errors_of(result).is_empty() {
            assert_eq!(turn.ask()["kind"], json!(kind));
            assert_eq!(newest["request"], 0, "{newest:#}");
            taken += 1;
        } else {
            assert_eq!(turn.kinds(), ["text", "done"], "an invalid ask reached the client: {input}");
            assert_eq!(
                (&told["type"], &told["value"]["errors"]),
                (&json!("error"), &result["errors"]),
                "{input}"
            );
            refused += 1;
        }
    }
    assert!(taken >= 50 && refused >= 100, "{taken} asks were taken, {refused} refused");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_answer_is_judged_alike() {
    let runner = &mut TestRunner::deterministic();
    let asks = valid();
    let cases: Vec<(AskKind, Value)> = (0..ASKS).map(|_| drawn(runner, &asks)).collect();
    let answers: Vec<Vec<Value>> = cases
        .iter()
        .map(|(kind, input)| (0..ANSWERS).map(|_| answer_to(*kind, input, runner)).collect())
        .collect();
    let lines: Vec<String> = cases
        .iter()
        .zip(&answers)
        .flat_map(|((kind, input), answers)| {
            answers.iter().map(move |response| {
                json!({"op": "validateResponse", "kind": kind, "input": input, "response": response})
                    .to_string()
            })
        })
        .collect();
    let (_, results) = check(&lines);
    let mut results = results.iter().map(errors_of);
    let node = node_that_asks(&cases).await;
    let user = node.user("asked").await;
    let (mut taken, mut refused) = (0, 0);
    for (number, answers) in answers.iter().enumerate() {
        let mut asked = None;
        for (place, response) in answers.iter().enumerate() {
            let (history, ask) = match asked.take() {
                Some(pending) => pending,
                None => {
                    let turn = user.says(&format!("case {number}.")).await;
                    (turn.history_id(), turn.ask_id())
                }
            };
            let mut expected = results.next().unwrap();
            if expected.is_empty() {
                expected = errors_in_bytes(response);
            }
            let said = judged(&user, &history, &ask, response, place.is_multiple_of(2)).await;
            match &said {
                Judgement::Errors(errors) => {
                    assert_eq!(*errors, expected, "{response:#}\nto {:#}", cases[number].1)
                }
                Judgement::NoAnswer(places) => {
                    let expected = expected.iter().map(|error| error["path"].as_str().unwrap());
                    assert_eq!(*places, expected.collect::<Vec<_>>(), "{response:#}");
                }
            }
            if expected.is_empty() {
                taken += 1;
            } else {
                refused += 1;
                asked = Some((history, ask));
            }
        }
    }
    assert!(taken >= 50 && refused >= 200, "{taken} answers were taken, {refused} refused");
    invariants::hold(&node).await;
}

/// What the server says of an answer.
enum Judgement {
    /// What is wrong with it; nothing when it was taken.
    Errors(Vec<Value>),
    /// It is no envelope, so the headless endpoint refuses the body; where.
    NoAnswer(Vec<String>),
}

/// Sends an answer over one path or the other. One that is taken ends the ask.
async fn judged(user: &Client, history: &str, ask: &str, response: &Value, headless: bool) -> Judgement {
    let mut response = response.clone();
    response["toolCallId"] = ask.into();
    let path = if headless { format!("/gpt/histories/{history}/turn") } else { "/gpt/prompt".to_owned() };
    let mut body = json!({"askResponse": response});
    if !headless {
        body["historyId"] = history.into();
    }
    let reply = match user.call(Method::POST, &path).json(body).respond().await {
        Response::Events(events) => {
            assert!(events.rest().await.done().get("pendingAsk").is_none());
            return Judgement::Errors(Vec::new());
        }
        Response::Whole(reply) if reply.status == 200 => return Judgement::Errors(Vec::new()),
        Response::Whole(reply) => reply,
    };
    let refusal = reply.clone().expect(400).json();
    if headless && refusal["title"] == "Validation failed" {
        let places = refusal["meta"]["fields"].as_object().unwrap().keys();
        return Judgement::NoAnswer(places.map(|place| place.replacen("askResponse.", "", 1)).collect());
    }
    reply.expect_problem(400, "Invalid askResponse");
    let errors = if headless { &refusal["meta"]["fields"] } else { &refusal["fields"] };
    Judgement::Errors(errors.as_array().unwrap().clone())
}

/// An answer to an ask, right or slightly wrong.
fn answer_to(kind: AskKind, input: &Value, runner: &mut TestRunner) -> Value {
    let right = [
        right_answer(kind, input),
        right_answer(kind, input),
        json!({"action": "decline"}),
        json!({"action": "cancel", "reason": "later"}),
    ];
    let right = &right[drawn(runner, &(0..right.len()))];
    let mut changed = right.clone();
    for _ in 0..drawn(runner, &(0..3)) {
        let changes = mutations(&changed, &replacements(&[1, 20, 200]));
        let mutated = changes[drawn(runner, &(0..changes.len()))].apply(&changed);
        // An answer that is no object never gets as far, and the ask it names is not part of it.
        if let Value::Object(mut fields) = mutated {
            fields.remove("toolCallId");
            changed = Value::Object(fields);
        }
    }
    changed
}

fn right_answer(kind: AskKind, input: &Value) -> Value {
    accept(match kind {
        AskKind::Choice => {
            let least = input["minSelected"].as_u64().unwrap_or(1).max(1);
            let options = input["options"].as_array().unwrap().iter().map(|option| option["id"].clone());
            json!({"selected": options.take(usize::try_from(least).unwrap()).collect::<Vec<_>>()})
        }
        AskKind::Confirm => json!({"confirmed": true}),
        AskKind::Markdown => {
            let length = input["minLength"].as_u64().unwrap_or(4).max(1);
            let written = "x".repeat(usize::try_from(length).unwrap());
            json!({"markdown": written, "changed": input["initial"] != json!(written)})
        }
        AskKind::Form => {
            let fields = input["fields"].as_array().unwrap().iter();
            let values = fields.map(|field| (field["id"].as_str().unwrap().to_owned(), value_of(field)));
            json!({"values": values.collect::<serde_json::Map<_, _>>()})
        }
        AskKind::Files => {
            let file = |name: &str, mime_type: &str, bytes: &str| {
                let url = format!("data:{mime_type};base64,{}", base64(bytes));
                json!({"url": url, "filename": name, "mimeType": mime_type, "size": bytes.len()})
            };
            let files = [
                file("a.txt", "text/plain", "a"),
                file("b.json", "application/json", "{"),
                file("c.csv", "text/csv", "c,d"),
            ];
            let least = usize::try_from(input["minFiles"].as_u64().unwrap_or(1)).unwrap();
            json!({"files": files.iter().cycle().take(least).collect::<Vec<_>>()})
        }
    })
}

fn value_of(field: &Value) -> Value {
    if let Some(default) = field.get("default") {
        return default.clone();
    }
    match field["type"].as_str().unwrap() {
        "number" => field.get("max").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        "select" => field["options"][0]["id"].clone(),
        "multiselect" => json!([field["options"][0]["id"]]),
        "email" => json!("a@example.com"),
        "url" => json!("https://example.com"),
        "phone" => json!("+1 415 555 2671"),
        "date" => json!("2026-10-01"),
        "time" => json!("09:30"),
        "datetime" => json!("2026-10-01T09:30Z"),
        _ => json!("words"),
    }
}

/// What is wrong with the bytes of a `files` answer whose declarations are right.
fn errors_in_bytes(response: &Value) -> Vec<Value> {
    let files = response["content"]["files"].as_array().into_iter().flatten();
    let lines: Vec<String> = files
        .enumerate()
        .map(|(index, file)| {
            let payload = file["url"].as_str().unwrap().split_once(',').unwrap().1;
            let check = json!({
                "op": "checkFileBytes", "bytesBase64": payload, "index": index, "mimeType": file["mimeType"],
                "maxFileSizeBytes": MAX_FILE_BYTES,
            });
            check.to_string()
        })
        .collect();
    if lines.is_empty() { Vec::new() } else { check(&lines).1.iter().flat_map(errors_of).collect() }
}

fn base64(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
}
