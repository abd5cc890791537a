//! The contract of Turnwright: asks, answers, simple cards, events, bodies, problems, limits and error codes.
//!
//! Pure functions on typed values, without I/O. An [`Ask`] exists only when it is valid, so that whoever has one can
//! derive its card and hold answers against it:
//!
//! ```
//! use serde_json::json;
//! use turnwright_schemas::{Ask, AskError, AskKind, ErrorCode, LIMITS, SimpleCard, Surface};
//!
//! let input = json!({"prompt": "Book the 09:40 to Ghent?", "confirmLabel": "Book it"});
//! let ask = Ask::parse(AskKind::Confirm, &input, Surface::Full)?;
//!
//! let card = SimpleCard::of(&ask, "call_1");
//! assert_eq!(card.buttons[0].label, "Book it");
//!
//! let cap = LIMITS.files.default_max_file_size_bytes;
//! ask.check_response(&json!({"action": "accept", "content": {"confirmed": true}}), cap)?;
//! let errors = ask.check_response(&json!({"action": "decline"}), cap).unwrap_err();
//! assert_eq!(errors[0].code, ErrorCode::DeclineNotAllowed);
//! # Ok::<(), Vec<AskError>>(())
//! ```
//!
//! Numbers and codes that users see stand in one table each, [`LIMITS`] and [`ErrorCode`]; validators, prompts,
//! JSON Schemas and docs read them there. [`generated`] writes the files under `schemas/`, [`check_line`] is
//! `turnwright check`.

mod ask;
pub mod ask_tools;
pub mod bounds;
pub mod card;
pub mod check;
pub mod choice;
pub mod cloud_event;
pub mod codes;
pub mod confirm;
pub mod data_url;
pub mod error;
pub mod events;
pub mod examples;
pub mod file_type;
pub mod files;
pub mod fixtures;
pub mod form;
pub mod generated;
pub mod history;
mod ids;
pub mod json_schema;
pub mod json_schemas;
pub mod kind;
pub mod limits;
pub mod literal;
pub mod markdown;
pub mod number;
mod object;
pub mod problem;
pub mod prompts;
mod report;
pub mod response;
pub mod row;
mod shared_fields;
pub mod sniff;
mod text;
pub mod turn_body;

pub use ask::Ask;
pub use ask_tools::{AskTool, ask_tools};
pub use bounds::Bounds;
pub use card::{ButtonStyle, SimpleCard, SimpleCardButton};
pub use check::{CheckError, CheckOutput, check_line};
pub use choice::{ChoiceAnswer, ChoiceAsk, ChoiceOption, SelectMode};
pub use cloud_event::{AskChange, AskClosed, AskOpened, CloudEvent};
pub use codes::ErrorCode;
pub use confirm::ConfirmAsk;
pub use data_url::DataUrl;
pub use error::AskError;
pub use events::{
    AskEvent, AskOrigin, AskResolvedEvent, DoneEvent, FileEvent, ImageEvent, MessageRemovedEvent,
    PendingAskRef, Retracted, ToolCallEvent, ToolResultEvent, TurnEvent,
};
pub use file_type::{FileAccept, FileMimeType};
pub use files::{FileRef, FileSource, FilesAsk, StoredFile};
pub use form::{FieldInput, FormAsk, FormField, FormOption, FormValue, FormValues};
pub use kind::{AskKind, Surface, UnknownName};
pub use limits::{LIMITS, Limits};
pub use literal::True;
pub use markdown::{MarkdownAnswer, MarkdownAsk};
pub use number::Number;
pub use problem::{AskEnded, AskEndedStatus, Problem, ProblemCode, ProblemMeta};
pub use response::{Action, Answer, AskResponse, CancelReason};
pub use row::{AskStatus, MessageRow, Rating, RowAsk, RowType};
pub use sniff::{SniffedType, check_file_bytes, file_not_owned_error, sniff};
pub use turn_body::{BodyErrors, PendingAskListItem, PendingAskSummary, TurnRequest, TurnResult, TurnShape};
