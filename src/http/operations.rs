//! What those who run a node read: health, readiness, metrics and the API's description.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::http::{Method, StatusCode};
use serde_json::{Value, json};
use turnwright_actors::error::EngineError;

use super::State;
use super::endpoint::{Answer, Body, Content, Endpoint, enveloped, schema};
use super::error::ApiError;
use super::openapi;
use super::reply::{self, Data};
use crate::database;
use crate::metrics::Metrics;

/// How long the database may take to answer before the node is not ready.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// The operations.
pub fn endpoints() -> Vec<Endpoint> {
    let operation = |path, id, summary, answers, handler| Endpoint {
        method: Method::GET,
        path,
        id,
        summary,
        signed_in: false,
        parameters: vec![],
        body: Body::None,
        answers,
        handler,
    };
    vec![
        operation(
            "/healthz",
            "health",
            "Whether the process lives.",
            vec![Answer::json(200, "It does.", enveloped(schema("Status")))],
            |route| route.to(health),
        ),
        operation(
            "/readyz",
            "readiness",
            "Whether the node can serve: its database answers and it is not stopping.",
            vec![
                Answer::json(200, "It can.", enveloped(schema("Status"))),
                Answer::problem(503, "Service unavailable: the node cannot serve now."),
            ],
            |route| route.to(readiness),
        ),
        operation(
            "/metrics",
            "metrics",
            "What the node counted, for Prometheus.",
            vec![Answer { status: 200, about: "The counters.", content: Content::Text(Metrics::MEDIA_TYPE) }],
            |route| route.to(metrics),
        ),
        operation(
            "/openapi.json",
            "openapi",
            "This document.",
            vec![Answer::json(200, "OpenAPI 3.1.", json!({"type": "object"}))],
            |route| route.to(document),
        ),
    ]
}

/// The schemas the operations refer to.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let status = json!({"type": "object", "required": ["status"], "properties": {"status": {"const": "ok"}}});
    vec![("Status", status)]
}

async fn health() -> Data<Value> {
    Data::ok(json!({"status": "ok"}))
}

async fn readiness(state: State) -> Result<Data<Value>, ApiError> {
    if state.stopping.was_said() {
        return Err(EngineError::Stopping.into());
    }
    let rows = state.database.clone();
    let ping = state.io.run(async move { database::ping(&rows).await });
    match tokio::time::timeout(READY_WITHIN, ping).await {
        Ok(Ok(())) => Ok(Data::ok(json!({"status": "ok"}))),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the node is not ready");
            Err(ApiError::NotReady)
        }
        Err(_) => Err(ApiError::NotReady),
    }
}

async fn metrics(state: State) -> Result<HttpResponse, ApiError> {
    let (turns, conversations) = (state.engine.running_turns(), state.engine.actors());
    let text = state.metrics.text(turns, conversations);
    let text = text.map_err(|_| EngineError::Invariant("a counter cannot be written"))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, Metrics::MEDIA_TYPE))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text))
}

async fn document(state: State) -> HttpResponse {
    reply::json(StatusCode::OK, &openapi::document(&state.settings))
}
