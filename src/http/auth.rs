//! Signing up, in and out (DESIGN section 8). These paths answer without the envelope of the others.

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::{Value, json};

use super::State;
use super::body::JsonBody;
use super::client_address;
use super::endpoint::{Answer, Body, Endpoint, schema};
use super::error::ApiError;
use super::fields::{Fields, text};
use super::reply;
use crate::auth::{BearerToken, Email, Password, SignUp, Token, User};

/// The longest name of a user, in characters.
const LONGEST_NAME: usize = 200;

/// The operations.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint {
            method: Method::POST,
            path: "/api/auth/sign-up/email",
            id: "signUp",
            summary: "Makes a user and signs it in.",
            signed_in: false,
            parameters: vec![],
            body: Body::Json(schema("SignUp")),
            answers: vec![
                Answer::json(200, "The token of the new session, and the user.", schema("SignedIn")),
                Answer::problem(
                    400,
                    "Validation failed: a field is missing or wrong; meta.fields says which.",
                ),
                Answer::problem(422, "User already exists: the address has a user."),
                Answer::problem(429, "Too many requests: auth.sign_ups_per_minute from one address."),
            ],
            handler: |route| route.to(sign_up),
        },
        Endpoint {
            method: Method::POST,
            path: "/api/auth/sign-in/email",
            id: "signIn",
            summary: "Signs a user in.",
            signed_in: false,
            parameters: vec![],
            body: Body::Json(schema("SignIn")),
            answers: vec![
                Answer::json(200, "The token of the new session, and the user.", schema("SignedIn")),
                Answer::problem(
                    400,
                    "Validation failed: a field is missing or wrong; meta.fields says which.",
                ),
                Answer::problem(401, "Invalid email or password."),
                Answer::problem(
                    429,
                    "Too many requests: too many failed for this account or from this address.",
                ),
            ],
            handler: |route| route.to(sign_in),
        },
        Endpoint {
            method: Method::POST,
            path: "/api/auth/sign-out",
            id: "signOut",
            summary: "Ends the session of the bearer token, if there is one.",
            signed_in: false,
            parameters: vec![],
            body: Body::None,
            answers: vec![Answer::json(200, "The session has ended.", schema("SignedOut"))],
            handler: |route| route.to(sign_out),
        },
        Endpoint {
            method: Method::GET,
            path: "/api/auth/get-session",
            id: "getSession",
            summary: "The session of the bearer token, or null.",
            signed_in: false,
            parameters: vec![],
            body: Body::None,
            answers: vec![Answer::json(
                200,
                "The session and its user; null without a session.",
                json!({"anyOf": [schema("Session"), {"type": "null"}]}),
            )],
            handler: |route| route.to(get_session),
        },
    ]
}

/// The schemas the operations refer to.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let object = |required: Value, properties: Value| json!({"type": "object", "required": required, "properties": properties});
    let email = json!({"type": "string", "format": "email", "maxLength": 254});
    let new_password = json!({
        "type": "string", "minLength": Password::SHORTEST, "maxLength": Password::LONGEST,
        "writeOnly": true,
    });
    let instant = json!({"type": "string", "format": "date-time"});
    let token = json!({"type": "string", "description": "Sent as Authorization: Bearer <token>."});
    vec![
        (
            "SignUp",
            object(
                json!(["email", "password", "name"]),
                json!({
                    "email": email, "password": new_password,
                    "name": {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME},
                }),
            ),
        ),
        (
            "SignIn",
            object(
                json!(["email", "password"]),
                json!({"email": email, "password": {"type": "string", "writeOnly": true}}),
            ),
        ),
        (
            "User",
            object(
                json!(["id", "email", "name", "admin", "createdAt", "updatedAt"]),
                json!({
                    "id": {"type": "string", "format": "uuid"}, "email": email,
                    "name": {"type": "string"}, "admin": {"type": "boolean"},
                    "createdAt": instant, "updatedAt": instant,
                }),
            ),
        ),
        ("SignedIn", object(json!(["token", "user"]), json!({"token": token, "user": schema("User")}))),
        ("SignedOut", object(json!(["success"]), json!({"success": {"const": true}}))),
        (
            "Session",
            object(
                json!(["session", "user"]),
                json!({
                    "session": object(
                        json!(["token", "expiresAt"]),
                        json!({"token": token, "expiresAt": instant}),
                    ),
                    "user": schema("User"),
                }),
            ),
        ),
    ]
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserReply {
    id: String,
    email: String,
    name: String,
    admin: bool,
    created_at: String,
    updated_at: String,
}

impl From<User> for UserReply {
    fn from(user: User) -> Self {
        Self {
            id: user.id.to_string(),
            email: user.email,
            name: user.name,
            admin: user.admin,
            created_at: user.created.iso(),
            updated_at: user.updated.iso(),
        }
    }
}

async fn sign_up(state: State, request: HttpRequest, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let form = read_sign_up(body.read().await?)?;
    let address = client_address(&request, &state.settings.http.trusted_proxies);
    let accounts = state.accounts.clone();
    let (token, user) = state.io.run(async move { accounts.sign_up(form, address).await }).await?;
    Ok(signed_in(&token, user))
}

async fn sign_in(state: State, request: HttpRequest, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let (email, password) = read_sign_in(body.read().await?)?;
    let address = client_address(&request, &state.settings.http.trusted_proxies);
    let accounts = state.accounts.clone();
    let (token, user) = state.io.run(async move { accounts.sign_in(email, password, address).await }).await?;
    Ok(signed_in(&token, user))
}

async fn sign_out(state: State, token: BearerToken) -> Result<HttpResponse, ApiError> {
    if let Some(token) = token.0 {
        let accounts = state.accounts.clone();
        state.io.run(async move { accounts.sign_out(&token).await }).await?;
    }
    Ok(reply::json(StatusCode::OK, &json!({"success": true})))
}

async fn get_session(state: State, token: BearerToken) -> Result<HttpResponse, ApiError> {
    let Some(token) = token.0 else { return Ok(reply::json(StatusCode::OK, &Value::Null)) };
    let accounts = state.accounts.clone();
    let looked_up = token.clone();
    let session = state.io.run(async move { accounts.session(&looked_up).await }).await?;
    let reply = session.map(|session| {
        let expires = session.expires.iso();
        json!({
            "session": {"token": token.reveal(), "expiresAt": expires},
            "user": UserReply::from(session.user),
        })
    });
    Ok(reply::json(StatusCode::OK, &reply))
}

fn signed_in(token: &Token, user: User) -> HttpResponse {
    reply::json(StatusCode::OK, &json!({"token": token.reveal(), "user": UserReply::from(user)}))
}

fn read_sign_up(body: Value) -> Result<SignUp, ApiError> {
    let mut fields = Fields::of(body)?;
    let email = fields.required("email", email);
    let password = fields.required("password", |value| Password::new(text("password")(value)?));
    let name = fields.required("name", |value| user_name(text("name")(value)?));
    let form = email.zip(password).zip(name);
    fields.finish(form.map(|((email, password), name)| SignUp { email, password, name, admin: false }))
}

fn read_sign_in(body: Value) -> Result<(Email, Password), ApiError> {
    let mut fields = Fields::of(body)?;
    let email = fields.required("email", email);
    let password = fields.required("password", |value| Ok(Password::tried(text("password")(value)?)));
    fields.finish(email.zip(password))
}

fn email(value: Value) -> Result<Email, String> {
    text("email")(value)?.parse().map_err(|error: crate::auth::NotAnEmail| error.to_string())
}

fn user_name(name: String) -> Result<String, String> {
    let name = name.trim();
    let length = name.chars().count();
    if name.chars().any(char::is_control) {
        Err("name must not hold control characters.".to_owned())
    } else if (1..=LONGEST_NAME).contains(&length) {
        Ok(name.to_owned())
    } else {
        Err(format!("name must have 1 to {LONGEST_NAME} characters."))
    }
}
