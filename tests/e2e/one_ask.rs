//! One slot: a conversation waits on one ask at a time, and every other is settled at once (rule 1).

use serde_json::{Value, json};

use crate::support::play::{ask, ask_colour, call, no, rule, script, script_with_tools, text, wait, yes};
use crate::support::transcript::transcript;
use crate::support::{Node, invariants};

const DROPPED: &str = r#"{"action":"cancel","reason":"one_ask_at_a_time"}"#;
const DENIED: &str = r#"{"approved":false,"reason":"one_ask_at_a_time"}"#;

fn charge() -> Value {
    json!({"name": "charge", "needsApproval": true, "result": {"paid": true}})
}

#[tokio::test]
async fn of_two_asks_in_one_step_the_first_pauses_the_turn_and_the_second_is_cancelled() {
    let asks = vec![ask_colour("call_1"), ask("call_2", "Sure?"), ask("call_3", "Really?")];
    let node = Node::scripted(script([rule("", [asks, vec![text("Done.")]])])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!((turn.kinds(), turn.ask_id()), (vec!["ask", "done"], "call_1".to_owned()));
    let history = turn.history_id();
    let cancelled =
        [format!("result ask_confirm call_2 {DROPPED}"), format!("result ask_confirm call_3 {DROPPED}")];
    let rows = [
        "user: Go",
        "ask ask_choice call_1 (choice, pending)",
        "ask ask_confirm call_2 (confirm, cancelled)",
        "ask ask_confirm call_3 (confirm, cancelled)",
        &cancelled[0],
        &cancelled[1],
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);

    let refused = ada.answer_refused(&history, "call_2", yes()).await;
    let refused = refused.expect_problem(409, "This ask is no longer pending").json();
    assert_eq!(refused["meta"]["status"], "cancelled");

    let green = json!({"action": "accept", "content": {"selected": ["green"]}});
    let turn = ada.answer(&history, "call_1", green.clone()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "text", "done"]);
    let messages = &node.record().requests[1]["messages"];
    let dropped = json!({"action": "cancel", "reason": "one_ask_at_a_time"});
    let result = |id: &str, name: &str, value: &Value| json!({"id": id, "name": name, "output": {"type": "json", "value": value}});
    assert_eq!(
        messages[2]["results"],
        json!([
            result("call_1", "ask_choice", &green),
            result("call_2", "ask_confirm", &dropped),
            result("call_3", "ask_confirm", &dropped),
        ])
    );
    invariants::hold(&node).await;
}

#[tokio::test]
async fn of_two_approvals_in_one_step_the_second_is_denied_when_the_turn_goes_on() {
    let calls =
        vec![call("call_1", "charge", json!({"cents": 1})), call("call_2", "charge", json!({"cents": 2}))];
    let node = Node::scripted(script_with_tools([rule("", [calls, vec![text("Done.")]])], [charge()])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.kinds(), ["toolCall", "toolCall", "ask", "done"]);
    let (history, approval) = (turn.history_id(), turn.ask_id());
    let asked = format!("approval charge {approval} (confirm, pending)");
    let rows = ["user: Go", r#"call charge call_1 {"cents":1}"#, r#"call charge call_2 {"cents":2}"#, &asked];
    assert_eq!(transcript(&ada.history(&history).await), rows);

    let turn = ada.answer(&history, &approval, yes()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "toolResult", "toolResult", "text", "done"]);
    assert_eq!(
        turn.all("toolResult"),
        [
            &json!({"toolCallId": "call_1", "toolName": "charge", "result": {"paid": true}}),
            &json!({"toolCallId": "call_2", "toolName": "charge",
                "result": {"approved": false, "reason": "one_ask_at_a_time"}}),
        ]
    );
    assert_eq!(node.record().runs_of("charge"), ["call_1"]);
    let answered = [
        format!("approval charge {approval} (confirm, answered)"),
        format!("result charge {approval} {}", yes()),
        r#"result charge call_1 {"paid":true}"#.to_owned(),
        format!("result charge call_2 {DENIED}"),
        "assistant: Done.".to_owned(),
    ];
    assert_eq!(transcript(&ada.history(&history).await)[3..], answered);
    let results = &node.record().requests[1]["messages"][2]["results"];
    assert_eq!(results[0]["output"], json!({"type": "json", "value": {"paid": true}}));
    assert_eq!(results[1]["output"], json!({"type": "execution-denied", "reason": "one_ask_at_a_time"}));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_second_approval_is_denied_too_when_the_first_is() {
    let calls = vec![call("call_1", "charge", json!({})), call("call_2", "charge", json!({}))];
    let node = Node::scripted(script_with_tools([rule("", [calls, vec![text("Done.")]])], [charge()])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    let turn = ada.answer(&turn.history_id(), &turn.ask_id(), no()).await.rest().await;
    let reasons: Vec<&Value> =
        turn.all("toolResult").iter().map(|result| &result["result"]["reason"]).collect();
    assert_eq!(reasons, ["user_denied", "one_ask_at_a_time"]);
    assert!(node.record().tools.is_empty());
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_ask_before_an_approval_in_one_step_holds_the_slot() {
    let calls = vec![ask("call_1", "Sure?"), call("call_2", "charge", json!({}))];
    let node = Node::scripted(script_with_tools([rule("", [calls, vec![text("Done.")]])], [charge()])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!((turn.kinds(), turn.ask_id()), (vec!["toolCall", "ask", "done"], "call_1".to_owned()));
    let history = turn.history_id();
    let rows = ["user: Go", "call charge call_2 {}", "ask ask_confirm call_1 (confirm, pending)"];
    assert_eq!(transcript(&ada.history(&history).await), rows);

    let turn = ada.answer(&history, "call_1", yes()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "toolResult", "text", "done"]);
    assert!(node.record().tools.is_empty());
    let answered = [
        "ask ask_confirm call_1 (confirm, answered)".to_owned(),
        format!("result ask_confirm call_1 {}", yes()),
        format!("result charge call_2 {DENIED}"),
        "assistant: Done.".to_owned(),
    ];
    assert_eq!(transcript(&ada.history(&history).await)[2..], answered);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_approval_before_an_ask_in_one_step_holds_the_slot() {
    let calls = vec![call("call_1", "charge", json!({})), ask("call_2", "Sure?")];
    let node = Node::scripted(script_with_tools([rule("", [calls, vec![text("Done.")]])], [charge()])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.ask()["origin"], "approval");
    let (history, approval) = (turn.history_id(), turn.ask_id());
    let rows = [
        "user: Go".to_owned(),
        "call charge call_1 {}".to_owned(),
        format!("approval charge {approval} (confirm, pending)"),
        "ask ask_confirm call_2 (confirm, cancelled)".to_owned(),
        format!("result ask_confirm call_2 {DROPPED}"),
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    let turn = ada.answer(&history, &approval, yes()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "toolResult", "text", "done"]);
    assert_eq!(node.record().runs_of("charge"), ["call_1"]);
    invariants::hold(&node).await;
}

/// A turn that was queued before the ask existed leaves the ask pending; what it asks itself is cancelled, and it
/// finishes without another model request.
#[tokio::test]
async fn an_ask_of_a_turn_that_meets_a_pending_ask_is_cancelled() {
    let first = rule("first", [vec![wait(1000), ask_colour("call_1")], vec![text("First.")]]);
    let second = rule("second", [vec![ask("call_2", "Sure?")], vec![text("Never said.")]]);
    let node = Node::scripted(script([first, second])).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "first"})).await;
    let history = running.history_id();
    let queued = ada.prompt(json!({"prompt": "second", "historyId": history})).await;
    assert_eq!(running.rest().await.kinds(), ["ask", "done"]);
    let queued = queued.rest().await;
    assert_eq!(queued.kinds(), ["done"]);
    assert_eq!(queued.done().get("pendingAsk"), None);

    let dropped = format!("result ask_confirm call_2 {DROPPED}");
    let rows = [
        "user: first",
        "ask ask_choice call_1 (choice, pending)",
        "user: second",
        "ask ask_confirm call_2 (confirm, cancelled)",
        &dropped,
    ];
    let read = ada.history(&history).await;
    assert_eq!(
        (transcript(&read), &read["pendingAsk"]["toolCallId"]),
        (rows.map(str::to_owned).to_vec(), &json!("call_1"))
    );
    assert_eq!(node.record().requests.len(), 2);

    let turn = ada.answer(&history, "call_1", json!({"action": "decline"})).await.rest().await;
    assert_eq!(turn.text(), "First.");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_approval_of_a_turn_that_meets_a_pending_ask_is_denied() {
    let first = rule("first", [vec![wait(1000), ask_colour("call_1")]]);
    let second = rule("second", [vec![call("call_2", "charge", json!({}))], vec![text("Never said.")]]);
    let node = Node::scripted(script_with_tools([first, second], [charge()])).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "first"})).await;
    let history = running.history_id();
    let queued = ada.prompt(json!({"prompt": "second", "historyId": history})).await;
    running.rest().await;
    let queued = queued.rest().await;
    assert_eq!(queued.kinds(), ["toolCall", "toolResult", "done"]);
    assert_eq!(queued.one("toolResult")["result"], json!({"approved": false, "reason": "one_ask_at_a_time"}));
    let read = ada.history(&history).await;
    assert_eq!(read["pendingAsk"]["toolCallId"], "call_1");
    let rows = transcript(&read);
    assert_eq!(rows[2..4], ["user: second", "call charge call_2 {}"]);
    assert!(
        rows[4].starts_with("approval charge ") && rows[4].ends_with("(confirm, cancelled)"),
        "{rows:#?}"
    );
    assert!(rows[5].ends_with(DROPPED) && rows[6] == format!("result charge call_2 {DENIED}"), "{rows:#?}");
    assert!(node.record().tools.is_empty());
    invariants::hold(&node).await;
}

/// The tool beside the ask has run by then; only the ask is dropped.
#[tokio::test]
async fn a_tool_beside_an_ask_that_meets_a_pending_ask_has_run() {
    let first = rule("first", [vec![wait(1000), ask_colour("call_1")]]);
    let second = rule("second", [vec![call("call_2", "look", json!({})), ask("call_3", "Sure?")]]);
    let tools = [json!({"name": "look", "result": 7})];
    let node = Node::scripted(script_with_tools([first, second], tools)).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "first"})).await;
    let history = running.history_id();
    let queued = ada.prompt(json!({"prompt": "second", "historyId": history})).await;
    running.rest().await;
    assert_eq!(queued.rest().await.kinds(), ["toolCall", "toolResult", "done"]);
    let rows = [
        "user: second".to_owned(),
        "call look call_2 {}".to_owned(),
        "result look call_2 7".to_owned(),
        "ask ask_confirm call_3 (confirm, cancelled)".to_owned(),
        format!("result ask_confirm call_3 {DROPPED}"),
    ];
    assert_eq!(transcript(&ada.history(&history).await)[2..], rows);
    invariants::hold(&node).await;
}

/// An ask whose answer waits its turn still holds the slot.
#[tokio::test]
async fn an_ask_that_meets_an_ask_whose_answer_waits_is_cancelled() {
    let first = rule("first", [vec![wait(1000), ask_colour("call_1")], vec![text("First.")]]);
    let second = rule("second", [vec![wait(2000), ask("call_2", "Sure?")], vec![text("Never said.")]]);
    let node = Node::scripted(script([first, second])).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "first"})).await;
    let history = running.history_id();
    let queued = ada.prompt(json!({"prompt": "second", "historyId": history})).await;
    running.rest().await;
    let answer = ada.answer(&history, "call_1", json!({"action": "decline"})).await;
    assert_eq!(queued.rest().await.kinds(), ["done"]);
    assert_eq!(answer.rest().await.text(), "First.");
    let read = ada.history(&history).await;
    assert_eq!(read.get("pendingAsk"), None);
    assert_eq!(transcript(&read)[3], "ask ask_confirm call_2 (confirm, cancelled)");
    invariants::hold(&node).await;
}
