//! A whole response.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::redaction::redacted;

/// Headers that say how a response travelled, not what it is.
const TRANSPORT: [&str; 4] = ["connection", "content-length", "date", "transfer-encoding"];

/// A response that has been read, and held to the documented API.
#[derive(Debug, Clone)]
pub struct Reply {
    /// What was asked.
    pub request: (Method, String),
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The bytes of the body.
    pub bytes: Vec<u8>,
}

impl Reply {
    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.describe()))
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    /// The `data` of a JSON body.
    pub fn data(&self) -> Value {
        self.json()["data"].take()
    }

    /// A header, which must be there.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.unwrap_or_else(|| panic!("no header {name}: {}", self.describe())).to_str().unwrap()
    }

    /// The media type of the body, without parameters.
    pub fn media_type(&self) -> Option<&str> {
        self.headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next().map(str::trim)
    }

    /// This reply, whose status must be `status`.
    ///
    /// # Panics
    /// When it is another.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.describe());
        self
    }

    /// This reply, a problem of this status and title.
    ///
    /// # Panics
    /// When it is something else.
    pub fn expect_problem(self, status: u16, title: &str) -> Self {
        let reply = self.expect(status);
        assert_eq!(reply.json()["title"], title, "{}", reply.describe());
        reply
    }

    /// The whole response with what differs from run to run taken out, for a snapshot.
    pub fn snapshot(&self) -> Value {
        let headers: Map<String, Value> = self
            .headers
            .iter()
            .filter(|(name, _)| !TRANSPORT.contains(&name.as_str()))
            .map(|(name, value)| (name.to_string(), Value::from(value.to_str().unwrap())))
            .collect();
        let body = match self.media_type() {
            Some(media_type) if media_type.ends_with("json") => self.json(),
            _ => Value::from(self.text()),
        };
        redacted(&json!({"status": self.status.as_u16(), "headers": headers, "body": body}))
    }

    fn describe(&self) -> String {
        let (method, path) = &self.request;
        format!("{method} {path} gave {}: {}", self.status, String::from_utf8_lossy(&self.bytes))
    }
}
