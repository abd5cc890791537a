//! What those who run a node rely on: health, metrics, the description of the API, logs and stopping.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::play::{call, fail, rule, script_with_tools};
use crate::support::sse::Frame;
use crate::support::{Node, Setup};

#[tokio::test]
async fn a_node_says_that_it_lives_and_can_serve() {
    let node = Node::start().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(node.client().get(path).await.expect(200).data(), json!({"status": "ok"}));
    }
}

#[tokio::test]
async fn metrics_count_requests_by_route_and_never_by_id() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    ada.get(&format!("/files/{id}")).await.expect(404);
    let metrics = node.client().get("/metrics").await.expect(200);
    assert!(metrics.header("content-type").starts_with("text/plain; version=0.0.4"));
    let counted = r#"turnwright_http_request_seconds_count{method="GET",route="/files/{id}",status="404"} 1"#;
    assert!(metrics.text().lines().any(|line| line == counted), "{}", metrics.text());
    assert!(!metrics.text().contains(id));
    assert!(metrics.text().contains("turnwright_streams_open 0"), "{}", metrics.text());
}

/// The table of routes says which operations there are. Those and no others are served and described.
#[tokio::test]
async fn every_registered_route_is_described_and_every_described_one_is_served() {
    let node = Node::start().await;
    let settings = turnwright::settings::Settings::load(&turnwright::settings::Sources::default()).unwrap();
    let registered: BTreeSet<(String, String)> = turnwright::http::endpoints(&settings)
        .iter()
        .map(|endpoint| (endpoint.path.to_owned(), endpoint.method.as_str().to_lowercase()))
        .collect();
    let document = node.contract().document();
    let paths = document["paths"].as_object().unwrap();
    let described: BTreeSet<(String, String)> = paths
        .iter()
        .flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(|method| (path.clone(), method.clone()))
        })
        .collect();
    assert_eq!(registered, described);

    let ada = node.user("ada").await;
    for (path, item) in paths {
        let sample = path.replace("{id}", "01890a5d-ac96-774b-bcce-b302099a8057");
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let reply = ada.call(method.clone(), &sample).respond().await;
            let crate::support::client::Response::Whole(reply) = reply else { continue };
            let described = item.get(method.as_str().to_lowercase()).is_some();
            assert_eq!(reply.status != 405, described, "{method} {path} gave {}", reply.status);
            assert_ne!((reply.status.as_u16(), &reply.text().contains("Not found")), (404, &true), "{path}");
        }
    }
}

#[tokio::test]
async fn the_description_is_openapi_3_1_and_whole() {
    let node = Node::start().await;
    let document = node.contract().document();
    assert_eq!(document["openapi"], "3.1.0");
    let mut operation_ids = BTreeSet::new();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(operation_ids.insert(id), "two operations are called {id}");
            for (status, response) in operation["responses"].as_object().unwrap() {
                assert!(response["description"].is_string(), "{id} {status}");
                assert!(response["headers"].get("X-Request-Id").is_some(), "{id} {status}");
            }
        }
    }
    walk(document, &mut |value| {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let place = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(place).is_some(), "{reference} leads nowhere");
        }
    });
}

fn walk(value: &Value, visit: &mut impl FnMut(&Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        Value::Object(fields) => fields.values().for_each(|field| walk(field, visit)),
        _ => {}
    }
}

#[tokio::test]
async fn the_command_openapi_prints_what_the_node_serves() {
    let node = Node::start().await;
    let printed = node.setup().run(&["openapi"]).await;
    assert!(printed.status.success());
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(&printed, node.contract().document());
}

#[tokio::test]
async fn a_request_keeps_the_id_its_client_gave_it() {
    let node = Node::start().await;
    let client = node.client();
    let named = client.call(Method::GET, "/healthz").header("X-Request-Id", "job-17").send().await;
    assert_eq!(named.json()["requestId"], "job-17");
    let line = node.logs().wait_for("line of the request", |line| {
        serde_json::from_str::<Value>(line).ok().filter(|line| line["span"]["requestId"] == "job-17")
    });
    let line = line.await;
    assert_eq!(
        (&line["method"], &line["route"], &line["status"]),
        (&json!("GET"), &json!("/healthz"), &json!(200))
    );
    let odd = client.call(Method::GET, "/healthz").header("X-Request-Id", "two words").send().await;
    assert_ne!(odd.header("x-request-id"), "two words");
}

#[tokio::test]
async fn a_model_request_that_failed_is_found_in_the_log_without_what_the_user_said() {
    let requests = [vec![call("call_1", "look", json!({}))], vec![fail("The model is down.")]];
    let tools = [json!({"name": "look", "result": 7})];
    let node = Node::scripted(script_with_tools([rule("", requests)], tools)).await;
    let turn = node.user("ada").await.prompt(json!({"prompt": "My secret"})).await;
    let (task_id, history) = (turn.header("x-turn-id").to_owned(), turn.history_id());
    turn.rest().await;
    let line = node.logs().wait_for("warning", |line| {
        let line: Value = serde_json::from_str(line).ok()?;
        (line["message"] == "a model request failed").then_some(line)
    });
    let line = line.await;
    assert_eq!((&line["task_id"], &line["conversation_id"]), (&json!(task_id), &json!(history)));
    assert_eq!((&line["request"], &line["status"]), (&json!(1), &json!(500)));
    assert_eq!((&line["level"], &line["error"]), (&json!("WARN"), &json!("The model is down.")));
    assert!(!node.logs().text().contains("My secret"));
}

#[tokio::test]
async fn a_silent_stream_says_nothing_until_its_first_keep_alive_by_which_a_client_that_went_is_found() {
    let node = Setup::new().set("http.keep_alive_seconds", 0.5).start().await;
    let ada = node.user("ada").await;
    let history = ada.new_history().await;
    let began = Instant::now();
    let mut events = ada.events(&history, None).await;
    assert_eq!(events.frame().await, Some(Frame::Comment("keep-alive".to_owned())));
    assert!(began.elapsed() >= Duration::from_millis(500), "{:?}", began.elapsed());
    let is_open = async || {
        let metrics = node.client().get("/metrics").await.expect(200);
        !metrics.text().lines().any(|line| line == "turnwright_streams_open 0")
    };
    assert!(is_open().await);
    drop(events);
    let freed = async { while is_open().await {} };
    tokio::time::timeout(Duration::from_secs(10), freed).await.expect("the stream stays open");
}

#[tokio::test]
async fn no_other_page_may_call_unless_its_origin_is_allowed() {
    let page = "https://app.example.com";
    let node = Node::start().await;
    let client = node.client();
    let refused = client.call(Method::GET, "/healthz").header("Origin", page).send().await;
    assert!(!refused.headers.contains_key("access-control-allow-origin"));

    let node = Setup::new().set("http.cors_origins", page).start().await;
    let client = node.client();
    let preflight = client
        .call(Method::OPTIONS, "/gpt/prompt")
        .header("Origin", page)
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "authorization,content-type");
    let preflight = preflight.send().await.expect(204);
    insta::assert_json_snapshot!("preflight", preflight.snapshot());
    let called = client.call(Method::GET, "/healthz").header("Origin", page).send().await;
    assert_eq!(called.header("access-control-allow-origin"), page);
    let other =
        client.call(Method::GET, "/healthz").header("Origin", "https://evil.example.com").send().await;
    assert!(!other.headers.contains_key("access-control-allow-origin"));
}

/// The line that a node logs once it serves.
fn listening(node: &Node) -> Value {
    let log = node.logs().text();
    let line = log.lines().find(|line| line.contains("\"listening\"")).unwrap();
    serde_json::from_str(line).unwrap()
}

#[tokio::test]
async fn the_log_says_in_one_line_what_answers_where_and_to_whom_and_never_a_password() {
    let node = Node::start().await;
    let line = listening(&node);
    assert_eq!(line["address"], node.url().strip_prefix("http://").unwrap());
    assert_eq!(line["agent"], "the scripted Turnwright demo agent, because no model is configured");
    assert_eq!(line["test_user"], "test@example.com, whose password is in README.md");
    assert!(!node.logs().text().contains("testpassword123"));

    let setup = Setup::new().scripted(&json!({"rules": []})).set("auth.development", false);
    let line = listening(&setup.start().await);
    let script = line["agent"].as_str().unwrap();
    assert!(script.starts_with("the script ") && script.ends_with("script.json"), "{script}");
    assert_eq!(line.get("test_user"), None);
}

#[tokio::test]
async fn what_libraries_tell_of_a_start_is_logged_for_debugging_only() {
    let usual = Node::start().await.logs().text();
    let debugging = Setup::new().set("log.filter", "debug").start().await.logs().text();
    for library in ["sea_orm_migration", "actix_server"] {
        assert!(!usual.contains(library), "{usual}");
        assert!(debugging.contains(library), "{debugging}");
    }
}

#[tokio::test]
async fn a_stream_says_from_its_first_byte_where_it_belongs() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let stream = ada.prompt(json!({"prompt": "Hello"})).await;
    let history = stream.history_id();
    assert_eq!(stream.header("location"), format!("/gpt/histories/{history}"));
    assert!(stream.header("x-turn-id").parse::<uuid::Uuid>().is_ok());
    assert_eq!(stream.rest().await.history_id(), history);
    let listening = ada.events(&history, None).await;
    assert_eq!(listening.header("location"), format!("/gpt/histories/{history}"));
    assert!(!listening.headers.contains_key("x-turn-id"));
}

#[tokio::test]
async fn the_log_never_holds_a_token_an_answer_or_a_file() {
    let node = Setup::new().set("log.filter", "info,turnwright=trace,turnwright_actors=trace").start().await;
    let ada = node.user("ada").await;
    let asked = ada.says("Draft an announcement with secret-prompt").await;
    let (history, ask) = (asked.history_id(), asked.ask_id());
    let wrong = json!({"action": "accept", "content": {"markdown": "secret-refused"}});
    ada.answer_refused(&history, &ask, wrong).await.expect(400);
    let draft = "A draft of more than forty characters with a secret-answer inside.";
    let answer = json!({"action": "accept", "content": {"markdown": draft, "changed": true}});
    ada.answer(&history, &ask, answer).await.rest().await;
    ada.upload("secret-name.txt", "text/plain", "secret-file").await.expect(201);
    ada.get("/gpt/histories?page=secret-query").await.expect(400);
    let log = node.stop().await.text();
    for secret in ["secret-", "a long password", ada.token()] {
        assert!(!log.contains(secret), "{secret} is in\n{log}");
    }
}

#[tokio::test]
async fn a_node_that_is_told_to_stop_stops_well() {
    let node = Node::start().await;
    node.user("ada").await;
    let logs = node.stop().await;
    assert!(!logs.text().contains("\"level\":\"ERROR\""), "{}", logs.text());
}
