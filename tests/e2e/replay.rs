//! What the model is given: a resume replays the paused turn verbatim, and a later turn what was said and asked
//! (rule 13). Whole messages, as the record has them.

use serde_json::{Value, json};

use crate::support::play::{
    accept, ask, ask_colour, call, colours, decline, fail, rule, script, script_with_tools, text, wait, yes,
};
use crate::support::transcript::transcript;
use crate::support::{Node, invariants};

fn user(text: &str) -> Value {
    json!({"role": "user", "text": text})
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "text": text})
}

fn called(id: &str, name: &str, args: Value) -> Value {
    json!({"role": "assistant", "calls": [{"id": id, "name": name, "args": args}]})
}

fn result(id: &str, name: &str, value: Value) -> Value {
    json!({"role": "tool", "results": [{"id": id, "name": name, "output": {"type": "json", "value": value}}]})
}

fn green() -> Value {
    accept(json!({"selected": ["green"]}))
}

fn look() -> Value {
    json!({"name": "look", "result": {"found": 7}})
}

#[tokio::test]
async fn a_resume_replays_the_history_the_paused_turn_and_the_answer() {
    let paint = rule(
        "Paint",
        [
            vec![text("Let me look."), call("call_1", "look", json!({"at": 1}))],
            vec![text("Now I ask."), ask_colour("call_2")],
            vec![text("Painted.")],
        ],
    );
    let hello = rule("Hello", [vec![text("Hello to you.")]]);
    let node = Node::scripted(script_with_tools([hello, paint], [look()])).await;
    let ada = node.user("ada").await;
    let history = ada.says("Hello").await.history_id();
    ada.says_in(&history, "Paint the door").await;
    ada.answer(&history, "call_2", green()).await.rest().await;

    let requests = node.record().requests;
    let beside_text = |text: &str, id: &str, name: &str, args: Value| json!({"role": "assistant", "text": text, "calls": [{"id": id, "name": name, "args": args}]});
    let resumed = json!([
        user("Hello"),
        said("Hello to you."),
        user("Paint the door"),
        beside_text("Let me look.", "call_1", "look", json!({"at": 1})),
        result("call_1", "look", json!({"found": 7})),
        beside_text("Now I ask.", "call_2", "ask_choice", colours()),
        result("call_2", "ask_choice", green()),
    ]);
    assert_eq!(requests.last().unwrap()["messages"], resumed);
    // The same turn goes on: its requests are numbered through, and it is one task.
    let numbers: Vec<&Value> = requests[1..].iter().map(|request| &request["request"]).collect();
    assert_eq!(numbers, [0, 1, 2]);
    assert!(requests[1..].iter().all(|request| request["taskId"] == requests[1]["taskId"]));
    assert_ne!(requests[0]["taskId"], requests[1]["taskId"]);
    invariants::hold(&node).await;
}

/// The turn that was queued before the ask existed ran while it was pending: its resume does not see that turn.
#[tokio::test]
async fn a_resume_sees_nothing_that_was_written_since_and_a_later_turn_sees_the_result_after_its_call() {
    let first = rule("first", [vec![wait(1000), ask_colour("call_1")], vec![text("Green it is.")]]);
    let second = rule("second", [vec![text("Second.")]]);
    let third = rule("third", [vec![text("Third.")]]);
    let node = Node::scripted(script([first, second, third])).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "first"})).await;
    let history = running.history_id();
    let queued = ada.prompt(json!({"prompt": "second", "historyId": history})).await;
    running.rest().await;
    queued.rest().await;
    ada.answer(&history, "call_1", green()).await.rest().await;
    ada.says_in(&history, "third").await;

    let rows = [
        "user: first".to_owned(),
        "ask ask_choice call_1 (choice, answered)".to_owned(),
        "user: second".to_owned(),
        "assistant: Second.".to_owned(),
        format!("result ask_choice call_1 {}", green()),
        "assistant: Green it is.".to_owned(),
        "user: third".to_owned(),
        "assistant: Third.".to_owned(),
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);

    let requests = node.record().requests;
    let (call, answer) = (called("call_1", "ask_choice", colours()), result("call_1", "ask_choice", green()));
    assert_eq!(
        requests[1]["messages"],
        json!([user("first"), user("second")]),
        "an ask without a result is left out"
    );
    assert_eq!(requests[2]["messages"], json!([user("first"), call, answer]));
    assert_eq!(
        requests[3]["messages"],
        json!([
            user("first"),
            call,
            answer,
            user("second"),
            said("Second."),
            said("Green it is."),
            user("third")
        ])
    );
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_later_turn_sees_how_every_ask_ended() {
    let requests = [
        vec![ask_colour("call_1"), ask("call_2", "Sure?")],
        vec![ask("call_3", "Really?")],
        vec![ask("call_4", "Quite?")],
        vec![text("Done.")],
    ];
    let node = Node::scripted(script([rule("Go", requests), rule("", [vec![text("Yes.")]])])).await;
    let ada = node.user("ada").await;
    let history = ada.says("Go").await.history_id();
    ada.answer(&history, "call_1", decline()).await.rest().await;
    ada.answer(&history, "call_3", yes()).await.rest().await;
    ada.says_in(&history, "Next").await;
    let dropped = |reason: &str| json!({"action": "cancel", "reason": reason});
    let confirm = |id: &str, prompt: &str| called(id, "ask_confirm", json!({"prompt": prompt}));
    assert_eq!(
        node.record().requests[3]["messages"],
        json!([
            user("Go"),
            called("call_1", "ask_choice", colours()),
            result("call_1", "ask_choice", decline()),
            confirm("call_2", "Sure?"),
            result("call_2", "ask_confirm", dropped("one_ask_at_a_time")),
            confirm("call_3", "Really?"),
            result("call_3", "ask_confirm", yes()),
            confirm("call_4", "Quite?"),
            result("call_4", "ask_confirm", dropped("user_sent_message")),
            user("Next"),
        ])
    );
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_later_turn_sees_no_host_tools_no_text_beside_a_call_and_no_invalid_ask() {
    let requests = [
        vec![text("Let me look."), call("call_1", "look", json!({}))],
        vec![call("call_2", "ask_confirm", json!({}))],
        vec![text("Found it.")],
    ];
    let rules = [rule("Go", requests), rule("", [vec![text("Yes.")]])];
    let node = Node::scripted(script_with_tools(rules, [look()])).await;
    let ada = node.user("ada").await;
    let history = ada.says("Go").await.history_id();
    ada.says_in(&history, "Next").await;
    let messages = json!([user("Go"), said("Found it."), user("Next")]);
    assert_eq!(node.record().requests[3]["messages"], messages);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_later_turn_sees_what_was_said_before_a_failure() {
    let rules =
        [rule("Go", [vec![text("I was "), text("about to"), fail("down")]]), rule("", [vec![text("Yes.")]])];
    let node = Node::scripted(script(rules)).await;
    let ada = node.user("ada").await;
    let history = ada.says("Go").await.history_id();
    ada.says_in(&history, "Next").await;
    let messages = json!([user("Go"), said("I was about to"), user("Next")]);
    assert_eq!(node.record().requests[1]["messages"], messages);
    invariants::hold(&node).await;
}

/// An id that another turn's ask had already does not confuse the two.
#[tokio::test]
async fn asks_of_two_turns_with_the_same_id_keep_their_own_results() {
    let rules = [
        rule("one", [vec![ask("call_1", "One?")], vec![text("One.")]]),
        rule("two", [vec![ask("call_1", "Two?")], vec![text("Two.")]]),
        rule("", [vec![text("Yes.")]]),
    ];
    let node = Node::scripted(script(rules)).await;
    let ada = node.user("ada").await;
    let one = ada.says("one").await;
    let history = one.history_id();
    ada.answer(&history, &one.ask_id(), yes()).await.rest().await;
    let two = ada.says_in(&history, "two").await;
    ada.answer(&history, &two.ask_id(), accept(json!({"confirmed": false}))).await.rest().await;
    ada.says_in(&history, "Next").await;
    let messages = node.record().requests.last().unwrap()["messages"].clone();
    let values: Vec<&Value> = messages
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| &message["results"][0]["output"]["value"]["content"]["confirmed"])
        .collect();
    assert_eq!(values, [true, false]);
    invariants::hold(&node).await;
}
