//! Changes that race beside turns, and users who race for an address.

use serde_json::{Value, json};

use super::arena::{arena, pick, rounds, rows_of};
use super::on_each_database;
use crate::support::race::race;
use crate::support::{Setup, invariants};

on_each_database! {
    /// One of the titles stays, over that of the first message; ratings stay; the turns lose nothing.
    titles_and_ratings_change_while_turns_run;
    /// The slot and the transcript of a conversation are read in one moment.
    a_conversation_is_read_in_one_moment;
    /// The others hear that it is taken.
    one_of_twelve_sign_ups_gets_the_address;
}

async fn titles_and_ratings_change_while_turns_run(setup: Setup) {
    let node = arena(setup, 5).await;
    rounds(&node, 20, |number, lane| async move {
        let history = lane.user.new_history().await;
        let before = lane.user.says_in(&history, "hello").await;
        assert_eq!(before.text(), "Heard.");
        let path = format!("/gpt/histories/{history}");
        lane.race(12, move |racer, client| {
            let path = path.clone();
            async move {
                match racer % 3 {
                    0 => drop(
                        client.says_in(path.rsplit('/').next().unwrap(), &format!("message {racer}")).await,
                    ),
                    1 => {
                        let title = format!("Title {racer}");
                        let changed = client.patch(&path, json!({"title": title})).await.expect(200).data();
                        assert!(changed["title"].as_str().unwrap().starts_with("Title "));
                    }
                    _ => {
                        let rating = if racer % 2 == 0 { json!("up") } else { json!("down") };
                        let body = json!({"promptIndex": 1, "rating": rating});
                        client.patch(&format!("{path}/rating"), body).await.expect(200);
                    }
                }
            }
        })
        .await;
        let read = lane.user.history(&history).await;
        assert!(read["title"].as_str().unwrap().starts_with("Title "), "{number}: {read:#}");
        assert!(matches!(read["prompts"][1]["rating"].as_str(), Some("up" | "down")));
        assert_eq!((rows_of(&read, "user").len(), rows_of(&read, "assistant").len()), (5, 5));
        let after = lane.user.says_in(&history, "and now?").await;
        assert_eq!(after.done()["title"], read["title"]);
    })
    .await;
    invariants::hold(&node).await;
}

async fn a_conversation_is_read_in_one_moment(setup: Setup) {
    let node = arena(setup, 0).await;
    let user = node.user("reader").await;
    let history = user.new_history().await;
    race(&user, 5, move |racer, client| {
        let history = history.clone();
        async move {
            for _ in 0..40 {
                if racer == 0 {
                    let asked = client.says_in(&history, "ask").await;
                    client.answer(&history, &asked.ask_id(), pick("team")).await.rest().await.done();
                } else {
                    let read = match racer {
                        1 => client.get("/gpt/histories").await.expect(200).data()[0].take(),
                        _ => client.history(&history).await,
                    };
                    assert_slot_and_rows_agree(&read);
                }
            }
        }
    })
    .await;
    invariants::hold(&node).await;
}

fn assert_slot_and_rows_agree(read: &Value) {
    let pending = rows_of(read, "tool-call").into_iter().filter(|row| row["ask"]["status"] == "pending");
    let pending: Vec<&Value> = pending.map(|row| &row["toolCallId"]).collect();
    let slot: Vec<&Value> = read
        .get("pendingAsk")
        .filter(|ask| !ask.is_null())
        .map(|ask| &ask["toolCallId"])
        .into_iter()
        .collect();
    assert_eq!(pending, slot, "{read:#}");
    let (calls, results) = (rows_of(read, "tool-call").len(), rows_of(read, "tool-result").len());
    assert_eq!(calls, results + slot.len(), "{read:#}");
}

async fn one_of_twelve_sign_ups_gets_the_address(setup: Setup) {
    let node = setup.start().await;
    for round in 0..5 {
        let statuses = race(&node.client(), 12, move |_, client| async move {
            let body = json!({"email": format!("Same{round}@example.com"), "password": "a long password", "name": "Same"});
            let reply = client.post("/api/auth/sign-up/email", body).await;
            if reply.status != 200 {
                reply.clone().expect_problem(422, "User already exists");
            }
            reply.status.as_u16()
        })
        .await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        node.client().sign_in(&format!("same{round}@example.com"), "a long password").await;
    }
}
