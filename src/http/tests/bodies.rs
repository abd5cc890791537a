//! Bodies that are too large, too deep, broken or of another kind.

use std::time::Duration;

use futures_util::stream;
use reqwest::{Body, Method, RequestBuilder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Reply, TestNode};

const PATH: &str = "/api/auth/sign-in/email";

fn json(node: &TestNode, body: impl Into<Body>) -> RequestBuilder {
    node.request(Method::POST, PATH).header("Content-Type", "application/json").body(body)
}

#[actix_web::test]
async fn a_body_that_is_not_json_is_a_problem() {
    let node = TestNode::start().await;
    for body in [&b"{"[..], b"{\"email\": \"\xff\"}", b"nul", b"{}{}"] {
        Reply::of(json(&node, body)).await.assert_problem(400, "Invalid JSON body");
    }
}

#[actix_web::test]
async fn a_body_of_another_kind_is_a_problem() {
    let node = TestNode::start().await;
    let request = node.request(Method::POST, PATH).body("email=ada");
    Reply::of(request).await.assert_problem(415, "Unsupported media type");
    let request = json(&node, "{}").header("Content-Encoding", "gzip");
    Reply::of(request).await.assert_problem(415, "Unsupported media type");
}

#[actix_web::test]
async fn a_body_that_nests_too_deep_is_a_problem_that_names_the_limit() {
    let node = TestNode::start().await;
    let reply = Reply::of(json(&node, "[".repeat(100_000))).await;
    reply.assert_problem(400, "Invalid JSON body");
    assert!(reply.body["detail"].as_str().unwrap().contains("64"));
}

#[actix_web::test]
async fn a_body_above_the_limit_is_a_problem_that_names_the_limit() {
    let node = TestNode::with(&[("http.max_body_bytes", "1000")]).await;
    let large = vec![b' '; 1001];
    let reply = Reply::of(json(&node, large.clone())).await;
    reply.assert_problem(413, "Payload too large");
    let detail = reply.body["detail"].as_str().unwrap();
    assert!(detail.contains("1000") && detail.contains("http.max_body_bytes"), "{detail}");

    let chunks = stream::iter(
        large.chunks(100).map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec())).collect::<Vec<_>>(),
    );
    Reply::of(json(&node, Body::wrap_stream(chunks))).await.assert_problem(413, "Payload too large");
    Reply::of(json(&node, vec![b' '; 1000])).await.assert_problem(400, "Invalid JSON body");
}

#[actix_web::test]
async fn a_refused_large_body_does_not_cost_the_client_its_answer() {
    let node = TestNode::start().await;
    let reply = Reply::of(json(&node, vec![b' '; 20_000_000])).await;
    reply.assert_problem(413, "Payload too large");
}

#[actix_web::test]
async fn whoever_is_not_signed_in_hears_that_and_nothing_of_the_body() {
    let node = TestNode::start().await;
    for token in ["", "guess"] {
        for body in [Body::from("{"), Body::from(vec![b' '; 2_000_000])] {
            let request = node.request(Method::POST, "/demo/todos").bearer_auth(token).body(body);
            let request = request.header("Content-Type", "application/json");
            Reply::of(request).await.assert_problem(401, "Unauthorized");
        }
    }
}

#[actix_web::test]
async fn an_empty_body_lacks_its_fields() {
    let node = TestNode::start().await;
    let reply = Reply::of(node.request(Method::POST, PATH)).await;
    reply.assert_problem(400, "Validation failed");
    assert!(reply.body["meta"]["fields"]["email"].is_string(), "{reply:?}");
}

#[actix_web::test]
async fn a_body_that_does_not_arrive_is_given_up() {
    let node = TestNode::with(&[("http.body_pause_seconds", "0.05")]).await;
    let url = node.get("/").build().unwrap().url().clone();
    let address = (url.host_str().unwrap(), url.port().unwrap());
    let mut socket = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{{"
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 12];
    let read = tokio::time::timeout(Duration::from_secs(10), socket.read_exact(&mut answer)).await;
    read.unwrap().unwrap();
    assert_eq!(answer, b"HTTP/1.1 408");
}
