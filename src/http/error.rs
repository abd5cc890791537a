//! Why a request is refused, and the problem document each refusal becomes.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use turnwright_actors::error::{EngineError, Refusal};
use turnwright_actors::ids::ConversationId;
use turnwright_schemas::{AskError, BodyErrors, Problem, ProblemCode, ProblemMeta};

/// Every refusal of the API.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// No route has this path.
    #[error("Nothing answers at this path. /openapi.json lists what does.")]
    UnknownPath,
    /// The path has no such method.
    #[error("This path takes {allow}.")]
    MethodNotAllowed {
        /// The methods it has, for the header `Allow`.
        allow: String,
    },
    /// No session.
    #[error("Sign in, and send the token as Authorization: Bearer <token>.")]
    Unauthorized,
    /// Wrong password, or no such user: the same to whoever asks.
    #[error("No user has this email address and password.")]
    WrongPassword,
    /// The address has a user already.
    #[error("A user with this email address exists already.")]
    EmailTaken,
    /// A body, query or header that cannot be used, under the title the reference gives it.
    #[error("{detail}")]
    BadRequest {
        /// The problem's title.
        title: &'static str,
        /// What is wrong and what to send.
        detail: String,
    },
    /// A JSON body whose fields are wrong.
    #[error("The body cannot be used. See meta.fields.")]
    InvalidFields(BodyErrors),
    /// An uploaded file that is not what it says it is.
    #[error("{} {}", .0.message, .0.fix)]
    InvalidFile(AskError),
    /// The client paused for too long while it sent the body.
    #[error("The body did not arrive: the client sent nothing for {0:?} (http.body_pause_seconds).")]
    BodyTimeout(Duration),
    /// The body is larger than the path takes.
    #[error("The body is larger than {limit} bytes ({setting}).")]
    BodyTooLarge {
        /// Bytes.
        limit: usize,
        /// The setting that says so.
        setting: &'static str,
    },
    /// The body is in another format.
    #[error("{0}")]
    UnsupportedMediaType(&'static str),
    /// More than a limit allows.
    #[error("{what} Try again in {} seconds.", retry_after.as_secs().max(1))]
    TooManyRequests {
        /// Which limit, in a sentence.
        what: String,
        /// When to come again.
        retry_after: Duration,
    },
    /// No such upload of the caller.
    #[error("No file of yours has this id.")]
    FileNotFound,
    /// No such to-do item of the caller.
    #[error("No to-do item of yours has this id.")]
    TodoNotFound,
    /// The node cannot serve now.
    #[error("This node cannot serve now: its database does not answer.")]
    NotReady,
    /// The node stops while somebody waits for a turn, which is stored and goes on elsewhere.
    #[error("This node is stopping. What you sent is stored, and its turn goes on: read /gpt/histories/{0}.")]
    TurnGoesOn(ConversationId),
    /// A command on `POST /gpt/prompt` that the engine refused.
    #[error(transparent)]
    Prompt(Refusal),
    /// A request on `/gpt/histories` that the engine refused.
    #[error("{refusal}")]
    History {
        /// Why.
        refusal: Refusal,
        /// Whether an administrator asked: they may see that the conversation exists.
        admin: bool,
    },
    /// Something of ours failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<sea_orm::DbErr> for ApiError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Engine(error.into())
    }
}

/// A refusal as it goes on the wire, but for the request's id.
struct Parts {
    status: StatusCode,
    title: &'static str,
    detail: Option<String>,
    code: Option<ProblemCode>,
    fields: Option<Vec<AskError>>,
    meta: Option<ProblemMeta>,
    retry_after: Option<Duration>,
}

impl Parts {
    fn new(status: StatusCode, title: &'static str) -> Self {
        Self { status, title, detail: None, code: None, fields: None, meta: None, retry_after: None }
    }

    fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    fn code(self, code: ProblemCode) -> Self {
        Self { code: Some(code), ..self }
    }

    fn meta(self, meta: Option<ProblemMeta>) -> Self {
        Self { meta, ..self }
    }

    fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }
}

/// What a client is told when we failed; the log tells us.
const OUR_FAULT: &str = "Something failed on our side. Try again; if it stays, report the requestId.";

/// How long a client is to wait for a conversation that is full, or for another node.
const SOON: Duration = Duration::from_secs(1);

impl ApiError {
    /// The problem document.
    pub fn problem(&self, request_id: &str) -> Problem {
        let parts = self.parts();
        Problem {
            status: parts.status.as_u16(),
            title: parts.title.to_owned(),
            detail: parts.detail.unwrap_or_else(|| self.to_string()),
            request_id: request_id.to_owned(),
            code: parts.code,
            fields: parts.fields,
            meta: parts.meta,
        }
    }

    /// Seconds for the header `Retry-After`, when coming again helps.
    pub fn retry_after(&self) -> Option<u64> {
        self.parts().retry_after.map(|wait| wait.as_secs().max(1))
    }

    /// The methods for the header `Allow`, when the method was wrong.
    pub fn allow(&self) -> Option<&str> {
        match self {
            Self::MethodNotAllowed { allow } => Some(allow),
            _ => None,
        }
    }

    fn parts(&self) -> Parts {
        match self {
            Self::UnknownPath => Parts::new(StatusCode::NOT_FOUND, "Not found"),
            Self::MethodNotAllowed { .. } => Parts::new(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"),
            Self::Unauthorized => Parts::new(StatusCode::UNAUTHORIZED, "Unauthorized"),
            Self::WrongPassword => Parts::new(StatusCode::UNAUTHORIZED, "Invalid email or password"),
            Self::EmailTaken => Parts::new(StatusCode::UNPROCESSABLE_ENTITY, "User already exists"),
            Self::BadRequest { title, .. } => Parts::new(StatusCode::BAD_REQUEST, title),
            Self::InvalidFields(fields) => Parts::new(StatusCode::BAD_REQUEST, "Validation failed")
                .code(ProblemCode::ActionBodyValidationFailed)
                .meta(Some(ProblemMeta::Body { fields: fields.clone() })),
            Self::InvalidFile(error) => Parts::new(StatusCode::BAD_REQUEST, "Invalid file")
                .meta(Some(ProblemMeta::Answer { fields: vec![error.clone()] })),
            Self::BodyTimeout(_) => Parts::new(StatusCode::REQUEST_TIMEOUT, "Request timeout"),
            Self::BodyTooLarge { .. } => Parts::new(StatusCode::PAYLOAD_TOO_LARGE, "Payload too large"),
            Self::UnsupportedMediaType(_) => {
                Parts::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type")
            }
            Self::TooManyRequests { retry_after, .. } => {
                Parts::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests").retry_after(*retry_after)
            }
            Self::FileNotFound | Self::TodoNotFound => {
                Parts::new(StatusCode::NOT_FOUND, "Document not found").code(ProblemCode::DocumentNotFound)
            }
            Self::NotReady | Self::TurnGoesOn(_) => {
                Parts::new(StatusCode::SERVICE_UNAVAILABLE, "Service unavailable").retry_after(SOON)
            }
            Self::Prompt(refusal) => refused_prompt(refusal),
            Self::History { refusal, admin } => refused_history(refusal, *admin),
            Self::Engine(error) => failed(error),
        }
    }
}

/// The titles of the reference's "Error responses".
fn refused_prompt(refusal: &Refusal) -> Parts {
    match refusal {
        Refusal::NotFound => {
            Parts::new(StatusCode::NOT_FOUND, "History not found").detail("No history has this id.")
        }
        Refusal::NotOwner => Parts::new(StatusCode::FORBIDDEN, "Not authorized to access this history")
            .detail("The history belongs to another user."),
        Refusal::InvalidAnswer(fields) => {
            let parts = Parts::new(StatusCode::BAD_REQUEST, "Invalid askResponse")
                .detail("The answer does not match the ask. See fields.");
            Parts { fields: Some(fields.clone()), ..parts }
        }
        other => refused_anywhere(other),
    }
}

/// The titles of the reference's "Headless endpoints".
fn refused_history(refusal: &Refusal, admin: bool) -> Parts {
    match refusal {
        Refusal::NotFound => Parts::new(StatusCode::NOT_FOUND, "Document not found")
            .detail("No history has this id.")
            .code(ProblemCode::DocumentNotFound),
        Refusal::NotOwner if admin => {
            Parts::new(StatusCode::FORBIDDEN, "Not authorized to access this history")
                .detail("Only the owner of a history can do this.")
        }
        Refusal::NotOwner => Parts::new(StatusCode::FORBIDDEN, "Access denied")
            .detail("The history belongs to another user.")
            .code(ProblemCode::ActionAccessDenied),
        Refusal::InvalidAnswer(fields) => Parts::new(StatusCode::BAD_REQUEST, "Invalid askResponse")
            .detail("The answer does not match the ask. See meta.fields.")
            .meta(Some(ProblemMeta::Answer { fields: fields.clone() })),
        other => refused_anywhere(other),
    }
}

fn refused_anywhere(refusal: &Refusal) -> Parts {
    match refusal {
        Refusal::NotFound | Refusal::NotOwner | Refusal::InvalidAnswer(_) => {
            Parts::new(StatusCode::BAD_REQUEST, "Bad request")
        }
        Refusal::UnknownButton(error) => Parts::new(StatusCode::BAD_REQUEST, "Unknown buttonId")
            .detail(format!("{} {}", error.message, error.fix))
            .code(ProblemCode::UnknownButton)
            .meta(Some(ProblemMeta::Answer { fields: vec![error.clone()] })),
        Refusal::AskNotPending(outcome) => Parts::new(StatusCode::CONFLICT, "This ask is no longer pending")
            .detail("The history does not wait on this ask: it was answered, cancelled or never asked.")
            .meta(outcome.clone().map(ProblemMeta::AskEnded)),
        Refusal::QueueFull { limit } => Parts::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests")
            .detail(format!("{limit} messages already wait in this history (turns.queue_limit)."))
            .retry_after(SOON),
        Refusal::MailboxFull => Parts::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests")
            .detail("Too many requests wait for this history.")
            .retry_after(SOON),
        Refusal::NotPrepared(_) => {
            Parts::new(StatusCode::INTERNAL_SERVER_ERROR, "The agent could not be prepared")
                .detail("Nothing was stored: send the same again later.")
        }
        Refusal::Engine(error) => failed(error),
    }
}

fn failed(error: &EngineError) -> Parts {
    match error {
        EngineError::Stopping => Parts::new(StatusCode::SERVICE_UNAVAILABLE, "Service unavailable")
            .detail("This node is stopping. Send the same again.")
            .retry_after(SOON),
        _ => Parts::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal server error").detail(OUR_FAULT),
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.parts().status
    }

    /// The document itself is written where the request's id is known.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}
