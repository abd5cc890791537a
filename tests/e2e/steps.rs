//! The steps of a turn: invalid asks are mended, tools run side by side and once, and steps have a limit.

use serde_json::{Value, json};

use crate::support::play::{accept, ask, ask_colour, call, rule, script, script_with_tools, text, yes};
use crate::support::transcript::transcript;
use crate::support::{Node, Setup, invariants};

fn look() -> Value {
    json!({"name": "look", "description": "Looks it up.", "result": {"found": 7}})
}

#[tokio::test]
async fn an_invalid_ask_goes_back_to_the_model_with_every_error_and_leaves_no_trace() {
    let broken = json!({"prompt": " ", "select": "one", "options": [{"id": "A", "label": "A"}], "colour": 1});
    let requests =
        [vec![call("call_1", "ask_choice", broken)], vec![ask_colour("call_2")], vec![text("Done.")]];
    let node = Node::scripted(script([rule("", requests)])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!((turn.kinds(), turn.ask_id()), (vec!["ask", "done"], "call_2".to_owned()));
    let history = turn.history_id();
    let rows = ["user: Go", "ask ask_choice call_2 (choice, pending)"];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    ada.answer_refused(&history, "call_1", yes()).await.expect_problem(409, "This ask is no longer pending");

    let told = &node.record().requests[1]["messages"][2]["results"][0];
    assert_eq!(
        (&told["id"], &told["name"], &told["output"]["type"]),
        (&json!("call_1"), &json!("ask_choice"), &json!("error"))
    );
    insta::assert_json_snapshot!("told_of_an_invalid_ask", told["output"]["value"]);

    // What was mended is replayed with the answer.
    let green = accept(json!({"selected": ["green"]}));
    ada.answer(&history, "call_2", green).await.rest().await;
    assert_eq!(node.record().requests[2]["messages"][2]["results"][0], *told);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_ask_with_text_for_arguments_is_invalid_too() {
    for broken in [json!("a string"), Value::Null, json!([]), json!(7)] {
        let requests = [vec![call("call_1", "ask_confirm", broken)], vec![text("Never mind.")]];
        let node = Node::scripted(script([rule("", requests)])).await;
        let turn = node.user("ada").await.says("Go").await;
        assert_eq!(turn.kinds(), ["text", "done"]);
    }
}

#[tokio::test]
async fn a_valid_ask_beside_an_invalid_one_pauses_the_turn() {
    let requests =
        [vec![call("call_1", "ask_confirm", json!({})), ask("call_2", "Sure?")], vec![text("Done.")]];
    let node = Node::scripted(script([rule("", requests)])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.ask_id(), "call_2");
    ada.answer(&turn.history_id(), "call_2", yes()).await.rest().await;
    let results = &node.record().requests[1]["messages"][2]["results"];
    assert_eq!(results[0]["output"]["type"], "error");
    assert_eq!(results[1]["output"], json!({"type": "json", "value": yes()}));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_tool_beside_an_ask_runs_once_before_the_pause_and_not_again_on_resume() {
    let requests =
        [vec![ask("call_1", "Sure?"), call("call_2", "look", json!({"at": 1}))], vec![text("Done.")]];
    let node = Node::scripted(script_with_tools([rule("", requests)], [look()])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.kinds(), ["toolCall", "toolResult", "ask", "done"]);
    assert_eq!(turn.one("toolCall"), &json!({"toolCallId": "call_2", "toolName": "look", "args": {"at": 1}}));
    assert_eq!(
        turn.one("toolResult"),
        &json!({"toolCallId": "call_2", "toolName": "look", "result": {"found": 7}})
    );
    assert_eq!(node.record().runs_of("look"), ["call_2"]);
    let history = turn.history_id();
    let rows = [
        "user: Go",
        r#"call look call_2 {"at":1}"#,
        r#"result look call_2 {"found":7}"#,
        "ask ask_confirm call_1 (confirm, pending)",
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);

    let turn = ada.answer(&history, "call_1", yes()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "text", "done"]);
    assert_eq!(node.record().runs_of("look"), ["call_2"]);
    assert_eq!(
        node.record().requests[1]["messages"],
        json!([
            {"role": "user", "text": "Go"},
            {"role": "assistant", "calls": [
                {"id": "call_1", "name": "ask_confirm", "args": {"prompt": "Sure?"}},
                {"id": "call_2", "name": "look", "args": {"at": 1}},
            ]},
            {"role": "tool", "results": [
                {"id": "call_1", "name": "ask_confirm", "output": {"type": "json", "value": yes()}},
                {"id": "call_2", "name": "look", "output": {"type": "json", "value": {"found": 7}}},
            ]},
        ])
    );
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_tool_beside_an_approval_runs_before_the_pause_and_the_other_after_it() {
    let calls = vec![call("call_1", "charge", json!({})), call("call_2", "look", json!({}))];
    let tools = [look(), json!({"name": "charge", "needsApproval": true, "result": {"paid": true}})];
    let node = Node::scripted(script_with_tools([rule("", [calls, vec![text("Done.")]])], tools)).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.kinds(), ["toolCall", "toolCall", "toolResult", "ask", "done"]);
    assert!(node.record().runs_of("charge").is_empty());
    let turn = ada.answer(&turn.history_id(), &turn.ask_id(), yes()).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "toolResult", "text", "done"]);
    let record = node.record();
    assert_eq!((record.runs_of("look"), record.runs_of("charge")), (vec!["call_2"], vec!["call_1"]));
    invariants::hold(&node).await;
}

/// Three tools that each wait: a turn that ran them one after another would run into its deadline.
#[tokio::test]
async fn the_tools_of_a_step_run_side_by_side_and_their_results_come_as_they_arrive() {
    let tool = |name: &str, millis: u32| json!({"name": name, "waitMs": millis, "result": name});
    let calls = vec![
        call("call_1", "slow", json!({})),
        call("call_2", "quick", json!({})),
        call("call_3", "middling", json!({})),
    ];
    let tools = [tool("slow", 1200), tool("quick", 0), tool("middling", 600)];
    let node = Node::scripted(script_with_tools([rule("", [calls, vec![text("Done.")]])], tools)).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    let came: Vec<&Value> = turn.all("toolResult").iter().map(|result| &result["toolCallId"]).collect();
    assert_eq!(came, ["call_2", "call_3", "call_1"]);
    let results = node.record().requests[1]["messages"][2]["results"].clone();
    let order: Vec<&Value> = results.as_array().unwrap().iter().map(|result| &result["id"]).collect();
    assert_eq!(order, ["call_1", "call_2", "call_3"], "the model reads them in the order of its calls");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_tool_that_fails_and_a_tool_that_is_not_there_are_told_to_the_model() {
    let calls = vec![call("call_1", "broken", json!({})), call("call_2", "missing", json!({}))];
    let tools = [json!({"name": "broken", "fail": {"message": "The shop is closed."}})];
    let node = Node::scripted(script_with_tools([rule("", [calls, vec![text("Sorry.")]])], tools)).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.text(), "Sorry.");
    assert_eq!(turn.one("toolResult")["result"], json!({"error": "The shop is closed."}));
    let results = node.record().requests[1]["messages"][2]["results"].clone();
    assert_eq!(results[0]["output"], json!({"type": "error", "value": {"error": "The shop is closed."}}));
    assert_eq!((&results[1]["id"], &results[1]["output"]["type"]), (&json!("call_2"), &json!("error")));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_call_id_that_repeats_within_a_turn_is_made_unique() {
    let requests =
        [vec![call("call_1", "look", json!({}))], vec![ask("call_1", "Sure?")], vec![text("Done.")]];
    let node = Node::scripted(script_with_tools([rule("", requests)], [look()])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    let ask = turn.ask_id();
    assert_ne!(ask, "call_1");
    ada.answer_refused(&turn.history_id(), "call_1", yes()).await.expect(409);
    ada.answer(&turn.history_id(), &ask, yes()).await.rest().await;
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_turn_stops_after_ten_steps() {
    let calls: Vec<Vec<Value>> =
        (0..12).map(|n| vec![call(&format!("call_{n}"), "look", json!({}))]).collect();
    let calls: [Vec<Value>; 12] = calls.try_into().unwrap();
    let node = Node::scripted(script_with_tools([rule("", calls)], [look()])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.one("error"), "The agent stopped after 10 steps.");
    assert_eq!((turn.kinds().len(), turn.done().get("pendingAsk")), (22, None));
    let record = node.record();
    assert_eq!((record.requests.len(), record.tools.len()), (10, 10));
    assert_eq!(ada.history(&turn.history_id()).await["prompts"].as_array().unwrap().len(), 21);
    // The conversation goes on.
    assert_eq!(ada.says_in(&turn.history_id(), "Go").await.kinds().last(), Some(&"done"));
    invariants::hold(&node).await;
}

#[tokio::test]
async fn the_limit_is_a_setting_and_an_answer_begins_to_count_anew() {
    let requests = [
        vec![call("call_1", "look", json!({}))],
        vec![ask("call_2", "Sure?")],
        vec![call("call_3", "look", json!({}))],
        vec![text("Done.")],
    ];
    let play = script_with_tools([rule("", requests)], [look()]);
    let node = Setup::new().scripted(&play).set("turns.max_steps", 2).start().await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.ask_id(), "call_2");
    let turn = ada.answer(&turn.history_id(), "call_2", yes()).await.rest().await;
    assert_eq!(turn.text(), "Done.");

    let node = Setup::new().scripted(&play).set("turns.max_steps", 1).start().await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let turn = ada.turn(&history, json!({"prompt": "Go"})).await.expect(200).data();
    assert_eq!(turn["error"], "The agent stopped after 1 steps.");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_agent_that_never_mends_its_ask_is_stopped_too() {
    let asks: Vec<Vec<Value>> =
        (0..12).map(|n| vec![call(&format!("call_{n}"), "ask_confirm", json!({}))]).collect();
    let asks: [Vec<Value>; 12] = asks.try_into().unwrap();
    let node = Node::scripted(script([rule("", asks)])).await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go").await;
    assert_eq!(turn.kinds(), ["error", "done"]);
    assert_eq!(turn.one("error"), "The agent stopped after 10 steps.");
    assert_eq!(transcript(&ada.history(&turn.history_id()).await), ["user: Go"]);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_tool_with_a_name_of_an_ask_is_dropped_and_logged() {
    let requests = [vec![call("call_1", "ask_weather", json!({}))], vec![text("No idea.")]];
    let tools = [json!({"name": "ask_weather", "result": "sunny"}), look()];
    let node = Node::scripted(script_with_tools([rule("", requests)], tools)).await;
    let turn = node.user("ada").await.says("Go").await;
    assert_eq!(turn.kinds(), ["text", "done"]);
    let record = node.record();
    assert!(record.tools.is_empty());
    let offered = record.requests[0]["tools"].as_array().unwrap();
    assert!(offered.iter().any(|tool| tool["name"] == "look"));
    assert!(offered.iter().all(|tool| tool["name"] != "ask_weather"));
    node.logs().warning_about("ask_weather").await;
    invariants::hold(&node).await;
}
