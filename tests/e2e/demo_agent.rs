//! The demo agent plays every row of the table in the asks how-to, on both surfaces, to a real client.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::play::{accept, cancel, decline, no, yes};
use crate::support::{Node, Setup};

/// A message that starts a scene, what the agent asks then, and a word of its reply to each of some answers.
struct Scene {
    says: &'static [&'static str],
    kind: &'static str,
    prompt: &'static str,
    answers: Vec<(Value, &'static [&'static str])>,
}

fn scenes() -> Vec<Scene> {
    vec![
        Scene {
            says: &["Help me pick a plan", "choose between several plans"],
            kind: "choice",
            prompt: "Which plan should I set up for your workspace?",
            answers: vec![
                (accept(json!({"selected": ["team"]})), &["Team"]),
                (accept(json!({"selected": ["enterprise"]})), &["Enterprise"]),
                (decline(), &["skipped"]),
            ],
        },
        Scene {
            says: &["Pick toppings for my pizza", "pick several toppings", "one topping please"],
            kind: "choice",
            prompt: "Which toppings should I add? Pick up to three.",
            answers: vec![
                (accept(json!({"selected": ["cheese"], "other": "Basil"})), &["Extra cheese", "Basil"]),
                (decline(), &["skipped"]),
            ],
        },
        Scene {
            says: &["Send the weekly report"],
            kind: "confirm",
            prompt: "Send the weekly report to the team now? It goes to 8 people.",
            answers: vec![(yes(), &["would send"]), (no(), &["would not send"])],
        },
        Scene {
            says: &["Archive old chats"],
            kind: "confirm",
            prompt: "Archive the 12 chats older than 90 days? You can't undo this.",
            answers: vec![(yes(), &["would archive"]), (no(), &["kept your chats"])],
        },
        Scene {
            says: &["Draft an announcement"],
            kind: "markdown",
            prompt: "This is a draft of the launch announcement. Change what you like before I post it.",
            answers: vec![
                (
                    accept(
                        json!({"changed": true, "markdown": "We are live today. It took us two long years."}),
                    ),
                    &["We are live today. It took us two long years."],
                ),
                (decline(), &["skipped"]),
            ],
        },
        Scene {
            says: &["Fill in the invoice details", "fill out a form"],
            kind: "form",
            prompt: "I need a few details to make the invoice.",
            answers: vec![
                (
                    accept(json!({"values": {
                        "company": "Initech", "email": "pay@example.com", "seats": 12, "region": "eu",
                        "start": "2026-10-01",
                    }})),
                    &["Initech", "pay@example.com", "12", "European Union", "2026-10-01"],
                ),
                (decline(), &["skipped"]),
            ],
        },
        Scene {
            says: &["Upload a receipt", "upload a file", "Upload my photos", "two receipts"],
            kind: "files",
            prompt: "Send me the receipt: a photo, a PDF, a text or a CSV file.",
            answers: vec![
                (
                    accept(json!({"files": [{
                        "url": "data:text/csv;base64,YSxiCjEsMg==", "filename": "a.csv", "mimeType": "text/csv",
                        "size": 7,
                    }]})),
                    &["a.csv", "text/csv", "7 bytes", "a,b"],
                ),
                (decline(), &["skipped"]),
            ],
        },
    ]
}

async fn answer(ada: &Client, history: &str, ask: &str, response: &Value) -> String {
    let turn = ada.answer(history, ask, response.clone()).await.rest().await;
    assert_eq!((turn.kinds()[0], turn.done().get("pendingAsk")), ("askResolved", None));
    turn.text()
}

#[tokio::test]
async fn each_scene_asks_its_question_and_replies_to_the_answer() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    for scene in scenes() {
        for says in scene.says {
            let turn = ada.says(says).await;
            assert_eq!(turn.kinds(), ["ask", "done"], "{says}");
            assert_eq!(
                (&turn.ask()["kind"], &turn.ask()["input"]["prompt"]),
                (&json!(scene.kind), &json!(scene.prompt))
            );
        }
        for (response, words) in &scene.answers {
            let turn = ada.says(scene.says[0]).await;
            let reply = answer(&ada, &turn.history_id(), &turn.ask_id(), response).await;
            assert!(words.iter().all(|word| reply.contains(word)), "{words:?}: {reply}");
        }
    }
}

#[tokio::test]
async fn a_cancelled_scene_is_skipped_too() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let turn = ada.says("Archive old chats").await;
    let reply = answer(&ada, &turn.history_id(), &turn.ask_id(), &cancel()).await;
    assert!(!reply.is_empty());
}

#[tokio::test]
async fn the_asks_of_the_scenes_are_those_of_the_table() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    for scene in scenes() {
        let turn = ada.says(scene.says[0]).await;
        let name = format!("scene_{}", scene.says[0].split(' ').next_back().unwrap().to_lowercase());
        insta::assert_json_snapshot!(name, turn.ask()["input"]);
    }
}

#[tokio::test]
async fn on_a_small_screen_it_asks_what_fits_and_says_the_rest_in_two_sentences() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    for scene in scenes() {
        let says = json!({"prompt": scene.says[0], "surface": "compact"});
        let turn = ada.turn(&history, says).await.expect(200).data();
        let fits = scene.kind == "confirm" || scene.says[0].contains("plan");
        if !fits {
            assert_eq!(turn.get("pendingAsk"), None, "{}", scene.says[0]);
            assert!(turn["text"].as_str().unwrap().contains("on your phone"), "{turn}");
            assert_short(&turn["text"]);
            continue;
        }
        let ask = &turn["pendingAsk"];
        assert_eq!((&ask["kind"], &ask["simple"]["handoff"]), (&json!(scene.kind), &json!(false)));
        let button = &ask["simple"]["buttons"][0]["id"];
        let press = json!({"toolCallId": ask["toolCallId"], "buttonId": button, "surface": "compact"});
        let turn = ada.turn(&history, press).await.expect(200).data();
        assert_short(&turn["text"]);
    }
    let turn = ada.turn(&history, json!({"prompt": "Hello", "surface": "compact"})).await.expect(200).data();
    assert_short(&turn["text"]);
}

/// One or two sentences without markdown.
fn assert_short(text: &Value) {
    let text = text.as_str().unwrap();
    let sentences = text.split_inclusive(". ").count();
    assert!(!text.is_empty() && sentences <= 2, "{text}");
    assert!(!text.contains(['*', '#', '`', '\n']), "{text}");
}

#[tokio::test]
async fn anything_else_gets_an_explanation() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let others = [
        "Hello",
        "I uploaded the slides",
        "I completed the report, please delete the draft",
        "the platforms are fine",
    ];
    for says in others {
        let turn = ada.says(says).await;
        assert_eq!(turn.kinds().last(), Some(&"done"));
        assert!(turn.all("ask").is_empty() && turn.text().contains("script"), "{says}: {}", turn.text());
        assert!(turn.text().contains("real model"));
    }
}

#[tokio::test]
async fn with_asks_off_it_says_so_and_how_to_turn_them_on() {
    let node = Setup::new().set("asks.enabled", false).start().await;
    let ada = node.user("ada").await;
    for says in ["Help me pick a plan", "Upload a receipt", "Delete my completed todos"] {
        let turn = ada.says(says).await;
        let text = turn.text();
        assert!(text.contains("turned off") && text.contains("asks.enabled"), "{says}: {text}");
        assert!(turn.all("ask").is_empty() && turn.all("toolCall").is_empty());
    }
    assert!(ada.says("Hello").await.text().contains("script"));
}

/// Adds to-do items, of which those marked are completed.
async fn add_todos(client: &Client, todos: &[(&str, bool)]) {
    for (title, completed) in todos {
        let added = client.post("/demo/todos", json!({"title": title})).await.expect(201).data();
        let path = format!("/demo/todos/{}", added["_id"].as_str().unwrap());
        client.patch(&path, json!({"completed": completed})).await.expect(200);
    }
}

async fn todos(client: &Client) -> Vec<String> {
    let listed = client.get("/demo/todos").await.expect(200).data();
    let titles = listed.as_array().unwrap().iter().map(|todo| todo["title"].as_str().unwrap().to_owned());
    let mut titles: Vec<String> = titles.collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn completed_todos_are_deleted_only_after_the_user_approved() {
    let node = Node::start().await;
    let (ada, bob) = (node.user("ada").await, node.user("bob").await);
    add_todos(&ada, &[("Buy milk", true), ("Call Bob", true), ("Read", false)]).await;
    add_todos(&bob, &[("Bob's own", true)]).await;

    let turn = ada.says("Delete my completed todos").await;
    assert_eq!(turn.kinds(), ["toolCall", "ask", "done"]);
    assert_eq!(turn.one("toolCall")["toolName"], "deleteCompletedTodos");
    let mut approval = turn.ask().clone();
    approval["toolCallId"] = json!("[approval]");
    approval["simple"]["toolCallId"] = json!("[approval]");
    insta::assert_json_snapshot!("deleting", approval);
    let history = turn.history_id();
    let kept = ada.answer(&history, &turn.ask_id(), no()).await.rest().await;
    assert_eq!(kept.one("toolResult")["result"], json!({"approved": false, "reason": "user_denied"}));
    assert!(kept.text().contains("kept your completed todos"), "{}", kept.text());
    assert_eq!(todos(&ada).await, ["Buy milk", "Call Bob", "Read"]);

    let turn = ada.says_in(&history, "please clear the completed ones").await;
    let cancelled = ada.answer(&history, &turn.ask_id(), cancel()).await.rest().await;
    assert!(cancelled.text().contains("kept your completed todos"));

    let asked =
        ada.turn(&history, json!({"prompt": "Delete my completed todos", "surface": "compact"})).await;
    let ask = &asked.expect(200).data()["pendingAsk"];
    let buttons = ask["simple"]["buttons"].as_array().unwrap();
    let buttons: Vec<&str> = buttons.iter().map(|button| button["label"].as_str().unwrap()).collect();
    assert_eq!(buttons, ["Delete", "Keep them"]);
    let press = json!({"toolCallId": ask["toolCallId"], "buttonId": "approve", "surface": "compact"});
    let deleted = ada.turn(&history, press).await.expect(200).data();
    let text = deleted["text"].as_str().unwrap();
    assert!(text.contains("Buy milk") && text.contains("Call Bob"), "{text}");
    assert_eq!(
        (todos(&ada).await, todos(&bob).await),
        (vec!["Read".to_owned()], vec!["Bob's own".to_owned()])
    );
}

#[tokio::test]
async fn a_node_on_which_nobody_would_answer_does_not_start() {
    let said = Setup::new().set("demo.enabled", false).refused().await;
    assert!(said.contains("demo.enabled") && said.lines().count() == 1, "{said}");
}
