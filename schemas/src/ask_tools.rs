//! The tools a model asks with: one for each kind the turn's surface offers (reference, "Enable asks").
//!
//! Their schemas say everything about an ask that JSON Schema can say, so that most wrong asks are never written.
//! The rest, such as ids that must differ, is in the descriptions and is checked when the call arrives.

mod form;
mod inputs;

use serde_json::Value;

use crate::file_type::FileAccept;
use crate::json_schema::JsonSchema;
use crate::kind::{AskKind, Surface};
use crate::limits::Limits;

/// A tool a model asks with.
#[derive(Debug, Clone, PartialEq)]
pub struct AskTool {
    /// `ask_<kind>`
    pub name: &'static str,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// The JSON Schema of the ask's input. It has no dialect and no references.
    pub input_schema: Value,
}

/// The tools of the kinds that are enabled and that the surface offers, in the order of `kinds`.
pub fn ask_tools(limits: &Limits, kinds: &[AskKind], surface: Surface) -> Vec<AskTool> {
    let offered = kinds.iter().copied().filter(|kind| surface.offers(*kind));
    offered
        .map(|kind| AskTool {
            name: kind.tool_name(),
            description: description(kind, surface, limits),
            input_schema: input_schema(kind, surface, limits).to_value(),
        })
        .collect()
}

fn description(kind: AskKind, surface: Surface, limits: &Limits) -> String {
    match (kind, surface) {
        (AskKind::Choice, Surface::Full) => {
            "Asks the user to pick one of a list of options, or several of them, and waits for the answer. \
             Returns {selected: [option ids], other?: text the user typed}."
                .to_owned()
        }
        (AskKind::Choice, Surface::Compact) => format!(
            "Asks the user to pick one of {} to {} short options, each shown as a button, and waits for the \
             answer. Returns {{selected: [option id]}}.",
            limits.choice.options_min, limits.simple_card.buttons_max
        ),
        (AskKind::Confirm, _) => {
            "Asks the user to approve or deny one action, and waits for the answer. Use it before anything that \
             deletes, sends, spends or cannot be undone. Returns {confirmed: true} or {confirmed: false}; act \
             only on true."
                .to_owned()
        }
        (AskKind::Markdown, _) => {
            "Gives the user a markdown draft to edit and waits until it is sent back. Returns {markdown, \
             changed}; changed is false when the user approved the draft as it was."
                .to_owned()
        }
        (AskKind::Form, _) => format!(
            "Asks the user to fill in up to {} typed fields at once, and waits for them. Returns {{values: \
             {{field id: value}}}} without the optional fields left blank.",
            limits.form.fields_max
        ),
        (AskKind::Files, _) => {
            let accepted: Vec<&str> = FileAccept::ALL.iter().map(|accept| accept.as_str()).collect();
            format!(
                "Asks the user to upload files ({}), at most {} at once, and waits for them. Returns the files \
                 for you to read in this turn only, so note what you need from them.",
                accepted.join(", "),
                limits.files.max_files
            )
        }
    }
}

fn input_schema(kind: AskKind, surface: Surface, limits: &Limits) -> JsonSchema {
    match (kind, surface) {
        (AskKind::Choice, Surface::Full) => inputs::choice(limits),
        (AskKind::Choice, Surface::Compact) => inputs::compact_choice(limits),
        (AskKind::Confirm, _) => inputs::confirm(limits),
        (AskKind::Markdown, _) => inputs::markdown(limits),
        (AskKind::Form, _) => form::form(limits),
        (AskKind::Files, _) => inputs::files(limits),
    }
}
