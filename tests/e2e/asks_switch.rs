//! The settings `asks`: off, with some kinds, with none.

use serde_json::{Value, json};

use crate::support::{Node, Setup};

/// A script that asks for approval of a tool, and then says what became of it.
fn charging() -> Value {
    json!({
        "rules": [{"when": "", "requests": [
            [{"call": {"id": "call_charge", "name": "charge", "args": {}}}], [{"text": "Done."}],
        ]}],
        "tools": [{"name": "charge", "needsApproval": true, "result": {"ok": true}}],
    })
}

/// The tools each model request was offered.
fn offered(node: &Node) -> Vec<Vec<String>> {
    let names = |request: &Value| {
        let tools = request["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    node.record().requests.iter().map(names).collect()
}

#[tokio::test]
async fn with_asks_off_the_headless_endpoints_do_not_exist() {
    let node = Setup::new().set("asks.enabled", false).start().await;
    let ada = node.user("ada").await;
    let paths = node.contract().document()["paths"].as_object().unwrap();
    assert!(!paths.contains_key("/gpt/histories/{id}/turn"));
    assert!(!paths.contains_key("/gpt/histories/pendingAsks"));
    let history = ada.new_history().await;
    ada.turn(&history, json!({"prompt": "Hello"})).await.expect_problem(404, "Not found");
    ada.get("/gpt/histories/pendingAsks").await.expect_problem(404, "Document not found");
}

#[tokio::test]
async fn with_asks_off_an_answer_is_ignored_and_a_prompt_required() {
    let node = Setup::new().set("asks.enabled", false).start().await;
    let ada = node.user("ada").await;
    let answer = json!({"toolCallId": "call_1", "action": "decline"});
    let body = json!({"historyId": ada.new_history().await, "askResponse": answer});
    ada.prompt_refused(body).await.expect_problem(400, "prompt is required");
    let turn = ada.prompt(json!({"prompt": "Help me pick a plan", "askResponse": answer})).await.rest().await;
    assert_eq!(turn.kinds().last(), Some(&"done"));
    assert!(turn.all("ask").is_empty());
    assert!(turn.text().contains("turned off"), "{}", turn.text());
}

#[tokio::test]
async fn an_ask_that_is_pending_when_asks_are_turned_off_stays_stored() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let asked = ada.says("Help me pick a plan").await;
    let history = asked.history_id();
    let pending = ada.history(&history).await["pendingAsk"].take();
    let setup = node.setup().clone();

    drop(node);
    let off = setup.clone().set("asks.enabled", false).start().await;
    let turn = ada.on(&off).says_in(&history, "Hello").await;
    assert!(turn.all("askResolved").is_empty(), "events are as if there were no asks");
    assert_eq!(ada.on(&off).history(&history).await["pendingAsk"], pending);

    drop(off);
    let on = setup.start().await;
    let answer = json!({"action": "accept", "content": {"selected": ["team"]}});
    let turn = ada.on(&on).answer(&history, &asked.ask_id(), answer).await.rest().await;
    assert!(turn.text().contains("Team"), "{}", turn.text());
}

#[tokio::test]
async fn with_asks_off_the_model_is_offered_none_and_a_call_of_one_goes_back_to_it() {
    let ask = json!({"id": "call_1", "name": "ask_confirm", "args": {"prompt": "Sure?"}});
    let script = json!({"rules": [{"when": "", "requests": [[{"call": ask}], [{"text": "Then not."}]]}]});
    let node = Setup::new().scripted(&script).set("asks.enabled", false).start().await;
    let ada = node.user("ada").await;
    assert_eq!(ada.says("Hello").await.kinds(), ["text", "done"]);
    assert_eq!(offered(&node), [Vec::<String>::new(), Vec::new()]);
    let requests = node.record().requests;
    assert!(!requests[0]["system"].as_str().unwrap().contains("ask_"), "{}", requests[0]["system"]);
    assert_eq!(requests[1]["messages"][2]["results"][0]["output"]["type"], "error");
}

#[tokio::test]
async fn with_asks_off_a_tool_that_needs_approval_does_not_run_and_is_logged() {
    let node = Setup::new().scripted(&charging()).set("asks.enabled", false).start().await;
    let ada = node.user("ada").await;
    let turn = ada.says("Charge me").await;
    assert!(turn.all("ask").is_empty());
    assert!(node.record().tools.is_empty());
    assert_eq!(offered(&node)[0], ["charge"]);
    node.logs().warning_about("charge").await;
}

#[tokio::test]
async fn only_the_listed_kinds_are_offered_and_only_the_compact_ones_to_a_watch() {
    for (kinds, full, compact) in [
        ("choice,form", vec!["ask_choice", "ask_form"], vec!["ask_choice"]),
        (
            "choice,confirm,markdown,form,files",
            vec!["ask_choice", "ask_confirm", "ask_markdown", "ask_form", "ask_files"],
            vec!["ask_choice", "ask_confirm"],
        ),
    ] {
        let script = json!({"rules": [{"when": "", "requests": [[{"text": "Hello."}]]}]});
        let node = Setup::new().scripted(&script).set("asks.kinds", kinds).start().await;
        let ada = node.user("ada").await;
        ada.says("Hello").await;
        ada.prompt(json!({"prompt": "Hello", "surface": "compact"})).await.rest().await;
        assert_eq!(offered(&node), [full, compact]);
    }
}

#[tokio::test]
async fn without_kinds_nothing_is_offered_and_approvals_work() {
    let node = Setup::new().scripted(&charging()).set("asks.kinds", "").start().await;
    let ada = node.user("ada").await;
    let asked = ada.says("Charge me").await;
    assert_eq!(offered(&node)[0], ["charge"]);
    assert_eq!(asked.ask()["origin"], "approval");
    let approve = json!({"action": "accept", "content": {"confirmed": true}});
    let turn = ada.answer(&asked.history_id(), &asked.ask_id(), approve).await.rest().await;
    assert_eq!(turn.text(), "Done.");
    assert_eq!(node.record().runs_of("charge"), ["call_charge"]);
}

#[tokio::test]
async fn an_ask_of_a_kind_that_was_turned_off_since_takes_its_answer() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let asked = ada.says("Help me pick a plan").await;
    let setup = node.setup().clone();
    drop(node);
    let node = setup.set("asks.kinds", "confirm").start().await;
    let answer = json!({"action": "accept", "content": {"selected": ["team"]}});
    let turn = ada.on(&node).answer(&asked.history_id(), &asked.ask_id(), answer).await.rest().await;
    assert!(turn.text().contains("Team"), "{}", turn.text());
}

#[tokio::test]
async fn with_asks_off_no_name_of_a_tool_is_reserved() {
    let call = json!({"id": "call_1", "name": "ask_weather", "args": {}});
    let script = json!({
        "rules": [{"when": "", "requests": [[{"call": call}], [{"text": "Sunny."}]]}],
        "tools": [{"name": "ask_weather", "result": "sunny"}],
    });
    let node = Setup::new().scripted(&script).set("asks.enabled", false).start().await;
    let turn = node.user("ada").await.says("How is the weather?").await;
    assert_eq!(turn.kinds(), ["toolCall", "toolResult", "text", "done"]);
    assert_eq!(node.record().runs_of("ask_weather"), ["call_1"]);
}
