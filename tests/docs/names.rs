//! What the pages name exists.

use std::path::Path;

use crate::page::{Page, ROOT};
use crate::settings_tables::defaults;

/// Every code span of every page, with its page.
fn code_spans() -> Vec<(String, String)> {
    let mut spans = Vec::new();
    for page in Page::all() {
        let prose: Vec<&str> = page.prose_lines().collect();
        let prose = prose.join("\n");
        let inside = prose.split('`').skip(1).step_by(2);
        spans.extend(inside.map(|span| (page.path.display().to_string(), span.to_owned())));
    }
    spans
}

#[test]
fn every_setting_named_exists() {
    let settings = defaults();
    let is_section = |name: &str| settings.iter().any(|(key, _)| key.split('.').next() == Some(name));
    for (page, span) in code_spans() {
        let name = span.split(" =").next().unwrap_or_default();
        let Some((section, key)) = name.split_once('.') else { continue };
        let is_word = key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if is_section(section) && is_word && key != "rs" {
            assert!(settings.iter().any(|(known, _)| known == name), "{page}: {name}");
        }
    }
}

#[test]
fn every_variable_named_sets_something() {
    let settings = defaults();
    for page in Page::all() {
        let words = page.text().split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for name in words.filter(|word| word.starts_with("TURNWRIGHT__") && *word != MISSPELT) {
            let key = name.trim_start_matches("TURNWRIGHT__").replace("__", ".").to_lowercase();
            assert!(settings.iter().any(|(known, _)| *known == key), "{}: {name}", page.path.display());
        }
    }
}

/// The variable by which a page shows what a wrong one does.
const MISSPELT: &str = "TURNWRIGHT__HTTP__PROT";

#[test]
fn every_file_and_folder_of_the_repository_that_is_named_exists() {
    const FOLDERS: [&str; 8] =
        ["schemas", "actors", "migrations", "src", "config", "tests", "scripts", "docs"];
    let mut named = 0;
    for (page, span) in code_spans() {
        let first = span.split_once('/').map_or("", |(first, _)| first);
        if FOLDERS.contains(&first) && !span.contains('<') {
            named += 1;
            assert!(Path::new(ROOT).join(&span).exists(), "{page}: {span}");
        }
    }
    assert!(named > 20, "{named}");
}
