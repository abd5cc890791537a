//! Turns of one conversation run one after another; what arrives meanwhile waits (rule 4).

use serde_json::{Value, json};

use crate::support::play::{ask_colour, decline, fail, rule, script, text, wait};
use crate::support::transcript::transcript;
use crate::support::{Node, Setup, invariants};

fn slow(when: &str, said: &str) -> Value {
    rule(when, [vec![wait(2000), text(said)]])
}

#[tokio::test]
async fn prompts_that_arrive_while_a_turn_runs_wait_and_run_in_order() {
    let node = Node::scripted(script([slow("one", "One."), rule("", [vec![text("Next.")]])])).await;
    let ada = node.user("ada").await;
    let one = ada.prompt(json!({"prompt": "one"})).await;
    let history = one.history_id();
    let two = ada.prompt(json!({"prompt": "two", "historyId": history})).await;
    let three = ada.prompt(json!({"prompt": "three", "historyId": history})).await;
    let turns: Vec<String> = [&one, &two, &three].map(|turn| turn.header("x-turn-id").to_owned()).to_vec();
    assert!(turns[0] != turns[1] && turns[1] != turns[2]);
    assert_eq!(
        transcript(&ada.history(&history).await),
        ["user: one"],
        "a queued prompt is not a message yet"
    );
    for (turn, said) in [(one, "One."), (two, "Next."), (three, "Next.")] {
        let turn = turn.rest().await;
        assert_eq!((turn.kinds(), turn.text()), (vec!["text", "done"], said.to_owned()));
    }
    let rows =
        ["user: one", "assistant: One.", "user: two", "assistant: Next.", "user: three", "assistant: Next."];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    let tasks: Vec<Value> = node.record().requests.iter().map(|request| request["taskId"].clone()).collect();
    assert_eq!(tasks, turns, "X-Turn-Id names the turn that was to come");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_headless_prompt_waits_its_turn_too() {
    let node = Node::scripted(script([slow("one", "One."), rule("", [vec![text("Next.")]])])).await;
    let ada = node.user("ada").await;
    let one = ada.prompt(json!({"prompt": "one"})).await;
    let history = one.history_id();
    let two = ada.turn(&history, json!({"prompt": "two"})).await.expect(200).data();
    assert_eq!(two["text"], "Next.");
    assert_eq!(one.rest().await.text(), "One.");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn conversations_do_not_wait_for_each_other() {
    let node =
        Node::scripted(script([rule("one", [vec![wait(5000)]]), rule("", [vec![text("Next.")]])])).await;
    let ada = node.user("ada").await;
    let one = ada.prompt(json!({"prompt": "one"})).await;
    assert_eq!(ada.says("two").await.text(), "Next.");
    assert_eq!(ada.history(&one.history_id()).await["prompts"].as_array().unwrap().len(), 1);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn more_prompts_than_may_wait_are_refused_for_now() {
    let play = script([slow("one", "One."), rule("", [vec![text("Next.")]])]);
    let node = Setup::new().scripted(&play).set("turns.queue_limit", 2).start().await;
    let ada = node.user("ada").await;
    let one = ada.prompt(json!({"prompt": "one"})).await;
    let history = one.history_id();
    let two = ada.prompt(json!({"prompt": "two", "historyId": history})).await;
    let three = ada.prompt(json!({"prompt": "three", "historyId": history})).await;
    for refused in [
        ada.prompt_refused(json!({"prompt": "four", "historyId": history})).await,
        ada.turn(&history, json!({"prompt": "four"})).await,
    ] {
        let refused = refused.expect_problem(429, "Too many requests");
        assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    }
    for turn in [one, two, three] {
        turn.rest().await;
    }
    assert_eq!(ada.says_in(&history, "four").await.text(), "Next.");
    let users: Vec<String> =
        transcript(&ada.history(&history).await).into_iter().filter(|row| row.starts_with("user")).collect();
    assert_eq!(users, ["user: one", "user: two", "user: three", "user: four"]);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn thirty_two_prompts_may_wait_by_default() {
    let node = Node::scripted(script([rule("one", [vec![wait(20_000)]])])).await;
    let ada = node.user("ada").await;
    let one = ada.prompt(json!({"prompt": "one"})).await;
    let history = one.history_id();
    let mut waiting = Vec::new();
    for _ in 0..32 {
        waiting.push(ada.prompt(json!({"prompt": "more", "historyId": history})).await);
    }
    ada.prompt_refused(json!({"prompt": "more", "historyId": history})).await.expect(429);
    invariants::hold(&node).await;
}

/// It takes the ask at once, and counts in no limit: one prompt may still wait beside it.
#[tokio::test]
async fn an_answer_that_arrives_while_another_turn_runs_waits_its_turn() {
    let paint = rule("Paint", [vec![wait(1000), ask_colour("call_1")], vec![text("Painted.")]]);
    let play = script([paint, slow("slow", "Slow."), rule("", [vec![text("Next.")]])]);
    let node = Setup::new().scripted(&play).set("turns.queue_limit", 1).start().await;
    let ada = node.user("ada").await;
    let paint = ada.prompt(json!({"prompt": "Paint"})).await;
    let history = paint.history_id();
    let turn_id = paint.header("x-turn-id").to_owned();
    let slow = ada.prompt(json!({"prompt": "slow", "historyId": history})).await;
    assert_eq!(paint.rest().await.ask_id(), "call_1");

    // The slow turn runs now.
    let answer = ada.answer(&history, "call_1", decline()).await;
    assert_eq!(answer.header("x-turn-id"), turn_id, "the answer goes on with the turn that asked");
    let next = ada.prompt(json!({"prompt": "next", "historyId": history})).await;
    ada.prompt_refused(json!({"prompt": "one too many", "historyId": history})).await.expect(429);
    let read = ada.history(&history).await;
    assert_eq!((read.get("pendingAsk"), &read["prompts"][1]["ask"]["status"]), (None, &json!("answered")));
    let refused = ada.answer_refused(&history, "call_1", decline()).await;
    insta::assert_json_snapshot!("claimed", refused.expect(409).snapshot());

    assert_eq!(slow.rest().await.kinds(), ["text", "done"]);
    let answer = answer.rest().await;
    assert_eq!((answer.kinds(), answer.text()), (vec!["askResolved", "text", "done"], "Painted.".to_owned()));
    assert_eq!(next.rest().await.kinds(), ["text", "done"]);
    let rows = [
        "user: Paint",
        "ask ask_choice call_1 (choice, answered)",
        "user: slow",
        "assistant: Slow.",
        r#"result ask_choice call_1 {"action":"decline"}"#,
        "assistant: Painted.",
        "user: next",
        "assistant: Next.",
    ];
    assert_eq!(transcript(&ada.history(&history).await), rows);
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_turn_that_fails_lets_the_next_one_run() {
    let one = rule("one", [vec![wait(1000), fail("down")]]);
    let node = Node::scripted(script([one, rule("", [vec![text("Next.")]])])).await;
    let ada = node.user("ada").await;
    let one = ada.prompt(json!({"prompt": "one"})).await;
    let two = ada.prompt(json!({"prompt": "two", "historyId": one.history_id()})).await;
    assert_eq!(one.rest().await.kinds(), ["error", "done"]);
    assert_eq!(two.rest().await.text(), "Next.");
    invariants::hold(&node).await;
}
