//! A node on SQLite that was killed, or told to stop, lets its turns go on when it is started again (rules 8 and 9).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::play::{call, rule, script, script_with_tools, text, wait};
use crate::support::sse::EventStream;
use crate::support::transcript::transcript;
use crate::support::{Client, Node, Setup};

/// Longer than any test, in milliseconds.
const FOREVER: u64 = 3_600_000;

/// Listens to a conversation from its beginning until so many turns have ended.
async fn ended(ada: &Client, history: &str, turns: usize) {
    let mut events = ada.events(history, Some("0")).await;
    for _ in 0..turns {
        events.until("done").await;
    }
}

/// A turn that said something and then waits for its model, with its client and conversation.
async fn waiting_for_its_model(node: &Node) -> (Client, EventStream, String) {
    let ada = node.user("ada").await;
    let mut turn = ada.prompt(json!({"prompt": "First"})).await;
    turn.until("text").await;
    let history = turn.history_id();
    (ada, turn, history)
}

fn waits_forever() -> Value {
    script([rule("First", [vec![text("Let me "), wait(FOREVER), text("see.")]])])
}

fn answers() -> Value {
    script([rule("First", [vec![text("One.")]]), rule("Second", [vec![text("Two.")]])])
}

#[tokio::test]
async fn after_a_kill_the_running_turn_and_the_one_that_waited_go_on() {
    let node = Node::scripted(waits_forever()).await;
    let (ada, _first, history) = waiting_for_its_model(&node).await;
    let _second = ada.prompt(json!({"historyId": history, "prompt": "Second"})).await;
    node.setup().write_script(&answers());
    let node = node.restart().await;
    let ada = ada.on(&node);
    ended(&ada, &history, 2).await;
    let told = ["user: First", "assistant: One.", "user: Second", "assistant: Two."];
    assert_eq!(transcript(&ada.history(&history).await), told);
    let requests = node.record().requests;
    let numbers: Vec<&Value> = requests.iter().map(|request| &request["request"]).collect();
    assert_eq!(numbers, [0, 0, 0]);
    // The first was made again, with the same words.
    assert_eq!(requests[0], requests[1]);
    assert_ne!(requests[1]["taskId"], requests[2]["taskId"]);
}

#[tokio::test]
async fn a_tool_that_may_not_run_twice_is_reported_as_interrupted_and_ran_once() {
    let requests = [vec![call("call_1", "charge", json!({"euros": 5}))], vec![text("I do not know.")]];
    let tool = json!({"name": "charge", "replay": "never", "waitMs": FOREVER, "result": {"ok": true}});
    let node = Node::scripted(script_with_tools([rule("Pay", requests)], [tool])).await;
    let ada = node.user("ada").await;
    let mut turn = ada.prompt(json!({"prompt": "Pay"})).await;
    let history = turn.history_id();
    turn.until("toolCall").await;
    while node.record().runs_of("charge").is_empty() {
        tokio::task::yield_now().await;
    }
    let node = node.restart().await;
    let ada = ada.on(&node);
    ended(&ada, &history, 1).await;
    let record = node.record();
    assert_eq!(record.runs_of("charge"), ["call_1"]);
    let results = record.requests[1]["messages"].as_array().unwrap().last().unwrap();
    let told = &results["results"][0]["output"];
    assert!(told.to_string().contains("interrupted"), "{told}");
    let rows = transcript(&ada.history(&history).await);
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert!(rows[2].starts_with("result charge call_1 ") && rows[2].contains("interrupted"), "{}", rows[2]);
    assert_eq!(rows[3], "assistant: I do not know.");
}

#[tokio::test]
async fn a_node_that_is_told_to_stop_ends_in_time_and_its_turn_goes_on_at_the_next_start() {
    let limit = Duration::from_secs(5);
    let setup = Setup::new().scripted(&waits_forever()).set("http.shutdown_seconds", limit.as_secs());
    let node = setup.clone().start().await;
    let (ada, first, history) = waiting_for_its_model(&node).await;
    let mut listening = ada.events(&history, None).await;
    let told = Instant::now();
    node.stop().await;
    assert!(told.elapsed() < limit, "{:?}", told.elapsed());
    // Streams end as streams do, not as broken connections.
    while listening.next().await.is_some() {}
    assert!(!first.rest().await.kinds().contains(&"done"));

    setup.write_script(&answers());
    let node = setup.start().await;
    let ada = ada.on(&node);
    ended(&ada, &history, 1).await;
    assert_eq!(transcript(&ada.history(&history).await), ["user: First", "assistant: One."]);
}
