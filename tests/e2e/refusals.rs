//! Every row of the reference's tables "Error responses" and "Headless endpoints", as whole responses, and the
//! limits. What is refused changes nothing.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, Node, Reply, Setup};

const NOBODYS: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// A conversation that waits for a plan to be chosen.
struct Waiting {
    node: Node,
    ada: Client,
    history: String,
    ask: String,
}

impl Waiting {
    async fn start() -> Self {
        let node = Node::start().await;
        let ada = node.user("ada").await;
        let asked = ada.says("Help me pick a plan").await;
        Self { node, ada, history: asked.history_id(), ask: asked.ask_id() }
    }

    fn answer(&self, selected: &str) -> Value {
        json!({"toolCallId": self.ask, "action": "accept", "content": {"selected": [selected]}})
    }

    /// Sends a body to `POST /gpt/prompt`, which must refuse it and change nothing.
    async fn prompt_refused(&self, body: Value) -> Reply {
        let before = self.ada.history(&self.history).await;
        let refused = self.ada.prompt_refused(body).await;
        assert_eq!(self.ada.history(&self.history).await, before);
        refused
    }

    /// Sends a body to the headless turn, which must refuse it and change nothing.
    async fn turn_refused(&self, body: Value) -> Reply {
        let before = self.ada.history(&self.history).await;
        let refused = self.ada.turn(&self.history, body).await;
        assert_eq!(self.ada.history(&self.history).await, before);
        refused
    }

    /// The valid answer, which must still be taken.
    async fn still_takes_the_answer(&self) {
        let answer = json!({"historyId": self.history, "askResponse": self.answer("team")});
        let turn = self.ada.prompt(answer).await.rest().await;
        assert_eq!(turn.one("askResolved"), &json!({"toolCallId": self.ask, "action": "accept"}));
    }
}

#[tokio::test]
async fn bodies_that_are_no_prompt_and_no_answer() {
    let waiting = Waiting::start().await;
    let (history, answer) = (&waiting.history, waiting.answer("team"));
    let rows = [
        ("prompt is required", json!({})),
        ("prompt is required", json!({"historyId": history, "prompt": "", "askResponse": null})),
        ("Send either prompt or askResponse, not both", json!({"prompt": "Hello", "askResponse": answer})),
        ("askResponse must be an object", json!({"historyId": history, "askResponse": "team"})),
        (
            "askResponse.toolCallId is required",
            json!({"historyId": history, "askResponse": {"action": "decline"}}),
        ),
        (
            "attachments cannot be sent with askResponse",
            json!({"historyId": history, "askResponse": answer, "attachments": [{"url": "data:,"}]}),
        ),
        ("historyId is required with askResponse", json!({"askResponse": answer})),
        (
            "surface is not a known surface",
            json!({"historyId": history, "askResponse": answer, "surface": "watch"}),
        ),
        ("surface is not a known surface", json!({"prompt": "Hello", "surface": "watch"})),
    ];
    let mut refusals = Vec::new();
    for (title, body) in rows {
        refusals.push(waiting.prompt_refused(body).await.expect_problem(400, title).snapshot());
    }
    insta::assert_json_snapshot!("prompt_bodies", refusals);
    waiting.still_takes_the_answer().await;
}

#[tokio::test]
async fn an_answer_that_does_not_match_its_ask() {
    let waiting = Waiting::start().await;
    let body = json!({"historyId": waiting.history, "askResponse": waiting.answer("gold")});
    insta::assert_json_snapshot!("prompt_invalid_answer", waiting.prompt_refused(body).await.snapshot());
    let body = json!({"askResponse": waiting.answer("gold")});
    insta::assert_json_snapshot!("turn_invalid_answer", waiting.turn_refused(body).await.snapshot());
    waiting.still_takes_the_answer().await;
}

#[tokio::test]
async fn an_answer_with_a_field_nobody_defined() {
    let waiting = Waiting::start().await;
    let mut answer = waiting.answer("team");
    answer["approved"] = json!(true);
    let body = json!({"historyId": waiting.history, "askResponse": answer, "unknown": "is ignored here"});
    let refused = waiting.prompt_refused(body).await.expect_problem(400, "Invalid askResponse");
    assert_eq!(refused.json()["fields"][0]["code"], "UNKNOWN_KEY");
    waiting.still_takes_the_answer().await;
}

#[tokio::test]
async fn a_conversation_of_somebody_else() {
    let waiting = Waiting::start().await;
    let (ben, admin) = (waiting.node.user("ben").await, waiting.node.admin().await);
    let answer = json!({"historyId": waiting.history, "askResponse": waiting.answer("team")});
    let prompt = json!({"historyId": waiting.history, "prompt": "Hello"});
    for stranger in [&ben, &admin] {
        for body in [&answer, &prompt] {
            let refused = stranger.prompt_refused(body.clone()).await;
            insta::assert_json_snapshot!("prompt_of_a_stranger", refused.snapshot());
        }
    }
    let press = json!({"toolCallId": waiting.ask, "buttonId": "option:team"});
    for body in [json!({"prompt": "Hello"}), press, json!({"askResponse": waiting.answer("team")})] {
        let refused = ben.turn(&waiting.history, body.clone()).await;
        insta::assert_json_snapshot!("turn_of_a_stranger", refused.snapshot());
        let refused = admin.turn(&waiting.history, body).await;
        insta::assert_json_snapshot!("turn_of_an_admin", refused.snapshot());
    }
    waiting.still_takes_the_answer().await;
}

#[tokio::test]
async fn a_conversation_that_is_not_there() {
    let waiting = Waiting::start().await;
    for id in [NOBODYS, "malformed"] {
        for body in [
            json!({"historyId": id, "prompt": "Hello"}),
            json!({"historyId": id, "askResponse": waiting.answer("team")}),
        ] {
            let refused = waiting.ada.prompt_refused(body).await;
            insta::assert_json_snapshot!("prompt_not_found", refused.snapshot());
        }
        let refused = waiting.ada.turn(id, json!({"prompt": "Hello"})).await;
        insta::assert_json_snapshot!("turn_not_found", refused.snapshot());
    }
}

#[tokio::test]
async fn an_ask_that_is_no_longer_pending() {
    let waiting = Waiting::start().await;
    let never = json!({"toolCallId": "call_never", "action": "decline"});
    let body = json!({"historyId": waiting.history, "askResponse": never});
    insta::assert_json_snapshot!("prompt_never_asked", waiting.prompt_refused(body).await.snapshot());
    let body = json!({"toolCallId": "call_never", "buttonId": "option:team"});
    insta::assert_json_snapshot!("turn_never_asked", waiting.turn_refused(body).await.snapshot());

    waiting.still_takes_the_answer().await;
    // What the second answer says does not matter any more.
    for selected in ["team", "gold"] {
        let body = json!({"historyId": waiting.history, "askResponse": waiting.answer(selected)});
        insta::assert_json_snapshot!("prompt_answered", waiting.prompt_refused(body).await.snapshot());
        let body = json!({"askResponse": waiting.answer(selected)});
        insta::assert_json_snapshot!("turn_answered", waiting.turn_refused(body).await.snapshot());
    }
}

#[tokio::test]
async fn an_ask_that_a_message_cancelled() {
    let waiting = Waiting::start().await;
    let turn = waiting.ada.says_in(&waiting.history, "Never mind").await;
    assert_eq!(turn.one("askResolved"), &json!({"toolCallId": waiting.ask, "action": "cancel"}));
    let body = json!({"historyId": waiting.history, "askResponse": waiting.answer("team")});
    insta::assert_json_snapshot!("prompt_cancelled", waiting.prompt_refused(body).await.snapshot());
    let body = json!({"toolCallId": waiting.ask, "buttonId": "option:team"});
    insta::assert_json_snapshot!("turn_cancelled", waiting.turn_refused(body).await.snapshot());
}

#[tokio::test]
async fn turn_bodies_that_are_none_of_the_three_shapes() {
    let waiting = Waiting::start().await;
    let ask = &waiting.ask;
    let bodies = [
        json!({}),
        json!([]),
        json!({"prompt": ""}),
        json!({"prompt": 7}),
        json!({"prompt": "Hello", "surface": "watch"}),
        json!({"prompt": "Hello", "historyId": waiting.history}),
        json!({"prompt": "Hello", "askResponse": waiting.answer("team")}),
        json!({"prompt": "Hello", "toolCallId": ask}),
        json!({"toolCallId": ask}),
        json!({"buttonId": "option:team"}),
        json!({"toolCallId": ask, "buttonId": 7}),
        json!({"askResponse": "team"}),
        json!({"askResponse": {"action": "decline"}}),
        json!({"askResponse": {"toolCallId": ask}}),
        json!({"askResponse": {"toolCallId": ask, "action": "accept"}}),
        json!({"askResponse": {"toolCallId": ask, "action": "decline", "content": {}}}),
        json!({"askResponse": {"toolCallId": ask, "action": "cancel", "reason": "x".repeat(201)}}),
    ];
    let mut told = Vec::new();
    for body in bodies {
        let refused = waiting.turn_refused(body.clone()).await.expect_problem(400, "Validation failed");
        assert_eq!(refused.json()["code"], "action-body-validation-failed");
        told.push(crate::support::redaction::redacted(&json!([body, refused.json()["meta"]["fields"]])));
    }
    insta::assert_json_snapshot!("turn_bodies", told);
    insta::assert_json_snapshot!("turn_empty_body", waiting.turn_refused(json!({})).await.snapshot());
    waiting.still_takes_the_answer().await;
}

#[tokio::test]
async fn a_button_that_is_not_on_the_card() {
    let waiting = Waiting::start().await;
    let body = json!({"toolCallId": waiting.ask, "buttonId": "option:gold"});
    insta::assert_json_snapshot!("turn_unknown_button", waiting.turn_refused(body).await.snapshot());
    waiting.still_takes_the_answer().await;
}

#[tokio::test]
async fn requests_without_a_session() {
    let waiting = Waiting::start().await;
    let nobody = waiting.node.client();
    let refused = [
        nobody.prompt_refused(json!({"prompt": "Hello"})).await,
        nobody.turn(&waiting.history, json!({"prompt": "Hello"})).await,
        nobody.get("/gpt/histories/pendingAsks").await,
        nobody.get(&format!("/gpt/histories/{}/events", waiting.history)).await,
    ];
    for reply in refused {
        insta::assert_json_snapshot!("unauthorized", reply.snapshot());
    }
}

#[tokio::test]
async fn an_agent_that_cannot_be_prepared_writes_nothing_and_takes_the_same_later() {
    let ask = json!({"prompt": "Go on?"});
    let script = json!({"rules": [{"when": "", "requests": [
        [{"call": {"id": "call_1", "name": "ask_confirm", "args": ask}}], [{"text": "Done."}],
    ]}]});
    let node = Node::scripted(script.clone()).await;
    let ada = node.user("ada").await;
    let asked = ada.says("Hello").await;
    let (history, ask) = (asked.history_id(), asked.ask_id());
    let answer = json!({"action": "accept", "content": {"confirmed": true}});
    let before = ada.history(&history).await;

    node.setup().write_script(&json!({"rules": "broken"}));
    let refused = ada.answer_refused(&history, &ask, answer.clone()).await;
    insta::assert_json_snapshot!("prompt_not_prepared", refused.snapshot());
    let press = json!({"toolCallId": ask, "buttonId": "approve"});
    insta::assert_json_snapshot!("turn_not_prepared", ada.turn(&history, press).await.snapshot());
    ada.prompt_refused(json!({"historyId": history, "prompt": "Hello?"})).await.expect(500);
    ada.prompt_refused(json!({"prompt": "A new chat"})).await.expect(500);
    assert_eq!(ada.history(&history).await, before);
    assert_eq!(ada.get("/gpt/histories").await.json()["total"], 1);

    node.setup().write_script(&script);
    assert_eq!(ada.answer(&history, &ask, answer).await.rest().await.text(), "Done.");
}

#[tokio::test]
async fn more_messages_than_may_wait() {
    let script = json!({"rules": [{"when": "", "requests": [[{"waitMs": 600_000}]]}]});
    let node = Setup::new().scripted(&script).set("turns.queue_limit", 1).start().await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "Think"})).await;
    let history = running.history_id();
    let waits = json!({"historyId": history, "prompt": "And then?"});
    let _waiting = ada.prompt(waits.clone()).await;
    insta::assert_json_snapshot!("prompt_queue_full", ada.prompt_refused(waits).await.snapshot());
    let refused = ada.turn(&history, json!({"prompt": "And then?"})).await;
    insta::assert_json_snapshot!("turn_queue_full", refused.snapshot());
}

#[tokio::test]
async fn more_streams_than_a_user_may_hold() {
    let node = Setup::new().set("http.streams_per_user", 1).start().await;
    let (ada, ben) = (node.user("ada").await, node.user("ben").await);
    let history = ada.new_history().await;
    let _listening = ada.events(&history, None).await;
    let refused = ada.prompt_refused(json!({"prompt": "Hello"})).await;
    insta::assert_json_snapshot!("too_many_streams", refused.snapshot());
    ada.get(&format!("/gpt/histories/{history}/events")).await.expect(429);
    ben.says("Hello").await;
}

#[tokio::test]
async fn bodies_that_are_too_large_too_deep_or_no_json() {
    let limits = Setup::new().set("http.max_chat_body_bytes", 2000).set("http.max_body_bytes", 1000);
    let node = limits.start().await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let chat = ["/gpt/prompt".to_owned(), format!("/gpt/histories/{history}/turn")];
    for path in &chat {
        let refused = ada.post(path, json!({"prompt": "a".repeat(2000)})).await;
        insta::assert_json_snapshot!("chat_body_too_large", refused.snapshot());
    }
    let refused = ada.post("/gpt/histories", json!({"title": "a".repeat(1000)})).await;
    insta::assert_json_snapshot!("body_too_large", refused.snapshot());

    let deep = format!("{{\"prompt\": {}{}}}", "[".repeat(64), "]".repeat(64));
    let mut refused = Vec::new();
    for (media_type, body) in
        [("application/json", deep.as_str()), ("application/json", "{"), ("text/plain", "{}")]
    {
        let call = ada.call(Method::POST, "/gpt/prompt").body(media_type, body);
        refused.push(call.send().await.snapshot());
    }
    insta::assert_json_snapshot!("bodies_that_are_no_json", refused);
}

#[tokio::test]
async fn paths_and_methods_that_are_not_there() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    insta::assert_json_snapshot!("no_such_path", ada.get("/gpt/nothing").await.snapshot());
    insta::assert_json_snapshot!("no_such_method", ada.delete("/gpt/prompt").await.snapshot());
}

#[tokio::test]
async fn an_event_id_that_is_none() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let refused = ada.get(&format!("/gpt/histories/{history}/events?after=soon")).await;
    insta::assert_json_snapshot!("no_event_id", refused.snapshot());
}
