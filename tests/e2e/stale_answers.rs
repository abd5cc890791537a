//! One answer: whoever comes second gets 409, and is told how the ask ended (rule 2).

use serde_json::json;

use crate::support::Node;
use crate::support::client::Client;
use crate::support::play::{accept, ask_colour, cancel, decline, rule, script, text};

async fn asked() -> (Node, Client, String) {
    let node = Node::scripted(script([rule("Go", [vec![ask_colour("call_1")], vec![text("Done.")]])])).await;
    let ada = node.user("ada").await;
    let history = ada.says("Go").await.history_id();
    (node, ada, history)
}

#[tokio::test]
async fn a_second_answer_is_told_how_the_first_ended_the_ask() {
    let red = accept(json!({"selected": ["red"]}));
    for (first, status) in [(red.clone(), "answered"), (decline(), "answered"), (cancel(), "cancelled")] {
        let (node, ada, history) = asked().await;
        ada.answer(&history, "call_1", first.clone()).await.rest().await;
        let refused = ada.answer_refused(&history, "call_1", red.clone()).await;
        let meta = refused.expect_problem(409, "This ask is no longer pending").json()["meta"].take();
        assert_eq!((&meta["status"], &meta["action"]), (&json!(status), &first["action"]));
        assert!(meta["resolvedAt"].is_string(), "{meta}");
        for body in [
            json!({"toolCallId": "call_1", "buttonId": "option:red"}),
            json!({"toolCallId": "call_1", "buttonId": "no such button"}),
            json!({"askResponse": {"toolCallId": "call_1", "action": "decline"}}),
        ] {
            let refused = ada.turn(&history, body).await.expect_problem(409, "This ask is no longer pending");
            assert_eq!(refused.json()["meta"], meta);
        }
        assert_eq!(node.record().requests.len(), 2);
    }
}

#[tokio::test]
async fn an_ask_that_never_was_in_this_conversation_has_no_end_to_tell() {
    let (_node, ada, history) = asked().await;
    let other = ada.new_history().await;
    for (history, id) in [(&history, "call_2"), (&other, "call_1")] {
        let refused = ada.answer_refused(history, id, decline()).await;
        let refused = refused.expect_problem(409, "This ask is no longer pending");
        assert_eq!(refused.json().get("meta"), None);
    }
    assert_eq!(ada.pending_asks().await.len(), 1);
}
