//! A valid ask of any kind.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Value, json};

use crate::choice::{self, ChoiceAsk};
use crate::confirm::{self, ConfirmAsk};
use crate::error::AskError;
use crate::files::{self, FilesAsk};
use crate::form::{self, FormAsk};
use crate::kind::{AskKind, Surface};
use crate::markdown::{self, MarkdownAsk};
use crate::response::{AskResponse, envelope};

/// A valid ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Pick one option, or several.
    Choice(ChoiceAsk),
    /// Approve or deny one action.
    Confirm(ConfirmAsk),
    /// Edit a markdown draft and send it back.
    Markdown(MarkdownAsk),
    /// Fill in a few typed fields.
    Form(FormAsk),
    /// Send files that the model then reads.
    Files(FilesAsk),
}

impl Ask {
    /// Validates the input of an ask made on this surface. Only `choice` has narrower rules on the compact one;
    /// which kinds a surface offers at all is [`Surface::offers`].
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the input, sorted by path (array indexes as numbers) and then code.
    pub fn parse(kind: AskKind, input: &Value, surface: Surface) -> Result<Self, Vec<AskError>> {
        match kind {
            AskKind::Choice => choice::input::parse(input, surface).map(Self::Choice),
            AskKind::Confirm => confirm::input::parse(input).map(Self::Confirm),
            AskKind::Markdown => markdown::input::parse(input).map(Self::Markdown),
            AskKind::Form => form::input::parse(input).map(Self::Form),
            AskKind::Files => files::input::parse(input).map(Self::Files),
        }
    }

    /// Validates an answer to this ask. A file's bytes are checked apart, once they are loaded; until then only
    /// its declared size is held against `max_file_size_bytes`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the answer, sorted by path (array indexes as numbers) and then code. An
    /// error of the envelope stands alone, and so does one of the content's own shape.
    pub fn check_response(
        &self,
        response: &Value,
        max_file_size_bytes: u64,
    ) -> Result<AskResponse, Vec<AskError>> {
        envelope::parse(self, response, max_file_size_bytes)
    }

    /// The input, exactly as it was validated.
    pub fn input(&self) -> Value {
        match self {
            Self::Choice(ask) => json!(ask),
            Self::Confirm(ask) => json!(ask),
            Self::Markdown(ask) => json!(ask),
            Self::Form(ask) => json!(ask),
            Self::Files(ask) => json!(ask),
        }
    }

    /// The ask's kind.
    pub fn kind(&self) -> AskKind {
        match self {
            Self::Choice(_) => AskKind::Choice,
            Self::Confirm(_) => AskKind::Confirm,
            Self::Markdown(_) => AskKind::Markdown,
            Self::Form(_) => AskKind::Form,
            Self::Files(_) => AskKind::Files,
        }
    }

    /// The question.
    pub fn prompt(&self) -> &str {
        match self {
            Self::Choice(ask) => &ask.prompt,
            Self::Confirm(ask) => &ask.prompt,
            Self::Markdown(ask) => &ask.prompt,
            Self::Form(ask) => &ask.prompt,
            Self::Files(ask) => &ask.prompt,
        }
    }

    /// The heading.
    pub fn title(&self) -> Option<&str> {
        match self {
            Self::Choice(ask) => ask.title.as_deref(),
            Self::Confirm(ask) => ask.title.as_deref(),
            Self::Markdown(ask) => ask.title.as_deref(),
            Self::Form(ask) => ask.title.as_deref(),
            Self::Files(ask) => ask.title.as_deref(),
        }
    }

    /// Whether the user may skip: a `confirm` must say so, every other kind must forbid it.
    pub fn allows_decline(&self) -> bool {
        let (allow_decline, default) = match self {
            Self::Choice(ask) => (ask.allow_decline, true),
            Self::Confirm(ask) => (ask.allow_decline, false),
            Self::Markdown(ask) => (ask.allow_decline, true),
            Self::Form(ask) => (ask.allow_decline, true),
            Self::Files(ask) => (ask.allow_decline, true),
        };
        allow_decline.unwrap_or(default)
    }
}

/// An ask as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredAsk {
    kind: AskKind,
    input: Value,
}

impl Serialize for Ask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = StoredAsk { kind: self.kind(), input: self.input() };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Ask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredAsk { kind, input } = StoredAsk::deserialize(deserializer)?;
        // Every compact ask is a full one.
        Self::parse(kind, &input, Surface::Full).map_err(|errors| {
            let first = errors.first().map_or("", |error| error.message.as_str());
            de::Error::custom(format_args!("the stored {kind} ask is not valid: {first}"))
        })
    }
}
