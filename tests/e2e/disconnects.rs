//! A client that disconnects stops nothing: the turn finishes and is saved (rule 5).

use serde_json::json;

use crate::support::play::{ask_colour, call, decline, rule, script, script_with_tools, text, wait};
use crate::support::transcript::transcript;
use crate::support::{Node, invariants};

#[tokio::test]
async fn a_turn_whose_client_is_gone_finishes_and_is_saved() {
    let requests = [vec![text("One, "), wait(500), text("two, "), wait(500), text("three.")]];
    let node = Node::scripted(script([rule("", requests)])).await;
    let ada = node.user("ada").await;
    let mut stream = ada.prompt(json!({"prompt": "Count"})).await;
    let history = stream.history_id();
    let mut listener = ada.on_its_own_socket().events(&history, Some("0")).await;
    assert_eq!(stream.next().await.unwrap().data, json!({"text": "One, "}));
    drop(stream);
    listener.until("done").await;
    assert_eq!(transcript(&ada.history(&history).await), ["user: Count", "assistant: One, two, three."]);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_turn_whose_client_is_gone_runs_its_tools_and_pauses_on_its_ask() {
    let requests = [
        vec![call("call_1", "look", json!({}))],
        vec![wait(500), ask_colour("call_2")],
        vec![wait(500), text("Done.")],
    ];
    let tools = [json!({"name": "look", "waitMs": 500, "result": 7})];
    let node = Node::scripted(script_with_tools([rule("", requests)], tools)).await;
    let ada = node.user("ada").await;
    let stream = ada.prompt(json!({"prompt": "Go"})).await;
    let history = stream.history_id();
    let mut listener = ada.events(&history, Some("0")).await;
    drop(stream);
    listener.until("done").await;
    assert_eq!(node.record().tools.len(), 1);
    assert_eq!(ada.pending_asks().await[0]["toolCallId"], "call_2");

    // The client of the answer goes too.
    drop(ada.answer(&history, "call_2", decline()).await);
    listener.until("done").await;
    let rows = [
        "user: Go",
        "call look call_1 {}",
        "result look call_1 7",
        "ask ask_choice call_2 (choice, answered)",
        r#"result ask_choice call_2 {"action":"decline"}"#,
        "assistant: Done.",
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_headless_turn_whose_client_is_gone_finishes_too() {
    let node = Node::scripted(script([rule("", [vec![wait(1000), ask_colour("call_1")]])])).await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let mut listener = ada.events(&history, Some("0")).await;
    let watch = ada.on_its_own_socket();
    let path = history.clone();
    let waiting = tokio::spawn(async move { watch.turn(&path, json!({"prompt": "Go"})).await });
    listener.until("message").await;
    waiting.abort();
    assert!(waiting.await.is_err_and(|stopped| stopped.is_cancelled()));
    listener.until("done").await;
    assert_eq!(ada.pending_asks().await.len(), 1);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_queued_prompt_whose_client_is_gone_has_its_turn() {
    let rules = [rule("one", [vec![wait(1000), text("One.")]]), rule("", [vec![text("Next.")]])];
    let node = Node::scripted(script(rules)).await;
    let ada = node.user("ada").await;
    let one = ada.prompt(json!({"prompt": "one"})).await;
    let history = one.history_id();
    let mut listener = ada.events(&history, Some("0")).await;
    drop(ada.prompt(json!({"prompt": "two", "historyId": history})).await);
    drop(one);
    listener.until("done").await;
    listener.until("done").await;
    let rows = ["user: one", "assistant: One.", "user: two", "assistant: Next."];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    invariants::hold(&node).await;
}
