//! Rules 2 and 3 while another turn runs: the first stored command claims the ask, and what follows it knows at once.

use std::sync::Arc;

use serde_json::json;

use super::arena::{Act, Fate, arena, pick, print_slowest, rounds, rows_of, too_late};
use super::on_each_database;
use crate::support::client::Client;
use crate::support::sse::EventStream;
use crate::support::{Setup, invariants};

const ROUNDS: usize = 20;

on_each_database! {
    /// The winner waits its turn; the others do not wait to be refused.
    an_answer_claims_the_ask_while_another_turn_runs;
    /// A prompt claims it as well as an answer, and no prompt is refused.
    prompts_and_answers_race_to_claim_the_ask;
}

/// A conversation that waits on an ask while a later turn runs, and the stream of that turn.
async fn asking_while_running(user: &Client) -> (String, String, EventStream) {
    let history = user.new_history().await;
    let prompt = async |text: &str| user.prompt(json!({"historyId": history, "prompt": text})).await;
    let first = prompt("slow").await;
    let asking = prompt("ask").await;
    // Stored before the ask exists, so it does not cancel it.
    let running = prompt("slow").await;
    first.rest().await.done();
    let asked = asking.rest().await;
    assert_eq!(asked.done()["pendingAsk"]["toolCallId"], asked.ask_id());
    (history, asked.ask_id(), running)
}

async fn an_answer_claims_the_ask_while_another_turn_runs(setup: Setup) {
    let node = arena(setup, 20).await;
    let acts: Arc<[Act]> = (0..4)
        .flat_map(|_| {
            [Act::Answer(pick("team")), Act::HeadlessAnswer(pick("team")), Act::Press("option:team")]
        })
        .collect();
    let races = rounds(&node, ROUNDS, move |_, lane| {
        let acts = Arc::clone(&acts);
        async move {
            let (history, ask, running) = asking_while_running(&lane.user).await;
            let (outcomes, ran) = tokio::join!(lane.race_acts(&history, &ask, &acts), running.rest());
            assert_eq!(ran.kinds(), ["text", "done"], "{:#?}", ran.data());
            let (winners, losers): (Vec<_>, Vec<_>) = outcomes.iter().partition(|outcome| outcome.fate.won());
            assert_eq!(winners.len(), 1);
            let claimed =
                losers.iter().filter(|loser| too_late(loser.fate.refusal())["status"] == "claimed").count();
            let read = lane.user.history(&history).await;
            assert_eq!(rows_of(&read, "tool-result").len(), 1);
            // The answer is in the transcript where its turn went on: after the turn it waited for.
            let types: Vec<_> =
                read["prompts"].as_array().unwrap().iter().map(|row| row["type"].clone()).collect();
            assert_eq!(
                types,
                ["user", "assistant", "user", "tool-call", "user", "assistant", "tool-result", "assistant"]
            );
            let all_claimed = claimed == losers.len();
            (outcomes, all_claimed)
        }
    })
    .await;
    // Where the machine was too slow for the race to fall into the running turn, there was nothing to claim.
    assert!(races.iter().any(|(_, all_claimed)| *all_claimed), "no race met the running turn");
    let claims = races.iter().filter(|(_, all_claimed)| *all_claimed).flat_map(|(outcomes, _)| outcomes);
    print_slowest(&node, &format!("{ROUNDS} rounds of 12 answers beside a turn of 1.2 s"), claims);
    assert_eq!(node.record().requests.len(), 4 * ROUNDS);
    invariants::hold(&node).await;
}

async fn prompts_and_answers_race_to_claim_the_ask(setup: Setup) {
    let node = arena(setup, 20).await;
    let acts: Arc<[Act]> = (0..3)
        .flat_map(|_| {
            [Act::Answer(pick("team")), Act::Say("and this"), Act::Press("option:team"), Act::Say("that")]
        })
        .collect();
    rounds(&node, ROUNDS, move |_, lane| {
        let acts = Arc::clone(&acts);
        async move {
            let (history, ask, running) = asking_while_running(&lane.user).await;
            let (outcomes, ran) = tokio::join!(lane.race_acts(&history, &ask, &acts), running.rest());
            assert_eq!(ran.kinds(), ["text", "done"]);
            let mut actions = Vec::new();
            for (act, outcome) in acts.iter().zip(&outcomes) {
                match &outcome.fate {
                    Fate::Refused(reply) if act.answers() => drop(too_late(reply)),
                    Fate::Refused(reply) => panic!("a prompt was refused: {}", reply.text()),
                    Fate::Streamed(turn) => {
                        turn.done();
                        actions
                            .extend(turn.all("askResolved").into_iter().map(|ended| ended["action"].clone()));
                    }
                    Fate::Told(_) => actions.push(json!("accept")),
                }
            }
            let answered =
                acts.iter().zip(&outcomes).filter(|(act, outcome)| act.answers() && outcome.fate.won());
            let expected = if answered.count() == 1 { "accept" } else { "cancel" };
            assert_eq!(actions, [expected], "the ask ended once");
            let read = lane.user.history(&history).await;
            assert_eq!(rows_of(&read, "user").len(), 3 + 6);
            assert_eq!(rows_of(&read, "tool-result").len(), 1);
        }
    })
    .await;
    invariants::hold(&node).await;
}
