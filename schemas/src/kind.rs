//! The kinds of ask, and the surfaces that offer them (reference, "Enable asks" and "Compact surface").

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const TOOL_NAME_PREFIX: &str = "ask_";

/// A kind of ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AskKind {
    /// Pick one option, or several.
    Choice,
    /// Approve or deny one action.
    Confirm,
    /// Edit a markdown draft and send it back.
    Markdown,
    /// Fill in a few typed fields.
    Form,
    /// Send files that the model then reads.
    Files,
}

impl AskKind {
    /// Every kind, in the order they are offered to a model.
    pub const ALL: &[Self] = &[Self::Choice, Self::Confirm, Self::Markdown, Self::Form, Self::Files];

    /// The kinds that fit a small screen.
    pub const COMPACT: &[Self] = &[Self::Choice, Self::Confirm];

    /// The kind's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Choice => "choice",
            Self::Confirm => "confirm",
            Self::Markdown => "markdown",
            Self::Form => "form",
            Self::Files => "files",
        }
    }

    /// The name of the tool a model calls to ask this: `ask_<kind>`.
    pub const fn tool_name(self) -> &'static str {
        match self {
            Self::Choice => "ask_choice",
            Self::Confirm => "ask_confirm",
            Self::Markdown => "ask_markdown",
            Self::Form => "ask_form",
            Self::Files => "ask_files",
        }
    }

    /// The kind whose tool has this name, or `None` for any other tool.
    pub fn from_tool_name(name: &str) -> Option<Self> {
        name.strip_prefix(TOOL_NAME_PREFIX)?.parse().ok()
    }
}

impl fmt::Display for AskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for AskKind {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == name)
            .ok_or_else(|| UnknownName::new("ask kind", name, Self::ALL.iter().map(|kind| kind.as_str())))
    }
}

/// The screen a command was sent from. It holds for one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// A phone or a computer: every kind.
    #[default]
    Full,
    /// A watch or another small screen: only asks whose card shows every option.
    Compact,
}

impl Surface {
    /// Every surface.
    pub const ALL: &[Self] = &[Self::Full, Self::Compact];

    /// The surface's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Compact => "compact",
        }
    }

    /// Whether a turn on this surface may ask this kind.
    pub fn offers(self, kind: AskKind) -> bool {
        match self {
            Self::Full => true,
            Self::Compact => AskKind::COMPACT.contains(&kind),
        }
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Surface {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.iter().copied().find(|surface| surface.as_str() == name).ok_or_else(|| {
            UnknownName::new("surface", name, Self::ALL.iter().map(|surface| surface.as_str()))
        })
    }
}

/// A name that is none of the names a setting or a request may hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{name}\" is not a known {what}. Use one of: {known}.")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: String,
}

impl UnknownName {
    fn new<'a>(what: &'static str, name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        Self { what, name: name.to_owned(), known: known.collect::<Vec<_>>().join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_leads_back_to_its_kind() {
        for kind in AskKind::ALL {
            assert_eq!(AskKind::from_tool_name(kind.tool_name()), Some(*kind));
        }
        assert_eq!(AskKind::from_tool_name("choice"), None);
        assert_eq!(AskKind::from_tool_name("ask_"), None);
    }

    #[test]
    fn names_on_the_wire_are_the_names_that_parse() {
        for kind in AskKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
            assert_eq!(serde_json::json!(kind), kind.as_str());
        }
        for surface in Surface::ALL {
            assert_eq!(surface.as_str().parse(), Ok(*surface));
            assert_eq!(serde_json::json!(surface), surface.as_str());
        }
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_known_ones() {
        let error = "poll".parse::<AskKind>().map_err(|error| error.to_string());
        assert_eq!(
            error,
            Err("\"poll\" is not a known ask kind. Use one of: choice, confirm, markdown, form, files."
                .to_owned())
        );
    }

    #[test]
    fn the_compact_surface_offers_only_kinds_that_fit_a_card() {
        assert!(Surface::Compact.offers(AskKind::Choice));
        assert!(Surface::Compact.offers(AskKind::Confirm));
        assert!(!Surface::Compact.offers(AskKind::Form));
        assert!(Surface::Full.offers(AskKind::Files));
    }
}
