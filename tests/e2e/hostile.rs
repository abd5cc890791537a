//! What is no proper HTTP is refused or cut off, and the node goes on serving everybody else.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Client, Node, Setup, invariants};

/// How long a connection may stay open after what should end it.
const PATIENCE: Duration = Duration::from_secs(20);

async fn connect(node: &Node) -> TcpStream {
    TcpStream::connect(node.url().strip_prefix("http://").unwrap()).await.unwrap()
}

/// Sends bytes and gives everything that comes back until the connection ends.
async fn exchange(node: &Node, bytes: &[u8]) -> String {
    let mut connection = connect(node).await;
    // The node may have heard enough before everything is sent.
    let _ = connection.write_all(bytes).await;
    everything(&mut connection).await
}

/// What a connection gives until its end, which a reset is too.
async fn everything(connection: &mut TcpStream) -> String {
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    let reading = async {
        while let Ok(count @ 1..) = connection.read(&mut buffer).await {
            received.extend_from_slice(&buffer[..count]);
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("the connection stays open");
    String::from_utf8_lossy(&received).into_owned()
}

/// The statuses in what a connection gave.
fn statuses(received: &str) -> Vec<u16> {
    let heads = received.split("HTTP/1.1 ").skip(1);
    heads.map(|head| head.get(..3).and_then(|status| status.parse().ok()).unwrap()).collect()
}

/// A signed-in request with a JSON body whose head ends with these lines.
fn post(user: &Client, path: &str, lines: &str, body: &str) -> Vec<u8> {
    let token = user.token();
    format!(
        "POST {path} HTTP/1.1\r\nHost: node\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\n{lines}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// The node serves, and has seen nothing it takes for its own failure.
async fn assert_unharmed(node: &Node) {
    node.client().get("/readyz").await.expect(200);
    // The HTTP library tells of broken requests as of its own errors.
    let logs = node.logs().text();
    let is_failure = |line: &&str| {
        let told_by_library = line.contains(r#""target":"actix_http"#);
        line.contains("panicked") || line.contains(r#""level":"ERROR""#) && !told_by_library
    };
    let failed: Vec<&str> = logs.lines().filter(is_failure).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    invariants::hold(node).await;
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    let node = Node::start().await;
    let many_headers: String = (0..500).map(|number| format!("X-{number}: a\r\n")).collect();
    let long = "a".repeat(300_000);
    for bytes in [
        b"\x00\xff\xfe\x01 nonsense\r\n\r\n".to_vec(),
        [&b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03"[..], &[0; 200]].concat(),
        b"GET /healthz\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/3.7\r\nHost: node\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost node\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost : node\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: one\r\nHost: two\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: node\r\nX-A: b\r\n c\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: node\r\nX-A: a\0b\r\n\r\n".to_vec(),
        b"GET /gpt/histories/\xc3\xbc HTTP/1.1\r\nHost: node\r\n\r\n".to_vec(),
        b"GET /gpt/histories/\xff HTTP/1.1\r\nHost: node\r\n\r\n".to_vec(),
        format!("GET /healthz HTTP/1.1\r\nHost: node\r\n{many_headers}\r\n").into_bytes(),
        format!("GET /healthz HTTP/1.1\r\nHost: node\r\nX-A: {long}\r\n\r\n").into_bytes(),
        format!("GET /{long} HTTP/1.1\r\nHost: node\r\n\r\n").into_bytes(),
    ] {
        let received = exchange(&node, &bytes).await;
        let refused = statuses(&received).iter().all(|status| (400..500).contains(status));
        assert!(refused, "{} gave {received:.300}", String::from_utf8_lossy(&bytes[..bytes.len().min(80)]));
    }
    assert_unharmed(&node).await;
}

#[tokio::test]
async fn a_request_whose_length_is_ambiguous_smuggles_nothing() {
    let node = Node::start().await;
    let user = node.user("smuggler").await;
    let smuggled = "GET /healthz HTTP/1.1\r\nHost: node\r\n\r\n";
    let length = smuggled.len() + 5;
    for (lines, body) in [
        (format!("Content-Length: 2\r\nContent-Length: {length}"), format!("{{}}{smuggled}")),
        (format!("Content-Length: {length}\r\nContent-Length: 2"), format!("{{}}{smuggled}")),
        (format!("Content-Length: {length}\r\nTransfer-Encoding: chunked"), format!("0\r\n\r\n{smuggled}")),
        (format!("Transfer-Encoding: chunked\r\nContent-Length: {length}"), format!("0\r\n\r\n{smuggled}")),
        ("Transfer-Encoding: xchunked".to_owned(), format!("0\r\n\r\n{smuggled}")),
        ("Transfer-Encoding: chunked, identity".to_owned(), format!("0\r\n\r\n{smuggled}")),
        ("Content-Length: 2, 2".to_owned(), format!("{{}}{smuggled}")),
        ("Content-Length: -2".to_owned(), format!("{{}}{smuggled}")),
        ("Content-Length: +2".to_owned(), format!("{{}}{smuggled}")),
        ("Content-Length: 0x2".to_owned(), format!("{{}}{smuggled}")),
        ("Content-Length: 99999999999999999999999".to_owned(), format!("{{}}{smuggled}")),
        ("Transfer-Encoding: chunked".to_owned(), format!("zz\r\n{{}}\r\n0\r\n\r\n{smuggled}")),
    ] {
        let received = exchange(&node, &post(&user, "/gpt/histories", &lines, &body)).await;
        let answered = statuses(&received);
        assert!(answered.is_empty() || answered == [400], "{lines} gave {received}");
    }
    let made = user.get("/gpt/histories").await.expect(200);
    assert_eq!(made.json()["total"], 0, "a request of unclear length was served");
    assert_unharmed(&node).await;
}

#[tokio::test]
async fn requests_that_come_at_once_are_answered_in_order() {
    let node = Node::start().await;
    let one = |number: u32, more: &str| {
        format!("GET /healthz HTTP/1.1\r\nHost: node\r\nX-Request-Id: id-{number}\r\n{more}\r\n")
    };
    let mut pipelined: String = (0..99).map(|number| one(number, "")).collect();
    pipelined.push_str(&one(99, "Connection: close\r\n"));
    let received = exchange(&node, pipelined.as_bytes()).await;
    assert_eq!(statuses(&received), [200; 100]);
    let places = (0..100).map(|number| received.find(&format!("x-request-id: id-{number}\r")).unwrap());
    assert!(places.is_sorted());
}

#[tokio::test]
async fn odd_words_in_a_path_name_nothing() {
    let node = Node::start().await;
    let user = node.user("odd").await;
    let long = "a".repeat(30_000);
    for word in
        ["%00", "%ff%fe", "%zz", "%", "%2e%2e", "%2F", "..", "*", "\\", "%C3%BC", "{id}", "null", "1", &long]
    {
        for path in [
            format!("/gpt/histories/{word}"),
            format!("/gpt/histories/{word}/events"),
            format!("/files/{word}"),
            format!("/{word}"),
            format!("//{word}/healthz"),
        ] {
            let token = user.token();
            let head = format!(
                "GET {path} HTTP/1.1\r\nHost: node\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
            );
            let received = exchange(&node, head.as_bytes()).await;
            assert!(matches!(statuses(&received)[..], [400 | 404]), "{path:.60} gave {received:.300}");
        }
    }
    assert_unharmed(&node).await;
}

#[tokio::test]
async fn who_sends_slowly_is_given_up_and_holds_nobody_up() {
    let node = Setup::new().set("http.head_seconds", 1).set("http.body_pause_seconds", 1).start().await;
    let user = node.user("slow").await;
    let halves = [
        b"GET /healthz HTT".to_vec(),
        Vec::new(),
        post(&user, "/gpt/histories", "Content-Length: 100", "{"),
        post(&user, "/gpt/histories", "Transfer-Encoding: chunked", "ffff\r\n{"),
        post(&user, "/gpt/prompt", "Content-Length: 50000000", "{\"prompt\": \""),
    ];
    let mut slow = Vec::new();
    for half in halves.iter().cycle().take(200) {
        let mut connection = connect(&node).await;
        connection.write_all(half).await.unwrap();
        slow.push(connection);
    }
    for _ in 0..5 {
        user.says("hello").await.done();
    }
    for connection in &mut slow {
        let received = everything(connection).await;
        assert!(matches!(statuses(&received)[..], [] | [408]), "{received}");
    }
    assert_eq!(user.get("/gpt/histories").await.expect(200).json()["total"], 5);
    assert_unharmed(&node).await;
}

#[tokio::test]
async fn who_breaks_off_in_the_middle_has_said_nothing() {
    let node = Node::start().await;
    let user = node.user("gone").await;
    let whole = json!({"prompt": "hello"}).to_string();
    for sent in 0..whole.len() {
        let length = format!("Content-Length: {}", whole.len());
        let mut connection = connect(&node).await;
        connection.write_all(&post(&user, "/gpt/prompt", &length, &whole[..sent])).await.unwrap();
        connection.shutdown().await.unwrap();
        let received = everything(&mut connection).await;
        assert!(matches!(statuses(&received)[..], [] | [400]), "{received}");
    }
    assert_eq!(user.get("/gpt/histories").await.expect(200).json()["total"], 0);
    assert_unharmed(&node).await;
}

#[tokio::test]
async fn many_idle_connections_leave_room_for_others() {
    let node = Node::start().await;
    let user = node.user("busy").await;
    let mut idle = Vec::new();
    for _ in 0..1_000 {
        idle.push(connect(&node).await);
    }
    user.says("hello").await.done();
    drop(idle);
    assert_unharmed(&node).await;
}
