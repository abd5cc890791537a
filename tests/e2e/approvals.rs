//! A tool that needs approval never runs before the user said yes: every row of the table "Approval asks".

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::play::{
    accept, ask, call, cancel, cancel_because, decline, no, rule, script_with_tools, text, yes,
};
use crate::support::sse::Turn;
use crate::support::transcript::transcript;
use crate::support::{Node, Setup, invariants};

/// A script whose model calls the tool `charge` with 7 cents and then says "Done."; `more` is added to the tool.
fn play(more: Value) -> Value {
    let mut tool = json!({
        "name": "charge", "description": "Charges the card.", "needsApproval": true, "result": {"paid": true},
    });
    tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let again = rule("Again", [vec![text("Sure.")]]);
    let pay = rule("Pay", [vec![call("call_1", "charge", json!({"cents": 7}))], vec![text("Done.")]]);
    script_with_tools([again, pay], [tool])
}

async fn asked(node: &Node) -> (Client, Turn) {
    let ada = node.user("ada").await;
    let turn = ada.says("Pay").await;
    assert_eq!(turn.kinds(), ["toolCall", "ask", "done"]);
    assert!(node.record().tools.is_empty(), "the tool ran before anybody approved it");
    (ada, turn)
}

#[tokio::test]
async fn the_server_asks_with_an_id_of_its_own_and_names_the_tool() {
    let node = Node::scripted(play(json!({}))).await;
    let (ada, turn) = asked(&node).await;
    let ask = turn.ask();
    assert_ne!(turn.ask_id(), "call_1");
    assert_eq!(
        (&ask["kind"], &ask["origin"], &ask["toolName"]),
        (&json!("confirm"), &json!("approval"), &json!("charge"))
    );
    assert_eq!(
        turn.one("toolCall"),
        &json!({"toolCallId": "call_1", "toolName": "charge", "args": {"cents": 7}})
    );
    assert_eq!(turn.done()["pendingAsk"]["toolCallId"], turn.ask_id());

    let history = ada.history(&turn.history_id()).await;
    let pending = &history["pendingAsk"];
    assert_eq!(
        (&pending["approvalId"], &pending["toolCallId"]),
        (&json!(turn.ask_id()), &json!(turn.ask_id()))
    );
    assert_eq!((&pending["origin"], &pending["toolName"]), (&json!("approval"), &json!("charge")));
    let approval = format!("approval charge {} (confirm, pending)", turn.ask_id());
    assert_eq!(transcript(&history), ["user: Pay", r#"call charge call_1 {"cents":7}"#, &approval]);
    assert_eq!(history["prompts"][2]["args"], ask["input"]);

    let listed = ada.pending_asks().await;
    assert_eq!((&listed[0]["kind"], &listed[0]["simple"]), (&json!("confirm"), &ask["simple"]));
    assert_eq!((listed[0].get("origin"), listed[0].get("toolName")), (None, None));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_approved_tool_runs_once_and_the_model_gets_its_result() {
    let node = Node::scripted(play(json!({}))).await;
    let (ada, asked) = asked(&node).await;
    let turn = ada.answer(&asked.history_id(), &asked.ask_id(), yes()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "toolResult", "text", "done"]);
    assert_eq!(turn.one("askResolved"), &json!({"toolCallId": asked.ask_id(), "action": "accept"}));
    let result = json!({"toolCallId": "call_1", "toolName": "charge", "result": {"paid": true}});
    assert_eq!(turn.one("toolResult"), &result);

    let record = node.record();
    assert_eq!(record.runs_of("charge"), ["call_1"]);
    assert_eq!(
        record.requests[1]["messages"],
        json!([
            {"role": "user", "text": "Pay"},
            {"role": "assistant", "calls": [{"id": "call_1", "name": "charge", "args": {"cents": 7}}]},
            {"role": "tool", "results": [
                {"id": "call_1", "name": "charge", "output": {"type": "json", "value": {"paid": true}}}
            ]},
        ])
    );
    let rows = [
        "user: Pay".to_owned(),
        r#"call charge call_1 {"cents":7}"#.to_owned(),
        format!("approval charge {} (confirm, answered)", asked.ask_id()),
        format!("result charge {} {}", asked.ask_id(), yes()),
        r#"result charge call_1 {"paid":true}"#.to_owned(),
        "assistant: Done.".to_owned(),
    ];
    assert_eq!(transcript(&ada.history(&asked.history_id()).await), rows);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_approved_tool_that_fails_tells_the_model_why() {
    let node = Node::scripted(play(json!({"fail": {"message": "The card expired."}}))).await;
    let (ada, asked) = asked(&node).await;
    let turn = ada.answer(&asked.history_id(), &asked.ask_id(), yes()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "toolResult", "text", "done"]);
    let output = &node.record().requests[1]["messages"][2]["results"][0]["output"];
    assert_eq!(output, &json!({"type": "error", "value": {"error": "The card expired."}}));
    invariants::hold(&node).await;
}

/// How an answer that does not approve is told to the model and the client, and what its rows say.
#[tokio::test]
async fn a_tool_that_is_not_approved_never_runs_and_the_model_is_told_why() {
    let wording = json!({"approval": {"prompt": "Pay 7 cents?", "allowDecline": true}});
    for (answer, action, reason, status) in [
        (no(), "accept", "user_denied", "answered"),
        (decline(), "decline", "user_declined", "answered"),
        (cancel(), "cancel", "user_cancelled", "cancelled"),
        (cancel_because("Too expensive."), "cancel", "Too expensive.", "cancelled"),
    ] {
        let node = Node::scripted(play(wording.clone())).await;
        let (ada, asked) = asked(&node).await;
        let turn = ada.answer(&asked.history_id(), &asked.ask_id(), answer.clone()).await.rest().await;
        assert_eq!(turn.kinds(), ["askResolved", "toolResult", "text", "done"], "{answer}");
        assert_eq!(turn.one("askResolved")["action"], action);
        let denied = json!({"approved": false, "reason": reason});
        assert_eq!(
            turn.one("toolResult"),
            &json!({"toolCallId": "call_1", "toolName": "charge", "result": denied})
        );

        let record = node.record();
        assert!(record.tools.is_empty(), "{answer}");
        let result = &record.requests[1]["messages"][2]["results"][0];
        let output = json!({"type": "execution-denied", "reason": reason});
        assert_eq!(result, &json!({"id": "call_1", "name": "charge", "output": output}));
        let rows = [
            format!("approval charge {} (confirm, {status})", asked.ask_id()),
            format!("result charge {} {answer}", asked.ask_id()),
            format!("result charge call_1 {denied}"),
            "assistant: Done.".to_owned(),
        ];
        assert_eq!(transcript(&ada.history(&asked.history_id()).await)[2..], rows);
    }
}

#[tokio::test]
async fn an_approval_is_skipped_only_when_its_wording_allows_it() {
    let node = Node::scripted(play(json!({}))).await;
    let (ada, asked) = asked(&node).await;
    let refused = ada.answer_refused(&asked.history_id(), &asked.ask_id(), decline()).await;
    let refused = refused.expect_problem(400, "Invalid askResponse").json();
    assert_eq!(refused["fields"][0]["code"], "DECLINE_NOT_ALLOWED");
    assert_eq!(ada.pending_asks().await.len(), 1);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_new_message_cancels_an_approval_and_the_model_sees_only_the_message() {
    let node = Node::scripted(play(json!({}))).await;
    let (ada, asked) = asked(&node).await;
    let turn = ada.says_in(&asked.history_id(), "Again").await;
    assert_eq!(turn.kinds()[0], "askResolved");
    assert_eq!(turn.one("askResolved"), &json!({"toolCallId": asked.ask_id(), "action": "cancel"}));
    assert_eq!(turn.text(), "Sure.");
    let rows = [
        "user: Pay".to_owned(),
        r#"call charge call_1 {"cents":7}"#.to_owned(),
        format!("approval charge {} (confirm, cancelled)", asked.ask_id()),
        format!(r#"result charge {} {{"action":"cancel","reason":"user_sent_message"}}"#, asked.ask_id()),
        r#"result charge call_1 {"approved":false,"reason":"user_sent_message"}"#.to_owned(),
        "user: Again".to_owned(),
        "assistant: Sure.".to_owned(),
    ];
    assert_eq!(transcript(&ada.history(&asked.history_id()).await), rows);
    let record = node.record();
    assert!(record.tools.is_empty());
    let messages = json!([{"role": "user", "text": "Pay"}, {"role": "user", "text": "Again"}]);
    assert_eq!(record.requests[1]["messages"], messages);
    ada.answer_refused(&asked.history_id(), &asked.ask_id(), yes()).await.expect(409);
    invariants::hold(&node).await;
}

/// The second denial is due to the step, the first to the message.
#[tokio::test]
async fn a_new_message_over_two_approvals_denies_both() {
    let calls = vec![call("call_1", "charge", json!({})), call("call_2", "charge", json!({}))];
    let tools = [json!({"name": "charge", "needsApproval": true})];
    let node = Node::scripted(script_with_tools([rule("Pay", [calls])], tools)).await;
    let ada = node.user("ada").await;
    let history = ada.says("Pay").await.history_id();
    ada.says_in(&history, "Again").await;
    let rows = transcript(&ada.history(&history).await);
    assert_eq!(rows[5], r#"result charge call_1 {"approved":false,"reason":"user_sent_message"}"#);
    assert_eq!(rows[6], r#"result charge call_2 {"approved":false,"reason":"one_ask_at_a_time"}"#);
    assert!(node.record().tools.is_empty());
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_host_words_its_own_approval() {
    let wording = json!({
        "title": "Payment", "prompt": "Pay 7 cents?", "confirmLabel": "Pay", "denyLabel": "Keep it", "destructive": true,
    });
    let node = Node::scripted(play(json!({"approval": wording}))).await;
    let (_, asked) = asked(&node).await;
    assert_eq!(asked.ask()["input"], wording);
    let buttons = &asked.ask()["simple"]["buttons"];
    assert_eq!((&buttons[0]["label"], &buttons[0]["style"]), (&json!("Pay"), &json!("destructive")));
    assert_eq!(buttons[1]["label"], "Keep it");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_approval_without_wording_or_with_wording_that_fails_or_is_invalid_has_the_default() {
    for more in [
        json!({}),
        json!({"approvalFails": true}),
        json!({"approval": {}}),
        json!({"approval": "Pay?"}),
        json!({"approval": {"prompt": "Pay?", "confirmLabel": "Cancel"}}),
        json!({"approval": {"prompt": "Pay?", "confirmLabel": "x".repeat(21)}}),
        json!({"approval": {"prompt": "Pay?", "submitLabel": "Go"}}),
    ] {
        let node = Node::scripted(play(more.clone())).await;
        let (ada, asked) = asked(&node).await;
        let default = json!({"prompt": "Allow charge? Charges the card.", "confirmLabel": "Allow", "denyLabel": "Deny"});
        assert_eq!(asked.ask()["input"], default, "{more}");
        let turn = ada.answer(&asked.history_id(), &asked.ask_id(), yes()).await.rest().await;
        assert_eq!(turn.text(), "Done.");
    }
}

#[tokio::test]
async fn the_default_wording_is_cut_to_500_characters() {
    let node = Node::scripted(play(json!({"description": "é".repeat(600)}))).await;
    let (_, asked) = asked(&node).await;
    let prompt = asked.ask()["input"]["prompt"].as_str().unwrap();
    assert_eq!(prompt, format!("Allow charge? {}", "é".repeat(486)));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_approval_is_answered_on_a_small_screen_and_needs_no_kind_to_be_offered() {
    let setup = Setup::new().scripted(&play(json!({}))).set("asks.kinds", "");
    let node = setup.start().await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    for (button, paid) in [("deny", 0), ("approve", 1)] {
        let asked =
            ada.turn(&history, json!({"prompt": "Pay", "surface": "compact"})).await.expect(200).data();
        let ask = &asked["pendingAsk"];
        assert_eq!((&ask["kind"], &ask["simple"]["handoff"]), (&json!("confirm"), &json!(false)));
        assert_eq!(ask.as_object().unwrap().len(), 3, "{ask}");
        let press = json!({"toolCallId": ask["toolCallId"], "buttonId": button, "surface": "compact"});
        assert_eq!(ada.turn(&history, press).await.expect(200).data()["text"], "Done.");
        assert_eq!(node.record().tools.len(), paid);
    }
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_approval_may_lead_to_the_next_one() {
    let requests = [
        vec![call("call_1", "charge", json!({"cents": 1}))],
        vec![call("call_2", "charge", json!({"cents": 2}))],
        vec![ask("call_3", "Again?")],
        vec![text("Done.")],
    ];
    let tools = [json!({"name": "charge", "needsApproval": true, "result": "paid"})];
    let node = Node::scripted(script_with_tools([rule("", requests)], tools)).await;
    let ada = node.user("ada").await;
    let first = ada.says("Pay").await;
    let history = first.history_id();
    let second = ada.answer(&history, &first.ask_id(), yes()).await.rest().await;
    assert_eq!(second.kinds(), ["askResolved", "toolResult", "toolCall", "ask", "done"]);
    assert_ne!(second.ask_id(), first.ask_id());
    ada.answer_refused(&history, &first.ask_id(), yes()).await.expect(409);
    let third = ada.answer(&history, &second.ask_id(), no()).await.rest().await;
    assert_eq!(third.kinds(), ["askResolved", "toolResult", "ask", "done"]);
    let turn = ada.answer(&history, "call_3", accept(json!({"confirmed": true}))).await.rest().await;
    assert_eq!(turn.text(), "Done.");
    assert_eq!(node.record().runs_of("charge"), ["call_1"]);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn later_turns_replay_neither_approvals_nor_host_tools() {
    let node = Node::scripted(play(json!({}))).await;
    let (ada, asked) = asked(&node).await;
    ada.answer(&asked.history_id(), &asked.ask_id(), yes()).await.rest().await;
    ada.says_in(&asked.history_id(), "Again").await;
    assert_eq!(
        node.record().requests[2]["messages"],
        json!([
            {"role": "user", "text": "Pay"},
            {"role": "assistant", "text": "Done."},
            {"role": "user", "text": "Again"},
        ])
    );
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_tool_that_is_gone_when_it_is_approved_does_not_run() {
    let node = Node::scripted(play(json!({}))).await;
    let (ada, asked) = asked(&node).await;
    let mut without = play(json!({}));
    without["tools"] = json!([]);
    node.setup().write_script(&without);
    let turn = ada.answer(&asked.history_id(), &asked.ask_id(), yes()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "toolResult", "text", "done"]);
    assert!(turn.one("toolResult")["result"]["error"].is_string());
    assert!(node.record().tools.is_empty());
    invariants::hold(&node).await;
}
