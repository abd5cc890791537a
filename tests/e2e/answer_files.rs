//! A `files` answer: checked byte for byte, read by the model on the answering turn, kept without its bytes.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::play::{accept, call, fail, rule, script, script_with_tools, text, wait};
use crate::support::transcript::transcript;
use crate::support::{Node, Setup, invariants};

/// Something to look for where it must not be.
const MARKER: &str = "bytes-nobody-keeps";

const ALL: [&str; 5] = ["image", "pdf", "text", "csv", "json"];

fn ask_files(id: &str, accept: &[&str]) -> Value {
    call(id, "ask_files", json!({"prompt": "Which files?", "accept": accept, "maxFiles": 8}))
}

/// A node that takes files of at most 1,000 bytes, whose agent asks for files and then is done.
async fn node(accept: &[&str]) -> Node {
    let play =
        script([rule("", [vec![ask_files("call_1", accept)], vec![text("Done.")], vec![text("Bye.")]])]);
    Setup::new().scripted(&play).set("asks.max_file_size_bytes", 1000).start().await
}

async fn asked(ada: &Client) -> String {
    let turn = ada.says("Go").await;
    assert_eq!(turn.ask_id(), "call_1");
    turn.history_id()
}

fn data_url(mime_type: &str, bytes: &[u8]) -> String {
    format!("data:{mime_type};base64,{}", STANDARD.encode(bytes))
}

/// A file that carries its bytes.
fn inline(filename: &str, mime_type: &str, bytes: &[u8]) -> Value {
    json!({"url": data_url(mime_type, bytes), "filename": filename, "mimeType": mime_type, "size": bytes.len()})
}

/// Uploads a file and refers to it.
async fn uploaded(client: &Client, filename: &str, mime_type: &str, bytes: &[u8]) -> Value {
    let made = client.upload(filename, mime_type, bytes).await.expect(201).data();
    json!({"fileId": made["id"], "filename": filename, "mimeType": mime_type, "size": bytes.len()})
}

fn files(files: &[Value]) -> Value {
    accept(json!({"files": files}))
}

/// A file of each type, with the marker inside.
fn one_of_each() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let with = |head: &[u8]| [head, MARKER.as_bytes()].concat();
    vec![
        ("a.jpg", "image/jpeg", with(b"\xff\xd8\xff\xe0")),
        ("a.png", "image/png", with(b"\x89PNG\r\n\x1a\n")),
        ("a.gif", "image/gif", with(b"GIF89a")),
        ("a.webp", "image/webp", with(b"RIFF\0\0\0\0WEBP")),
        ("a.pdf", "application/pdf", with(b"%PDF-1.7\n")),
        ("a.txt", "text/plain", with("héllo ".as_bytes())),
        ("a.csv", "text/csv", with(b"a,b\n1,")),
        ("a.json", "application/json", format!(r#"{{"is": "{MARKER}"}}"#).into_bytes()),
    ]
}

/// What is kept of a file: its id when it was uploaded, its name, its type and its real size.
fn kept(file: &Value) -> Value {
    let mut file = file.clone();
    file.as_object_mut().unwrap().remove("url");
    file
}

/// Whether any file under a folder holds the marker, as it is or encoded.
fn is_anywhere(marker: &str, folder: &Path) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return is_anywhere(marker, &path);
        }
        let bytes = std::fs::read(&path).unwrap();
        let holds = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
        // The part of the encoding that is the same wherever the marker begins.
        let encoded = (0..3).map(|shift| STANDARD.encode(&marker[shift..]));
        holds(marker.as_bytes()) || encoded.into_iter().any(|text| holds(&text.as_bytes()[..16]))
    })
}

#[tokio::test]
async fn files_of_every_type_reach_the_model_as_data_urls_and_as_uploads() {
    let node = node(&ALL).await;
    let ada = node.user("ada").await;
    for upload in [false, true] {
        let mut sent = Vec::new();
        for (name, mime_type, bytes) in one_of_each() {
            sent.push(match upload {
                true => uploaded(&ada, name, mime_type, &bytes).await,
                false => inline(name, mime_type, &bytes),
            });
        }
        let history = asked(&ada).await;
        let turn = ada.answer(&history, "call_1", files(&sent)).await.rest().await;
        assert_eq!(turn.kinds(), ["askResolved", "text", "done"]);

        let stored = files(&sent.iter().map(kept).collect::<Vec<_>>());
        assert_eq!(ada.history(&history).await["prompts"][2]["result"], stored);
        let record = node.record();
        let seen = &record.requests.last().unwrap()["messages"][2]["results"][0];
        assert_eq!(seen["output"], json!({"type": "json", "value": stored}));
        let captions: Vec<Value> = one_of_each()
            .iter()
            .zip(1..)
            .map(|((name, mime_type, bytes), number)| {
                let caption = format!("File {number} of 8: {name} ({mime_type}, {} bytes)", bytes.len());
                json!({"caption": caption, "mimeType": mime_type})
            })
            .collect();
        assert_eq!(seen["files"], json!(captions));
    }
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_later_turn_sees_names_types_and_sizes_only() {
    let node = node(&ALL).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let file = inline("a.txt", "text/plain", MARKER.as_bytes());
    ada.turn(
        &history,
        json!({"askResponse": {"toolCallId": "call_1", "action": "accept",
        "content": {"files": [file]}}}),
    )
    .await
    .expect(200);
    ada.says_in(&history, "And now?").await;
    let later = &node.record().requests[2]["messages"][2]["results"];
    let output = json!({"type": "json", "value": files(&[kept(&file)])});
    assert_eq!(later, &json!([{"id": "call_1", "name": "ask_files", "output": output}]));
    invariants::hold(&node).await;
}

/// The answering turn may take several requests; the model has the files in each.
#[tokio::test]
async fn the_model_has_the_files_until_the_answering_turn_rests() {
    let requests = [
        vec![ask_files("call_1", &ALL)],
        vec![call("call_2", "look", json!({}))],
        vec![call("call_3", "look", json!({}))],
        vec![ask_files("call_4", &ALL)],
        vec![text("Done.")],
    ];
    let tools = [json!({"name": "look", "result": {"ok": true}})];
    let node = Node::scripted(script_with_tools([rule("", requests)], tools)).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let first = inline("a.txt", "text/plain", MARKER.as_bytes());
    let turn = ada.answer(&history, "call_1", files(&[first])).await.rest().await;
    assert_eq!(turn.ask_id(), "call_4");
    let second = inline("b.txt", "text/plain", MARKER.as_bytes());
    ada.answer(&history, "call_4", files(&[second])).await.rest().await;

    let requests = node.record().requests;
    let captions = |request: usize, message: usize| {
        requests[request]["messages"][message]["results"][0]["files"].clone()
    };
    let first = json!([{"caption": "File 1 of 1: a.txt (text/plain, 18 bytes)", "mimeType": "text/plain"}]);
    for request in 1..4 {
        assert_eq!(captions(request, 2), first, "request {request}");
    }
    assert_eq!(captions(4, 2), Value::Null);
    assert_eq!(captions(4, 8)[0]["caption"], "File 1 of 1: b.txt (text/plain, 18 bytes)");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn the_size_that_is_kept_is_the_real_one() {
    let node = node(&ALL).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let mut file = inline("a.txt", "text/plain", b"hello");
    file["size"] = json!(0);
    ada.answer(&history, "call_1", files(&[file])).await.rest().await;
    let result = &ada.history(&history).await["prompts"][2]["result"];
    assert_eq!(
        result["content"]["files"][0],
        json!({"filename": "a.txt", "mimeType": "text/plain", "size": 5})
    );
    invariants::hold(&node).await;
}

#[tokio::test]
async fn every_error_of_a_file_is_told_by_its_code_and_the_ask_stays_pending() {
    let node = node(&["text", "json", "image"]).await;
    let (ada, bob) = (node.user("ada").await, node.user("bob").await);
    let history = asked(&ada).await;
    let text = |bytes: &[u8]| inline("a.txt", "text/plain", bytes);
    let with = |field: &str, value: Value| {
        let mut file = text(b"hello");
        file[field] = value;
        file
    };
    let without = |field: &str| {
        let mut file = text(b"hello");
        file.as_object_mut().unwrap().remove(field);
        file
    };
    let deleted = uploaded(&ada, "a.txt", "text/plain", b"hello").await;
    ada.delete(&format!("/files/{}", deleted["fileId"].as_str().unwrap())).await.expect(204);
    let of_bob = uploaded(&bob, "a.txt", "text/plain", b"hello").await;
    let upload = |id: &str| json!({"fileId": id, "filename": "a.txt", "mimeType": "text/plain", "size": 5});
    let not_text = uploaded(&ada, "a.png", "image/png", b"\x89PNG\r\n\x1a\n").await;
    let mut not_text_but_declared = not_text.clone();
    not_text_but_declared["mimeType"] = json!("text/plain");

    let one = |file: Value| vec![file];
    for (name, sent, path, code) in [
        ("no file", vec![], "content.files", "FILE_COUNT"),
        ("nine files", vec![text(b"a"); 9], "content.files", "FILE_COUNT"),
        ("no bytes", one(without("url")), "content.files[0]", "MISSING_REQUIRED"),
        ("both refs", one(with("fileId", json!("x"))), "content.files[0].url", "INVALID_FORMAT"),
        ("no name", one(with("filename", json!(""))), "content.files[0].filename", "TOO_SHORT"),
        ("long name", one(with("filename", json!("x".repeat(256)))), "content.files[0].filename", "TOO_LONG"),
        ("no type", one(without("mimeType")), "content.files[0].mimeType", "MISSING_REQUIRED"),
        (
            "other type",
            one(inline("a.pdf", "application/pdf", b"%PDF-1.7")),
            "content.files[0].mimeType",
            "FILE_TYPE_NOT_ACCEPTED",
        ),
        ("says it is large", one(with("size", json!(1001))), "content.files[0].size", "FILE_TOO_LARGE"),
        (
            "is large",
            one({
                let mut file = text(&[b'a'; 1001]);
                file["size"] = json!(1000);
                file
            }),
            "content.files[0].size",
            "FILE_TOO_LARGE",
        ),
        ("part of a byte", one(with("size", json!(1.5))), "content.files[0].size", "INVALID_TYPE"),
        (
            "remote",
            one(with("url", json!("https://example.com/a.txt"))),
            "content.files[0].url",
            "INVALID_FORMAT",
        ),
        (
            "not base64",
            one(with("url", json!("data:text/plain,hello"))),
            "content.files[0].url",
            "INVALID_FORMAT",
        ),
        (
            "other media type",
            one(with("url", json!(data_url("text/csv", b"hello")))),
            "content.files[0].mimeType",
            "MIME_MISMATCH",
        ),
        ("a picture as text", one(text(b"\x89PNG\r\n\x1a\n")), "content.files[0].mimeType", "MIME_MISMATCH"),
        ("NUL as text", one(text(b"a\0b")), "content.files[0].mimeType", "MIME_MISMATCH"),
        (
            "text as a picture",
            one(inline("a.png", "image/png", b"hello")),
            "content.files[0].mimeType",
            "MIME_MISMATCH",
        ),
        (
            "broken JSON",
            one(inline("a.json", "application/json", b"{")),
            "content.files[0].mimeType",
            "MIME_MISMATCH",
        ),
        (
            "an upload of another type",
            one(not_text_but_declared),
            "content.files[0].mimeType",
            "MIME_MISMATCH",
        ),
        ("an upload of another user", one(of_bob), "content.files[0].fileId", "FILE_NOT_OWNED"),
        ("a deleted upload", one(deleted), "content.files[0].fileId", "FILE_NOT_OWNED"),
        (
            "no upload",
            one(upload("01890a5d-ac96-774b-bcce-b302099a8057")),
            "content.files[0].fileId",
            "FILE_NOT_OWNED",
        ),
        ("no id", one(upload("../secret")), "content.files[0].fileId", "FILE_NOT_OWNED"),
        ("the second of two", vec![text(b"a"), text(b"\0")], "content.files[1].mimeType", "MIME_MISMATCH"),
        ("unknown field", one(with("path", json!("/etc"))), "content.files[0].path", "UNKNOWN_KEY"),
    ] {
        let refused = ada.answer_refused(&history, "call_1", files(&sent)).await;
        let refused = refused.expect_problem(400, "Invalid askResponse").json();
        let errors = refused["fields"].as_array().unwrap();
        let found: Vec<_> =
            errors.iter().map(|error| (error["path"].clone(), error["code"].clone())).collect();
        assert_eq!(found, [(json!(path), json!(code))], "{name}: {refused:#}");
        let mut answer = files(&sent);
        answer["toolCallId"] = json!("call_1");
        let headless = ada.turn(&history, json!({"askResponse": answer})).await;
        let headless = headless.expect_problem(400, "Invalid askResponse").json();
        assert_eq!(headless["meta"]["fields"], refused["fields"], "{name}");
    }
    assert_eq!(ada.history(&history).await["pendingAsk"]["toolCallId"], "call_1");
    assert_eq!(node.record().requests.len(), 1, "the model was called");
    ada.answer(&history, "call_1", files(&[text(b"hello")])).await.rest().await;
    invariants::hold(&node).await;
}

#[tokio::test]
async fn the_bytes_of_an_answer_are_kept_nowhere_once_the_turn_rests() {
    let node = node(&ALL).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let sent: Vec<Value> =
        one_of_each().iter().map(|(name, mime_type, bytes)| inline(name, mime_type, bytes)).collect();
    let mut refused = sent.clone();
    refused[0]["mimeType"] = json!("image/png");
    refused[0]["url"] = json!(data_url("image/png", MARKER.as_bytes()));
    ada.answer_refused(&history, "call_1", files(&refused)).await.expect(400);
    ada.answer(&history, "call_1", files(&sent)).await.rest().await;
    let read = ada.get(&format!("/gpt/histories/{history}")).await;
    assert!(!read.text().contains("base64"));
    // A node that stops between the end of a turn and the removal leaves it to the next one.
    let setup = node.setup().clone();
    node.stop().await;
    setup.clone().start().await.stop().await;
    assert!(!is_anywhere(MARKER, setup.folder()), "{}", setup.folder().display());
}

/// The files of an answer that waits its turn, or whose turn runs, are there for the node that goes on with it.
#[tokio::test]
async fn the_files_of_an_answer_outlive_the_process_until_they_are_read() {
    let asks = rule("Go", [vec![wait(1000), ask_files("call_1", &ALL)], vec![wait(1500), text("Done.")]]);
    let slow = rule("slow", [vec![wait(1500), text("Slow.")]]);
    let node = Node::scripted(script([asks, slow])).await;
    let ada = node.user("ada").await;
    let running = ada.prompt(json!({"prompt": "Go"})).await;
    let history = running.history_id();
    let _slow = ada.prompt(json!({"prompt": "slow", "historyId": history})).await;
    running.rest().await;
    let answer = files(&[inline("a.txt", "text/plain", MARKER.as_bytes())]);
    let waiting = ada.answer(&history, "call_1", answer).await;
    drop(waiting);

    let node = node.restart().await;
    let ada = ada.on(&node);
    let mut listener = ada.events(&history, Some("0")).await;
    while listener.until("done").await.iter().all(|event| event.data.get("askResolved").is_none()) {}
    let record = node.record();
    let seen = record.requests.last().unwrap()["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(seen["results"][0]["files"][0]["caption"], "File 1 of 1: a.txt (text/plain, 18 bytes)");
    assert_eq!(transcript(&ada.history(&history).await).last().unwrap(), "assistant: Done.");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn an_uploaded_file_stays_its_owners_and_is_not_copied_into_the_database() {
    let node = node(&ALL).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let file = uploaded(&ada, "a.txt", "text/plain", MARKER.as_bytes()).await;
    ada.answer(&history, "call_1", files(std::slice::from_ref(&file))).await.rest().await;
    let path = format!("/files/{}", file["fileId"].as_str().unwrap());
    assert_eq!(ada.get(&path).await.expect(200).text(), MARKER);
    ada.delete(&path).await.expect(204);
    let setup = node.setup().clone();
    node.stop().await;
    assert!(!is_anywhere(MARKER, setup.folder()));
}

#[tokio::test]
async fn an_answer_with_files_that_was_undone_is_sent_again_and_keeps_no_bytes_meanwhile() {
    let requests = [vec![ask_files("call_1", &ALL)], vec![fail("down")], vec![text("Done.")]];
    let node = Node::scripted(script([rule("", requests)])).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let answer = files(&[inline("a.txt", "text/plain", MARKER.as_bytes())]);
    let undone = ada.answer(&history, "call_1", answer.clone()).await.rest().await;
    assert_eq!(undone.kinds(), ["askResolved", "error", "done"]);
    let turn = ada.answer(&history, "call_1", answer).await.rest().await;
    assert_eq!(turn.text(), "Done.");
    let seen = &node.record().requests[2]["messages"][2]["results"][0]["files"];
    assert_eq!(seen[0]["caption"], "File 1 of 1: a.txt (text/plain, 18 bytes)");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn three_files_of_the_largest_size_fit_one_answer() {
    let requests = [vec![ask_files("call_1", &ALL)], vec![text("Done.")]];
    let node = Node::scripted(script([rule("", requests)])).await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    let bytes = vec![b'a'; 10_485_760];
    let file = inline("a.txt", "text/plain", &bytes);
    let turn = ada.answer(&history, "call_1", files(&[file.clone(), file.clone(), file])).await.rest().await;
    assert_eq!(turn.kinds(), ["askResolved", "text", "done"]);
    let seen = &node.record().requests[1]["messages"][2]["results"][0]["files"];
    assert_eq!(seen[2]["caption"], "File 3 of 3: a.txt (text/plain, 10485760 bytes)");
    invariants::hold(&node).await;
}
