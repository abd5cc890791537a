//! Server-sent events as a test reads them: one frame at a time, each held to the documented schema.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use jsonschema::Validator;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// How long a test waits for the next frame before it fails. Above the time between two keep-alives.
const PATIENCE: Duration = Duration::from_secs(30);

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its `id:` line.
    pub id: Option<String>,
    /// Its `data:` line.
    pub data: Value,
}

/// Anything a stream may hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// An event.
    Event(Event),
    /// A comment, such as a keep-alive.
    Comment(String),
    /// How many milliseconds to wait before coming again.
    Retry(u64),
}

/// The body of a streaming response. Dropping it closes the connection.
pub struct EventStream {
    /// The response's headers.
    pub headers: HeaderMap,
    chunks: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    unread: Vec<u8>,
    schema: Arc<Validator>,
}

impl EventStream {
    /// The events of a response whose data lines are of `schema`.
    pub fn new(response: reqwest::Response, schema: Arc<Validator>) -> Self {
        let headers = response.headers().clone();
        Self { headers, chunks: Box::pin(response.bytes_stream()), unread: Vec::new(), schema }
    }

    /// A header of the response, which must be there.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).unwrap_or_else(|| panic!("no header {name}: {:?}", self.headers));
        value.to_str().unwrap()
    }

    /// The conversation the stream belongs to.
    pub fn history_id(&self) -> String {
        self.header("x-history-id").to_owned()
    }

    /// The next frame, or `None` when the stream has ended well.
    ///
    /// # Panics
    /// When nothing comes, the connection breaks, or what comes is not documented.
    pub async fn frame(&mut self) -> Option<Frame> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.unread.drain(..end + 2).collect();
                return Some(self.read(std::str::from_utf8(&block).unwrap()));
            }
            let next = tokio::time::timeout(PATIENCE, self.chunks.next()).await;
            match next.unwrap_or_else(|_| panic!("no event came in {PATIENCE:?}")) {
                Some(chunk) => self.unread.extend_from_slice(&chunk.expect("the stream broke off")),
                None => {
                    let rest = String::from_utf8_lossy(&self.unread);
                    assert!(rest.is_empty(), "the stream ended inside a frame: {rest}");
                    return None;
                }
            }
        }
    }

    fn read(&self, block: &str) -> Frame {
        let mut id = None;
        let mut found = None;
        for line in block.lines().filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "id" => id = Some(value.to_owned()),
                "data" if found.is_none() => {
                    found = Some(Frame::Event(Event { id: None, data: self.event(value) }))
                }
                "retry" if found.is_none() => found = Some(Frame::Retry(value.parse().unwrap())),
                "" if found.is_none() => found = Some(Frame::Comment(value.to_owned())),
                _ => panic!("a frame must hold one data line and an id: {block}"),
            }
        }
        match found {
            Some(Frame::Event(event)) => Frame::Event(Event { id, ..event }),
            Some(frame) if id.is_none() => frame,
            _ => panic!("a frame must hold one data line and an id: {block}"),
        }
    }

    fn event(&self, line: &str) -> Value {
        let data: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if let Err(error) = self.schema.validate(&data) {
            panic!("an event is not as documented: {error}\n{data:#}");
        }
        data
    }

    /// The next event, past comments; `None` at the end.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            match self.frame().await? {
                Frame::Event(event) => return Some(event),
                Frame::Comment(_) | Frame::Retry(_) => {}
            }
        }
    }

    /// Events up to the first whose data has this key, which comes last.
    ///
    /// # Panics
    /// When the stream ends before.
    pub async fn until(&mut self, key: &str) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await;
            events.push(event.unwrap_or_else(|| panic!("the stream ended before {key}: {events:?}")));
            if events.last().is_some_and(|event| event.data.get(key).is_some()) {
                return events;
            }
        }
    }

    /// Everything to the end.
    pub async fn rest(mut self) -> Turn {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        Turn { events }
    }
}

/// All events of a turn.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The events in order.
    pub events: Vec<Event>,
}

impl Turn {
    /// The data of every event.
    pub fn data(&self) -> Vec<Value> {
        self.events.iter().map(|event| event.data.clone()).collect()
    }

    /// What kind each event is: the first key of its data, `done` for a `done`.
    pub fn kinds(&self) -> Vec<&'static str> {
        const KINDS: [&str; 13] = [
            "done",
            "ask",
            "askResolved",
            "text",
            "retracted",
            "toolCall",
            "toolResult",
            "image",
            "file",
            "error",
            "message",
            "messageRemoved",
            "reload",
        ];
        let kind = |event: &Event| KINDS.into_iter().find(|kind| event.data.get(kind).is_some());
        self.events.iter().map(|event| kind(event).unwrap()).collect()
    }

    /// What the events of one kind hold, in order.
    pub fn all(&self, key: &str) -> Vec<&Value> {
        self.events.iter().filter_map(|event| event.data.get(key)).collect()
    }

    /// What the only event of a kind holds.
    ///
    /// # Panics
    /// When there is none, or more than one.
    pub fn one(&self, key: &str) -> &Value {
        match self.all(key).as_slice() {
            [one] => one,
            found => panic!("{} events {key}, not one: {:#?}", found.len(), self.data()),
        }
    }

    /// The reply: every piece of text joined, after the last retraction.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for event in &self.events {
            if event.data.get("retracted").is_some() {
                text.clear();
            }
            text.push_str(event.data.get("text").and_then(Value::as_str).unwrap_or_default());
        }
        text
    }

    /// The ask the turn paused on.
    pub fn ask(&self) -> &Value {
        self.one("ask")
    }

    /// The id of the ask the turn paused on.
    pub fn ask_id(&self) -> String {
        self.ask()["toolCallId"].as_str().unwrap().to_owned()
    }

    /// The `done`, which must be the last event.
    pub fn done(&self) -> &Value {
        let last = self.events.last().map(|event| &event.data);
        last.filter(|data| data["done"] == true)
            .unwrap_or_else(|| panic!("no done at the end: {:#?}", self.data()))
    }

    /// The conversation the turn belongs to.
    pub fn history_id(&self) -> String {
        self.done()["historyId"].as_str().unwrap().to_owned()
    }
}
