//! Conversations over plain JSON: make, list, read, rename, rate, delete (DESIGN section 8).

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};
use turnwright_actors::error::Refusal;
use turnwright_actors::ids::ConversationId;
use turnwright_actors::store::Viewer;
use turnwright_schemas::Rating;
use turnwright_schemas::history::History;

use super::State;
use super::body::JsonBody;
use super::endpoint::{Answer, Body, Endpoint, enveloped, listed, paged, schema};
use super::error::ApiError;
use super::fields::{Fields, text};
use super::reply::{Data, List, Page};
use crate::auth::SignedIn;

/// The longest title a client may set, in characters.
const LONGEST_TITLE: usize = 200;

/// The operations.
pub fn endpoints() -> Vec<Endpoint> {
    let operation = |method, path, id, summary, body, answers, handler| Endpoint {
        method,
        path,
        id,
        summary,
        signed_in: true,
        parameters: vec![],
        body,
        answers,
        handler,
    };
    let one = || enveloped(schema("History"));
    let invalid = || Answer::problem(400, "Validation failed: meta.fields says which field is wrong.");
    let denied = || Answer::problem(403, "Access denied, or Not authorized to access this history.");
    let missing = || Answer::problem(404, "Document not found.");
    let list = operation(
        Method::GET,
        "/gpt/histories",
        "listHistories",
        "The caller's conversations, the last changed first.",
        Body::None,
        vec![
            Answer::json(200, "A page of the list.", listed(schema("History"))),
            Answer::problem(400, "Invalid query: page or limit is out of range."),
        ],
        |route| route.to(list),
    );
    vec![
        Endpoint { parameters: paged(), ..list },
        operation(
            Method::POST,
            "/gpt/histories",
            "createHistory",
            "Makes an empty conversation of the caller.",
            Body::Json(schema("HistoryChange")),
            vec![Answer::json(201, "The conversation.", one()), invalid()],
            |route| route.to(create),
        ),
        operation(
            Method::GET,
            "/gpt/histories/{id}",
            "readHistory",
            "A conversation with its transcript.",
            Body::None,
            vec![Answer::json(200, "The conversation.", one()), denied(), missing()],
            |route| route.to(read),
        ),
        operation(
            Method::PATCH,
            "/gpt/histories/{id}",
            "changeHistory",
            "Sets the title of a conversation.",
            Body::Json(schema("HistoryChange")),
            vec![Answer::json(200, "The conversation as it is now.", one()), invalid(), denied(), missing()],
            |route| route.to(change),
        ),
        operation(
            Method::DELETE,
            "/gpt/histories/{id}",
            "deleteHistory",
            "Deletes a conversation; a turn that runs is aborted.",
            Body::None,
            vec![
                Answer::empty("It is gone."),
                denied(),
                missing(),
                Answer::problem(429, "Too many requests wait for the conversation."),
            ],
            |route| route.to(delete),
        ),
        operation(
            Method::PATCH,
            "/gpt/histories/{id}/rating",
            "rateReply",
            "Rates one of the agent's replies, or takes the rating back.",
            Body::Json(schema("HistoryRating")),
            vec![Answer::json(200, "The conversation as it is now.", one()), invalid(), denied(), missing()],
            |route| route.to(rate),
        ),
    ]
}

/// The schemas the operations refer to.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        (
            "HistoryChange",
            json!({
                "type": "object",
                "description": "Fields that are not listed are dropped.",
                "properties": {"title": {"type": "string", "maxLength": LONGEST_TITLE}},
            }),
        ),
        (
            "HistoryRating",
            json!({
                "type": "object",
                "required": ["promptIndex", "rating"],
                "properties": {
                    "promptIndex": {"type": "integer", "minimum": 0, "description": "The reply's index."},
                    "rating": {"enum": ["up", "down", null]},
                },
            }),
        ),
    ]
}

fn refused(user: &SignedIn) -> impl Fn(Refusal) -> ApiError {
    let admin = user.admin;
    move |refusal| ApiError::History { refusal, admin }
}

fn viewer(user: &SignedIn) -> Viewer {
    Viewer { user_id: user.user_id, admin: user.admin }
}

/// A malformed id is that of no conversation.
fn id_of(id: &str, user: &SignedIn) -> Result<ConversationId, ApiError> {
    id.parse().map_err(|_| refused(user)(Refusal::NotFound))
}

async fn create(state: State, user: SignedIn, body: JsonBody) -> Result<Data<History>, ApiError> {
    let mut fields = Fields::of(body.read().await?)?;
    let title = fields.optional("title", title).unwrap_or_default();
    let title = fields.finish(Some(title))?;
    let made = state.engine.create(user.user_id, title).await.map_err(refused(&user))?;
    Ok(Data::created(made))
}

async fn list(state: State, user: SignedIn, request: HttpRequest) -> Result<List<History>, ApiError> {
    let page = Page::of(&request)?;
    let found = state.engine.list(user.user_id, page.offset(), page.limit()).await.map_err(refused(&user))?;
    Ok(List { data: found.histories, page, total: found.total })
}

async fn read(state: State, user: SignedIn, id: web::Path<String>) -> Result<Data<History>, ApiError> {
    let id = id_of(&id, &user)?;
    Ok(Data::ok(state.engine.read(id, viewer(&user)).await.map_err(refused(&user))?))
}

async fn change(
    state: State,
    user: SignedIn,
    id: web::Path<String>,
    body: JsonBody,
) -> Result<Data<History>, ApiError> {
    let id = id_of(&id, &user)?;
    let mut fields = Fields::of(body.read().await?)?;
    let title = fields.optional("title", title);
    let title = fields.finish(Some(title))?;
    state.engine.change(id, user.user_id, title).await.map_err(refused(&user))?;
    Ok(Data::ok(state.engine.read(id, viewer(&user)).await.map_err(refused(&user))?))
}

async fn delete(state: State, user: SignedIn, id: web::Path<String>) -> Result<HttpResponse, ApiError> {
    let id = id_of(&id, &user)?;
    state.engine.delete(id, viewer(&user)).await.map_err(refused(&user))?;
    Ok(HttpResponse::NoContent().finish())
}

async fn rate(
    state: State,
    user: SignedIn,
    id: web::Path<String>,
    body: JsonBody,
) -> Result<Data<History>, ApiError> {
    let id = id_of(&id, &user)?;
    let mut fields = Fields::of(body.read().await?)?;
    let index = fields.required("promptIndex", |value| {
        let index = value.as_u64().and_then(|index| u32::try_from(index).ok());
        index.ok_or_else(|| "promptIndex must be the index of one of the agent's replies.".to_owned())
    });
    let rating = fields.required("rating", rating);
    let (index, rating) = fields.finish(index.zip(rating))?;
    if state.engine.rate(id, user.user_id, index, rating).await.map_err(refused(&user))? {
        return Ok(Data::ok(state.engine.read(id, viewer(&user)).await.map_err(refused(&user))?));
    }
    let sentence = "No reply of the agent has this index.".to_owned();
    Err(ApiError::InvalidFields([("promptIndex".to_owned(), sentence)].into()))
}

fn title(value: Value) -> Result<String, String> {
    let title = text("title")(value)?;
    if title.chars().count() > LONGEST_TITLE {
        return Err(format!("title must be at most {LONGEST_TITLE} characters."));
    }
    if title.chars().any(char::is_control) {
        return Err("title must be one line without control characters.".to_owned());
    }
    Ok(title)
}

fn rating(value: Value) -> Result<Option<Rating>, String> {
    match value.as_str() {
        None if value.is_null() => Ok(None),
        Some("up") => Ok(Some(Rating::Up)),
        Some("down") => Ok(Some(Rating::Down)),
        _ => Err("rating must be \"up\", \"down\" or null.".to_owned()),
    }
}
