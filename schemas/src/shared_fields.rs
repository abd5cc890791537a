//! The fields that asks of several kinds have (reference, "Shared ask fields").

use crate::limits::LIMITS;
use crate::object::Object;
use crate::report::Report;

/// The fields of every kind. Each is `None` when it is absent or has the wrong type, which is then reported.
pub(crate) struct SharedFields {
    pub(crate) prompt: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) allow_decline: Option<bool>,
}

impl SharedFields {
    pub(crate) fn read(object: &Object<'_>, report: &mut Report) -> Self {
        let limits = &LIMITS.shared;
        Self {
            prompt: object.required_text("prompt", limits.prompt_max_length, report),
            title: object.text("title", limits.title_max_length, report),
            allow_decline: object.boolean("allowDecline", report),
        }
    }
}

/// The label of the submit button, which every kind but `confirm` has.
pub(crate) fn submit_label(object: &Object<'_>, report: &mut Report) -> Option<String> {
    object.text("submitLabel", LIMITS.shared.submit_label_max_length, report)
}
