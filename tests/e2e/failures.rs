//! A turn that fails after its stream began ends in `error` then `done` and is saved (rule 7); one that cannot be
//! prepared is refused and leaves nothing (rule 4).

use serde_json::json;

use crate::support::client::answer_body;
use crate::support::play::{ask_colour, call, decline, fail, rule, script, script_with_tools, text, wait};
use crate::support::transcript::transcript;
use crate::support::{Node, invariants};

#[tokio::test]
async fn a_first_request_that_fails_gives_error_then_done_and_the_message_is_saved() {
    let node = Node::scripted(script([rule("", [vec![fail("The model is down.")]])])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Hello").await;
    let history = turn.history_id();
    let done = json!({"done": true, "historyId": history, "title": "Hello"});
    assert_eq!(turn.data(), [json!({"error": "The model is down."}), done]);
    assert_eq!(transcript(&ada.history(&history).await), ["user: Hello"]);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn what_was_said_before_a_failure_is_kept() {
    let node =
        Node::scripted(script([rule("", [vec![text("I was "), text("about to"), fail("down")]])])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Hello").await;
    assert_eq!((turn.kinds().last(), turn.text()), (Some(&"done"), "I was about to".to_owned()));
    assert_eq!(turn.kinds()[turn.kinds().len() - 2], "error");
    let rows = ["user: Hello", "assistant: I was about to"];
    assert_eq!(transcript(&ada.history(&turn.history_id()).await), rows);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn headless_a_failure_is_200_with_what_was_said() {
    let rules =
        [rule("half", [vec![text("I was "), fail("The model is down.")]]), rule("", [vec![fail("down")]])];
    let node = Node::scripted(script(rules)).await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let turn = ada.turn(&history, json!({"prompt": "half"})).await;
    insta::assert_json_snapshot!("half_a_reply", turn.snapshot());
    let turn = ada.turn(&history, json!({"prompt": "none"})).await.expect(200).data();
    assert_eq!(turn, json!({"historyId": history, "text": "", "title": "half", "error": "down"}));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_failure_in_a_later_step_keeps_the_rows_of_the_earlier_ones() {
    let requests = [vec![call("call_1", "look", json!({}))], vec![fail("down")]];
    let tools = [json!({"name": "look", "result": 7})];
    let node = Node::scripted(script_with_tools([rule("", requests)], tools)).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Hello").await;
    assert_eq!(turn.kinds(), ["toolCall", "toolResult", "error", "done"]);
    let rows = ["user: Hello", "call look call_1 {}", "result look call_1 7"];
    assert_eq!(transcript(&ada.history(&turn.history_id()).await), rows);
    invariants::hold(&node).await;
}

/// "A turn that fails after saving an ask's row but before pausing on it" leaves no row pending.
#[tokio::test]
async fn an_ask_of_a_request_that_fails_is_not_pending() {
    let node = Node::scripted(script([rule("", [vec![ask_colour("call_1"), fail("down")]])])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Hello").await;
    assert_eq!(turn.kinds(), ["error", "done"]);
    let read = ada.history(&turn.history_id()).await;
    assert_eq!(read.get("pendingAsk"), None);
    assert!(!transcript(&read).iter().any(|row| row.ends_with("pending)")));
    assert!(ada.pending_asks().await.is_empty());
    invariants::hold(&node).await;
}

#[tokio::test]
async fn that_an_agent_cannot_be_prepared_is_told_after_everything_else() {
    let play = script([rule("", [vec![ask_colour("call_1")], vec![text("Done.")]])]);
    let node = Node::scripted(play.clone()).await;
    let ada = node.user("ada").await;
    let history = ada.says("Go").await.history_id();
    let before = ada.history(&history).await;

    node.setup().write_script(&json!([]));
    let stranger = node.user("bob").await;
    stranger.prompt_refused(json!({"prompt": "Hi", "historyId": history})).await.expect(403);
    stranger.answer_refused(&history, "call_1", decline()).await.expect(403);
    let unknown = "01890a5d-ac96-774b-bcce-b302099a8057";
    ada.prompt_refused(json!({"prompt": "Hi", "historyId": unknown})).await.expect(404);
    ada.turn(unknown, json!({"prompt": "Hi"})).await.expect(404);
    let invalid = json!({"action": "accept", "content": {"selected": ["gold"]}});
    ada.answer_refused(&history, "call_1", invalid).await.expect_problem(400, "Invalid askResponse");
    ada.answer_refused(&history, "call_2", decline()).await.expect(409);
    let unknown = json!({"toolCallId": "call_1", "buttonId": "option:gold"});
    ada.turn(&history, unknown).await.expect_problem(400, "Unknown buttonId");
    ada.answer_refused(&history, "call_1", decline()).await.expect(500);
    // A prompt that is refused does not cancel the ask.
    ada.prompt_refused(json!({"prompt": "No", "historyId": history})).await.expect(500);
    assert_eq!(ada.history(&history).await, before);
    assert_eq!(ada.pending_asks().await.len(), 1);

    node.setup().write_script(&play);
    assert_eq!(ada.answer(&history, "call_1", decline()).await.rest().await.text(), "Done.");
    invariants::hold(&node).await;
}

/// What was acknowledged cannot be refused any more: it fails as a model call does.
#[tokio::test]
async fn a_queued_prompt_that_cannot_be_prepared_fails_as_a_turn_and_is_saved() {
    let play = script([rule("one", [vec![wait(1000), text("One.")]]), rule("", [vec![text("Next.")]])]);
    let node = Node::scripted(play.clone()).await;
    let ada = node.user("ada").await;
    let one = ada.prompt(json!({"prompt": "one"})).await;
    let history = one.history_id();
    let two = ada.prompt(json!({"prompt": "two", "historyId": history})).await;
    node.setup().write_script(&json!({"rules": 7}));
    assert_eq!(one.rest().await.text(), "One.");
    let two = two.rest().await;
    assert_eq!(two.kinds(), ["error", "done"]);
    assert_eq!(two.one("error"), "The agent could not be prepared.");
    assert_eq!(transcript(&ada.history(&history).await), ["user: one", "assistant: One.", "user: two"]);
    node.setup().write_script(&play);
    assert_eq!(ada.says_in(&history, "three").await.text(), "Next.");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_queued_answer_that_cannot_be_prepared_is_undone() {
    let paint = rule("Paint", [vec![wait(1000), ask_colour("call_1")], vec![text("Painted.")]]);
    let play = script([paint, rule("slow", [vec![wait(1000), text("Slow.")]])]);
    let node = Node::scripted(play.clone()).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "Paint"})).await;
    let history = running.history_id();
    let slow = ada.prompt(json!({"prompt": "slow", "historyId": history})).await;
    running.rest().await;
    let answer = ada.prompt(answer_body(&history, "call_1", decline())).await;
    node.setup().write_script(&json!({"rules": 7}));
    slow.rest().await;
    let undone = answer.rest().await;
    assert_eq!(undone.kinds(), ["askResolved", "error", "done"]);
    assert_eq!(undone.done()["pendingAsk"]["toolCallId"], "call_1");
    node.setup().write_script(&play);
    assert_eq!(ada.answer(&history, "call_1", decline()).await.rest().await.text(), "Painted.");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn why_an_agent_cannot_be_prepared_is_for_the_log() {
    let node = Node::scripted(script([])).await;
    let ada = node.user("ada").await;
    node.setup().write_script(&json!({"rules": "broken"}));
    ada.prompt_refused(json!({"prompt": "Hi"})).await.expect(500);
    let logged = node.logs().wait_for("reason", |line| line.contains("script.json").then_some(()));
    logged.await;
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_headless_turn_whose_conversation_is_deleted_meanwhile_was_cancelled() {
    let node = Node::scripted(script([rule("", [vec![text("I was "), wait(60_000)]])])).await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let mut listener = ada.events(&history, Some("0")).await;
    let (waiting, path) = (ada.on_its_own_socket(), history.clone());
    let turn = tokio::spawn(async move { waiting.turn(&path, json!({"prompt": "Hello"})).await });
    listener.until("text").await;
    ada.delete(&format!("/gpt/histories/{history}")).await.expect(204);
    let turn = turn.await.unwrap().expect(200).data();
    assert_eq!((&turn["text"], &turn["error"]), (&json!("I was "), &json!("The turn was cancelled.")));
    invariants::hold(&node).await;
}

/// Sending it again would say it twice.
#[tokio::test]
async fn a_headless_turn_on_a_node_that_stops_is_told_that_it_goes_on() {
    let node = Node::scripted(script([rule("", [vec![text("I was "), wait(60_000)]])])).await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let mut listener = ada.events(&history, Some("0")).await;
    let (waiting, path) = (ada.on_its_own_socket(), history.clone());
    let turn = tokio::spawn(async move { waiting.turn(&path, json!({"prompt": "Hello"})).await });
    listener.until("text").await;
    node.stop().await;
    insta::assert_json_snapshot!("node_stops", turn.await.unwrap().snapshot());
}
