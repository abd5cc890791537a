//! A receipt to upload: a `files` ask whose answer the demo agent really reads.

use serde::Deserialize;
use serde_json::{Value, json};
use turnwright_actors::ports::{FileContent, ModelResult};
use turnwright_schemas::{AskKind, StoredFile};

use super::reply::Reply;
use super::{Play, Scenario};
use crate::demo::wording::{briefly_listed, counted, cut};

pub(super) const SCENARIO: Scenario = Scenario {
    trigger: r"\breceipts?\b|\bupload\s+(?:(?:an?|my|some|the)\s+)?(?:file|document|photo|image)s?\b",
    play: Play::Ask {
        kind: AskKind::Files,
        input,
        compact_fallback: Some("Sending files needs a bigger screen. Open this chat on your phone."),
        reply,
    },
};

/// How many characters of a file's first line are quoted.
const LINE_LENGTH: usize = 200;

fn input() -> Value {
    json!({
        "title": "Upload a receipt",
        "prompt": "Send me the receipt: a photo, a PDF, a text or a CSV file.",
        "accept": ["image", "pdf", "text", "csv"],
        "maxFiles": 3,
        "submitLabel": "Send receipt",
    })
}

#[derive(Deserialize)]
struct Sent {
    files: Vec<StoredFile>,
}

fn reply(result: &ModelResult) -> Reply {
    Reply::to_answer(result, "read a receipt", |sent: Sent| {
        let contents = result.files.iter().map(|file| Some(&file.content)).chain(std::iter::repeat(None));
        let lines: String =
            sent.files.iter().zip(contents).map(|(file, content)| described(file, content)).collect();
        let names: Vec<&str> = sent.files.iter().map(|file| file.filename.as_str()).collect();
        Reply::new(
            format!("You sent {}:\n{lines}", counted(sent.files.len(), "file")),
            format!("You sent {}. A real agent would read what you sent now.", briefly_listed(&names)),
        )
    })
}

/// A file by name, type and size, and by its first line where the model was given text.
fn described(file: &StoredFile, content: Option<&FileContent>) -> String {
    let first_line = match content {
        Some(FileContent::Text(text)) => match text.lines().next().map(str::trim).unwrap_or_default() {
            "" => ". Its first line is empty.".to_owned(),
            line => format!(". Its first line: {}", cut(line, LINE_LENGTH)),
        },
        Some(FileContent::Image(_) | FileContent::File(_) | FileContent::Absent) | None => String::new(),
    };
    format!("\n- {} ({}, {} bytes){first_line}", file.filename, file.mime_type, file.size)
}
