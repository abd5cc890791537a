//! Validating an answer to a `markdown` ask.

use serde_json::Value;

use super::{MarkdownAnswer, MarkdownAsk};
use crate::codes::ErrorCode;
use crate::error::Path;
use crate::limits::LIMITS;
use crate::object::Object;
use crate::report::Report;
use crate::text::{Unit, trim, utf16_length};

const KEYS: &[&str] = &["markdown", "changed"];

/// The `content` of an accepted answer.
///
/// What the content itself has wrong is reported alone; only a well-formed answer is held against the ask.
pub(crate) fn parse(
    ask: &MarkdownAsk,
    content: &Value,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<MarkdownAnswer> {
    let object = Object::read(content, path, report)?;
    object.refuse_unknown_keys(KEYS, report);
    object.require("markdown", "a string", report);
    let markdown = object.string("markdown", report);
    let changed = object.required_boolean("changed", report);
    let text_path = path.key("markdown");
    if let Some(markdown) = markdown {
        check_at_most(markdown, LIMITS.markdown.max_length, &text_path, report);
    }
    if !report.is_clean() {
        return None;
    }
    let (markdown, changed) = (markdown?, changed?);
    let bounds = ask.length_bounds();
    check_at_most(markdown, bounds.max, &text_path, report);
    let visible_length = utf16_length(trim(markdown));
    if visible_length < bounds.min {
        report.too_short(&text_path, visible_length, bounds.min);
    }
    let differs = markdown != ask.draft();
    if changed != differs {
        let state = if differs { "differs from" } else { "is the same as" };
        report.add(
            &path.key("changed"),
            ErrorCode::ChangedMismatch,
            format!("changed is {changed}, but the text {state} the draft."),
            format!("Set changed to {differs}."),
        );
    }
    Some(MarkdownAnswer { markdown: markdown.to_owned(), changed })
}

fn check_at_most(markdown: &str, max: usize, path: &Path<'_>, report: &mut Report) {
    if Unit::CodeUnits.exceeds(markdown, max) {
        report.too_long(path, markdown, max, Unit::CodeUnits);
    }
}
