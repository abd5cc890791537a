//! Settings as `--print-config` shows them.

use std::fmt::Write as _;

use config::ValueKind;

use super::Settings;
use super::layers::{self, Layers, Sources};
use super::location::without_secrets;
use crate::error::StartError;

/// Keys whose URLs may hold a password.
const URLS: [&str; 3] = ["database.url", "bus.redis_url", "files.url"];

/// Every setting in force, as a settings file holds it, with secrets hidden.
///
/// # Errors
/// As [`Settings::load`]: what cannot be used is not shown as if it could.
pub fn shown(sources: &Sources) -> Result<String, StartError> {
    Settings::load(sources)?;
    let layers = Layers::merge(sources)?;
    let defaults = Layers::merge(&Sources::default())?;
    let mut text = String::new();
    let mut section = "";
    // Every key is one of the defaults, so that both are in the same order.
    for ((key, value), (_, default)) in layers.sorted().into_iter().zip(defaults.sorted()) {
        let Some((its_section, name)) = key.split_once('.') else { continue };
        if its_section != section {
            section = its_section;
            let gap = if text.is_empty() { "" } else { "\n" };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{gap}[{section}]");
        }
        let value = match &value.kind {
            ValueKind::String(url) if URLS.contains(&key) => layers::quoted(&without_secrets(url)),
            kind => as_default(kind, &default.kind),
        };
        let _ = writeln!(text, "{name} = {value}");
    }
    Ok(text)
}

/// A value in the form of its default: a variable or a flag gives a text for whatever it sets.
fn as_default(value: &ValueKind, default: &ValueKind) -> String {
    match (value, default) {
        (ValueKind::String(text), ValueKind::Array(_)) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            format!("[{}]", items.map(layers::quoted).collect::<Vec<_>>().join(", "))
        }
        (ValueKind::String(text), ValueKind::String(_)) => layers::quoted(text.trim()),
        (ValueKind::String(text), _) => text.trim().to_ascii_lowercase(),
        _ => layers::shown(value),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn secrets_are_hidden() {
        let sources = Sources {
            environment: [("TURNWRIGHT__DATABASE__URL".to_owned(), "postgres://tw:s3cret@db/tw".to_owned())]
                .into(),
            ..Sources::default()
        };
        let shown = shown(&sources).unwrap();
        assert!(shown.contains("url = \"postgres://tw:***@db/tw\""), "{shown}");
        assert!(!shown.contains("s3cret"));
    }

    #[test]
    fn what_a_variable_sets_is_shown_as_a_file_would_hold_it() {
        let variables = [
            ("TURNWRIGHT__TURNS__MAX_STEPS", "4"),
            ("TURNWRIGHT__DEMO__ENABLED", "False"),
            ("TURNWRIGHT__ASKS__KINDS", "choice, files"),
            ("TURNWRIGHT__LOG__FILTER", "warn"),
        ];
        let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let shown = shown(&Sources { environment, ..Sources::default() }).unwrap();
        for line in
            ["max_steps = 4", "enabled = false", r#"kinds = ["choice", "files"]"#, r#"filter = "warn""#]
        {
            assert!(shown.lines().any(|shown| shown == line), "{line} is not in {shown}");
        }
    }

    #[test]
    fn what_is_shown_is_a_settings_file_with_every_key() {
        let shown = shown(&Sources::default()).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &shown).unwrap();
        let again = Sources { files: vec![file.path().to_owned()], ..Sources::default() };
        assert_eq!(super::shown(&again).unwrap(), shown);
        assert!(shown.contains("[turns]\nmax_steps = 10\n"), "{shown}");
    }
}
