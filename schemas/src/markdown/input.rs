//! Validating the input of a `markdown` ask.

use serde_json::Value;

use super::MarkdownAsk;
use crate::bounds::{count, whole};
use crate::error::{AskError, Path};
use crate::limits::LIMITS;
use crate::object::Object;
use crate::report::Report;
use crate::shared_fields::{SharedFields, submit_label};
use crate::text::Unit;

const KEYS: &[&str] =
    &["prompt", "title", "submitLabel", "allowDecline", "initial", "placeholder", "minLength", "maxLength"];

/// Reads a `markdown` ask, or says everything that is wrong with it.
pub(crate) fn parse(input: &Value) -> Result<MarkdownAsk, Vec<AskError>> {
    let mut report = Report::default();
    let root = Path::Root("the ask");
    let ask = Object::read(input, &root, &mut report).and_then(|object| read(&object, &mut report));
    report.finish(ask)
}

fn read(object: &Object<'_>, report: &mut Report) -> Option<MarkdownAsk> {
    let limits = &LIMITS.markdown;
    let cap = whole(limits.max_length);
    object.refuse_unknown_keys(KEYS, report);
    let shared = SharedFields::read(object, report);
    let submit_label = submit_label(object, report);
    let initial = object.string("initial", report);
    if let Some(initial) = initial
        && Unit::CodeUnits.exceeds(initial, limits.max_length)
    {
        let path = object.path().key("initial");
        report.too_long(&path, initial, limits.max_length, Unit::CodeUnits);
    }
    let placeholder = object.text("placeholder", limits.placeholder_max_length, report);
    let min_length = object.whole("minLength", 0, Some(cap), report);
    let max_length = object.whole("maxLength", 1, Some(cap), report);
    if report.is_shape_broken() {
        return None;
    }
    check_length_order(min_length, max_length, cap, object.path(), report);
    Some(MarkdownAsk {
        prompt: shared.prompt?,
        title: shared.title,
        submit_label,
        allow_decline: shared.allow_decline,
        initial: initial.map(str::to_owned),
        placeholder,
        min_length: min_length.map(count),
        max_length: max_length.map(count),
    })
}

/// The least length is not above the greatest, their defaults filled in.
pub(crate) fn check_length_order(
    min_length: Option<i64>,
    max_length: Option<i64>,
    cap: i64,
    object: &Path<'_>,
    report: &mut Report,
) {
    let min = min_length.unwrap_or(0);
    let max = max_length.unwrap_or(cap);
    if min > max {
        report.range(
            &object.key("minLength"),
            format!("minLength is {min}, but maxLength is {max}."),
            format!("Set minLength to at most {max}, or raise maxLength."),
        );
    }
}
