//! Rules 3 and 4: prompts that arrive together all run, one after another, and an ask is cancelled once.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::arena::{Act, Fate, arena, pick, rounds, rows_of, too_late};
use super::on_each_database;
use crate::support::{Setup, invariants};

const ROUNDS: usize = 40;

on_each_database! {
    /// None is lost, and only the first says that it cancelled the ask.
    six_prompts_over_a_pending_ask_cancel_it_once;
    /// The prompt goes ahead whoever wins.
    answers_race_a_prompt;
    /// Each begins a chat of its own.
    first_prompts_of_new_chats;
    /// Each gets its reply before the next begins.
    prompts_of_one_conversation_run_one_after_another;
}

async fn six_prompts_over_a_pending_ask_cancel_it_once(setup: Setup) {
    let node = arena(setup, 20).await;
    rounds(&node, ROUNDS, |_, lane| async move {
        let asked = lane.user.says("ask").await;
        let (history, ask) = (asked.history_id(), asked.ask_id());
        let outcomes = lane.race_acts(&history, &ask, &[const { Act::Say("and then?") }; 6]).await;
        let mut cancelled = 0;
        for outcome in &outcomes {
            let turn = outcome.fate.turn();
            assert_eq!(turn.text(), "Heard.");
            assert!(turn.done().get("pendingAsk").is_none());
            if let [ended] = turn.all("askResolved")[..] {
                assert_eq!(ended, &json!({"toolCallId": ask, "action": "cancel"}));
                assert_eq!(turn.kinds()[0], "askResolved");
                cancelled += 1;
            }
        }
        assert_eq!(cancelled, 1);
        let read = lane.user.history(&history).await;
        assert_eq!(rows_of(&read, "user").len(), 1 + 6);
        assert_eq!(rows_of(&read, "assistant").len(), 6);
        let [result] = rows_of(&read, "tool-result")[..] else { panic!("{read:#}") };
        assert_eq!(result["result"], json!({"action": "cancel", "reason": "user_sent_message"}));
    })
    .await;
    assert_eq!(node.record().requests.len(), 7 * ROUNDS);
    invariants::hold(&node).await;
}

async fn answers_race_a_prompt(setup: Setup) {
    let node = arena(setup, 10).await;
    let acts: Arc<[Act]> =
        (0..12).map(|racer| if racer == 6 { Act::Say("no") } else { Act::Answer(pick("team")) }).collect();
    let prompt_first = rounds(&node, ROUNDS, move |_, lane| {
        let acts = Arc::clone(&acts);
        async move {
            let asked = lane.user.says("ask").await;
            let (history, ask) = (asked.history_id(), asked.ask_id());
            let outcomes = lane.race_acts(&history, &ask, &acts).await;
            let prompt = outcomes[6].fate.turn();
            let answered = outcomes.iter().filter(|outcome| outcome.fate.won()).count() - 1;
            let cancelled = prompt.all("askResolved").len();
            assert_eq!(
                answered + cancelled,
                1,
                "{answered} answers won and the prompt cancelled {cancelled}"
            );
            let status = if answered == 1 { "answered" } else { "cancelled" };
            for outcome in outcomes.iter().filter(|outcome| !outcome.fate.won()) {
                assert_eq!(too_late(outcome.fate.refusal())["status"], status);
            }
            // A prompt after the answer is a message on the conversation as the answer left it.
            let read = lane.user.history(&history).await;
            let texts: Vec<_> =
                read["prompts"].as_array().unwrap().iter().map(|row| row["text"].clone()).collect();
            let after = if answered == 1 { vec!["Thank you.", "no", "Heard."] } else { vec!["no", "Heard."] };
            assert_eq!(texts[3..], after);
            cancelled
        }
    })
    .await;
    let first = prompt_first.iter().sum::<usize>();
    println!("{ROUNDS} rounds of 11 answers and a prompt: the prompt was first in {first}");
    invariants::hold(&node).await;
}

async fn first_prompts_of_new_chats(setup: Setup) {
    let node = arena(setup, 10).await;
    let made = rounds(&node, 10, |number, lane| async move {
        let outcomes =
            lane.race(12, move |racer, client| async move {
                client.says(&format!("Chat {number}.{racer}")).await
            })
            .await;
        let mut ids = BTreeSet::new();
        for (racer, turn) in outcomes.iter().enumerate() {
            assert_eq!(turn.done()["title"], format!("Chat {number}.{racer}"));
            let read = lane.user.history(&turn.history_id()).await;
            let texts: Vec<_> =
                read["prompts"].as_array().unwrap().iter().map(|row| row["text"].clone()).collect();
            assert_eq!(texts, [json!(format!("Chat {number}.{racer}")), json!("Heard.")]);
            ids.insert(turn.history_id());
        }
        ids.len()
    })
    .await;
    assert_eq!(made, [12; 10]);
    invariants::hold(&node).await;
}

async fn prompts_of_one_conversation_run_one_after_another(setup: Setup) {
    let node = arena(setup, 5).await;
    rounds(&node, 12, |_, lane| async move {
        let history = lane.user.new_history().await;
        let acts: Vec<Act> =
            (0..6).flat_map(|_| [Act::Say("over a stream"), Act::HeadlessSay("headless")]).collect();
        let outcomes = lane.race_acts(&history, "none", &acts).await;
        for outcome in &outcomes {
            match &outcome.fate {
                Fate::Streamed(turn) => assert_eq!(turn.text(), "Heard."),
                Fate::Told(result) => assert_eq!(result["text"], "Heard."),
                Fate::Refused(reply) => panic!("a prompt was refused: {}", reply.text()),
            }
        }
        let read = lane.user.history(&history).await;
        let types: Vec<&Value> = read["prompts"].as_array().unwrap().iter().map(|row| &row["type"]).collect();
        assert_eq!(types, ["user", "assistant"].repeat(12));
        // The title is that of the prompt that was first, and every turn says the same.
        assert_eq!(read["title"], read["prompts"][0]["text"]);
        for outcome in &outcomes {
            let title = match &outcome.fate {
                Fate::Streamed(turn) => turn.done()["title"].clone(),
                Fate::Told(result) => result["title"].clone(),
                Fate::Refused(_) => unreachable!("no prompt was refused"),
            };
            assert_eq!(title, read["title"]);
        }
    })
    .await;
    invariants::hold(&node).await;
}
