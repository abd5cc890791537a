//! The chat: prompts and answers over a stream, and the headless endpoints over plain JSON.

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};
use turnwright_actors::engine::{CommandBody, Submission};
use turnwright_actors::error::Refusal;
use turnwright_actors::streams::Position;
use turnwright_schemas::turn_body::{PendingAskListItem, TurnResult};
use turnwright_schemas::{TurnRequest, TurnShape};

use super::State;
use super::body::JsonBody;
use super::endpoint::{Answer, Body, Content, Endpoint, Parameter, schema};
use super::error::ApiError;
use super::prompt_body::{HistoryRef, PromptBody};
use super::reply::Data;
use super::sse::{self, StreamHead};
use crate::auth::SignedIn;
use crate::settings::Settings;

/// The operations. The headless ones exist only with asks on.
pub fn endpoints(settings: &Settings) -> Vec<Endpoint> {
    let mut endpoints = vec![prompt_endpoint(), events_endpoint()];
    if settings.asks.enabled {
        endpoints.extend([turn_endpoint(), pending_asks_endpoint()]);
    }
    endpoints
}

/// The schemas the operations refer to.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let prompt = json!({
        "type": "object",
        "description": "Exactly one of prompt and askResponse. Fields that are not listed are ignored.",
        "properties": {
            "historyId": {"type": ["string", "null"], "description": "The conversation; without it a new one begins."},
            "prompt": {"type": ["string", "null"], "minLength": 1},
            "askResponse": {
                "type": ["object", "null"],
                "description": "The answer to the pending ask: its toolCallId and the answer envelope.",
                "required": ["toolCallId", "action"],
                "properties": {
                    "toolCallId": {"type": "string", "minLength": 1},
                    "action": {"enum": ["accept", "decline", "cancel"]},
                    "content": {"type": "object"},
                    "reason": {"type": "string"},
                },
            },
            "surface": {"enum": ["full", "compact", null]},
            "streamText": {"enum": ["live", "step", null]},
        },
    });
    vec![("PromptRequest", prompt)]
}

fn operation(method: Method, path: &'static str, id: &'static str, summary: &'static str) -> Endpoint {
    Endpoint {
        method,
        path,
        id,
        summary,
        signed_in: true,
        parameters: vec![],
        body: Body::None,
        answers: vec![],
        handler: |route| route,
    }
}

fn prompt_endpoint() -> Endpoint {
    Endpoint {
        body: Body::ChatJson(schema("PromptRequest")),
        answers: vec![
            Answer {
                status: 200,
                about: "The events of the command, to its done.",
                content: Content::Events(schema("TurnEvent")),
            },
            Answer::problem(
                400,
                "The body is not one of the shapes, or Invalid askResponse: fields lists the errors.",
            ),
            Answer::problem(403, "Not authorized to access this history."),
            Answer::problem(404, "History not found."),
            Answer::problem(409, "This ask is no longer pending: meta tells how it ended."),
            Answer::problem(
                429,
                "Too many requests: turns.queue_limit messages wait, or http.streams_per_user.",
            ),
            Answer::problem(500, "The agent could not be prepared: nothing was stored."),
        ],
        handler: |route| route.to(prompt),
        ..operation(Method::POST, "/gpt/prompt", "prompt", "Says something, or answers the pending ask.")
    }
}

fn events_endpoint() -> Endpoint {
    let position = |place, name, about| Parameter {
        place,
        name,
        about,
        schema: json!({"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?$"}),
    };
    Endpoint {
        parameters: vec![
            position("query", "after", "The id of the last event heard; 0 replays all."),
            position("header", "Last-Event-ID", "As after, and goes before it."),
        ],
        answers: vec![
            Answer {
                status: 200,
                about: "Everything the conversation says from there on.",
                content: Content::Events(schema("TurnEvent")),
            },
            Answer::problem(400, "Invalid event id."),
            Answer::problem(403, "Access denied, or Not authorized to access this history."),
            Answer::problem(404, "Document not found."),
            Answer::problem(429, "Too many requests: http.streams_per_user."),
        ],
        handler: |route| route.to(events),
        ..operation(Method::GET, "/gpt/histories/{id}/events", "events", "Listens to a conversation.")
    }
}

fn turn_endpoint() -> Endpoint {
    Endpoint {
        body: Body::ChatJson(schema("TurnRequest")),
        answers: vec![
            Answer::json(200, "What the turn led to, once it rests.", schema("TurnResponse")),
            Answer::problem(
                400,
                "Validation failed, Unknown buttonId or Invalid askResponse: meta.fields says more.",
            ),
            Answer::problem(403, "Access denied, or Not authorized to access this history."),
            Answer::problem(404, "Document not found."),
            Answer::problem(409, "This ask is no longer pending: meta tells how it ended."),
            Answer::problem(429, "Too many requests: turns.queue_limit messages wait."),
            Answer::problem(500, "The agent could not be prepared: nothing was stored."),
        ],
        handler: |route| route.to(turn),
        ..operation(
            Method::POST,
            "/gpt/histories/{id}/turn",
            "turn",
            "Runs a turn and waits for its outcome.",
        )
    }
}

fn pending_asks_endpoint() -> Endpoint {
    Endpoint {
        answers: vec![Answer::json(200, "The asks, newest first.", schema("PendingAsksResponse"))],
        handler: |route| route.to(pending_asks),
        ..operation(
            Method::GET,
            "/gpt/histories/pendingAsks",
            "pendingAsks",
            "The asks that wait on the caller, at most 100.",
        )
    }
}

async fn prompt(
    state: State,
    user: SignedIn,
    request: HttpRequest,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let body = PromptBody::parse(body.read().await?, state.settings.asks.enabled)?;
    let conversation_id = match body.history {
        None => None,
        Some(HistoryRef::Id(id)) => Some(id),
        Some(HistoryRef::Unknown) => return Err(ApiError::Prompt(Refusal::NotFound)),
    };
    let place = state.streams.open(user.user_id)?;
    let submission =
        Submission { user_id: user.user_id, conversation_id, surface: body.surface, command: body.command };
    let accepted = state.engine.submit(submission).await.map_err(ApiError::Prompt)?;
    let head = StreamHead { conversation_id: accepted.conversation_id, task_id: Some(accepted.task_id) };
    let text = body.stream_text.unwrap_or(state.settings.turns.stream_text);
    let events = accepted.events.with_text(text);
    Ok(sse::command(events, place, head, &state, &request))
}

async fn turn(
    state: State,
    user: SignedIn,
    id: web::Path<String>,
    body: JsonBody,
) -> Result<Data<TurnResult>, ApiError> {
    let refused = |refusal| ApiError::History { refusal, admin: user.admin };
    let TurnRequest { shape, surface } =
        TurnRequest::parse(body.read().await?).map_err(ApiError::InvalidFields)?;
    let id = id.parse().map_err(|_| refused(Refusal::NotFound))?;
    let command = match shape {
        TurnShape::Prompt(text) => CommandBody::Prompt { text },
        TurnShape::Answer { tool_call_id, response } => CommandBody::Answer { tool_call_id, response },
        TurnShape::Button { tool_call_id, button_id } => CommandBody::Button { tool_call_id, button_id },
    };
    let submission = Submission { user_id: user.user_id, conversation_id: Some(id), surface, command };
    let accepted = state.engine.submit(submission).await.map_err(refused)?;
    // The turn goes on when nobody waits for it; what it led to can be read later.
    tokio::select! {
        result = accepted.into_result() => Ok(Data::ok(result?)),
        () = state.stopping.said() => Err(ApiError::TurnGoesOn(id)),
    }
}

async fn pending_asks(state: State, user: SignedIn) -> Result<Data<Vec<PendingAskListItem>>, ApiError> {
    let refused = |refusal| ApiError::History { refusal, admin: user.admin };
    Ok(Data::ok(state.engine.pending_asks(user.user_id).await.map_err(refused)?))
}

async fn events(
    state: State,
    user: SignedIn,
    request: HttpRequest,
    id: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let refused = |refusal| ApiError::History { refusal, admin: user.admin };
    let id = id.parse().map_err(|_| refused(Refusal::NotFound))?;
    let after = last_event(&request)?;
    let place = state.streams.open(user.user_id)?;
    let events = state.engine.listen(id, user.user_id, after).await.map_err(refused)?;
    let head = StreamHead { conversation_id: id, task_id: None };
    Ok(sse::conversation(events, place, head, &state, &request))
}

/// The position a listener has reached, from `Last-Event-ID` or `?after=`.
fn last_event(request: &HttpRequest) -> Result<Option<Position>, ApiError> {
    let header = request.headers().get("Last-Event-ID").map(|value| value.to_str().unwrap_or("?").to_owned());
    let query = || {
        let mut query = url::form_urlencoded::parse(request.query_string().as_bytes());
        query.find(|(name, _)| name == "after").map(|(_, value)| value.into_owned())
    };
    let Some(text) = header.or_else(query) else { return Ok(None) };
    text.parse().map(Some).map_err(|error| ApiError::BadRequest {
        title: "Invalid event id",
        detail: format!("Last-Event-ID and after hold the id of an event: {error}."),
    })
}
