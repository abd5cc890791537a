//! Where races are run: a scripted agent, a conversation that waits on an ask, racers and what became of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::support::client::{Client, Response, answer_body};
use crate::support::reply::Reply;
use crate::support::sse::Turn;
use crate::support::{Node, Setup};

/// How many rounds run side by side, in conversations and with users of their own.
const LANES: usize = 6;

/// The most racers of a race.
const RACERS: usize = 13;

/// The agent of the races. `ask` asks for a plan, `charge` calls a tool that needs an approval, `slow` takes its
/// time, anything else is heard. It waits `wait` milliseconds before each thing it does.
pub fn script(wait: u64) -> Value {
    let plan = json!({
        "prompt": "Which plan?", "select": "one",
        "options": [{"id": "team", "label": "Team"}, {"id": "starter", "label": "Starter"}],
    });
    let pause = json!({"waitMs": wait});
    let call = |name: &str, args: Value| json!({"call": {"id": "call_1", "name": name, "args": args}});
    json!({
        "rules": [
            {"when": "^ask", "requests": [[pause, call("ask_choice", plan)], [pause, {"text": "Thank you."}]]},
            {"when": "^charge", "requests": [[pause, call("charge", json!({"euros": 5}))], [pause, {"text": "Charged."}]]},
            {"when": "^slow", "requests": [[{"waitMs": 1200}, {"text": "At last."}]]},
            {"when": "", "requests": [[pause, {"text": "He"}, pause, {"text": "ard."}]]},
        ],
        "tools": [{"name": "charge", "needsApproval": true, "waitMs": wait, "result": {"charged": 5}}],
    })
}

/// A node with that agent.
pub async fn arena(setup: Setup, wait: u64) -> Node {
    setup.scripted(&script(wait)).start().await
}

/// A user and the sockets it races over, one for each racer, all open.
#[derive(Clone)]
pub struct Lane {
    /// The user.
    pub user: Client,
    racers: Vec<Client>,
}

impl Lane {
    async fn open(node: &Node, number: usize) -> Self {
        let user = node.user(&format!("lane{number}")).await;
        let mut racers = Vec::new();
        for _ in 0..RACERS {
            let racer = user.on_its_own_socket();
            racer.get("/healthz").await.expect(200);
            racers.push(racer);
        }
        Self { user, racers }
    }

    /// Lets so many racers go at once, each over a socket of its own.
    pub async fn race<T, F>(&self, racers: usize, act: impl Fn(usize, Client) -> F) -> Vec<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let barrier = Arc::new(Barrier::new(racers));
        let start = |(racer, client): (usize, &Client)| {
            let (barrier, action) = (Arc::clone(&barrier), act(racer, client.clone()));
            tokio::spawn(async move {
                barrier.wait().await;
                action.await
            })
        };
        let running: Vec<_> = self.racers[..racers].iter().enumerate().map(start).collect();
        join_all(running).await.into_iter().map(|result| result.unwrap()).collect()
    }

    /// Lets every act go at once.
    pub async fn race_acts(&self, history: &str, ask: &str, acts: &[Act]) -> Vec<Outcome> {
        self.race(acts.len(), |racer, client| {
            acts[racer].clone().perform(client, history.to_owned(), ask.to_owned())
        })
        .await
    }
}

/// Runs rounds, a few at once, and gives what each gave. A round gets its number, and a lane for itself.
pub async fn rounds<T, F>(
    node: &Node,
    count: usize,
    round: impl Fn(usize, Lane) -> F + Clone + Send + 'static,
) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut running = Vec::new();
    for number in 0..LANES {
        let (lane, round) = (Lane::open(node, number).await, round.clone());
        running.push(tokio::spawn(async move {
            let mut results = Vec::new();
            for number in (number..count).step_by(LANES) {
                results.push(round(number, lane.clone()).await);
            }
            results
        }));
    }
    join_all(running).await.into_iter().flat_map(|results| results.unwrap()).collect()
}

/// What became of a racer's command.
pub struct Outcome {
    /// How long it took until it was known to be stored or refused.
    pub took: Duration,
    /// What came back.
    pub fate: Fate,
}

/// Whether a command was taken.
pub enum Fate {
    /// It was, and this is its turn over `POST /gpt/prompt`.
    Streamed(Turn),
    /// It was, and this is its turn over the headless endpoint.
    Told(Value),
    /// It was not.
    Refused(Reply),
}

impl Fate {
    /// Whether the command was taken.
    pub fn won(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }

    /// The refusal.
    pub fn refusal(&self) -> &Reply {
        match self {
            Self::Refused(reply) => reply,
            Self::Streamed(turn) => panic!("it was taken: {:#?}", turn.data()),
            Self::Told(result) => panic!("it was taken: {result:#}"),
        }
    }

    /// The turn of a command that was taken over `POST /gpt/prompt`.
    pub fn turn(&self) -> &Turn {
        match self {
            Self::Streamed(turn) => turn,
            Self::Told(result) => panic!("it was not streamed: {result:#}"),
            Self::Refused(reply) => panic!("it was refused: {}", reply.text()),
        }
    }
}

/// What a racer does.
#[derive(Debug, Clone)]
pub enum Act {
    /// Answers over `POST /gpt/prompt`.
    Answer(Value),
    /// Answers over the headless endpoint.
    HeadlessAnswer(Value),
    /// Presses a button.
    Press(&'static str),
    /// Says something over `POST /gpt/prompt`.
    Say(&'static str),
    /// Says something over the headless endpoint.
    HeadlessSay(&'static str),
}

impl Act {
    /// Whether it answers an ask.
    pub fn answers(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::HeadlessAnswer(_) | Self::Press(_))
    }

    /// Does it, in a conversation that waits on an ask.
    pub async fn perform(self, client: Client, history: String, ask: String) -> Outcome {
        let turn_path = format!("/gpt/histories/{history}/turn");
        let (path, body) = match self {
            Self::Answer(response) => ("/gpt/prompt", answer_body(&history, &ask, response)),
            Self::HeadlessAnswer(mut response) => {
                response["toolCallId"] = ask.into();
                (&*turn_path, json!({"askResponse": response}))
            }
            Self::Press(button) => (&*turn_path, json!({"toolCallId": ask, "buttonId": button})),
            Self::Say(text) => ("/gpt/prompt", json!({"historyId": history, "prompt": text})),
            Self::HeadlessSay(text) => (&*turn_path, json!({"prompt": text})),
        };
        let start = Instant::now();
        let response = client.call(Method::POST, path).json(body).respond().await;
        let took = start.elapsed();
        let fate = match response {
            Response::Events(events) => Fate::Streamed(events.rest().await),
            Response::Whole(reply) if reply.status == 200 => Fate::Told(reply.data()),
            Response::Whole(reply) => Fate::Refused(reply),
        };
        Outcome { took, fate }
    }
}

/// An answer that picks an option.
pub fn pick(option: &str) -> Value {
    json!({"action": "accept", "content": {"selected": [option]}})
}

/// An answer to a confirm.
pub fn confirm(yes: bool) -> Value {
    json!({"action": "accept", "content": {"confirmed": yes}})
}

/// The 409 of an answer that came too late, with what became of the ask.
pub fn too_late(reply: &Reply) -> Value {
    let reply = reply.clone().expect_problem(409, "This ask is no longer pending");
    let meta = reply.json()["meta"].take();
    match meta["status"].as_str() {
        Some("claimed") => {
            assert!(meta.get("action").is_none() && meta.get("resolvedAt").is_none(), "{meta}")
        }
        Some("answered" | "cancelled") => {
            assert!(meta["action"].is_string() && meta["resolvedAt"].is_string(), "{meta}");
        }
        _ => panic!("a late answer is not told how the ask ended: {}", reply.text()),
    }
    meta
}

/// The rows of a type in a transcript.
pub fn rows_of<'a>(history: &'a Value, kind: &str) -> Vec<&'a Value> {
    history["prompts"].as_array().unwrap().iter().filter(|row| row["type"] == kind).collect()
}

/// Prints the slowest of a race, by what became of them.
pub fn print_slowest<'a>(node: &Node, race: &str, outcomes: impl IntoIterator<Item = &'a Outcome>) {
    let (mut taken, mut refused) = (Duration::ZERO, Duration::ZERO);
    for outcome in outcomes {
        let slowest = if outcome.fate.won() { &mut taken } else { &mut refused };
        *slowest = outcome.took.max(*slowest);
    }
    let database = node.setup().setting("database.url").split(':').next().unwrap();
    println!("{race} on {database}: slowest taken after {taken:.1?}, slowest refused after {refused:.1?}");
}
