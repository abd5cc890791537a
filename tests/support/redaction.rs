//! Takes out of a document what differs from run to run, so that the rest can be a snapshot.
//!
//! The same id gets the same name everywhere in a document, so that a snapshot still shows which ids are equal.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

static UUID: LazyLock<Regex> = LazyLock::new(|| regex(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}"));
static TIME: LazyLock<Regex> = LazyLock::new(|| regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

/// The document with ids numbered, times, tokens and request ids named.
pub fn redacted(document: &Value) -> Value {
    let mut ids = Vec::new();
    walk(document, &mut ids)
}

fn walk(value: &Value, ids: &mut Vec<String>) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text, ids)),
        Value::Array(items) => items.iter().map(|item| walk(item, ids)).collect(),
        Value::Object(fields) => {
            let redact_field = |(name, value): (&String, &Value)| {
                let value = match (name.as_str(), value) {
                    ("token", Value::String(_)) => Value::from("[token]"),
                    ("requestId" | "x-request-id", Value::String(_)) => Value::from("[request]"),
                    _ => walk(value, ids),
                };
                (name.clone(), value)
            };
            Value::Object(fields.iter().map(redact_field).collect())
        }
        other => other.clone(),
    }
}

fn redact(text: &str, ids: &mut Vec<String>) -> String {
    let text = UUID.replace_all(text, |found: &Captures<'_>| {
        let id = &found[0];
        let place = ids.iter().position(|known| known == id).unwrap_or_else(|| {
            ids.push(id.to_owned());
            ids.len() - 1
        });
        format!("[id {}]", place + 1)
    });
    TIME.replace_all(&text, "[time]").into_owned()
}
