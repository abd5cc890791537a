//! The contract of Turnwright: asks, answers, simple cards, limits and error codes.
//!
//! Pure functions on typed values, without I/O. An [`Ask`] exists only when it is valid.

mod ask;
pub mod bounds;
pub mod card;
pub mod choice;
pub mod codes;
pub mod confirm;
pub mod data_url;
pub mod error;
pub mod file_type;
pub mod files;
pub mod form;
pub mod kind;
pub mod limits;
pub mod markdown;
pub mod number;
pub mod response;

pub use ask::Ask;
pub use bounds::Bounds;
pub use card::{ButtonStyle, SimpleCard, SimpleCardButton};
pub use choice::{ChoiceAnswer, ChoiceAsk, ChoiceOption, SelectMode};
pub use codes::ErrorCode;
pub use confirm::ConfirmAsk;
pub use data_url::DataUrl;
pub use error::AskError;
pub use file_type::{FileAccept, FileMimeType};
pub use files::{FileRef, FileSource, FilesAsk, StoredFile};
pub use form::{FieldInput, FormAsk, FormField, FormOption, FormValue, FormValues};
pub use kind::{AskKind, Surface, UnknownName};
pub use limits::{LIMITS, Limits};
pub use markdown::{MarkdownAnswer, MarkdownAsk};
pub use number::Number;
pub use response::{Action, Answer, AskResponse, CancelReason};
