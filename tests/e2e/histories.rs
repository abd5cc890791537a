//! Conversations over plain JSON: their owner's, in order, with titles and ratings.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, Node, Setup};

const NOBODYS: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// A script that says something short to any message.
fn talkative() -> Value {
    json!({"rules": [{"when": "", "requests": [[{"text": "Hello."}]]}]})
}

/// A script whose model is silent for longer than any test lasts.
fn silent() -> Value {
    json!({"rules": [{"when": "", "requests": [[{"waitMs": 600_000}]]}]})
}

#[tokio::test]
async fn a_conversation_is_made_read_renamed_and_deleted() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let made = ada.post("/gpt/histories", json!({})).await;
    insta::assert_json_snapshot!("made", made.snapshot());
    let path = format!("/gpt/histories/{}", made.data()["_id"].as_str().unwrap());
    assert_eq!(ada.get(&path).await.expect(200).data(), made.data());

    let renamed = ada.patch(&path, json!({"title": "Plans"})).await.expect(200);
    assert_eq!(renamed.data()["title"], "Plans");
    assert_eq!(ada.get(&path).await.data(), renamed.data());

    let deleted = ada.delete(&path).await.expect(204);
    assert!(deleted.bytes.is_empty());
    for method in [Method::GET, Method::PATCH, Method::DELETE] {
        let gone = ada.call(method.clone(), &path).json(json!({})).send().await;
        gone.expect_problem(404, "Document not found");
    }
    assert_eq!(ada.get("/gpt/histories").await.json()["total"], 0);
}

#[tokio::test]
async fn what_a_paused_and_an_answered_turn_store_is_what_is_read() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let asked = ada.says("Help me pick a plan").await;
    let history = asked.history_id();
    let path = format!("/gpt/histories/{history}");
    insta::assert_json_snapshot!("paused", ada.get(&path).await.snapshot());
    let answer = json!({"action": "accept", "content": {"selected": ["starter"]}});
    ada.answer(&history, &asked.ask_id(), answer).await.rest().await;
    insta::assert_json_snapshot!("answered", ada.get(&path).await.snapshot());
}

#[tokio::test]
async fn only_the_title_is_writable() {
    let node = Node::start().await;
    let (ada, ben) = (node.user("ada").await, node.user("ben").await);
    let forged = json!({
        "title": "Mine", "_id": NOBODYS, "userId": NOBODYS, "created": "2000-01-01T00:00:00.000Z",
        "prompts": [{"type": "assistant", "text": "forged"}],
        "pendingAsk": {"toolCallId": "call_1", "kind": "confirm", "responseMessages": []},
    });
    let made = ada.post("/gpt/histories", forged.clone()).await.expect(201).data();
    let path = format!("/gpt/histories/{}", made["_id"].as_str().unwrap());
    let changed = ada.patch(&path, forged).await.expect(200).data();
    for history in [made, changed] {
        assert_eq!((&history["title"], &history["prompts"]), (&json!("Mine"), &json!([])));
        assert!(history.get("pendingAsk").is_none());
        assert_ne!((&history["_id"], &history["userId"]), (&json!(NOBODYS), &json!(NOBODYS)));
        assert_ne!(history["created"], "2000-01-01T00:00:00.000Z");
    }
    assert!(ada.pending_asks().await.is_empty());
    ben.get(&path).await.expect(403);
}

#[tokio::test]
async fn what_only_the_model_needs_is_never_read() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let history = ada.says("Help me pick a plan").await.history_id();
    let path = format!("/gpt/histories/{history}");
    let read = [
        ada.get(&path).await,
        ada.get("/gpt/histories").await,
        ada.patch(&path, json!({"title": "Plans"})).await,
        ada.get("/gpt/histories/pendingAsks").await,
    ];
    for reply in read.map(|reply| reply.expect(200)) {
        for field in ["promptIndex", "responseMessages"] {
            assert!(!reply.text().contains(field), "{field}");
        }
    }
    let document = node.contract().document().to_string();
    assert!(!document.contains("responseMessages"));
}

#[tokio::test]
async fn a_list_has_the_callers_conversations_the_last_changed_first() {
    let node = Node::scripted(talkative()).await;
    let (ada, ben) = (node.user("ada").await, node.user("ben").await);
    ben.new_history().await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(ada.new_history().await);
    }
    ada.says_in(&made[1], "Hello").await;
    let order = [1, 4, 3, 2, 0].map(|place| made[place].clone());

    let all = ada.get("/gpt/histories").await.expect(200).json();
    assert_eq!(ids(&all), order);
    assert_eq!(paging(&all), json!([1, 20, 5, false]));
    let pages = [(1, &order[..2], true), (2, &order[2..4], true), (3, &order[4..], false), (4, &[], false)];
    for (page, expected, more) in pages {
        let listed = ada.get(&format!("/gpt/histories?page={page}&limit=2")).await.expect(200).json();
        assert_eq!(ids(&listed), expected);
        assert_eq!(paging(&listed), json!([page, 2, 5, more]));
    }
    for query in ["page=0", "limit=0", "limit=101", "page=x", "limit=-1"] {
        ada.get(&format!("/gpt/histories?{query}")).await.expect_problem(400, "Invalid query");
    }
    ada.get("/gpt/histories?limit=100").await.expect(200);
}

fn ids(list: &Value) -> Vec<String> {
    let histories = list["data"].as_array().unwrap();
    histories.iter().map(|history| history["_id"].as_str().unwrap().to_owned()).collect()
}

fn paging(list: &Value) -> Value {
    json!([list["page"], list["limit"], list["total"], list["more"]])
}

#[tokio::test]
async fn the_first_line_of_the_first_message_becomes_the_title() {
    let node = Node::scripted(talkative()).await;
    let ada = node.user("ada").await;
    let long = "Please help me with the yearly report for all of the teams in our department\nand more";
    let title = "Please help me with the yearly report for all of the teams";
    let turn = ada.says(long).await;
    assert_eq!(turn.done()["title"], title);
    let history = turn.history_id();
    assert_eq!(ada.history(&history).await["title"], title);
    let again = ada.says_in(&history, "Another message").await;
    assert_eq!(again.done()["title"], title);
}

#[tokio::test]
async fn a_title_that_a_client_set_is_kept() {
    let node = Node::scripted(talkative()).await;
    let ada = node.user("ada").await;
    let made = ada.post("/gpt/histories", json!({"title": "Mine"})).await.expect(201);
    let history = made.data()["_id"].as_str().unwrap().to_owned();
    assert_eq!(ada.says_in(&history, "Hello").await.done()["title"], "Mine");
    ada.patch(&format!("/gpt/histories/{history}"), json!({"title": "Still mine"})).await.expect(200);
    assert_eq!(ada.says_in(&history, "Hello again").await.done()["title"], "Still mine");
    let refused = ada.patch(&format!("/gpt/histories/{history}"), json!({"title": 7})).await;
    insta::assert_json_snapshot!("title_of_a_wrong_type", refused.snapshot());
}

#[tokio::test]
async fn a_reply_is_rated_by_its_index_and_nothing_else_is() {
    let node = Node::scripted(talkative()).await;
    let ada = node.user("ada").await;
    let history = ada.says("Hello").await.history_id();
    let path = format!("/gpt/histories/{history}/rating");
    for rating in [json!("up"), json!("down"), Value::Null] {
        let rated = ada.patch(&path, json!({"promptIndex": 1, "rating": rating})).await.expect(200);
        assert_eq!(rated.data()["prompts"][1].get("rating").unwrap_or(&Value::Null), &rating);
        assert_eq!(ada.history(&history).await["prompts"][1], rated.data()["prompts"][1]);
    }
    let no_reply = ada.patch(&path, json!({"promptIndex": 0, "rating": "up"})).await;
    insta::assert_json_snapshot!("rating_a_question", no_reply.snapshot());
    let wrong = [
        json!({"promptIndex": 2, "rating": "up"}),
        json!({"promptIndex": -1, "rating": "up"}),
        json!({"promptIndex": "1", "rating": "up"}),
        json!({"promptIndex": 1, "rating": "good"}),
        json!({"promptIndex": 1}),
        json!({"rating": "up"}),
        json!({}),
    ];
    for body in wrong {
        ada.patch(&path, body.clone()).await.expect_problem(400, "Validation failed");
    }
    assert_eq!(ada.history(&history).await["prompts"][0].get("rating"), None);
}

/// One thing a user may try with a conversation.
type Attempt = (Method, &'static str, Value);

fn attempts() -> [Attempt; 7] {
    [
        (Method::PATCH, "", json!({"title": "Theirs"})),
        (Method::PATCH, "/rating", json!({"promptIndex": 1, "rating": "up"})),
        (Method::POST, "/turn", json!({"prompt": "Hello"})),
        (Method::POST, "/turn", json!({"toolCallId": "call_1", "buttonId": "approve"})),
        (Method::GET, "/events", Value::Null),
        (Method::GET, "", Value::Null),
        (Method::DELETE, "", Value::Null),
    ]
}

async fn attempt(client: &Client, history: &str, (method, action, body): Attempt) -> crate::support::Reply {
    let call = client.call(method, &format!("/gpt/histories/{history}{action}"));
    let call = if body.is_null() { call } else { call.json(body) };
    call.send().await
}

#[tokio::test]
async fn a_stranger_may_do_nothing() {
    let node = Node::scripted(talkative()).await;
    let (ada, ben) = (node.user("ada").await, node.user("ben").await);
    let history = ada.says("Hello").await.history_id();
    let before = ada.history(&history).await;
    for tried in attempts() {
        let refused = attempt(&ben, &history, tried).await.expect_problem(403, "Access denied");
        assert_eq!(refused.json()["code"], "action-access-denied");
    }
    let prompt = json!({"historyId": history, "prompt": "Hello"});
    ben.prompt_refused(prompt).await.expect_problem(403, "Not authorized to access this history");
    assert_eq!(ada.history(&history).await, before);
}

#[tokio::test]
async fn an_admin_may_read_and_delete_and_nothing_else() {
    let node = Node::scripted(talkative()).await;
    let (ada, admin) = (node.user("ada").await, node.admin().await);
    let history = ada.says("Hello").await.history_id();
    let before = ada.history(&history).await;
    let title = "Not authorized to access this history";
    for tried in attempts().into_iter().take(5) {
        attempt(&admin, &history, tried).await.expect_problem(403, title);
    }
    admin.prompt_refused(json!({"historyId": history, "prompt": "Hello"})).await.expect_problem(403, title);
    assert_eq!(ada.history(&history).await, before);
    assert_eq!(admin.history(&history).await, before);
    assert!(ids(&admin.get("/gpt/histories").await.json()).is_empty());
    admin.delete(&format!("/gpt/histories/{history}")).await.expect(204);
    ada.get(&format!("/gpt/histories/{history}")).await.expect(404);
}

#[tokio::test]
async fn an_id_of_no_conversation_is_not_found() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    for id in [NOBODYS, "malformed", "6710c2a1f1e2d3c4b5a69701", "%00"] {
        for tried in attempts() {
            let refused = attempt(&ada, id, tried).await.expect_problem(404, "Document not found");
            assert_eq!(refused.json()["code"], "document-not-found");
        }
    }
}

#[tokio::test]
async fn deleting_a_conversation_that_waits_ends_its_ask_and_its_streams() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let asked = ada.says("Help me pick a plan").await;
    let history = asked.history_id();
    let mut listener = ada.events(&history, None).await;
    ada.delete(&format!("/gpt/histories/{history}")).await.expect(204);
    let resolved = listener.until("askResolved").await;
    let resolved = &resolved.last().unwrap().data["askResolved"];
    assert_eq!(resolved, &json!({"toolCallId": asked.ask_id(), "action": "cancel"}));
    listener.rest().await;
    assert!(ada.pending_asks().await.is_empty());
    let answer = json!({"action": "accept", "content": {"selected": ["team"]}});
    ada.answer_refused(&history, &asked.ask_id(), answer).await.expect_problem(404, "History not found");
}

#[tokio::test]
async fn deleting_a_conversation_that_runs_aborts_its_turn_and_ends_what_waits() {
    let node = Node::scripted(silent()).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "Think"})).await;
    let history = running.history_id();
    let waiting = ada.prompt(json!({"historyId": history, "prompt": "And then?"})).await;
    ada.delete(&format!("/gpt/histories/{history}")).await.expect(204);
    let (running, waiting) = (running.rest().await, waiting.rest().await);
    assert_eq!(running.done()["cancelled"], true);
    waiting.one("error");
    waiting.done();
    ada.get(&format!("/gpt/histories/{history}")).await.expect(404);
    assert_eq!(node.record().requests.len(), 1, "what waited must not begin");
}

#[tokio::test]
async fn conversations_outlive_the_process() {
    let node = Setup::new().scripted(&talkative()).start().await;
    let ada = node.user("ada").await;
    let history = ada.says("Hello").await.history_id();
    let before = ada.history(&history).await;
    let node = node.restart().await;
    assert_eq!(ada.on(&node).history(&history).await, before);
}
