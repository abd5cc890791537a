//! A valid ask of any kind.

use crate::choice::ChoiceAsk;
use crate::confirm::ConfirmAsk;
use crate::files::FilesAsk;
use crate::form::FormAsk;
use crate::kind::AskKind;
use crate::markdown::MarkdownAsk;

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
