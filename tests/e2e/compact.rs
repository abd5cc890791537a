//! A turn from a small screen asks only what fits there, and every ask of it is answered by its buttons.

use serde_json::{Value, json};

use crate::support::play::{ask, call, colours, rule, script, text};
use crate::support::transcript::transcript;
use crate::support::{Node, Setup, invariants};

const LINE: &str = "The user is on a small screen, such as a watch. Keep each reply to at most two short sentences, and \
                    ask only yes-or-no questions or questions with up to three short options.";

fn offered(request: &Value) -> Vec<&str> {
    request["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_compact_turn_offers_the_compact_kinds_and_says_so() {
    let node = Node::scripted(script([rule("", [vec![text("Hi.")]])])).await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    ada.turn(&history, json!({"prompt": "One", "surface": "compact"})).await.expect(200);
    let compact = ada.prompt(json!({"prompt": "Two", "historyId": history, "surface": "compact"})).await;
    compact.rest().await;
    ada.says_in(&history, "Three").await;
    ada.turn(&history, json!({"prompt": "Four", "surface": "full"})).await.expect(200);

    let requests = node.record().requests;
    for request in &requests[..2] {
        assert_eq!(request["surface"], "compact");
        assert_eq!(offered(request), ["ask_choice", "ask_confirm"]);
        assert!(request["system"].as_str().unwrap().ends_with(LINE), "{}", request["system"]);
    }
    for request in &requests[2..] {
        assert_eq!(request["surface"], "full");
        assert_eq!(offered(request), ["ask_choice", "ask_confirm", "ask_markdown", "ask_form", "ask_files"]);
        assert!(!request["system"].as_str().unwrap().contains(LINE));
    }
    insta::assert_snapshot!("system_compact", requests[0]["system"].as_str().unwrap());
    insta::assert_snapshot!("system_full", requests[2]["system"].as_str().unwrap());
    invariants::hold(&node).await;
}

#[tokio::test]
async fn the_line_for_small_screens_stands_also_with_asks_off() {
    let play = script([rule("", [vec![text("Hi.")]])]);
    let node = Setup::new().scripted(&play).set("asks.enabled", false).start().await;
    let ada = node.user("ada").await;
    ada.prompt(json!({"prompt": "One", "surface": "compact"})).await.rest().await;
    let request = &node.record().requests[0];
    assert_eq!(offered(request), Vec::<&str>::new());
    assert!(request["system"].as_str().unwrap().ends_with(LINE));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_ask_that_does_not_fit_goes_back_to_the_model_and_never_reaches_the_client() {
    let option = |id: &str, label: &str| json!({"id": id, "label": label});
    let mut many = colours();
    many["select"] = json!("many");
    let mut four = colours();
    four["options"] = json!([option("a", "A"), option("b", "B"), option("c", "C"), option("d", "D")]);
    let mut long = colours();
    long["options"][0]["label"] = json!("x".repeat(21));
    let mut alike = colours();
    alike["options"][1]["label"] = json!(" Red ");
    let form = json!({"prompt": "Name?", "fields": [{"id": "name", "type": "text", "label": "Name"}]});
    for (name, tool, input, errors) in [
        ("many", "ask_choice", many, json!([["select", "INVALID_ENUM"]])),
        ("four", "ask_choice", four, json!([["options", "TOO_MANY"]])),
        ("long", "ask_choice", long, json!([["options[0].label", "TOO_LONG"]])),
        ("alike", "ask_choice", alike, json!([["options[1].label", "DUPLICATE_LABEL"]])),
        ("form", "ask_form", form, Value::Null),
    ] {
        let requests = [vec![call("call_1", tool, input.clone())], vec![ask("call_2", "Red?")]];
        let node = Node::scripted(script([rule("", requests)])).await;
        let ada = node.user("ada").await;
        let turn = ada.prompt(json!({"prompt": "Go", "surface": "compact"})).await.rest().await;
        assert_eq!((turn.kinds(), turn.ask_id()), (vec!["ask", "done"], "call_2".to_owned()), "{name}");
        assert_eq!(turn.ask()["simple"]["handoff"], false);
        let read = ada.history(&turn.history_id()).await;
        assert_eq!(transcript(&read), ["user: Go", "ask ask_confirm call_2 (confirm, pending)"], "{name}");

        let result = node.record().requests[1]["messages"][2]["results"][0].clone();
        assert_eq!((&result["id"], &result["output"]["type"]), (&json!("call_1"), &json!("error")), "{name}");
        let found = result["output"]["value"]["errors"].as_array();
        let found =
            found.map(|found| found.iter().map(|error| json!([error["path"], error["code"]])).collect());
        assert_eq!(found.unwrap_or(Value::Null), errors, "{name}: {result:#}");

        // The same ask is good on a full screen.
        let turn = ada.says("Go").await;
        assert_eq!((turn.ask_id(), &turn.ask()["input"]), ("call_1".to_owned(), &input), "{name}");
    }
}

#[tokio::test]
async fn the_surface_is_that_of_the_newest_command_and_not_of_the_conversation() {
    let form = json!({"prompt": "Name?", "fields": [{"id": "name", "type": "text", "label": "Name"}]});
    let requests =
        [vec![ask("call_1", "Sure?")], vec![call("call_2", "ask_form", form)], vec![text("Done.")]];
    let node = Node::scripted(script([rule("", requests)])).await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    ada.turn(&history, json!({"prompt": "Go", "surface": "compact"})).await.expect(200);
    let press = json!({"toolCallId": "call_1", "buttonId": "approve"});
    let asked = ada.turn(&history, press).await.expect(200).data();
    assert_eq!(asked["pendingAsk"]["kind"], "form");
    assert_eq!(asked["pendingAsk"]["simple"]["handoff"], true);
    let skip = json!({"toolCallId": "call_2", "buttonId": "cancel", "surface": "compact"});
    assert_eq!(ada.turn(&history, skip).await.expect(200).data()["text"], "Done.");
    let surfaces: Vec<Value> =
        node.record().requests.iter().map(|request| request["surface"].clone()).collect();
    assert_eq!(surfaces, ["compact", "full", "compact"]);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn each_compact_kind_is_asked_refused_and_answered_over_both_ways() {
    let confirm = json!({"prompt": "Sure?"});
    for (tool, input, wrong, right, button) in [
        ("ask_choice", colours(), json!({"selected": ["blue"]}), json!({"selected": ["red"]}), "option:red"),
        ("ask_confirm", confirm, json!({"confirmed": 1}), json!({"confirmed": true}), "approve"),
    ] {
        let requests = [vec![call("call_1", tool, input)], vec![text("Done.")]];
        let node = Node::scripted(script([rule("", requests)])).await;
        let ada = node.user("ada").await;
        let prompt = json!({"prompt": "Go", "surface": "compact"});
        let answer = |history: &str, content: &Value| {
            let response = json!({"toolCallId": "call_1", "action": "accept", "content": content});
            json!({"historyId": history, "askResponse": response, "surface": "compact"})
        };

        let asked = ada.prompt(prompt.clone()).await.rest().await;
        assert_eq!((asked.kinds(), &asked.ask()["simple"]["handoff"]), (vec!["ask", "done"], &json!(false)));
        let history = asked.history_id();
        let refused = ada.prompt_refused(answer(&history, &wrong)).await;
        assert_eq!(
            refused.expect_problem(400, "Invalid askResponse").json()["fields"].as_array().unwrap().len(),
            1
        );
        assert_eq!((ada.pending_asks().await.len(), node.record().requests.len()), (1, 1));
        assert_eq!(ada.prompt(answer(&history, &right)).await.rest().await.text(), "Done.");

        let history = ada.new_history().await;
        let asked = ada.turn(&history, prompt).await.expect(200).data();
        assert_eq!(asked["pendingAsk"]["simple"]["handoff"], false);
        let press = json!({"toolCallId": "call_1", "buttonId": button, "surface": "compact"});
        assert_eq!(ada.turn(&history, press).await.expect(200).data()["text"], "Done.");
        assert_eq!(ada.history(&history).await["prompts"][2]["result"]["content"], right);
        invariants::hold(&node).await;
    }
}
