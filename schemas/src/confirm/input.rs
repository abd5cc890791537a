//! Validating the input of a `confirm` ask.

use serde_json::Value;

use super::ConfirmAsk;
use crate::error::{AskError, Path};
use crate::limits::LIMITS;
use crate::object::Object;
use crate::report::Report;
use crate::shared_fields::SharedFields;
use crate::text::{Unit, trim};

const KEYS: &[&str] = &["prompt", "title", "confirmLabel", "denyLabel", "destructive", "allowDecline"];

/// Reads a `confirm` ask, or says everything that is wrong with it. The rules are the same on every surface.
pub(crate) fn parse(input: &Value) -> Result<ConfirmAsk, Vec<AskError>> {
    let mut report = Report::default();
    let root = Path::Root("the ask");
    let ask = Object::read(input, &root, &mut report).and_then(|object| read(&object, &mut report));
    report.finish(ask)
}

fn read(object: &Object<'_>, report: &mut Report) -> Option<ConfirmAsk> {
    object.refuse_unknown_keys(KEYS, report);
    let shared = SharedFields::read(object, report);
    let label_max = LIMITS.confirm.label_max_length;
    let confirm_label = object.text("confirmLabel", label_max, report);
    let deny_label = object.text("denyLabel", label_max, report);
    let destructive = object.boolean("destructive", report);
    if report.is_shape_broken() {
        return None;
    }
    let ask = ConfirmAsk {
        prompt: shared.prompt?,
        title: shared.title,
        confirm_label,
        deny_label,
        destructive,
        allow_decline: shared.allow_decline,
    };
    check_fit(&ask, object.path(), report);
    check_difference(&ask, object.path(), report);
    Some(ask)
}

/// Each label fits a button of the card uncut, which counts UTF-16 code units.
fn check_fit(ask: &ConfirmAsk, root: &Path<'_>, report: &mut Report) {
    let max = LIMITS.confirm.label_max_length;
    for (key, label) in [("confirmLabel", &ask.confirm_label), ("denyLabel", &ask.deny_label)] {
        if let Some(label) = label
            && Unit::CodeUnits.exceeds(label, max)
        {
            report.too_long(&root.key(key), label, max, Unit::CodeUnits);
        }
    }
}

/// The two buttons do not look alike, defaults included. The error is at the label the ask sets, the deny label
/// when it sets both.
fn check_difference(ask: &ConfirmAsk, root: &Path<'_>, report: &mut Report) {
    if trim(ask.approve_label()) == trim(ask.deny_label()) {
        let key = if ask.deny_label.is_some() { "denyLabel" } else { "confirmLabel" };
        report.duplicate_label(&root.key(key), ask.deny_label());
    }
}
