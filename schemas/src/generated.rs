//! The files of the repository that are written from this crate: JSON Schemas, examples and ask fixtures.

use serde::Serialize;

use crate::examples;
use crate::fixtures::ask_fixtures;
use crate::json_schemas::schema_documents;
use crate::limits::LIMITS;

/// The folders that hold generated files and nothing else, relative to the repository's root.
pub const GENERATED_FOLDERS: [&str; 2] = ["schemas/json", "schemas/fixtures"];

/// A file written from this crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Relative to the repository's root, with forward slashes.
    pub path: String,
    /// What it holds: JSON, indented, with a line feed at the end.
    pub content: String,
}

/// Every generated file, ordered by path.
pub fn generated_files() -> Vec<GeneratedFile> {
    let [schemas, fixtures] = GENERATED_FOLDERS;
    let mut files = Vec::new();
    for document in schema_documents(&LIMITS) {
        files.push(json_file(format!("{schemas}/{}", document.file), &document.schema));
    }
    for fixture in ask_fixtures() {
        let path = format!("{fixtures}/{}/{}.json", fixture.folder(), fixture.name);
        files.push(json_file(path, &fixture.file()));
    }
    for (name, event) in examples::events() {
        files.push(json_file(format!("{fixtures}/events/{name}.json"), &event));
    }
    for (name, problem) in examples::problems() {
        files.push(json_file(format!("{fixtures}/problems/{name}.json"), &problem));
    }
    for (name, event) in examples::cloud_events() {
        files.push(json_file(format!("{fixtures}/cloudEvents/{name}.json"), &event));
    }
    files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    files
}

#[expect(clippy::expect_used, reason = "every value written here has string keys and finite numbers")]
fn json_file(path: String, value: &impl Serialize) -> GeneratedFile {
    let mut content = serde_json::to_string_pretty(value).expect("a generated file is JSON");
    content.push('\n');
    GeneratedFile { path, content }
}
