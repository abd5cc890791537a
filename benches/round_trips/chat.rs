//! A client that prompts, is asked, and answers.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::{self, Connection, Failure};

/// How long the two halves of a round trip took.
#[derive(Debug, Clone, Copy)]
pub struct Halves {
    /// From the prompt until the pause.
    pub pause: Duration,
    /// From the answer until `done`.
    pub done: Duration,
}

/// Which of the two ways to send commands is used.
#[derive(Debug, Clone, Copy)]
pub enum Surface {
    /// `POST /gpt/prompt`, which streams events.
    Stream,
    /// `POST /gpt/histories/:id/turn`, which answers with JSON once the turn rests.
    Turn,
}

impl Surface {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stream => "POST /gpt/prompt",
            Self::Turn => "POST /gpt/histories/:id/turn",
        }
    }
}

/// One client with one conversation at a time.
pub struct Chat {
    address: SocketAddr,
    connection: Option<Connection>,
    token: Rc<str>,
    surface: Surface,
    history: Option<String>,
    round_trips: u32,
    renew_after: u32,
}

/// What a command led to.
#[derive(Debug, Default)]
struct Outcome {
    history: Option<String>,
    pending: Option<String>,
    error: Option<String>,
}

impl Chat {
    pub fn new(address: SocketAddr, token: &Rc<str>, surface: Surface, renew_after: u32) -> Self {
        let token = Rc::clone(token);
        Self { address, connection: None, token, surface, history: None, round_trips: 0, renew_after }
    }

    /// Prompts until the pause and answers until `done`. After a failure the next one begins anew.
    pub async fn round_trip(&mut self) -> Result<Halves, Failure> {
        let outcome = self.try_round_trip().await;
        self.round_trips += 1;
        if outcome.is_err() {
            self.connection = None;
        }
        if outcome.is_err() || self.round_trips == self.renew_after {
            self.history = None;
            self.round_trips = 0;
        }
        outcome
    }

    async fn try_round_trip(&mut self) -> Result<Halves, Failure> {
        if let (Surface::Turn, None) = (self.surface, &self.history) {
            self.history = Some(self.create().await?);
        }
        let prompted = Instant::now();
        let paused = self.send(json!({"prompt": "ask"})).await?;
        let pause = prompted.elapsed();
        let Some(ask) = paused.pending else { return Err("the turn did not pause on an ask".into()) };
        self.history = paused.history.or(self.history.take());

        let answered = Instant::now();
        let answer = json!({"toolCallId": ask, "action": "accept", "content": {"confirmed": true}});
        let done = self.send(json!({"askResponse": answer})).await?;
        if done.pending.is_some() {
            return Err("the turn paused again after the answer".into());
        }
        Ok(Halves { pause, done: answered.elapsed() })
    }

    /// Sends a command and reads what comes of it to its end.
    async fn send(&mut self, mut body: Value) -> Result<Outcome, Failure> {
        let token = Rc::clone(&self.token);
        let outcome = match (self.surface, &self.history) {
            (Surface::Stream, history) => {
                body["historyId"] = json!(history);
                let connection = self.connection().await?;
                streamed(connection.post("/gpt/prompt", Some(&token), body.to_string()).await?).await?
            }
            (Surface::Turn, Some(history)) => {
                let path = format!("/gpt/histories/{history}/turn");
                let response = self.connection().await?.post(&path, Some(&token), body.to_string()).await?;
                let Enveloped { data } = http::json::<Enveloped<TurnResult>>(response).await?;
                let pending = data.pending_ask.map(|ask| ask.tool_call_id);
                Outcome { history: None, pending, error: data.error }
            }
            (Surface::Turn, None) => return Err("a headless turn needs a conversation".into()),
        };
        match outcome.error {
            Some(sentence) => Err(sentence.into()),
            None => Ok(outcome),
        }
    }

    async fn create(&mut self) -> Result<String, Failure> {
        let token = Rc::clone(&self.token);
        let response = self.connection().await?.post("/gpt/histories", Some(&token), "{}".to_owned()).await?;
        Ok(http::json::<Enveloped<History>>(response).await?.data.id)
    }

    async fn connection(&mut self) -> Result<&mut Connection, Failure> {
        let opened = match self.connection.take() {
            Some(open) => open,
            None => Connection::open(self.address).await?,
        };
        Ok(self.connection.insert(opened))
    }
}

async fn streamed(response: hyper::Response<hyper::body::Incoming>) -> Result<Outcome, Failure> {
    let (mut outcome, mut ended) = (Outcome::default(), false);
    http::events(response, |event: Event| {
        outcome.error = outcome.error.take().or(event.error);
        if event.done {
            ended = true;
            outcome.pending = event.pending_ask.map(|ask| ask.tool_call_id);
            outcome.history = event.history_id;
        }
    })
    .await?;
    if ended { Ok(outcome) } else { Err("the stream ended before done".into()) }
}

/// Makes a user; the token to send as it.
pub async fn sign_up(address: SocketAddr) -> Result<Rc<str>, Failure> {
    let email = format!("round-trips-{}@example.com", uuid::Uuid::now_v7().simple());
    let body = json!({"email": email, "password": "only for this run", "name": "Round trips"});
    let path = "/api/auth/sign-up/email";
    let response = Connection::open(address).await?.post(path, None, body.to_string()).await?;
    Ok(http::json::<SignedUp>(response).await?.token.into())
}

/// The parts of a `data:` line that matter here.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(default)]
    done: bool,
    error: Option<String>,
    history_id: Option<String>,
    pending_ask: Option<PendingAsk>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PendingAsk {
    tool_call_id: String,
}

#[derive(Debug, Deserialize)]
struct Enveloped<T> {
    data: T,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TurnResult {
    error: Option<String>,
    pending_ask: Option<PendingAsk>,
}

#[derive(Debug, Deserialize)]
struct History {
    #[serde(rename = "_id")]
    id: String,
}

#[derive(Debug, Deserialize)]
struct SignedUp {
    token: String,
}
