//! A new chat: where it is, told from the first byte, and what it is called.

use serde_json::{Value, json};

use crate::support::Node;
use crate::support::play::{ask_colour, decline, fail, rule, script, text, wait};

async fn node() -> Node {
    let rules = [
        rule("Paint", [vec![ask_colour("call_1")], vec![text("Painted.")]]),
        rule("Fail", [vec![fail("down")]]),
        rule("", [vec![text("Hello.")]]),
    ];
    Node::scripted(script(rules)).await
}

#[tokio::test]
async fn a_stream_names_its_conversation_turn_and_request_from_the_first_byte() {
    let slow = rule("", [vec![wait(2000), text("Hello.")]]);
    let node = Node::scripted(script([slow])).await;
    let ada = node.user("ada").await;
    let stream = ada.prompt(json!({"prompt": "Hi"})).await;
    let history = stream.history_id();
    assert_eq!(stream.header("location"), format!("/gpt/histories/{history}"));
    assert_eq!(stream.header("content-type"), "text/event-stream");
    assert_eq!(stream.header("cache-control"), "no-cache");
    assert_eq!(stream.header("x-accel-buffering"), "no");
    assert!(!stream.header("x-turn-id").is_empty() && !stream.header("x-request-id").is_empty());
    // The conversation is there while the turn runs, with the message that began it.
    let read = ada.history(&history).await;
    assert_eq!((&read["title"], &read["prompts"][0]["text"]), (&json!("Hi"), &json!("Hi")));
    let turn_id = stream.header("x-turn-id").to_owned();
    let turn = stream.rest().await;
    assert_eq!(turn.history_id(), history);
    assert_eq!(node.record().requests[0]["taskId"], turn_id);
}

#[tokio::test]
async fn an_ask_names_the_conversation_that_waits_on_it() {
    let node = node().await;
    let ada = node.user("ada").await;
    let mut stream = ada.prompt(json!({"prompt": "Paint"})).await;
    let asked = stream.until("ask").await.pop().unwrap().data;
    let history = asked["historyId"].as_str().unwrap();
    assert_eq!(history, stream.history_id());
    // It is answered before done was read.
    ada.answer(history, "call_1", decline()).await.rest().await;
}

#[tokio::test]
async fn a_chat_is_called_after_the_first_line_of_its_first_message() {
    let node = node().await;
    let ada = node.user("ada").await;
    let long = "Please help me to find out which of the many plans would be the right one";
    for (says, title) in [
        ("Hello", "Hello".to_owned()),
        ("  Hello there \n and more", "Hello there".to_owned()),
        ("\n\nSecond line", "Second line".to_owned()),
        (long, "Please help me to find out which of the many plans would be".to_owned()),
        (&"x".repeat(60), "x".repeat(60)),
    ] {
        let turn = ada.says(says).await;
        assert_eq!(turn.done()["title"], title, "{says}");
        assert_eq!(ada.history(&turn.history_id()).await["title"], title);
    }
    let turn = ada.says(&"word ".repeat(100)).await;
    assert!(turn.done()["title"].as_str().unwrap().chars().count() <= 60);
    let turn = ada.says(&"x".repeat(100)).await;
    assert!(turn.done()["title"].as_str().unwrap().chars().count() <= 60);
    let turn = ada.says(&"😀".repeat(100)).await;
    assert!(turn.done()["title"].as_str().unwrap().chars().count() <= 60);
}

#[tokio::test]
async fn every_done_has_the_title_whatever_the_turn_came_to() {
    let node = node().await;
    let ada = node.user("ada").await;
    let asked = ada.says("Paint the door").await;
    let history = asked.history_id();
    let failed = ada.says_in(&history, "Fail").await;
    let said = ada.says_in(&history, "Thanks").await;
    for turn in [asked, failed, said] {
        assert_eq!(turn.done()["title"], "Paint the door");
    }
    let headless = ada.turn(&history, json!({"prompt": "Again"})).await.expect(200).data();
    assert_eq!(headless["title"], "Paint the door");
}

#[tokio::test]
async fn each_prompt_without_a_history_begins_a_chat_of_its_own() {
    let node = node().await;
    let ada = node.user("ada").await;
    let [one, two] =
        [ada.says("One").await, ada.prompt(json!({"prompt": "Two", "historyId": null})).await.rest().await];
    assert_ne!(one.history_id(), two.history_id());
    let listed = ada.get("/gpt/histories").await.expect(200).json();
    let titles: Vec<Value> =
        listed["data"].as_array().unwrap().iter().map(|one| one["title"].clone()).collect();
    assert_eq!(titles, ["Two", "One"]);
}

#[tokio::test]
async fn ids_of_events_grow() {
    let node = node().await;
    let ada = node.user("ada").await;
    let turn = ada.says("Paint").await;
    let answered = ada.answer(&turn.history_id(), "call_1", decline()).await.rest().await;
    let number = |id: &str| {
        let (seq, offset) = id.split_once('.').unwrap_or((id, "0"));
        (seq.parse::<u64>().unwrap(), offset.parse::<u64>().unwrap())
    };
    let ids: Vec<(u64, u64)> =
        turn.events.iter().chain(&answered.events).map(|event| number(event.id.as_ref().unwrap())).collect();
    assert!(ids.is_sorted(), "{ids:?}");
}
