//! Validating an answer to a `confirm` ask.

use serde_json::Value;

use crate::error::Path;
use crate::object::Object;
use crate::report::Report;

const KEYS: &[&str] = &["confirmed"];

/// Whether the `content` of an accepted answer approves.
pub(crate) fn parse(content: &Value, path: &Path<'_>, report: &mut Report) -> Option<bool> {
    let object = Object::read(content, path, report)?;
    object.refuse_unknown_keys(KEYS, report);
    object.required_boolean("confirmed", report)
}
