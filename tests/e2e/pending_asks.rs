//! The asks that wait on a user, over all conversations (spec "Headless endpoints").

use serde_json::{Value, json};

use crate::support::Node;
use crate::support::client::Client;
use crate::support::play::{ask_colour, call, decline, rule, script, script_with_tools, text};

async fn node() -> Node {
    let asks = [vec![ask_colour("call_1")], vec![text("Done.")]];
    let pays = [vec![call("call_2", "charge", json!({}))], vec![text("Done.")]];
    let tools = [json!({"name": "charge", "needsApproval": true})];
    Node::scripted(script_with_tools([rule("Pay", pays), rule("", asks)], tools)).await
}

fn histories(asks: &[Value]) -> Vec<&str> {
    asks.iter().map(|ask| ask["historyId"].as_str().unwrap()).collect()
}

async fn asked(ada: &Client, title: &str) -> String {
    ada.says(title).await.history_id()
}

#[tokio::test]
async fn pending_asks_are_listed_newest_first_with_what_a_small_client_needs() {
    let node = node().await;
    let ada = node.user("ada").await;
    assert!(ada.pending_asks().await.is_empty());
    let one = asked(&ada, "One").await;
    let two = asked(&ada, "Pay two").await;
    let three = asked(&ada, "Three").await;
    let listed = ada.pending_asks().await;
    assert_eq!(histories(&listed), [&three, &two, &one].map(String::as_str));
    let fields: Vec<&String> = listed[0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["created", "historyId", "kind", "simple", "title", "toolCallId"]);
    assert_eq!((&listed[0]["title"], &listed[1]["kind"]), (&json!("Three"), &json!("confirm")));
    let pending = &ada.history(&three).await["pendingAsk"];
    for field in ["toolCallId", "kind", "simple", "created"] {
        assert_eq!(listed[0][field], pending[field], "{field}");
    }

    // A later answer does not change the order of the rest; a new ask is the newest, in an old conversation too.
    ada.answer(&three, "call_1", decline()).await.rest().await;
    ada.says_in(&one, "Again").await;
    assert_eq!(histories(&ada.pending_asks().await), [&one, &two].map(String::as_str));
}

#[tokio::test]
async fn only_ones_own_asks_in_conversations_that_are_there_are_listed() {
    let node = node().await;
    let (ada, bob) = (node.user("ada").await, node.user("bob").await);
    let history = asked(&ada, "One").await;
    let kept = asked(&ada, "Two").await;
    assert!(bob.pending_asks().await.is_empty());
    assert!(node.admin().await.pending_asks().await.is_empty());
    ada.delete(&format!("/gpt/histories/{history}")).await.expect(204);
    assert_eq!(histories(&ada.pending_asks().await), [kept.as_str()]);
    node.client().get("/gpt/histories/pendingAsks").await.expect_problem(401, "Unauthorized");
}

#[tokio::test]
async fn at_most_the_newest_hundred_are_listed() {
    let node = node().await;
    let ada = node.user("ada").await;
    let mut asked_in = Vec::new();
    for number in 0..103 {
        asked_in.push(asked(&ada, &format!("Number {number}")).await);
    }
    let newest: Vec<&str> = asked_in.iter().rev().take(100).map(String::as_str).collect();
    assert_eq!(histories(&ada.pending_asks().await), newest);
}

#[tokio::test]
async fn a_conversation_without_a_title_has_none_in_the_list() {
    let node = Node::scripted(script([rule("", [vec![ask_colour("call_1")]])])).await;
    let ada = node.user("ada").await;
    let history = asked(&ada, "One").await;
    ada.patch(&format!("/gpt/histories/{history}"), json!({"title": ""})).await.expect(200);
    assert_eq!(ada.pending_asks().await[0].get("title"), None);
}
