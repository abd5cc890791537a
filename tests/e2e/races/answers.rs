//! Rule 2: of any number of racing answers one resumes the turn, and every other one is told how the ask ended.

use std::sync::Arc;

use serde_json::{Value, json};

use super::arena::{Act, Fate, Outcome, arena, confirm, pick, print_slowest, rounds, rows_of, too_late};
use super::on_each_database;
use crate::support::client::Client;
use crate::support::script::read_record;
use crate::support::{Node, Setup, invariants};

const ROUNDS: usize = 200;

on_each_database! {
    /// The agent does not wait.
    one_of_twelve_answers_wins;
    /// The agent waits 50 ms before each thing it does, so that late answers meet a running turn.
    one_of_twelve_answers_wins_while_the_turn_runs;
    /// The tool runs once or not at all.
    one_of_twelve_answers_decides_an_approval;
}

async fn one_of_twelve_answers_wins(setup: Setup) {
    let node = arena(setup, 0).await;
    race_for_the_plan(&node, "ask", "Thank you.").await;
    assert_eq!(node.record().requests.len(), 2 * ROUNDS);
}

async fn one_of_twelve_answers_wins_while_the_turn_runs(setup: Setup) {
    let node = arena(setup, 50).await;
    race_for_the_plan(&node, "ask", "Thank you.").await;
    assert_eq!(node.record().requests.len(), 2 * ROUNDS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_twelve_answers_to_the_demo_agent_wins_while_it_speaks() {
    let setup = Setup::new();
    let record = setup.folder().join("record.jsonl");
    let node = setup.set("demo.delay_ms", 50).set("demo.record", record.display()).start().await;
    race_for_the_plan(&node, "Help me pick a plan", "plan").await;
    assert_eq!(read_record(&record).requests.len(), 2 * ROUNDS);
}

async fn race_for_the_plan(node: &Node, prompt: &'static str, reply: &'static str) {
    let acts: Arc<[Act]> = (0..4)
        .flat_map(|_| {
            [Act::Answer(pick("team")), Act::HeadlessAnswer(pick("starter")), Act::Press("option:starter")]
        })
        .collect();
    let races = rounds(node, ROUNDS, move |_, lane| {
        let acts = Arc::clone(&acts);
        async move {
            let asked = lane.user.says(prompt).await;
            let (history, ask) = (asked.history_id(), asked.ask_id());
            let outcomes = lane.race_acts(&history, &ask, &acts).await;
            let winner = the_winner(&outcomes, "accept");
            let said = said_by(&outcomes[winner].fate);
            assert!(said.contains(reply), "{said}");
            let chosen = answer_of(&acts[winner], pick("starter"));
            assert_answered_once(&lane.user, &history, &ask, &chosen).await;
            outcomes
        }
    })
    .await;
    print_slowest(node, &format!("{ROUNDS} rounds of 12 answers"), races.iter().flatten());
    invariants::hold(node).await;
}

async fn one_of_twelve_answers_decides_an_approval(setup: Setup) {
    let node = arena(setup, 20).await;
    let acts: Arc<[Act]> = (0..4)
        .flat_map(|_| {
            [Act::Answer(confirm(true)), Act::HeadlessAnswer(confirm(false)), Act::Press("approve")]
        })
        .collect();
    let races = rounds(&node, ROUNDS, move |_, lane| {
        let acts = Arc::clone(&acts);
        async move {
            let asked = lane.user.says("charge").await;
            let (history, approval) = (asked.history_id(), asked.ask_id());
            let outcomes = lane.race_acts(&history, &approval, &acts).await;
            let winner = the_winner(&outcomes, "accept");
            let decision = answer_of(&acts[winner], confirm(true));
            let approved = decision == confirm(true);
            let decided = assert_answered_once(&lane.user, &history, &approval, &decision).await;
            let results = rows_of(&decided, "tool-result");
            let ran = results.iter().find(|row| row["toolCallId"] == "call_1").unwrap();
            let denied = json!({"approved": false, "reason": "user_denied"});
            assert_eq!(ran["result"], if approved { json!({"charged": 5}) } else { denied });
            (outcomes, approved)
        }
    })
    .await;
    let approved = races.iter().filter(|(_, approved)| *approved).count();
    assert_eq!(node.record().runs_of("charge").len(), approved);
    assert_eq!(node.record().requests.len(), 2 * ROUNDS);
    print_slowest(
        &node,
        &format!("{ROUNDS} rounds of 12 decisions"),
        races.iter().flat_map(|(outcomes, _)| outcomes),
    );
    invariants::hold(&node).await;
}

/// What an act answers, when its button answers `button`.
fn answer_of(act: &Act, button: Value) -> Value {
    match act {
        Act::Answer(response) | Act::HeadlessAnswer(response) => response.clone(),
        Act::Press(_) => button,
        Act::Say(_) | Act::HeadlessSay(_) => panic!("{act:?} answers nothing"),
    }
}

/// Which racer won. Every other was refused at once, and told what is known of the ask.
fn the_winner(outcomes: &[Outcome], action: &str) -> usize {
    let winners: Vec<usize> = (0..outcomes.len()).filter(|racer| outcomes[*racer].fate.won()).collect();
    let [winner] = winners[..] else { panic!("{} answers won: {winners:?}", winners.len()) };
    for outcome in outcomes.iter().filter(|outcome| !outcome.fate.won()) {
        let meta = too_late(outcome.fate.refusal());
        // No turn ran when the answers came, so the winner resumed it at once.
        assert_eq!((&meta["status"], &meta["action"]), (&json!("answered"), &json!(action)), "{meta}");
    }
    winner
}

fn said_by(fate: &Fate) -> String {
    match fate {
        Fate::Streamed(turn) => {
            assert_eq!(turn.kinds().first(), Some(&"askResolved"), "{:#?}", turn.data());
            assert_eq!(turn.one("askResolved")["action"], "accept");
            assert!(turn.done().get("pendingAsk").is_none());
            turn.text()
        }
        Fate::Told(result) => {
            assert!(result.get("pendingAsk").is_none() && result.get("error").is_none(), "{result:#}");
            result["text"].as_str().unwrap().to_owned()
        }
        Fate::Refused(reply) => panic!("it was refused: {}", reply.text()),
    }
}

/// The ask has one answer, its row shows it, and the conversation heard of it once. Gives the conversation.
async fn assert_answered_once(user: &Client, history: &str, ask: &str, answer: &Value) -> Value {
    let read = user.history(history).await;
    assert!(read.get("pendingAsk").is_none_or(Value::is_null), "{read:#}");
    let of_ask =
        |kind| rows_of(&read, kind).into_iter().filter(|row| row["toolCallId"] == ask).collect::<Vec<_>>();
    let ([call], [result]) = (&of_ask("tool-call")[..], &of_ask("tool-result")[..]) else {
        panic!("an ask has one call and one result: {read:#}")
    };
    assert_eq!(call["ask"]["status"], "answered");
    assert_eq!(&result["result"], answer);
    let mut events = user.events(history, Some("0")).await;
    let mut resolved = 0;
    for done in 0..2 {
        let until = events.until("done").await;
        resolved += until.iter().filter(|event| event.data.get("askResolved").is_some()).count();
        assert_eq!(resolved, done, "{until:#?}");
    }
    read
}
