//! Any JSON to any path: never a failure of ours, and whatever is refused changes nothing.
//!
//! The bodies are drawn at random, the same ones at every run.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use reqwest::Method;
use serde_json::{Value, json};

use crate::races::on_each_database;
use crate::support::client::{Client, Response};
use crate::support::mutation::{mutations, replacements};
use crate::support::play::{ask_colour, rule, script, text};
use crate::support::stored::Stored;
use crate::support::strategy::any_json;
use crate::support::{Node, Setup, invariants};

/// Bodies for each path: so many right ones with something changed, and so many of anything.
const CHANGED: usize = 15;
const ANYTHING: usize = 5;

on_each_database! {
    a_body_is_taken_or_changes_nothing;
}

/// A path and bodies it takes.
struct Path {
    method: Method,
    path: String,
    bodies: Vec<Value>,
}

async fn a_body_is_taken_or_changes_nothing(setup: Setup) {
    let asks = rule("^ask", [vec![ask_colour("call_1")], vec![text("Thank you.")]]);
    let node = setup.scripted(&script([asks])).start().await;
    let user = node.user("any").await;
    let todo = user.post("/demo/todos", json!({"title": "one"})).await.expect(201).data()["_id"].clone();
    let runner = &mut TestRunner::deterministic();
    let (mut taken, mut refused) = (0, 0);
    let mut asked = ask(&user).await;
    for kind in 0..paths("", "").len() {
        for number in 0..CHANGED + ANYTHING {
            if user.history(&asked).await.get("pendingAsk").is_none() {
                asked = ask(&user).await;
            }
            let Path { method, path, bodies } = paths(&asked, todo.as_str().unwrap()).swap_remove(kind);
            let body = if number < CHANGED { changed(&bodies, runner) } else { drawn(runner, &any_json()) };
            let before = everything(&node).await;
            let place = format!("{method} {path} {body:.500}");
            let status = status_of(&user, method, &path, body).await;
            match status {
                200 | 201 => taken += 1,
                400..=499 => {
                    assert_eq!(
                        everything(&node).await,
                        before,
                        "{place} gave {status} and changed something"
                    );
                    refused += 1;
                }
                _ => panic!("{place} gave {status}"),
            }
        }
    }
    assert!(taken > 30 && refused > 80, "{taken} bodies were taken, {refused} refused");
    invariants::hold(&node).await;
    let logs = node.logs().text();
    let failed: Vec<&str> = logs.lines().filter(|line| line.contains(r#""level":"ERROR""#)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// A new conversation that waits on an ask.
async fn ask(user: &Client) -> String {
    user.says("ask").await.history_id()
}

fn paths(history: &str, todo: &str) -> Vec<Path> {
    let answer = json!({"toolCallId": "call_1", "action": "accept", "content": {"selected": ["red"]}});
    let cancel = json!({"toolCallId": "call_1", "action": "cancel", "reason": "later"});
    let account = json!({"email": "any@example.com", "password": "a long password"});
    let path = |method, path: String, bodies: Vec<Value>| Path { method, path, bodies };
    vec![
        path(
            Method::POST,
            "/gpt/prompt".to_owned(),
            vec![
                json!({"prompt": "hello", "historyId": history, "surface": "compact", "streamText": "step"}),
                json!({"askResponse": answer, "historyId": history, "surface": "full"}),
                json!({"prompt": "hello", "attachments": []}),
            ],
        ),
        path(
            Method::POST,
            format!("/gpt/histories/{history}/turn"),
            vec![
                json!({"prompt": "hello", "surface": "compact"}),
                json!({"askResponse": answer}),
                json!({"askResponse": cancel, "surface": "full"}),
                json!({"toolCallId": "call_1", "buttonId": "option:red"}),
            ],
        ),
        path(Method::POST, "/gpt/histories".to_owned(), vec![json!({"title": "A title"}), json!({})]),
        path(Method::PATCH, format!("/gpt/histories/{history}"), vec![json!({"title": "Another"})]),
        path(
            Method::PATCH,
            format!("/gpt/histories/{history}/rating"),
            vec![json!({"promptIndex": 1, "rating": "up"})],
        ),
        path(Method::POST, "/demo/todos".to_owned(), vec![json!({"title": "two"})]),
        path(
            Method::PATCH,
            format!("/demo/todos/{todo}"),
            vec![json!({"title": "three", "completed": true})],
        ),
        path(
            Method::POST,
            "/api/auth/sign-up/email".to_owned(),
            vec![json!({"email": "new@example.com", "password": "a long password", "name": "New"})],
        ),
        path(Method::POST, "/api/auth/sign-in/email".to_owned(), vec![account]),
        path(Method::POST, "/api/auth/sign-out".to_owned(), vec![json!({"token": 1})]),
    ]
}

fn drawn<T>(runner: &mut TestRunner, strategy: &impl Strategy<Value = T>) -> T {
    strategy.new_tree(runner).unwrap().current()
}

/// One of the bodies with one or two things changed.
fn changed(bodies: &[Value], runner: &mut TestRunner) -> Value {
    let mut body = bodies[drawn(runner, &(0..bodies.len()))].clone();
    for _ in 0..drawn(runner, &(0..3)) {
        let changes = mutations(&body, &replacements(&[1, 200]));
        body = changes[drawn(runner, &(0..changes.len()))].apply(&body);
    }
    body
}

/// Sends a body and reads what comes of it to its end.
async fn status_of(user: &Client, method: Method, path: &str, body: Value) -> u16 {
    // Signing out would end the session the other bodies are sent with.
    let user = if path.ends_with("sign-out") { &user.with_token(None) } else { user };
    match user.call(method, path).json(body).respond().await {
        Response::Whole(reply) => reply.status.as_u16(),
        Response::Events(events) => {
            events.rest().await.done();
            200
        }
    }
}

/// What is stored, but for sessions and the counters of failed tries.
async fn everything(node: &Node) -> String {
    let mut stored = Stored::read(node.setup()).await;
    stored.texts.retain(|(column, _)| !column.starts_with("rate_counters."));
    format!("{stored:#?}")
}
