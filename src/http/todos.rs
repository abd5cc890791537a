//! The to-do list of the demo agent, which exists only with it.

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::{Value, json};

use super::State;
use super::body::JsonBody;
use super::endpoint::{Answer, Body, Endpoint, enveloped, listed, paged, schema};
use super::error::ApiError;
use super::fields::{Fields, text};
use super::reply::{Data, List, Page};
use crate::auth::SignedIn;
use crate::demo::{Todo, TodoChange, TodoId, TodoTitle};

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
    let one = || enveloped(schema("Todo"));
    let invalid = || Answer::problem(400, "Validation failed: meta.fields says which field is wrong.");
    let missing = || Answer::problem(404, "Document not found: the caller has no such item.");
    let list = operation(
        Method::GET,
        "/demo/todos",
        "listTodos",
        "The caller's list, oldest first.",
        Body::None,
        vec![
            Answer::json(200, "A page of the list.", listed(schema("Todo"))),
            Answer::problem(400, "Invalid query: page or limit is out of range."),
        ],
        |route| route.to(list),
    );
    vec![
        Endpoint { parameters: paged(), ..list },
        operation(
            Method::POST,
            "/demo/todos",
            "addTodo",
            "Adds an item that is not completed.",
            Body::Json(schema("NewTodo")),
            vec![Answer::json(201, "The item.", one()), invalid()],
            |route| route.to(add),
        ),
        operation(
            Method::PATCH,
            "/demo/todos/{id}",
            "changeTodo",
            "Changes an item; what is left out stays.",
            Body::Json(schema("TodoChange")),
            vec![Answer::json(200, "The item as it is now.", one()), invalid(), missing()],
            |route| route.to(change),
        ),
        operation(
            Method::DELETE,
            "/demo/todos/{id}",
            "deleteTodo",
            "Deletes an item.",
            Body::None,
            vec![Answer::empty("The item is gone."), missing()],
            |route| route.to(delete),
        ),
    ]
}

/// The schemas the operations refer to.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let title = json!({"type": "string", "minLength": 1, "maxLength": TodoTitle::LONGEST});
    let completed = json!({"type": "boolean"});
    let instant = json!({"type": "string", "format": "date-time"});
    vec![
        (
            "Todo",
            json!({
                "type": "object",
                "required": ["_id", "title", "completed", "created", "updated"],
                "properties": {
                    "_id": {"type": "string", "format": "uuid"},
                    "title": title, "completed": completed, "created": instant, "updated": instant,
                },
            }),
        ),
        (
            "NewTodo",
            json!({
                "type": "object", "required": ["title"], "additionalProperties": false,
                "properties": {"title": title},
            }),
        ),
        (
            "TodoChange",
            json!({
                "type": "object", "additionalProperties": false,
                "properties": {"title": title, "completed": completed},
            }),
        ),
    ]
}

#[derive(Serialize)]
struct TodoReply {
    #[serde(rename = "_id")]
    id: String,
    title: String,
    completed: bool,
    created: String,
    updated: String,
}

impl From<Todo> for TodoReply {
    fn from(todo: Todo) -> Self {
        Self {
            id: todo.id.to_string(),
            title: todo.title,
            completed: todo.completed,
            created: todo.created.iso(),
            updated: todo.updated.iso(),
        }
    }
}

async fn list(state: State, user: SignedIn, request: HttpRequest) -> Result<List<TodoReply>, ApiError> {
    let page = Page::of(&request)?;
    let todos = state.todos.clone();
    let listed = async move { todos.list(user.user_id, page.offset(), page.limit()).await };
    let (items, total) = state.io.run(listed).await?;
    Ok(List { data: items.into_iter().map(TodoReply::from).collect(), page, total })
}

async fn add(state: State, user: SignedIn, body: JsonBody) -> Result<Data<TodoReply>, ApiError> {
    let title = read_new(body.read().await?)?;
    let todos = state.todos.clone();
    let added = state.io.run(async move { todos.add(user.user_id, title).await }).await?;
    Ok(Data::created(added.into()))
}

async fn change(
    state: State,
    user: SignedIn,
    id: web::Path<String>,
    body: JsonBody,
) -> Result<Data<TodoReply>, ApiError> {
    let id: TodoId = id.parse().map_err(|_| ApiError::TodoNotFound)?;
    let change = read_change(body.read().await?)?;
    let todos = state.todos.clone();
    let changed = state.io.run(async move { todos.change(user.user_id, id, change).await }).await?;
    changed.map(|todo| Data::ok(todo.into())).ok_or(ApiError::TodoNotFound)
}

async fn delete(state: State, user: SignedIn, id: web::Path<String>) -> Result<HttpResponse, ApiError> {
    let id: TodoId = id.parse().map_err(|_| ApiError::TodoNotFound)?;
    let todos = state.todos.clone();
    let deleted = state.io.run(async move { todos.delete(user.user_id, id).await }).await?;
    if deleted { Ok(HttpResponse::NoContent().finish()) } else { Err(ApiError::TodoNotFound) }
}

fn read_new(body: Value) -> Result<TodoTitle, ApiError> {
    let mut fields = Fields::of(body)?;
    let title = fields.required("title", title);
    fields.refuse_others();
    fields.finish(title)
}

fn read_change(body: Value) -> Result<TodoChange, ApiError> {
    let mut fields = Fields::of(body)?;
    let change = TodoChange {
        title: fields.optional("title", title),
        completed: fields.optional("completed", |value| {
            value.as_bool().ok_or_else(|| "completed must be true or false.".to_owned())
        }),
    };
    fields.refuse_others();
    fields.finish(Some(change))
}

fn title(value: Value) -> Result<TodoTitle, String> {
    TodoTitle::parse(text("title")(value)?).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    /// The fields that are wrong with a body.
    fn wrong<T: std::fmt::Debug>(read: Result<T, ApiError>) -> Vec<String> {
        match read {
            Err(ApiError::InvalidFields(fields)) => fields.into_keys().collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_new_item_has_a_title_and_nothing_else() {
        assert!(read_new(json!({"title": "Buy milk"})).is_ok());
        assert_eq!(wrong(read_new(json!({}))), ["title"]);
        assert_eq!(wrong(read_new(json!({"title": " "}))), ["title"]);
        assert_eq!(wrong(read_new(json!({"title": 5, "completed": true}))), ["completed", "title"]);
        assert_eq!(wrong(read_new(json!([]))), [""]);
    }

    #[test]
    fn a_change_names_what_changes_and_nothing_else() {
        let change = read_change(json!({"completed": true})).unwrap();
        assert_eq!((change.title, change.completed), (None, Some(true)));
        assert!(read_change(json!({})).is_ok());
        let both = json!({"completed": "yes", "title": "x".repeat(201)});
        assert_eq!(wrong(read_change(both)), ["completed", "title"]);
        assert_eq!(wrong(read_change(json!({"_id": "x", "title": null}))), ["_id", "title"]);
    }
}
