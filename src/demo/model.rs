//! The demo agent's model: it plays scenarios, and decides from the model request alone.

use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::{Value, json};
use turnwright_actors::ports::{LanguageModel, ModelCall, ModelError, ModelPart, ModelRequest};
use turnwright_schemas::{AskKind, Surface};
use uuid::Uuid;

use super::conversation::{newest_result, newest_user_text};
use super::scenarios::{Play, Reply, Scenario};

/// The most chunks a reply is streamed in (DESIGN section 10).
const CHUNKS: usize = 12;

/// The demo agent's model.
pub(super) struct DemoModel {
    /// How long it waits before each chunk of a reply.
    pub(super) delay: Duration,
    /// Whether turns may pause. A request does not tell: without a kind to ask it looks the same, and approvals
    /// still work.
    pub(super) asks_enabled: bool,
}

/// What the model does in one request.
#[derive(Debug)]
enum Move {
    Say(String),
    Call { tool: &'static str, args: Value },
}

impl LanguageModel for DemoModel {
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelPart, ModelError>> {
        match self.next_move(&request) {
            Move::Call { tool, args } => {
                let id = format!("call_{}", Uuid::new_v4().simple());
                stream::iter([Ok(ModelPart::Call(ModelCall { id, name: tool.to_owned(), args }))]).boxed()
            }
            Move::Say(text) => {
                let parts = stream::iter(chunks(&text)).map(|chunk| Ok(ModelPart::Text(chunk)));
                let delay = self.delay;
                if delay.is_zero() {
                    return parts.boxed();
                }
                parts
                    .then(move |part| async move {
                        tokio::time::sleep(delay).await;
                        part
                    })
                    .boxed()
            }
        }
    }
}

impl DemoModel {
    fn next_move(&self, request: &ModelRequest) -> Move {
        let scenario = Scenario::started_by(newest_user_text(&request.messages));
        let reply = match (scenario, newest_result(&request.messages)) {
            (Some(scenario), None) => match self.open(scenario, request) {
                Ok(call) => return call,
                Err(reply) => reply,
            },
            (Some(scenario), Some(result)) if result.name == scenario.tool() => scenario.reply(result),
            (_, Some(_)) => Reply::short("I no longer know the question you answered. Please ask me again."),
            (None, None) => explanation(),
        };
        Move::Say(reply.on(request.surface))
    }

    /// Opens a scenario with its call, or says why it does not.
    fn open(&self, scenario: &Scenario, request: &ModelRequest) -> Result<Move, Reply> {
        let tool = scenario.tool();
        let offered = request.tools.iter().any(|offered| offered.name == tool);
        match scenario.play {
            Play::Approved { .. } if !offered => Err(Reply::short(format!(
                "I did nothing, because the tool {tool} is not available in this chat."
            ))),
            Play::Approved { .. } if !self.asks_enabled => Err(approvals_are_off()),
            Play::Approved { .. } => Ok(Move::Call { tool, args: json!({}) }),
            Play::Ask { .. } if !self.asks_enabled => Err(asks_are_off()),
            Play::Ask { compact_fallback: Some(fallback), .. } if request.surface == Surface::Compact => {
                Err(Reply::short(fallback))
            }
            Play::Ask { kind, .. } if !offered => Err(kind_is_off(kind)),
            Play::Ask { input, .. } => Ok(Move::Call { tool, args: input() }),
        }
    }
}

fn asks_are_off() -> Reply {
    Reply::new(
        "I would ask you a question now, but asks are turned off on this server. Turn them on with the setting \
         `asks.enabled = true` (or `TURNWRIGHT__ASKS__ENABLED=true`).",
        "Asks are turned off on this server. Turn them on with the setting asks.enabled.",
    )
}

fn approvals_are_off() -> Reply {
    Reply::new(
        "I did nothing: deleting needs your approval, and asks are turned off on this server. Turn them on with the \
         setting `asks.enabled = true` (or `TURNWRIGHT__ASKS__ENABLED=true`).",
        "I did nothing, because deleting needs your approval and asks are turned off.",
    )
}

fn kind_is_off(kind: AskKind) -> Reply {
    Reply::new(
        format!(
            "I would ask you a question now, but asks of the kind `{kind}` are turned off on this server. Turn them \
             on by adding `{kind}` to the setting `asks.kinds` (or to `TURNWRIGHT__ASKS__KINDS`)."
        ),
        format!("Asks of the kind {kind} are turned off. Turn them on with the setting asks.kinds."),
    )
}

fn explanation() -> Reply {
    Reply::new(
        "I am the Turnwright demo agent, and I follow a script. Try \"Help me pick a plan\", \"Pick toppings for my \
         pizza\", \"Send the weekly report\", \"Archive old chats\", \"Draft an announcement\", \"Fill in the \
         invoice details\", \"Upload a receipt\" or \"Delete my completed todos\".\n\nFor anything else, use a \
         real model: run the server with an agent that calls one, which is what the trait `Agent` of \
         `turnwright-actors` is for, and it takes my place.",
        "I am a demo that follows a script, so try \"Help me pick a plan\". To use a real model, give the server an \
         agent that calls one.",
    )
}

/// Splits a reply between its words into about equal chunks.
fn chunks(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let count = words.len().min(CHUNKS);
    (1..=count)
        .filter_map(|nth| words.get((nth - 1) * words.len() / count..nth * words.len() / count))
        .map(<[&str]>::concat)
        .collect()
}

#[cfg(test)]
mod tests;
