//! Any text a client or a model may write is kept as it was written, on each database, or refused with a reason.

use reqwest::Method;
use serde_json::{Value, json};

use crate::races::on_each_database;
use crate::support::client::{Response, answer_body};
use crate::support::play::{accept, call, rule, script_with_tools, text};
use crate::support::{Client, Node, Setup, invariants};

on_each_database! {
    /// What a user says comes back as it was said, to the user and to the model.
    prompts_of_any_characters;
    /// Ids, names, arguments and results of calls.
    calls_of_any_characters;
    /// Values of an answer, reasons, and names of files.
    answers_of_any_characters;
    /// Ids that name nothing are refused like any other.
    ids_that_name_nothing;
    /// Titles, names, addresses and passwords.
    fields_of_any_characters;
}

/// How long a text may be that is not the subject of a test, in characters.
const LONG: usize = 20_000;

/// Texts that some part of some program takes badly, some of them so long.
fn odd_texts(long: usize) -> Vec<String> {
    let texts = [
        "\0",
        "a\0b",
        "\u{1}\u{1b}[31m\u{7f}",
        "\r\n\t\u{b}\u{c}",
        "\u{85}\u{2028}\u{2029}",
        "\u{200b}\u{feff}",
        "\u{202e}olleh\u{202c}",
        "\u{fffd}\u{fffe}\u{ffff}",
        "\u{10ffff}\u{1f469}\u{200d}\u{1f52c}",
        "e\u{301}\u{301}",
        "'; DROP TABLE messages; --",
        "\\u0000 \\ \" ' ` $1 %s {} {{x}}",
        "data: {\"done\":true}\n\nid: 9",
        "</script><b>",
        "null",
        "\u{ad}",
        " ",
        "\u{3000}",
    ];
    let mut texts: Vec<String> = texts.map(str::to_owned).into();
    texts.push("long ".repeat(long / 5));
    texts.push("\0".repeat(long / 5));
    texts
}

/// A node whose model says what it was told last, in the words of its script.
async fn node(setup: Setup, rules: Vec<Value>, tools: Vec<Value>) -> Node {
    setup.scripted(&json!({"rules": rules, "tools": tools})).start().await
}

async fn prompts_of_any_characters(setup: Setup) {
    let node = node(setup, vec![], vec![]).await;
    let user = node.user("odd").await;
    let history = user.new_history().await;
    for (place, odd) in odd_texts(1_000_000).iter().enumerate() {
        let turn = user.says_in(&history, odd).await;
        assert_eq!(turn.text(), "ok");
        let read = user.history(&history).await;
        assert_eq!(read["prompts"][2 * place]["text"], *odd);
        let headless = user.turn(&user.new_history().await, json!({"prompt": odd})).await.expect(200).data();
        assert_eq!(headless["text"], "ok");
        // A title is one visible line.
        let title = headless.get("title").and_then(Value::as_str).unwrap_or_default();
        assert!(!title.contains(char::is_control) && title.chars().count() <= 60, "{title:?}");
    }
    let requests = node.record().requests;
    let newest = requests.iter().rfind(|request| request["messages"].as_array().unwrap().len() > 2).unwrap();
    let told = newest["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    assert_eq!(
        told.map(|message| message["text"].as_str().unwrap()).collect::<Vec<_>>(),
        odd_texts(1_000_000)
    );
    invariants::hold(&node).await;
}

async fn calls_of_any_characters(setup: Setup) {
    let texts = odd_texts(LONG);
    let rules = texts.iter().enumerate().map(|(number, odd)| {
        let args = json!({"value": odd, odd.as_str(): [odd]});
        let ask = json!({"prompt": format!("Go on {odd:.200}?"), "title": format!("{odd:.20} ?")});
        let calls = vec![
            text(odd),
            call(odd, "echo", args.clone()),
            call(odd, odd, args),
            call(odd, "ask_confirm", ask),
        ];
        rule(&format!("^call {number}\\.$"), [calls, vec![text(odd)]])
    });
    let tools = vec![json!({"name": "echo", "result": {"odd": texts}})];
    let node = node(setup, rules.collect(), tools).await;
    let user = node.user("odd").await;
    for (number, odd) in texts.iter().enumerate() {
        let turn = user.says(&format!("call {number}.")).await;
        let call = turn.one("toolCall");
        assert_eq!(call["args"]["value"], **odd, "{odd:?}");
        assert_eq!(turn.one("toolResult")["result"]["odd"], json!(texts));
        let history = turn.history_id();
        let answered =
            user.answer(&history, &turn.ask_id(), accept(json!({"confirmed": true}))).await.rest().await;
        assert_eq!(answered.text(), *odd);
        let read = user.history(&history).await;
        assert_eq!(read["prompts"][1]["args"], call["args"]);
        assert_eq!(read["prompts"].as_array().unwrap().last().unwrap()["text"], **odd);
    }
    invariants::hold(&node).await;
}

async fn answers_of_any_characters(setup: Setup) {
    let form = json!({"prompt": "Details.", "fields": [{"id": "notes", "type": "textarea", "label": "Notes", "required": true}]});
    let other = json!({
        "prompt": "Which?", "select": "many", "allowOther": true, "minSelected": 0,
        "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}],
    });
    let rules = vec![
        rule("^form", [vec![call("call_1", "ask_form", form)]]),
        rule("^other", [vec![call("call_1", "ask_choice", other)]]),
        rule("^draft", [vec![call("call_1", "ask_markdown", json!({"prompt": "Write."}))]]),
        rule("^files", [vec![call("call_1", "ask_files", json!({"prompt": "Send.", "accept": ["text"]}))]]),
    ];
    let node = node(setup, rules, vec![]).await;
    let user = node.user("odd").await;
    let mut taken = 0;
    for odd in odd_texts(LONG) {
        let file = json!({"url": "data:text/plain;base64,aGk=", "filename": odd, "mimeType": "text/plain", "size": 2});
        let answers = [
            ("form", accept(json!({"values": {"notes": odd}}))),
            ("other", accept(json!({"selected": ["a"], "other": odd}))),
            ("draft", accept(json!({"markdown": odd, "changed": true}))),
            ("files", accept(json!({"files": [file]}))),
            ("draft", json!({"action": "cancel", "reason": odd})),
        ];
        for (prompt, response) in answers {
            let asked = user.says(prompt).await;
            let body = answer_body(&asked.history_id(), &asked.ask_id(), response.clone());
            let result = match user.call(Method::POST, "/gpt/prompt").json(body).respond().await {
                Response::Whole(refused) => {
                    refused.expect_problem(400, "Invalid askResponse");
                    continue;
                }
                Response::Events(events) => {
                    events.rest().await.done();
                    user.history(&asked.history_id()).await["prompts"][2]["result"].take()
                }
            };
            taken += 1;
            let expected = match prompt {
                "files" => accept(json!({"files": [{"filename": odd, "mimeType": "text/plain", "size": 2}]})),
                _ => response,
            };
            assert_eq!(result, expected);
        }
    }
    assert!(taken > 60, "{taken} answers were taken");
    invariants::hold(&node).await;
}

async fn ids_that_name_nothing(setup: Setup) {
    let ask = call("call_1", "ask_confirm", json!({"prompt": "Go on?"}));
    let node = node(setup, vec![rule("^ask", [vec![ask]])], vec![]).await;
    let user = node.user("odd").await;
    let asked = user.says("ask").await;
    let history = asked.history_id();
    for odd in odd_texts(LONG) {
        let yes = accept(json!({"confirmed": true}));
        let late = user.answer_refused(&history, &odd, yes.clone()).await;
        let late = late.expect_problem(409, "This ask is no longer pending");
        assert!(late.json().get("meta").is_none(), "an ask that never was has no end");
        let mut response = yes;
        response["toolCallId"] = odd.as_str().into();
        user.turn(&history, json!({"askResponse": response})).await.expect(409);
        user.turn(&history, json!({"toolCallId": odd, "buttonId": "approve"})).await.expect(409);
        let pressed = json!({"toolCallId": asked.ask_id(), "buttonId": odd});
        user.turn(&history, pressed).await.expect_problem(400, "Unknown buttonId");
        user.prompt_refused(json!({"prompt": "hi", "historyId": odd}))
            .await
            .expect_problem(404, "History not found");
        user.prompt_refused(json!({"prompt": "hi", "surface": odd})).await.expect(400);
    }
    assert_eq!(user.pending_asks().await.len(), 1);
    invariants::hold(&node).await;
}

async fn fields_of_any_characters(setup: Setup) {
    let node = node(setup, vec![], vec![]).await;
    let user = node.user("odd").await;
    let history = user.new_history().await;
    let path = format!("/gpt/histories/{history}");
    for (number, odd) in odd_texts(LONG).iter().enumerate() {
        kept_or_refused(&user, "POST", "/gpt/histories", 201, "title", odd).await;
        kept_or_refused(&user, "PATCH", &path, 200, "title", odd).await;
        kept_or_refused(&user, "POST", "/demo/todos", 201, "title", odd).await;
        for (field, value) in
            [("email", odd.clone()), ("email", format!("{odd}@example.com")), ("name", odd.clone())]
        {
            let mut body = json!({"email": format!("n{number}@example.com"), "password": "a long password", "name": "N"});
            body[field] = value.into();
            let reply = node.client().post("/api/auth/sign-up/email", body).await;
            assert!(matches!(reply.status.as_u16(), 200 | 400 | 422), "{field} {odd:?}: {}", reply.text());
        }
        let password = format!("{odd:.100}{}", "p".repeat(8));
        let account = json!({"email": format!("p{number}@example.com"), "password": password, "name": "P"});
        node.client().post("/api/auth/sign-up/email", account.clone()).await.expect(200);
        node.client().post("/api/auth/sign-in/email", account).await.expect(200);
        let wrong = json!({"email": format!("p{number}@example.com"), "password": format!("{odd}?")});
        node.client().post("/api/auth/sign-in/email", wrong).await.expect(401);
        let nobody = json!({"email": odd, "password": odd});
        node.client().post("/api/auth/sign-in/email", nobody).await.expect(400);
        let uploaded = user.upload(&format!("{odd:.100}.txt"), "text/plain", "hello").await;
        if uploaded.status == 201 {
            let id = uploaded.data()["id"].as_str().unwrap().to_owned();
            assert_eq!(user.get(&format!("/files/{id}")).await.expect(200).text(), "hello");
        } else {
            uploaded.expect(400);
        }
    }
    invariants::hold(&node).await;
}

/// A field is read back as it was written, or refused by name.
async fn kept_or_refused(user: &Client, method: &str, path: &str, status: u16, field: &str, odd: &str) {
    let call = user.call(method.parse().unwrap(), path).json(json!({field: odd}));
    let reply = call.send().await;
    if reply.status == status {
        assert_eq!(reply.data()[field], odd);
    } else {
        let refusal = reply.expect_problem(400, "Validation failed");
        assert!(refusal.json()["meta"]["fields"][field].is_string(), "{}", refusal.text());
    }
}

#[tokio::test]
async fn half_a_surrogate_pair_is_no_text() {
    let node = Node::scripted(script_with_tools([], [])).await;
    let user = node.user("odd").await;
    let history = user.new_history().await;
    for body in [
        r#"{"prompt": "\ud800"}"#,
        r#"{"prompt": "\udc00\ud800"}"#,
        r#"{"\ud800": 1}"#,
        "{\"prompt\": \"\0\"}",
    ] {
        for path in
            ["/gpt/prompt".to_owned(), format!("/gpt/histories/{history}/turn"), "/gpt/histories".to_owned()]
        {
            let call = user.call(Method::POST, &path).body("application/json", body);
            call.send().await.expect_problem(400, "Invalid JSON body");
        }
    }
}
