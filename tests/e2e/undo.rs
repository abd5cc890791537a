//! An answer whose continuation fails is undone while nobody saw anything of it, and kept otherwise (rule 6).

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::play::{
    accept, ask, ask_colour, call, fail, no, rule, script, script_with_tools, text, wait, yes,
};
use crate::support::sse::Turn;
use crate::support::transcript::transcript;
use crate::support::{Node, invariants};

fn green() -> Value {
    accept(json!({"selected": ["green"]}))
}

/// A node whose agent asks for a colour, and after the answer plays these requests.
async fn node<const N: usize>(requests: [Vec<Value>; N]) -> Node {
    let tools = json!([{"name": "look", "result": {"found": 7}}, {"name": "charge", "needsApproval": true}]);
    let mut all = vec![vec![ask_colour("call_1")]];
    all.extend(requests);
    Node::scripted(json!({"rules": [{"when": "", "requests": all}], "tools": tools})).await
}

async fn asked(ada: &Client) -> String {
    ada.says("Go").await.history_id()
}

async fn answered(ada: &Client, history: &str) -> Turn {
    ada.answer(history, "call_1", green()).await.rest().await
}

/// The answer stands: it cannot be sent again, and the ask's row says so.
async fn assert_kept(ada: &Client, history: &str) {
    let read = ada.history(history).await;
    assert_eq!((read.get("pendingAsk"), &read["prompts"][1]["ask"]["status"]), (None, &json!("answered")));
    assert_eq!(read["prompts"][2]["result"], green());
    let refused = ada.answer_refused(history, "call_1", green()).await;
    let refused = refused.expect_problem(409, "This ask is no longer pending").json();
    assert_eq!(
        (&refused["meta"]["status"], &refused["meta"]["action"]),
        (&json!("answered"), &json!("accept"))
    );
}

#[tokio::test]
async fn an_answer_whose_continuation_fails_at_once_is_undone_and_may_be_sent_again() {
    let node = node([vec![fail("The model is down.")], vec![text("Done.")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let before = ada.history(&history).await;

    let undone = answered(&ada, &history).await;
    assert_eq!(
        undone.data(),
        [
            json!({"askResolved": {"toolCallId": "call_1", "action": "accept"}}),
            json!({"error": "The model is down."}),
            json!({"done": true, "historyId": history, "title": "Go", "pendingAsk": {"toolCallId": "call_1"}}),
        ]
    );
    let after = ada.history(&history).await;
    assert_eq!((&after["prompts"], &after["pendingAsk"]), (&before["prompts"], &before["pendingAsk"]));
    assert_eq!(ada.pending_asks().await.len(), 1);

    let turn = answered(&ada, &history).await;
    assert_eq!((turn.kinds(), turn.text()), (vec!["askResolved", "text", "done"], "Done.".to_owned()));
    let requests = node.record().requests;
    assert_eq!(requests[1]["messages"], requests[2]["messages"]);
    assert_kept(&ada, &history).await;
    invariants::hold(&node).await;
}

/// An invalid ask is nobody's business but the model's: nothing of it was published.
#[tokio::test]
async fn an_answer_is_undone_also_after_an_invalid_ask() {
    let node =
        node([vec![call("call_2", "ask_confirm", json!({}))], vec![fail("down")], vec![text("Done.")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let undone = answered(&ada, &history).await;
    assert_eq!(undone.done()["pendingAsk"]["toolCallId"], "call_1");
    assert_eq!(answered(&ada, &history).await.text(), "Done.");
    let requests = node.record().requests;
    assert_eq!(requests[1]["messages"], requests[3]["messages"]);
    assert_kept(&ada, &history).await;
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_undone_answer_may_be_followed_by_another_one() {
    let node = node([vec![fail("down")], vec![text("Done.")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    answered(&ada, &history).await;
    let turn = ada.answer(&history, "call_1", json!({"action": "decline"})).await.rest().await;
    assert_eq!(turn.text(), "Done.");
    let rows = [
        "user: Go",
        "ask ask_choice call_1 (choice, answered)",
        r#"result ask_choice call_1 {"action":"decline"}"#,
        "assistant: Done.",
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_prompt_after_an_undone_answer_cancels_the_ask() {
    let node = node([vec![fail("down")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    answered(&ada, &history).await;
    let turn = ada.says_in(&history, "Something else").await;
    assert_eq!(turn.one("askResolved"), &json!({"toolCallId": "call_1", "action": "cancel"}));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn headless_an_undone_answer_gives_the_error_and_the_ask() {
    let node = node([vec![fail("The model is down.")], vec![text("Done.")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let press = json!({"toolCallId": "call_1", "buttonId": "option:green"});
    let undone = ada.turn(&history, press.clone()).await;
    insta::assert_json_snapshot!("undone", undone.snapshot());
    assert_eq!(ada.turn(&history, press).await.expect(200).data()["text"], "Done.");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_listener_hears_the_answer_taken_back_and_the_ask_again() {
    let node = node([vec![fail("down")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let mut listener = ada.events(&history, None).await;
    answered(&ada, &history).await;
    let heard = listener.until("done").await;
    let heard: Vec<Value> = heard.into_iter().map(|event| event.data).collect();
    assert_eq!(heard[0], json!({"askResolved": {"toolCallId": "call_1", "action": "accept"}}));
    assert_eq!(
        (&heard[1]["message"]["type"], &heard[1]["message"]["index"]),
        (&json!("tool-result"), &json!(2))
    );
    assert_eq!(heard[2], json!({"messageRemoved": {"index": 2}}));
    assert_eq!(heard[3]["ask"]["toolCallId"], "call_1");
    assert_eq!(heard[4], json!({"error": "down"}));
    assert_eq!(heard[5]["pendingAsk"], json!({"toolCallId": "call_1"}));
    assert_eq!(heard.len(), 6);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_denial_of_an_approval_is_not_undone_because_its_result_was_seen() {
    let requests = [vec![call("call_1", "charge", json!({}))], vec![fail("down")]];
    let tools = [json!({"name": "charge", "needsApproval": true})];
    let node = Node::scripted(script_with_tools([rule("", requests)], tools)).await;
    let ada = node.user("ada").await;
    let asked = ada.says("Go").await;
    let turn = ada.answer(&asked.history_id(), &asked.ask_id(), no()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "toolResult", "error", "done"]);
    assert_eq!(turn.done().get("pendingAsk"), None);
    ada.answer_refused(&asked.history_id(), &asked.ask_id(), no()).await.expect(409);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_answer_is_kept_once_text_was_seen() {
    let node = node([vec![text("Well, "), fail("down")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let turn = answered(&ada, &history).await;
    assert_eq!(turn.kinds(), ["askResolved", "text", "error", "done"]);
    assert_eq!(turn.done().get("pendingAsk"), None);
    assert_kept(&ada, &history).await;
    assert_eq!(transcript(&ada.history(&history).await)[3..], ["assistant: Well, "]);
    invariants::hold(&node).await;
}

/// What was held back on one stream went to every other listener.
#[tokio::test]
async fn an_answer_is_kept_once_text_was_published_also_when_this_stream_held_it_back() {
    let node = node([vec![text("Well, "), fail("down")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let body = json!({"historyId": history, "streamText": "step",
        "askResponse": {"toolCallId": "call_1", "action": "accept", "content": {"selected": ["green"]}}});
    let turn = ada.prompt(body).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "text", "error", "done"]);
    assert_kept(&ada, &history).await;
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_answer_is_kept_once_a_tool_was_entered() {
    let node = node([vec![call("call_2", "look", json!({}))], vec![fail("down")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let turn = answered(&ada, &history).await;
    assert_eq!(turn.kinds(), ["askResolved", "toolCall", "toolResult", "error", "done"]);
    assert_kept(&ada, &history).await;
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_answer_is_kept_after_the_next_ask() {
    let node = node([vec![ask("call_2", "Sure?")], vec![fail("down")], vec![text("Done.")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    assert_eq!(answered(&ada, &history).await.ask_id(), "call_2");
    // The second answer is undone, the first is not.
    let undone = ada.answer(&history, "call_2", yes()).await.rest().await;
    assert_eq!(undone.done()["pendingAsk"]["toolCallId"], "call_2");
    let rows = [
        "user: Go".to_owned(),
        "ask ask_choice call_1 (choice, answered)".to_owned(),
        format!("result ask_choice call_1 {}", green()),
        "ask ask_confirm call_2 (confirm, pending)".to_owned(),
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    ada.answer_refused(&history, "call_1", green()).await.expect(409);
    assert_eq!(ada.answer(&history, "call_2", yes()).await.rest().await.text(), "Done.");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_next_ask_that_fails_ends_cancelled_and_the_answer_is_kept() {
    let node = node([vec![ask("call_2", "Sure?"), fail("down")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let turn = answered(&ada, &history).await;
    assert_eq!(turn.kinds(), ["askResolved", "error", "done"]);
    assert_eq!(turn.done().get("pendingAsk"), None);
    let rows = [
        "user: Go".to_owned(),
        "ask ask_choice call_1 (choice, answered)".to_owned(),
        format!("result ask_choice call_1 {}", green()),
        "ask ask_confirm call_2 (confirm, cancelled)".to_owned(),
        r#"result ask_confirm call_2 {"action":"cancel"}"#.to_owned(),
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    assert_kept(&ada, &history).await;
    let refused = ada.answer_refused(&history, "call_2", yes()).await.expect(409).json();
    assert_eq!(refused["meta"]["status"], "cancelled");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_answer_is_kept_while_a_prompt_waits() {
    let resumed = rule("Go", [vec![ask_colour("call_1")], vec![wait(1000), fail("down")]]);
    let queued = rule("Then", [vec![text("Next.")]]);
    let node = Node::scripted(script([queued, resumed])).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let answer = ada.answer(&history, "call_1", green()).await;
    let queued = ada.prompt(json!({"prompt": "Then", "historyId": history})).await;
    let answer = answer.rest().await;
    assert_eq!(answer.kinds(), ["askResolved", "error", "done"]);
    assert_eq!(answer.done().get("pendingAsk"), None);
    assert_eq!(queued.rest().await.kinds(), ["text", "done"]);
    assert_kept(&ada, &history).await;
    invariants::hold(&node).await;
}

#[tokio::test]
async fn after_a_kept_answer_a_new_prompt_goes_on_with_it() {
    let node = node([vec![text("Well, "), fail("down")]]).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    answered(&ada, &history).await;
    ada.says_in(&history, "And?").await;
    assert_eq!(
        node.record().requests[2]["messages"],
        json!([
            {"role": "user", "text": "Go"},
            {"role": "assistant", "calls": [{"id": "call_1", "name": "ask_choice", "args": crate::support::play::colours()}]},
            {"role": "tool", "results": [
                {"id": "call_1", "name": "ask_choice", "output": {"type": "json", "value": green()}}
            ]},
            {"role": "assistant", "text": "Well, "},
            {"role": "user", "text": "And?"},
        ])
    );
    invariants::hold(&node).await;
}
