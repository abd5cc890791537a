//! A prompt is never refused because an ask is gone, and cancels exactly the ask that was pending (rule 3).

use serde_json::{Value, json};

use crate::support::play::{ask_colour, colours, decline, rule, script, text, wait};
use crate::support::transcript::transcript;
use crate::support::{Node, invariants};

const CANCELLED: &str = r#"{"action":"cancel","reason":"user_sent_message"}"#;

fn paint_then_talk() -> Value {
    script([
        rule("Paint", [vec![ask_colour("call_1")], vec![text("Painted.")]]),
        rule("", [vec![text("Hm.")]]),
    ])
}

#[tokio::test]
async fn a_prompt_over_a_pending_ask_cancels_it_first_and_the_model_sees_both() {
    let node = Node::scripted(paint_then_talk()).await;
    let ada = node.user("ada").await;
    let history = ada.says("Paint").await.history_id();
    let turn = ada.says_in(&history, "No, wait").await;
    assert_eq!(turn.kinds(), ["askResolved", "text", "done"]);
    assert_eq!(turn.one("askResolved"), &json!({"toolCallId": "call_1", "action": "cancel"}));
    let result = format!("result ask_choice call_1 {CANCELLED}");
    let rows = [
        "user: Paint",
        "ask ask_choice call_1 (choice, cancelled)",
        &result,
        "user: No, wait",
        "assistant: Hm.",
    ];
    let read = ada.history(&history).await;
    assert_eq!((transcript(&read), read.get("pendingAsk")), (rows.map(str::to_owned).to_vec(), None));
    assert!(ada.pending_asks().await.is_empty());

    let answer: Value = serde_json::from_str(CANCELLED).unwrap();
    assert_eq!(
        node.record().requests[1]["messages"],
        json!([
            {"role": "user", "text": "Paint"},
            {"role": "assistant", "calls": [{"id": "call_1", "name": "ask_choice", "args": colours()}]},
            {"role": "tool", "results": [
                {"id": "call_1", "name": "ask_choice", "output": {"type": "json", "value": answer}}
            ]},
            {"role": "user", "text": "No, wait"},
        ])
    );
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_headless_prompt_cancels_it_too() {
    let node = Node::scripted(paint_then_talk()).await;
    let ada = node.user("ada").await;
    let history = ada.says("Paint").await.history_id();
    let turn = ada.turn(&history, json!({"prompt": "No, wait"})).await.expect(200).data();
    assert_eq!(turn, json!({"historyId": history, "text": "Hm.", "title": "Paint"}));
    assert_eq!(ada.history(&history).await["prompts"][1]["ask"]["status"], "cancelled");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_prompt_may_cancel_an_ask_and_ask_again() {
    let node = Node::scripted(paint_then_talk()).await;
    let ada = node.user("ada").await;
    let history = ada.says("Paint").await.history_id();
    let turn = ada.says_in(&history, "Paint the other door").await;
    assert_eq!(turn.kinds(), ["askResolved", "ask", "done"]);
    assert_eq!(turn.done()["pendingAsk"]["toolCallId"], turn.ask_id());
    assert_eq!(ada.pending_asks().await.len(), 1);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_prompt_after_the_ask_was_answered_goes_ahead_without_ask_resolved() {
    let node = Node::scripted(paint_then_talk()).await;
    let (phone, watch) = {
        let ada = node.user("ada").await;
        (ada.on_its_own_socket(), ada)
    };
    let history = phone.says("Paint").await.history_id();
    watch.answer(&history, "call_1", decline()).await.rest().await;
    assert_eq!(phone.says_in(&history, "No, wait").await.kinds(), ["text", "done"]);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_prompt_while_the_answer_s_turn_runs_waits_and_cancels_nothing() {
    let paint = rule("Paint", [vec![ask_colour("call_1")], vec![wait(1000), text("Painted.")]]);
    let node = Node::scripted(script([paint, rule("", [vec![text("Hm.")]])])).await;
    let ada = node.user("ada").await;
    let history = ada.says("Paint").await.history_id();
    let answer = ada.answer(&history, "call_1", decline()).await;
    let prompt = ada.prompt(json!({"prompt": "And?", "historyId": history})).await;
    assert_eq!(answer.rest().await.kinds(), ["askResolved", "text", "done"]);
    assert_eq!(prompt.rest().await.kinds(), ["text", "done"]);
    assert_eq!(ada.history(&history).await["prompts"][1]["ask"]["status"], "answered");
    invariants::hold(&node).await;
}

/// The ask was made while the prompt already waited: the user did not mean it.
#[tokio::test]
async fn a_prompt_that_was_queued_before_the_ask_existed_does_not_cancel_it() {
    let paint = rule("Paint", [vec![wait(1000), ask_colour("call_1")], vec![text("Painted.")]]);
    let node = Node::scripted(script([paint, rule("", [vec![text("Hm.")]])])).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "Paint"})).await;
    let history = running.history_id();
    let queued = ada.prompt(json!({"prompt": "And?", "historyId": history})).await;
    running.rest().await;
    assert_eq!(queued.rest().await.kinds(), ["text", "done"]);
    assert_eq!(ada.history(&history).await["pendingAsk"]["toolCallId"], "call_1");
    assert_eq!(ada.answer(&history, "call_1", decline()).await.rest().await.text(), "Painted.");
    invariants::hold(&node).await;
}

/// A prompt that is sent over a pending ask while another turn runs ends the ask as soon as it is stored.
#[tokio::test]
async fn a_queued_prompt_claims_the_ask_that_was_pending_when_it_was_stored() {
    let paint = rule("Paint", [vec![wait(1000), ask_colour("call_1")], vec![text("Painted.")]]);
    let slow = rule("Slow", [vec![wait(2500), text("Slow.")]]);
    let node = Node::scripted(script([paint, slow, rule("", [vec![text("Hm.")]])])).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "Paint"})).await;
    let history = running.history_id();
    let slow = ada.prompt(json!({"prompt": "Slow", "historyId": history})).await;
    running.rest().await;
    // The slow turn runs, and the ask of the first one is pending.
    let over = ada.prompt(json!({"prompt": "No, wait", "historyId": history})).await;
    let read = ada.history(&history).await;
    assert_eq!((read.get("pendingAsk"), &read["prompts"][1]["ask"]["status"]), (None, &json!("cancelled")));
    assert!(ada.pending_asks().await.is_empty());
    let refused = ada.answer_refused(&history, "call_1", decline()).await;
    let refused = refused.expect_problem(409, "This ask is no longer pending").json();
    assert_eq!(refused["meta"]["status"], "claimed");

    let later = ada.prompt(json!({"prompt": "Still there?", "historyId": history})).await;
    assert_eq!(slow.rest().await.kinds(), ["text", "done"]);
    let over = over.rest().await;
    assert_eq!(over.kinds(), ["askResolved", "text", "done"]);
    assert_eq!(over.one("askResolved")["action"], "cancel");
    assert_eq!(later.rest().await.kinds(), ["text", "done"]);
    let refused = ada.answer_refused(&history, "call_1", decline()).await.expect(409).json();
    assert_eq!(
        (&refused["meta"]["status"], &refused["meta"]["action"]),
        (&json!("cancelled"), &json!("cancel"))
    );
    invariants::hold(&node).await;
}
