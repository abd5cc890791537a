//! Users sign in, and only their session opens what is theirs.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Node, Setup};

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "a long password";

#[tokio::test]
async fn a_user_signs_up_in_and_out() {
    let node = Node::start().await;
    let client = node.client();
    let form = json!({"email": ADA, "password": PASSWORD, "name": "Ada"});
    let signed_up = client.post("/api/auth/sign-up/email", form).await.expect(200);
    insta::assert_json_snapshot!("signed_up", signed_up.snapshot());

    let signed_in = client.post("/api/auth/sign-in/email", json!({"email": ADA, "password": PASSWORD})).await;
    assert_eq!(signed_in.json()["user"], signed_up.json()["user"]);
    let client = client.with_token(signed_in.json()["token"].as_str());
    let session = client.get("/api/auth/get-session").await;
    assert_eq!(session.json()["session"]["token"], client.token());
    insta::assert_json_snapshot!("session", session.snapshot());

    let signed_out = client.post("/api/auth/sign-out", json!({})).await;
    insta::assert_json_snapshot!("signed_out", signed_out.snapshot());
    assert_eq!(client.get("/api/auth/get-session").await.expect(200).json(), Value::Null);
    client.get("/gpt/histories").await.expect_problem(401, "Unauthorized");
}

#[tokio::test]
async fn signing_out_ends_one_session_of_a_user() {
    let node = Node::start().await;
    let phone = node.user("ada").await;
    let watch = node.client().sign_in(ADA, PASSWORD).await;
    phone.post("/api/auth/sign-out", json!({})).await.expect(200);
    assert_eq!(watch.get("/api/auth/get-session").await.json()["user"]["email"], ADA);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_user_look_the_same() {
    let node = Node::start().await;
    node.user("ada").await;
    let tried = async |email: &str| {
        let body = json!({"email": email, "password": "not the password"});
        node.client().post("/api/auth/sign-in/email", body).await.snapshot()
    };
    let known = tried(ADA).await;
    assert_eq!(known, tried("nobody@example.com").await);
    insta::assert_json_snapshot!("wrong_password", known);
}

#[tokio::test]
async fn an_address_belongs_to_one_user_however_it_is_spelled() {
    let node = Node::start().await;
    node.user("ada").await;
    let again = json!({"email": "Ada@Example.com", "password": PASSWORD, "name": "Ada"});
    let refused = node.client().post("/api/auth/sign-up/email", again).await;
    insta::assert_json_snapshot!("taken_address", refused.snapshot());
    node.client().sign_in("ADA@example.com", PASSWORD).await;
}

#[tokio::test]
async fn a_password_has_8_to_128_characters() {
    let node = Node::start().await;
    for (length, status) in [(7, 400), (8, 200), (128, 200), (129, 400)] {
        let email = format!("user{length}@example.com");
        let form = json!({"email": email, "password": "ä".repeat(length), "name": "User"});
        let reply = node.client().post("/api/auth/sign-up/email", form).await.expect(status);
        if status == 400 {
            assert!(reply.json()["meta"]["fields"]["password"].is_string(), "{}", reply.text());
        }
    }
}

#[tokio::test]
async fn every_operation_that_needs_a_session_refuses_without_one() {
    let node = Node::start().await;
    let paths = node.contract().document()["paths"].as_object().unwrap();
    let mut refused = 0;
    for (path, operations) in paths {
        let path = path.replace("{id}", "01890a5d-ac96-774b-bcce-b302099a8057");
        for (method, _) in
            operations.as_object().unwrap().iter().filter(|(_, it)| it.get("security").is_some())
        {
            let method: Method = method.to_uppercase().parse().unwrap();
            for token in [None, Some("made-up"), Some("")] {
                let client = node.client().with_token(token);
                client.call(method.clone(), &path).send().await.expect_problem(401, "Unauthorized");
            }
            refused += 1;
        }
    }
    assert!(refused >= 15, "only {refused} operations need a session");
}

#[tokio::test]
async fn ten_failures_close_an_account_also_on_the_next_process() {
    let node = Node::start().await;
    node.user("ada").await;
    let wrong = json!({"email": ADA, "password": "not the password"});
    for _ in 0..10 {
        node.client().post("/api/auth/sign-in/email", wrong.clone()).await.expect(401);
    }
    let node = node.restart().await;
    let right = json!({"email": ADA, "password": PASSWORD});
    let refused =
        node.client().post("/api/auth/sign-in/email", right).await.expect_problem(429, "Too many requests");
    assert!(refused.json()["detail"].as_str().unwrap().contains("auth.sign_in_failures_per_account"));
    assert!(refused.header("retry-after").parse::<u64>().unwrap() <= 15 * 60);
}

#[tokio::test]
async fn only_a_trusted_proxy_tells_the_clients_address() {
    let proxied = Setup::new().set("http.trusted_proxies", "127.0.0.1").set("auth.sign_ups_per_minute", 2);
    for (setup, third) in [(proxied, 429), (Setup::new().set("auth.sign_ups_per_minute", 2), 200)] {
        let node = setup.start().await;
        for (name, status) in [("ada", 200), ("ben", 200), ("cem", third)] {
            let form = json!({"email": format!("{name}@example.com"), "password": PASSWORD, "name": name});
            let call = node.client();
            let call =
                call.call(Method::POST, "/api/auth/sign-up/email").header("X-Forwarded-For", "203.0.113.9");
            call.json(form).send().await.expect(status);
        }
    }
}

#[tokio::test]
async fn a_session_outlives_the_process_and_is_kept_only_as_a_hash() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let node = node.restart().await;
    let ada = ada.on(&node);
    assert_eq!(ada.get("/api/auth/get-session").await.json()["user"]["name"], "ada");
    for name in ["turnwright.db", "turnwright.db-wal"] {
        let stored = std::fs::read(node.setup().folder().join(name)).unwrap_or_default();
        for secret in [ada.token(), PASSWORD] {
            let held = stored.windows(secret.len()).any(|bytes| bytes == secret.as_bytes());
            assert!(!held, "{name} holds a secret");
        }
    }
    for secret in [ada.token(), PASSWORD] {
        assert!(!node.logs().text().contains(secret), "the log holds a secret");
    }
}
