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
    let mut text = String::new();
    let mut section = "";
    for (key, value) in layers.sorted() {
        let Some((its_section, name)) = key.split_once('.') else { continue };
        if its_section != section {
            section = its_section;
            let gap = if text.is_empty() { "" } else { "\n" };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{gap}[{section}]");
        }
        let value = match &value.kind {
            ValueKind::String(url) if URLS.contains(&key) => layers::quoted(&without_secrets(url)),
            kind => layers::shown(kind),
        };
        let _ = writeln!(text, "{name} = {value}");
    }
    Ok(text)
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
    fn what_is_shown_is_a_settings_file_with_every_key() {
        let shown = shown(&Sources::default()).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &shown).unwrap();
        let again = Sources { files: vec![file.path().to_owned()], ..Sources::default() };
        assert_eq!(super::shown(&again).unwrap(), shown);
        assert!(shown.contains("[turns]\nmax_steps = 10\n"), "{shown}");
    }
}
