//! One operation of the API as the table of routes holds it: how it is registered and how it is documented.

use actix_web::Route;
use actix_web::http::Method;
use serde_json::Value;

/// One operation.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The method.
    pub method: Method,
    /// The path, with `{id}` where an id stands.
    pub path: &'static str,
    /// The name generated code gives the operation.
    pub id: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Whether a session is needed.
    pub signed_in: bool,
    /// What may stand in the query and the headers.
    pub parameters: Vec<Parameter>,
    /// What the request carries.
    pub body: Body,
    /// What is answered, refusals included.
    pub answers: Vec<Answer>,
    /// Gives the route its handler.
    pub handler: fn(Route) -> Route,
}

/// What may stand in a query or a header.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// `query` or `header`.
    pub place: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// Its JSON Schema.
    pub schema: Value,
}

/// What a request carries.
#[derive(Debug, Clone)]
pub enum Body {
    /// Nothing.
    None,
    /// JSON of at most `http.max_body_bytes`.
    Json(Value),
    /// JSON of at most `http.max_chat_body_bytes`.
    ChatJson(Value),
    /// A form with one file.
    Upload,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// When it is given.
    pub about: &'static str,
    /// What it carries.
    pub content: Content,
}

/// What an answer carries.
#[derive(Debug, Clone)]
pub enum Content {
    /// Nothing.
    None,
    /// JSON of this schema.
    Json(Value),
    /// A stream of events, each `data:` line JSON of this schema.
    Events(Value),
    /// Text of this media type.
    Text(&'static str),
    /// The bytes of a file.
    Bytes,
    /// A problem document.
    Problem,
}

impl Answer {
    /// JSON with a status.
    pub fn json(status: u16, about: &'static str, schema: Value) -> Self {
        Self { status, about, content: Content::Json(schema) }
    }

    /// No content: 204.
    pub fn empty(about: &'static str) -> Self {
        Self { status: 204, about, content: Content::None }
    }

    /// A refusal.
    pub fn problem(status: u16, about: &'static str) -> Self {
        Self { status, about, content: Content::Problem }
    }
}

/// The schema of `{data, requestId}`.
pub fn enveloped(data: Value) -> Value {
    serde_json::json!({
        "type": "object",
        "required": ["data", "requestId"],
        "additionalProperties": false,
        "properties": {"data": data, "requestId": request_id()},
    })
}

/// The schema of `{data, page, limit, total, more, requestId}`.
pub fn listed(item: Value) -> Value {
    let whole = |min: u8| serde_json::json!({"type": "integer", "minimum": min});
    serde_json::json!({
        "type": "object",
        "required": ["data", "page", "limit", "total", "more", "requestId"],
        "additionalProperties": false,
        "properties": {
            "data": {"type": "array", "items": item},
            "page": whole(1),
            "limit": whole(1),
            "total": whole(0),
            "more": {"type": "boolean"},
            "requestId": request_id(),
        },
    })
}

/// `?page&limit`.
pub fn paged() -> Vec<Parameter> {
    use super::reply::Page;
    let query = |name, about, schema| Parameter { place: "query", name, about, schema };
    vec![
        query(
            "page",
            "Which page, from 1.",
            serde_json::json!({"type": "integer", "minimum": 1, "default": 1}),
        ),
        query(
            "limit",
            "Items on a page.",
            serde_json::json!({
                "type": "integer", "minimum": 1, "maximum": Page::MAX_LIMIT, "default": Page::DEFAULT_LIMIT,
            }),
        ),
    ]
}

/// A reference to a schema under `components`.
pub fn schema(name: &str) -> Value {
    serde_json::json!({"$ref": format!("#/components/schemas/{name}")})
}

fn request_id() -> Value {
    serde_json::json!({"type": "string", "description": "The request's id, to quote in a report."})
}
