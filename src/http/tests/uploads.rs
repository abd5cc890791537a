//! Uploads.

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};

use super::{Reply, TestNode};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

fn part(bytes: &'static [u8], name: &'static str, mime_type: &str) -> Part {
    Part::bytes(bytes).file_name(name).mime_str(mime_type).unwrap()
}

fn upload(node: &TestNode, token: &str, form: Form) -> RequestBuilder {
    node.request(Method::POST, "/files/upload").bearer_auth(token).multipart(form)
}

async fn uploaded(node: &TestNode, token: &str, part: Part) -> Reply {
    Reply::of(upload(node, token, Form::new().part("file", part))).await
}

#[actix_web::test]
async fn an_upload_comes_back_as_an_attachment() {
    let node = TestNode::start().await;
    let token = node.token("test").await;
    let reply = uploaded(&node, &token, part(PNG, "folder/rec\"eipt ü.png", "image/png")).await;
    assert_eq!(reply.status, 201);
    let data = &reply.body["data"];
    assert_eq!(data["filename"], "rec\"eipt ü.png");
    assert_eq!(data["mimeType"], "image/png");
    assert_eq!(data["size"], PNG.len());
    let path = format!("/files/{}", data["id"].as_str().unwrap());

    let response = node.get(&path).bearer_auth(&token).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/png");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(
        header("content-disposition"),
        "attachment; filename=\"rec_eipt _.png\"; filename*=UTF-8''rec%22eipt%20%C3%BC.png"
    );
    assert_eq!(response.bytes().await.unwrap(), PNG);
}

#[actix_web::test]
async fn only_the_owner_reads_and_deletes_an_upload() {
    let node = TestNode::start().await;
    let (owner, admin) = (node.token("test").await, node.token("admin").await);
    let reply = uploaded(&node, &owner, part(b"hello", "a.txt", "text/plain")).await;
    let path = format!("/files/{}", reply.body["data"]["id"].as_str().unwrap());
    for method in [Method::GET, Method::DELETE] {
        let refused = Reply::of(node.request(method, &path).bearer_auth(&admin)).await;
        refused.assert_problem(404, "Document not found");
        assert_eq!(refused.body["code"], "document-not-found");
    }
    let delete = || node.request(Method::DELETE, &path).bearer_auth(&owner);
    assert_eq!(Reply::of(delete()).await.status, 204);
    Reply::of(delete()).await.assert_problem(404, "Document not found");
    Reply::of(node.get(&path).bearer_auth(&owner)).await.assert_problem(404, "Document not found");
}

#[actix_web::test]
async fn a_malformed_id_is_not_found() {
    let node = TestNode::start().await;
    let token = node.token("test").await;
    for id in ["1", "..%2Ft.db", "%00", "01a22e4a19e873b2b3fe263cfb276403"] {
        Reply::of(node.get(&format!("/files/{id}")).bearer_auth(&token))
            .await
            .assert_problem(404, "Document not found");
    }
}

#[actix_web::test]
async fn a_file_that_is_not_what_it_declares_is_refused() {
    let node = TestNode::start().await;
    let token = node.token("test").await;
    for (bytes, mime_type, code) in [
        (PNG, "image/jpeg", "MIME_MISMATCH"),
        (b"{", "application/json", "MIME_MISMATCH"),
        (b"a\0b", "text/plain", "MIME_MISMATCH"),
        (b"PK\x03\x04", "application/zip", "FILE_TYPE_NOT_ACCEPTED"),
    ] {
        let reply = uploaded(&node, &token, part(bytes, "a", mime_type)).await;
        reply.assert_problem(400, "Invalid file");
        assert_eq!(reply.body["meta"]["fields"][0]["code"], code);
    }
}

#[actix_web::test]
async fn a_file_may_have_the_limit_and_not_one_byte_more() {
    let node = TestNode::with(&[("asks.max_file_size_bytes", "100000")]).await;
    let token = node.token("test").await;
    let sized =
        |size: usize| Part::bytes(vec![b'a'; size]).file_name("a.txt").mime_str("text/plain").unwrap();
    assert_eq!(uploaded(&node, &token, sized(100_000)).await.status, 201);
    for size in [100_001, 1_000_000] {
        let reply = uploaded(&node, &token, sized(size)).await;
        reply.assert_problem(413, "Payload too large");
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains("100000") && detail.contains("asks.max_file_size_bytes"), "{detail}");
    }
}

#[actix_web::test]
async fn a_form_without_one_usable_file_is_refused() {
    let node = TestNode::start().await;
    let token = node.token("test").await;
    let text = || part(b"hello", "a.txt", "text/plain");
    let forms = [
        Form::new(),
        Form::new().text("other", "hello"),
        Form::new().part("file", Part::bytes(&b"hello"[..]).mime_str("text/plain").unwrap()),
        Form::new().part("file", text()).part("file", text()),
    ];
    for form in forms {
        Reply::of(upload(&node, &token, form)).await.assert_problem(400, "Invalid upload");
    }
    let form = Form::new().text("other", "passed over").part("file", text());
    assert_eq!(Reply::of(upload(&node, &token, form)).await.status, 201);
}

#[actix_web::test]
async fn a_body_that_is_no_form_is_refused() {
    let node = TestNode::start().await;
    let token = node.token("test").await;
    let request = node.request(Method::POST, "/files/upload").bearer_auth(&token).body("hello");
    Reply::of(request).await.assert_problem(415, "Unsupported media type");
    let broken = node
        .request(Method::POST, "/files/upload")
        .bearer_auth(&token)
        .header("Content-Type", "multipart/form-data; boundary=b")
        .body("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n");
    Reply::of(broken).await.assert_problem(400, "Invalid upload");
}

#[actix_web::test]
async fn uploads_need_a_session() {
    let node = TestNode::start().await;
    let form = Form::new().part("file", part(b"hello", "a.txt", "text/plain"));
    Reply::of(node.request(Method::POST, "/files/upload").multipart(form))
        .await
        .assert_problem(401, "Unauthorized");
}
