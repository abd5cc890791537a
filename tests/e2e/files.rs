//! Uploads: kept for their owner, sniffed, and never larger than the limit.

use serde_json::json;

use crate::support::{Node, Setup};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and the rest";

#[tokio::test]
async fn an_upload_is_read_back_and_deleted() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let uploaded = ada.upload("receipt \"1\" ü.png", "image/png", PNG).await;
    insta::assert_json_snapshot!("uploaded", uploaded.snapshot());
    let path = format!("/files/{}", uploaded.data()["id"].as_str().unwrap());

    let node = node.restart().await;
    let ada = ada.on(&node);
    let read = ada.get(&path).await.expect(200);
    assert_eq!(read.bytes, PNG);
    assert_eq!(read.header("content-type"), "image/png");
    assert_eq!(read.header("x-content-type-options"), "nosniff");
    assert_eq!(
        read.header("content-disposition"),
        "attachment; filename=\"receipt _1_ _.png\"; filename*=UTF-8''receipt%20%221%22%20%C3%BC.png"
    );
    ada.delete(&path).await.expect(204);
    ada.get(&path).await.expect_problem(404, "Document not found");
    ada.delete(&path).await.expect_problem(404, "Document not found");
}

#[tokio::test]
async fn an_upload_is_its_owners_alone() {
    let node = Node::start().await;
    let (ada, ben, admin) = (node.user("ada").await, node.user("ben").await, node.admin().await);
    let uploaded = ada.upload("notes.txt", "text/plain", "private").await.expect(201);
    let path = format!("/files/{}", uploaded.data()["id"].as_str().unwrap());
    for stranger in [ben, admin] {
        stranger.get(&path).await.expect_problem(404, "Document not found");
        stranger.delete(&path).await.expect_problem(404, "Document not found");
    }
    assert_eq!(ada.get(&path).await.expect(200).text(), "private");
    assert_eq!(ada.get("/files/malformed").await.expect(404).json()["code"], "document-not-found");
}

#[tokio::test]
async fn each_type_is_recognised_by_its_first_bytes() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    let files: [(&str, &[u8]); 8] = [
        ("image/jpeg", b"\xff\xd8\xff\xe0 and the rest"),
        ("image/png", PNG),
        ("image/gif", b"GIF89a and the rest"),
        ("image/webp", b"RIFF\x24\0\0\0WEBPVP8 and the rest"),
        ("application/pdf", b"%PDF-1.7\n"),
        ("text/plain", "plain ü".as_bytes()),
        ("text/csv", b"a,b\n1,2\n"),
        ("application/json", b"{\"a\": 1}"),
    ];
    for (declared, bytes) in files {
        assert_eq!(ada.upload("file", declared, bytes).await.expect(201).data()["size"], bytes.len());
        for (other, _) in files.iter().filter(|(other, _)| other.starts_with("image/") && *other != declared)
        {
            let refused = ada.upload("file", other, bytes).await.expect_problem(400, "Invalid file");
            assert_eq!(refused.json()["meta"]["fields"][0]["code"], "MIME_MISMATCH", "{declared} as {other}");
        }
    }
    insta::assert_json_snapshot!("mismatch", ada.upload("a.pdf", "application/pdf", PNG).await.snapshot());
    insta::assert_json_snapshot!(
        "unknown_type",
        ada.upload("a.zip", "application/zip", "PK").await.snapshot()
    );
}

#[tokio::test]
async fn an_upload_may_have_the_limit_and_not_one_byte_more() {
    let node = Setup::new().set("asks.max_file_size_bytes", 1000).start().await;
    let ada = node.user("ada").await;
    ada.upload("a.txt", "text/plain", "a".repeat(1000)).await.expect(201);
    let refused = ada.upload("a.txt", "text/plain", "a".repeat(1001)).await;
    insta::assert_json_snapshot!("too_large", refused.snapshot());
    ada.upload("a.txt", "text/plain", "a".repeat(500_000)).await.expect_problem(413, "Payload too large");
}

#[tokio::test]
async fn what_is_no_upload_is_refused() {
    let node = Node::start().await;
    let ada = node.user("ada").await;
    ada.post("/files/upload", json!({})).await.expect_problem(415, "Unsupported media type");
    let other_field = reqwest::multipart::Form::new().text("other", "text");
    let refused = ada.call(reqwest::Method::POST, "/files/upload").form(other_field).send().await;
    insta::assert_json_snapshot!("no_file_field", refused.snapshot());
}
