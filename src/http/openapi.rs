//! The OpenAPI 3.1 document, written from the table of routes.

use std::collections::BTreeMap;

use actix_web::http::Method;
use serde_json::{Map, Value, json};
use turnwright_schemas::LIMITS;
use turnwright_schemas::json_schemas::schema_documents;

use super::around::PROBLEM_JSON;
use super::endpoint::{Answer, Body, Content, Endpoint, Parameter, schema};
use super::{auth, chat, endpoints, files, histories, operations, todos};
use crate::settings::Settings;

/// Describes the API of a node with these settings.
pub fn document(settings: &Settings) -> Value {
    let mut paths = Map::new();
    for endpoint in endpoints(settings) {
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method.as_str().to_ascii_lowercase()] = operation(&endpoint);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Turnwright",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A chat backend whose agents stop to ask typed questions and go on with validated answers.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {"session": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn operation(endpoint: &Endpoint) -> Value {
    let mut operation = json!({
        "operationId": endpoint.id,
        "summary": endpoint.summary,
        "responses": responses(endpoint),
    });
    let parameters: Vec<Value> =
        path_parameters(endpoint.path).chain(endpoint.parameters.iter().map(parameter)).collect();
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if endpoint.signed_in {
        operation["security"] = json!([{"session": []}]);
    }
    if let Some(body) = request_body(&endpoint.body) {
        operation["requestBody"] = body;
    }
    operation
}

fn path_parameters(path: &str) -> impl Iterator<Item = Value> {
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| json!({"in": "path", "name": name, "required": true, "schema": {"type": "string"}}))
}

fn parameter(parameter: &Parameter) -> Value {
    json!({
        "in": parameter.place, "name": parameter.name, "description": parameter.about, "required": false,
        "schema": parameter.schema,
    })
}

fn request_body(body: &Body) -> Option<Value> {
    let content = match body {
        Body::None => return None,
        Body::Json(schema) | Body::ChatJson(schema) => json!({"application/json": {"schema": schema}}),
        Body::Upload => json!({"multipart/form-data": {"schema": {
            "type": "object",
            "required": ["file"],
            "properties": {"file": {"type": "string", "format": "binary"}},
        }}}),
    };
    Some(json!({"required": true, "content": content}))
}

/// The refusals any operation may give, beside its own.
fn shared_refusals(endpoint: &Endpoint) -> Vec<Answer> {
    let mut refusals = vec![
        Answer::problem(500, "Internal server error."),
        Answer::problem(503, "Service unavailable: the node is stopping."),
    ];
    if endpoint.signed_in {
        refusals.push(Answer::problem(401, "Unauthorized: no session or bearer token."));
    }
    match endpoint.body {
        Body::None => {}
        Body::Json(_) | Body::ChatJson(_) => refusals.extend([
            Answer::problem(400, "Invalid JSON body: it is not JSON in UTF-8, or it nests too deep."),
            Answer::problem(408, "Request timeout: the body did not arrive."),
            Answer::problem(413, "Payload too large."),
            Answer::problem(415, "Unsupported media type: the body is not application/json."),
        ]),
        Body::Upload => refusals.push(Answer::problem(408, "Request timeout: the body did not arrive.")),
    }
    refusals
}

/// Answers by status; what is told of one status is joined.
fn responses(endpoint: &Endpoint) -> Value {
    let mut by_status: BTreeMap<u16, (Vec<&str>, &Content)> = BTreeMap::new();
    let shared = shared_refusals(endpoint);
    for answer in endpoint.answers.iter().chain(&shared) {
        by_status.entry(answer.status).or_insert((vec![], &answer.content)).0.push(answer.about);
    }
    let responses = by_status.into_iter().map(|(status, (about, content))| {
        let mut response =
            json!({"description": about.join("\n"), "headers": headers(endpoint, status, content)});
        if let Some(content) = response_content(content) {
            response["content"] = content;
        }
        (status.to_string(), response)
    });
    Value::Object(responses.collect())
}

fn headers(endpoint: &Endpoint, status: u16, content: &Content) -> Value {
    let header = |about: &str| json!({"description": about, "schema": {"type": "string"}});
    let mut headers = json!({"X-Request-Id": header("The request's id.")});
    if matches!(status, 429 | 503) {
        headers["Retry-After"] = header("Seconds until coming again helps.");
    }
    if let Content::Events(_) = content {
        headers["Location"] = header("The path of the conversation.");
        headers["X-History-Id"] = header("The conversation's id.");
        if endpoint.method == Method::POST {
            headers["X-Turn-Id"] = header("The id of the turn the command began, resumed, or will.");
        }
    }
    headers
}

fn response_content(content: &Content) -> Option<Value> {
    let described = |media_type: &str, schema: Value| Some(json!({media_type: {"schema": schema}}));
    match content {
        Content::None => None,
        Content::Json(schema) => described("application/json", schema.clone()),
        Content::Events(schema) => Some(json!({"text/event-stream": {
            "schema": {"type": "string", "description": "Each data: line is JSON of x-event-schema."},
            "x-event-schema": schema,
        }})),
        Content::Text(media_type) => described(media_type, json!({"type": "string"})),
        Content::Bytes => described("*/*", json!({"type": "string", "format": "binary"})),
        Content::Problem => described(PROBLEM_JSON, schema("Problem")),
    }
}

/// The published documents by their titles, and the schemas of the server's own bodies.
fn schemas() -> Value {
    let published = schema_documents(&LIMITS).into_iter().filter_map(|document| {
        let mut schema = serde_json::to_value(document.schema).ok()?;
        let fields = schema.as_object_mut()?;
        // A component is in the dialect of the document that holds it.
        fields.remove("$schema");
        let title = fields.get("title")?.as_str()?.to_owned();
        Some((title, schema))
    });
    let own = [
        auth::schemas(),
        chat::schemas(),
        histories::schemas(),
        files::schemas(),
        operations::schemas(),
        todos::schemas(),
    ]
    .into_iter()
    .flatten();
    let own = own.map(|(name, schema)| (name.to_owned(), schema));
    Value::Object(published.chain(own).collect())
}
