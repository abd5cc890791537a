//! What is the same on every path.

use reqwest::Method;

use super::{Reply, TestNode};

#[actix_web::test]
async fn data_comes_in_an_envelope_with_the_requests_id() {
    let node = TestNode::start().await;
    let reply = Reply::of(node.get("/healthz").header("X-Request-Id", "mine-1")).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.body, serde_json::json!({"data": {"status": "ok"}, "requestId": "mine-1"}));
    assert_eq!(reply.header("x-request-id"), Some("mine-1"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
}

#[actix_web::test]
async fn an_unknown_path_is_a_problem() {
    let node = TestNode::start().await;
    for path in ["/", "/nope", "/healthz/", "/files", "/%ff"] {
        Reply::of(node.get(path)).await.assert_problem(404, "Not found");
    }
}

#[actix_web::test]
async fn a_wrong_method_is_a_problem_that_names_the_right_ones() {
    let node = TestNode::start().await;
    let reply = Reply::of(node.request(Method::PUT, "/files/1")).await;
    reply.assert_problem(405, "Method not allowed");
    assert_eq!(reply.header("allow"), Some("GET, DELETE"));
}

#[actix_web::test]
async fn pages_of_a_listed_origin_may_call_and_of_no_other() {
    let node = TestNode::with(&[("http.cors_origins", "https://app.example")]).await;
    let ask = |origin: &str| {
        node.request(Method::OPTIONS, "/gpt/prompt")
            .header("Origin", origin)
            .header("Access-Control-Request-Method", "POST")
    };
    let allowed = Reply::of(ask("https://app.example")).await;
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("https://app.example"));
    assert!(allowed.header("access-control-allow-headers").unwrap().contains("Authorization"));
    let refused = Reply::of(ask("https://evil.example")).await;
    assert_eq!(refused.header("access-control-allow-origin"), None);

    let read = Reply::of(node.get("/healthz").header("Origin", "https://app.example")).await;
    assert_eq!(read.header("access-control-allow-origin"), Some("https://app.example"));
    assert!(read.header("access-control-expose-headers").unwrap().contains("X-Request-Id"));
    assert_eq!(read.header("vary"), Some("Origin"));
    let failed = Reply::of(node.get("/nope").header("Origin", "https://app.example")).await;
    assert_eq!(failed.header("access-control-allow-origin"), Some("https://app.example"));
}

#[actix_web::test]
async fn no_origin_may_call_by_default() {
    let node = TestNode::start().await;
    let reply = Reply::of(node.get("/healthz").header("Origin", "http://localhost:3000")).await;
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

#[actix_web::test]
async fn a_node_is_ready_and_counts_its_requests() {
    let node = TestNode::start().await;
    assert_eq!(Reply::of(node.get("/readyz")).await.status, 200);
    let text = node.get("/metrics").send().await.unwrap().text().await.unwrap();
    let counted = r#"turnwright_http_request_seconds_count{method="GET",route="/readyz",status="200"} 1"#;
    assert!(text.contains(counted), "{text}");
    for gauge in
        ["turnwright_streams_open 0", "turnwright_turns_running 0", "turnwright_conversations_active 0"]
    {
        assert!(text.contains(gauge), "{text}");
    }
}

#[actix_web::test]
async fn a_node_that_stops_ends_its_streams() {
    let node = TestNode::start().await;
    let token = node.token("test").await;
    let made = Reply::of(node.post("/gpt/histories", &serde_json::json!({})).bearer_auth(&token)).await;
    let events = format!("/gpt/histories/{}/events", made.body["data"]["_id"].as_str().unwrap());
    let stream = node.get(&events).bearer_auth(&token).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let (body, ()) = tokio::join!(stream.bytes(), node.stop());
    assert!(body.is_ok(), "the stream was cut off: {body:?}");
}

#[actix_web::test]
async fn a_node_that_stops_answers_no_more() {
    let node = TestNode::start().await;
    let health = node.get("/healthz");
    node.stop().await;
    assert!(health.send().await.is_err());
}
