//! Signing up, in and out.

use serde_json::{Value, json};

use super::{Reply, TestNode};

const SIGN_UP: &str = "/api/auth/sign-up/email";
const SIGN_IN: &str = "/api/auth/sign-in/email";

fn ada() -> Value {
    json!({"email": "ada@example.com", "password": "correct horse", "name": "Ada"})
}

#[actix_web::test]
async fn a_new_user_gets_a_token_and_its_session() {
    let node = TestNode::start().await;
    let reply = Reply::of(node.post(SIGN_UP, &ada())).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.body["user"]["email"], "ada@example.com");
    assert_eq!(reply.body["user"]["admin"], false);
    assert!(reply.body.get("requestId").is_none());
    let token = reply.body["token"].as_str().unwrap();

    let session = Reply::of(node.get("/api/auth/get-session").bearer_auth(token)).await;
    assert_eq!(session.status, 200);
    assert_eq!(session.body["session"]["token"], token);
    assert_eq!(session.body["user"], reply.body["user"]);
    let expires = session.body["session"]["expiresAt"].as_str().unwrap();
    assert!(expires.len() == 24 && expires.ends_with('Z'), "{expires}");
}

#[actix_web::test]
async fn without_a_session_there_is_null() {
    let node = TestNode::start().await;
    for request in [node.get("/api/auth/get-session"), node.get("/api/auth/get-session").bearer_auth("guess")]
    {
        let reply = Reply::of(request).await;
        assert_eq!((reply.status, reply.body), (200, Value::Null));
    }
}

#[actix_web::test]
async fn a_session_that_was_signed_out_opens_nothing() {
    let node = TestNode::start().await;
    let token = node.token("test").await;
    assert_eq!(Reply::of(node.get("/demo/todos").bearer_auth(&token)).await.status, 200);
    let signed_out = Reply::of(node.post("/api/auth/sign-out", &json!({})).bearer_auth(&token)).await;
    assert_eq!((signed_out.status, signed_out.body), (200, json!({"success": true})));
    Reply::of(node.get("/demo/todos").bearer_auth(&token)).await.assert_problem(401, "Unauthorized");
    let session = Reply::of(node.get("/api/auth/get-session").bearer_auth(&token)).await;
    assert_eq!(session.body, Value::Null);
}

#[actix_web::test]
async fn a_path_that_needs_a_session_refuses_everything_else() {
    let node = TestNode::start().await;
    for header in ["", "Bearer", "Bearer ", "Bearer guess", "Basic dGVzdDp0ZXN0", "guess"] {
        let reply = Reply::of(node.get("/demo/todos").header("Authorization", header)).await;
        reply.assert_problem(401, "Unauthorized");
    }
    Reply::of(node.get("/demo/todos")).await.assert_problem(401, "Unauthorized");
}

#[actix_web::test]
async fn a_taken_address_is_a_problem() {
    let node = TestNode::start().await;
    assert_eq!(Reply::of(node.post(SIGN_UP, &ada())).await.status, 200);
    let mut again = ada();
    again["email"] = "ADA@example.com".into();
    Reply::of(node.post(SIGN_UP, &again)).await.assert_problem(422, "User already exists");
}

#[actix_web::test]
async fn a_wrong_password_and_an_unknown_user_are_the_same_problem() {
    let node = TestNode::start().await;
    for (email, password) in
        [("test@example.com", "wrong password"), ("nobody@example.com", "testpassword123")]
    {
        let reply = Reply::of(node.post(SIGN_IN, &json!({"email": email, "password": password}))).await;
        reply.assert_problem(401, "Invalid email or password");
        assert!(!reply.body.to_string().contains("example.com"));
    }
}

#[actix_web::test]
async fn every_field_that_is_wrong_is_named() {
    let node = TestNode::start().await;
    let body = json!({"email": "ada", "password": "short", "name": " "});
    let reply = Reply::of(node.post(SIGN_UP, &body)).await;
    reply.assert_problem(400, "Validation failed");
    let fields = reply.body["meta"]["fields"].as_object().unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["email", "name", "password"]);
    assert!(!reply.body.to_string().contains("short\""), "a password is not repeated");
}

#[actix_web::test]
async fn nobody_makes_himself_an_admin() {
    let node = TestNode::start().await;
    let mut body = ada();
    body["admin"] = true.into();
    let reply = Reply::of(node.post(SIGN_UP, &body)).await;
    assert_eq!(reply.body["user"]["admin"], false);
}

#[actix_web::test]
async fn too_many_failures_are_told_when_to_come_again() {
    let node = TestNode::with(&[("auth.sign_in_failures_per_account", "1")]).await;
    let body = json!({"email": "test@example.com", "password": "wrong password"});
    assert_eq!(Reply::of(node.post(SIGN_IN, &body)).await.status, 401);
    let reply = Reply::of(node.post(SIGN_IN, &body)).await;
    reply.assert_problem(429, "Too many requests");
    let seconds: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=900).contains(&seconds), "{seconds}");
    let detail = reply.body["detail"].as_str().unwrap();
    assert!(detail.contains("auth.sign_in_failures_per_account"), "{detail}");
}

#[actix_web::test]
async fn the_development_users_are_there() {
    let node = TestNode::start().await;
    for (user, admin) in [("test", false), ("admin", true)] {
        let token = node.token(user).await;
        let session = Reply::of(node.get("/api/auth/get-session").bearer_auth(token)).await;
        assert_eq!(session.body["user"]["admin"], admin);
    }
}

#[actix_web::test]
async fn without_development_there_are_no_users_with_public_passwords() {
    let node = TestNode::with(&[("auth.development", "false")]).await;
    let body = json!({"email": "admin@example.com", "password": "adminpassword123"});
    Reply::of(node.post(SIGN_IN, &body)).await.assert_problem(401, "Invalid email or password");
}
