//! Answers, buttons, prompts and deletions of one conversation at once: any order is right, two winners never are.

use serde_json::{Value, json};

use super::arena::{Act, Fate, Outcome, arena, pick, rounds, rows_of, too_late};
use super::on_each_database;
use crate::support::{Setup, invariants};

const ROUNDS: usize = 40;

on_each_database! {
    /// Either the first answer wins or the first prompt cancels the ask; no prompt is refused or lost.
    answers_buttons_and_prompts_at_once;
    /// The agent waits, so that most commands meet a running turn.
    answers_buttons_and_prompts_at_once_while_a_turn_runs;
    /// What is stored before the deletion ends with it, what comes after it finds nothing.
    a_deletion_in_between;
}

fn acts() -> Vec<Act> {
    vec![
        Act::Answer(pick("team")),
        Act::Say("one"),
        Act::Press("option:team"),
        Act::HeadlessAnswer(pick("team")),
        Act::HeadlessSay("two"),
        Act::Answer(json!({"action": "accept", "content": {"selected": ["team"]}})),
        Act::Say("three"),
        Act::Press("option:team"),
        Act::HeadlessAnswer(pick("team")),
        Act::Say("four"),
        Act::Answer(pick("team")),
        Act::Press("option:team"),
    ]
}

async fn answers_buttons_and_prompts_at_once(setup: Setup) {
    race_everything(setup, 0).await;
}

async fn answers_buttons_and_prompts_at_once_while_a_turn_runs(setup: Setup) {
    race_everything(setup, 50).await;
}

async fn race_everything(setup: Setup, wait: u64) {
    let node = arena(setup, wait).await;
    let orders = rounds(&node, ROUNDS, |_, lane| async move {
        let asked = lane.user.says("ask").await;
        let (history, ask) = (asked.history_id(), asked.ask_id());
        let outcomes = lane.race_acts(&history, &ask, &acts()).await;
        let answered = won(&outcomes, Act::answers);
        assert!(answered <= 1, "{answered} answers won");
        assert_eq!(won(&outcomes, |act| !act.answers()), 4, "a prompt was refused");
        let resolved: Vec<Value> = streamed_ends(&outcomes);
        let read = lane.user.history(&history).await;
        let [result] = rows_of(&read, "tool-result")[..] else { panic!("{read:#}") };
        if answered == 1 {
            assert_eq!(result["result"], pick("team"));
            assert!(resolved.iter().all(|action| action == "accept"), "{resolved:?}");
        } else {
            assert_eq!(result["result"], json!({"action": "cancel", "reason": "user_sent_message"}));
            assert!(resolved.iter().all(|action| action == "cancel"), "{resolved:?}");
        }
        assert!(resolved.len() <= 1, "the ask ended {} times", resolved.len());
        for refused in outcomes.iter().filter(|outcome| !outcome.fate.won()) {
            let meta = too_late(refused.fate.refusal());
            assert_ne!(meta["status"], "claimed", "no turn ran when the ask was pending");
        }
        let mut said: Vec<_> = rows_of(&read, "user").iter().map(|row| row["text"].clone()).collect();
        said[1..].sort_by_key(|text| text.to_string());
        assert_eq!(said, ["ask", "four", "one", "three", "two"]);
        assert_eq!(rows_of(&read, "assistant").len(), 4 + answered);
        answered
    })
    .await;
    println!(
        "{ROUNDS} rounds of 8 answers and 4 prompts: an answer was first in {}",
        orders.iter().sum::<usize>()
    );
    invariants::hold(&node).await;
}

fn won(outcomes: &[Outcome], which: impl Fn(&Act) -> bool) -> usize {
    outcomes.iter().zip(acts()).filter(|(outcome, act)| which(act) && outcome.fate.won()).count()
}

/// How the streams say the ask ended.
fn streamed_ends(outcomes: &[Outcome]) -> Vec<Value> {
    let turns = outcomes.iter().filter_map(|outcome| match &outcome.fate {
        Fate::Streamed(turn) => Some(turn),
        Fate::Told(_) | Fate::Refused(_) => None,
    });
    turns.flat_map(|turn| turn.all("askResolved")).map(|ended| ended["action"].clone()).collect()
}

async fn a_deletion_in_between(setup: Setup) {
    let node = arena(setup, 30).await;
    rounds(&node, ROUNDS, |number, lane| async move {
        let asked = lane.user.says("ask").await;
        let (history, ask) = (asked.history_id(), asked.ask_id());
        let listener = lane.user.events(&history, Some("0")).await;
        let mut acts = acts();
        let place = number % acts.len();
        acts.truncate(11);
        acts.insert(place.min(11), Act::Say("beside the deletion"));
        let (of_history, of_ask) = (history.clone(), ask.clone());
        let racing = lane.race(13, move |racer, client| {
            let (history, ask) = (of_history.clone(), of_ask.clone());
            let act = acts.get(racer).cloned();
            async move {
                match act {
                    Some(act) => Some((act.clone(), act.perform(client, history, ask).await)),
                    None => {
                        client.delete(&format!("/gpt/histories/{history}")).await.expect(204);
                        None
                    }
                }
            }
        });
        let (outcomes, heard) = tokio::join!(racing, listener.rest());
        let mut answers = 0;
        for (act, outcome) in outcomes.into_iter().flatten() {
            match outcome.fate {
                Fate::Streamed(turn) => drop(turn.done()),
                Fate::Told(result) => assert_eq!(result["historyId"], history),
                Fate::Refused(reply) if reply.status == 404 => continue,
                Fate::Refused(reply) if act.answers() => {
                    too_late(&reply);
                    continue;
                }
                Fate::Refused(reply) => panic!("a prompt was refused: {}", reply.text()),
            }
            answers += usize::from(act.answers());
        }
        assert!(answers <= 1, "{answers} answers won");
        assert_eq!(heard.all("askResolved").len(), 1, "{:#?}", heard.data());
        lane.user.get(&format!("/gpt/histories/{history}")).await.expect_problem(404, "Document not found");
        assert!(lane.user.pending_asks().await.iter().all(|pending| pending["historyId"] != history));
    })
    .await;
    invariants::hold(&node).await;
}
