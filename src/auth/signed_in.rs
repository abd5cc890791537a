//! Who makes a request, from its bearer token.

use std::future::{Ready, ready};
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use turnwright_actors::error::EngineError;
use turnwright_actors::ids::UserId;

use super::token::Token;
use crate::http::AppState;
use crate::http::error::ApiError;

/// The user a request is made by. Asking for it refuses requests without a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedIn {
    /// The user.
    pub user_id: UserId,
    /// Whether it may read and delete the conversations of others.
    pub admin: bool,
}

/// The token of a request, when it has one; whether it is good is not looked at.
#[derive(Debug)]
pub struct BearerToken(pub Option<Token>);

impl FromRequest for BearerToken {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(bearer_token(request))))
    }
}

impl FromRequest for SignedIn {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let token = bearer_token(request);
        let state = request.app_data::<web::Data<AppState>>().cloned();
        Box::pin(async move {
            let token = token.ok_or(ApiError::Unauthorized)?;
            let state = state.ok_or(EngineError::Invariant("the API was started without its state"))?;
            let accounts = state.accounts.clone();
            let session = state.io.run(async move { accounts.session(&token).await }).await?;
            let user = session.ok_or(ApiError::Unauthorized)?.user;
            Ok(Self { user_id: user.id, admin: user.admin })
        })
    }
}

fn bearer_token(request: &HttpRequest) -> Option<Token> {
    let header = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then(|| Token::presented(token))
}
