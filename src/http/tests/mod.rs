//! The API over real sockets, against a node in this process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod around;
mod bodies;
mod described;
mod sign_in;
mod uploads;

use std::sync::LazyLock;

use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::io::IoRuntime;
use crate::node::Node;
use crate::settings::{Settings, Sources};

/// Outlives every test, as the runtime of a process outlives its server.
static RUNTIME: LazyLock<IoRuntime> = LazyLock::new(|| IoRuntime::start().unwrap());

/// A node with a database and a folder of its own.
pub struct TestNode {
    node: Node,
    client: reqwest::Client,
    _folder: TempDir,
}

impl TestNode {
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// A node with these settings, by their dotted keys.
    pub async fn with(settings: &[(&'static str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let mut flags = vec![
            ("http.port", "0".to_owned()),
            ("http.workers", "1".to_owned()),
            ("database.url", format!("sqlite://{}", path("t.db"))),
            ("files.url", path("files")),
        ];
        flags.extend(settings.iter().map(|(key, value)| (*key, (*value).to_owned())));
        let settings = Settings::load(&Sources { flags, ..Sources::default() }).unwrap();
        let node = Node::start(settings, RUNTIME.io()).await.unwrap();
        Self { node, client: reqwest::Client::new(), _folder: folder }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("http://{}{path}", self.node.address()))
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.request(Method::POST, path).json(body)
    }

    /// The token of one of the users that are made at start: `test` or `admin`.
    pub async fn token(&self, user: &str) -> String {
        let body = json!({"email": format!("{user}@example.com"), "password": format!("{user}password123")});
        let reply = Reply::of(self.post("/api/auth/sign-in/email", &body)).await;
        assert_eq!(reply.status, 200);
        reply.body["token"].as_str().unwrap().to_owned()
    }

    pub async fn stop(self) {
        self.node.stop().await;
    }
}

/// A response with a JSON body.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Reply {
    pub async fn of(request: RequestBuilder) -> Self {
        let response: Response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.unwrap();
        Self { status, headers, body: serde_json::from_slice(&bytes).unwrap_or_default() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// That this is the problem document of a refusal with this title.
    pub fn assert_problem(&self, status: u16, title: &str) {
        assert_eq!((self.status, self.body["title"].as_str()), (status, Some(title)), "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body["requestId"].as_str(), self.header("x-request-id"));
        assert!(!self.body["detail"].as_str().unwrap().is_empty());
    }
}
