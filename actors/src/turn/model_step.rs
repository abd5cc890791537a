//! One model request, read to its end.

use std::collections::HashSet;

use futures_util::StreamExt;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::cancel::CancelSignal;
use super::deltas::Deltas;
use crate::call_id;
use crate::ports::{LanguageModel, ModelCall, ModelError, ModelPart, ModelRequest};

/// What a model request gave.
#[derive(Debug, Default)]
pub struct ModelStep {
    /// Its text.
    pub text: String,
    /// Its calls, with ids unique within the turn.
    pub calls: Vec<ModelCall>,
    /// The provider's own form of the message.
    pub provider: Option<Value>,
    /// How it ended.
    pub end: StepEnd,
}

/// How a model request ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum StepEnd {
    /// By itself.
    #[default]
    Whole,
    /// It failed.
    Failed(ModelError),
    /// The turn is to be cancelled.
    Cancelled,
}

/// Reads a request's stream, publishing its text while it may be the reply.
pub async fn read(
    model: &dyn LanguageModel,
    request: ModelRequest,
    deadline: Instant,
    cancel: &CancelSignal,
    deltas: &mut Deltas<'_>,
) -> ModelStep {
    let mut taken = ids_in(&request);
    let mut step = ModelStep::default();
    let mut parts = model.stream(request);
    loop {
        let due = deltas.due();
        let flush = async {
            match due {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let part = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                step.end = StepEnd::Cancelled;
                break;
            }
            part = parts.next() => part,
            () = flush => {
                deltas.flush();
                continue;
            }
            () = sleep_until(deadline) => {
                let message = "The model took too long to answer.".to_owned();
                step.end = StepEnd::Failed(ModelError { message, status: None });
                break;
            }
        };
        match part {
            None => break,
            Some(Ok(ModelPart::Text(text))) => {
                step.text.push_str(&text);
                if step.calls.is_empty() {
                    deltas.push(&text);
                }
            }
            Some(Ok(ModelPart::Call(call))) => {
                if step.calls.is_empty() {
                    deltas.retract();
                }
                step.calls.push(with_unique_id(call, &mut taken));
            }
            Some(Ok(ModelPart::Provider(message))) => step.provider = Some(message),
            Some(Err(error)) => {
                step.end = StepEnd::Failed(error);
                break;
            }
        }
    }
    if step.calls.is_empty() {
        deltas.flush();
    }
    step
}

/// The ids of the turn's earlier calls, and of the conversation's earlier asks.
fn ids_in(request: &ModelRequest) -> HashSet<String> {
    use crate::ports::ModelMessage;
    request
        .messages
        .iter()
        .flat_map(|message| match message {
            ModelMessage::Assistant { calls, .. } => calls.as_slice(),
            ModelMessage::User { .. } | ModelMessage::Tool { .. } => &[],
        })
        .map(|call| call.id.clone())
        .collect()
}

/// An id repeated within a turn is made unique on arrival, and an empty one is given.
fn with_unique_id(mut call: ModelCall, taken: &mut HashSet<String>) -> ModelCall {
    call.id = call_id::kept(&call.id);
    if call.id.is_empty() {
        call.id = format!("call_{}", uuid::Uuid::now_v7().simple());
    }
    if taken.contains(&call.id) {
        let base = std::mem::take(&mut call.id);
        call.id = (2_u32..).map(|n| format!("{base}_{n}")).find(|id| !taken.contains(id)).unwrap_or(base);
    }
    taken.insert(call.id.clone());
    call
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ModelCall {
        ModelCall { id: id.to_owned(), name: "t".to_owned(), args: Value::Null }
    }

    #[test]
    fn an_id_repeated_within_a_turn_is_made_unique() {
        let mut taken = HashSet::new();
        let ids: Vec<_> =
            ["a", "a", "a_2", "a"].iter().map(|id| with_unique_id(call(id), &mut taken).id).collect();
        assert_eq!(ids, ["a", "a_2", "a_2_2", "a_3"]);
    }

    #[test]
    fn a_call_without_an_id_is_given_one() {
        let given = with_unique_id(call("\u{0}"), &mut HashSet::new());
        assert!(given.id.starts_with("call_"));
    }
}
