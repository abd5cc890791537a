//! Text is sent as it comes, or held until it is known to be the reply; beside a call it is no reply.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::play::{ask, call, fail, rule, script, script_with_tools, text, wait, yes};
use crate::support::sse::Turn;
use crate::support::transcript::transcript;
use crate::support::{Node, Setup, invariants};

fn beside_a_call() -> Value {
    let look = vec![text("Let me "), text("look."), call("call_1", "look", json!({}))];
    let asks = vec![text("I ask."), ask("call_2", "Sure?")];
    let requests = [look, asks, vec![text("Found "), text("it.")]];
    script_with_tools([rule("", requests)], [json!({"name": "look", "result": 7})])
}

async fn prompt(client: &Client, mode: &str) -> Turn {
    client.prompt(json!({"prompt": "Go", "streamText": mode})).await.rest().await
}

#[tokio::test]
async fn live_text_beside_a_call_is_taken_back_before_anything_else() {
    let node = Node::scripted(beside_a_call()).await;
    let ada = node.user("ada").await;
    let turn = prompt(&ada, "live").await;
    let mut kinds = turn.kinds();
    kinds.dedup();
    assert_eq!(kinds, ["text", "retracted", "toolCall", "toolResult", "text", "retracted", "ask", "done"]);
    assert_eq!(turn.all("retracted"), ["text", "text"]);
    assert_eq!(turn.text(), "");
    let history = turn.history_id();
    let rows = [
        "user: Go",
        "call look call_1 {}",
        "result look call_1 7",
        "ask ask_confirm call_2 (confirm, pending)",
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    let turn = ada.answer(&history, "call_2", yes()).await.rest().await;
    assert_eq!((turn.kinds()[0], turn.text()), ("askResolved", "Found it.".to_owned()));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn held_text_beside_a_call_is_never_sent() {
    let node = Node::scripted(beside_a_call()).await;
    let ada = node.user("ada").await;
    let turn = prompt(&ada, "step").await;
    assert_eq!(turn.kinds(), ["toolCall", "toolResult", "ask", "done"]);
    let body = json!({"historyId": turn.history_id(), "streamText": "step",
        "askResponse": {"toolCallId": "call_2", "action": "accept", "content": {"confirmed": true}}});
    let turn = ada.prompt(body).await.rest().await;
    assert_eq!((turn.kinds(), turn.text()), (vec!["askResolved", "text", "done"], "Found it.".to_owned()));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn headless_text_is_the_reply_alone() {
    let node = Node::scripted(beside_a_call()).await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let asked = ada.turn(&history, json!({"prompt": "Go"})).await.expect(200).data();
    assert_eq!(asked["text"], "");
    let press = json!({"toolCallId": "call_2", "buttonId": "approve"});
    assert_eq!(ada.turn(&history, press).await.expect(200).data()["text"], "Found it.");
    invariants::hold(&node).await;
}

/// The text that follows a call in the same step is no reply either.
#[tokio::test]
async fn text_after_a_call_of_the_same_step_is_dropped_in_both_modes() {
    let requests = [vec![ask("call_1", "Sure?"), text("You should say yes.")], vec![text("Done.")]];
    let node = Node::scripted(script([rule("", requests)])).await;
    let ada = node.user("ada").await;
    for mode in ["live", "step"] {
        let turn = prompt(&ada, mode).await;
        assert_eq!(turn.kinds(), ["ask", "done"], "{mode}");
    }
    invariants::hold(&node).await;
}

#[tokio::test]
async fn live_text_comes_while_the_model_still_writes_and_held_text_does_not() {
    let requests = [vec![text("First."), wait(1500), text(" Second.")]];
    let node = Node::scripted(script([rule("", requests)])).await;
    let ada = node.user("ada").await;
    let mut live = ada.prompt(json!({"prompt": "Go"})).await;
    let first = live.next().await.unwrap();
    assert_eq!(first.data, json!({"text": "First."}));
    let second = live.next().await.unwrap();
    assert_eq!(second.data, json!({"text": " Second."}));
    assert_eq!(live.rest().await.kinds(), ["done"]);

    let held = prompt(&ada, "step").await;
    assert_eq!(held.all("text"), ["First. Second."]);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn held_text_is_sent_before_the_error_of_a_step_that_fails() {
    let node =
        Node::scripted(script([rule("", [vec![text("I was "), text("about to"), fail("down")]])])).await;
    let ada = node.user("ada").await;
    let turn = prompt(&ada, "step").await;
    assert_eq!((turn.kinds(), turn.text()), (vec!["text", "error", "done"], "I was about to".to_owned()));
    let turn = prompt(&ada, "live").await;
    assert_eq!((turn.kinds().last(), turn.text()), (Some(&"done"), "I was about to".to_owned()));
    assert!(turn.all("retracted").is_empty());
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_failing_step_that_called_leaves_none_of_its_text() {
    let requests = [vec![text("Hm."), call("call_1", "look", json!({})), fail("down")]];
    let play = script_with_tools([rule("", requests)], [json!({"name": "look"})]);
    let node = Node::scripted(play).await;
    let ada = node.user("ada").await;
    let turn = prompt(&ada, "live").await;
    assert_eq!((turn.kinds(), turn.text()), (vec!["text", "retracted", "error", "done"], String::new()));
    assert_eq!(prompt(&ada, "step").await.kinds(), ["error", "done"]);
    assert_eq!(transcript(&ada.history(&turn.history_id()).await), ["user: Go"]);
    assert!(node.record().tools.is_empty());
    invariants::hold(&node).await;
}

#[tokio::test]
async fn the_mode_is_a_setting_that_a_request_overrides() {
    let node = Setup::new().scripted(&beside_a_call()).set("turns.stream_text", "step").start().await;
    let ada = node.user("ada").await;
    assert_eq!(ada.says("Go").await.kinds(), ["toolCall", "toolResult", "ask", "done"]);
    assert!(!prompt(&ada, "live").await.all("retracted").is_empty());
    ada.prompt_refused(json!({"prompt": "Go", "streamText": "slow"})).await.expect(400);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_long_reply_arrives_whole_whatever_its_characters() {
    let parts: Vec<Value> = (0..200).map(|n| text(&format!("{n} é😀\n"))).collect();
    let node = Node::scripted(script([rule("", [parts])])).await;
    let ada = node.user("ada").await;
    let whole: String = (0..200).map(|n| format!("{n} é😀\n")).collect();
    for mode in ["live", "step"] {
        let turn = prompt(&ada, mode).await;
        assert_eq!(turn.text(), whole);
        assert_eq!(ada.history(&turn.history_id()).await["prompts"][1]["text"], whole);
    }
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_reply_without_text_leaves_no_row() {
    let node = Node::scripted(script([rule("", [vec![]])])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.kinds(), ["done"]);
    assert_eq!(transcript(&ada.history(&turn.history_id()).await), ["user: Go"]);
    invariants::hold(&node).await;
}
