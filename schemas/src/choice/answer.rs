//! Validating an answer to a `choice` ask.

use serde_json::Value;

use super::{ChoiceAnswer, ChoiceAsk};
use crate::bounds::Bounds;
use crate::codes::ErrorCode;
use crate::error::Path;
use crate::ids::Repeats;
use crate::limits::LIMITS;
use crate::object::{Object, strings};
use crate::report::{Report, counted, list_names};

const KEYS: &[&str] = &["selected", "other"];

/// The `content` of an accepted answer.
///
/// What the content itself has wrong is reported alone; only a well-formed answer is held against the ask.
pub(crate) fn parse(
    ask: &ChoiceAsk,
    content: &Value,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<ChoiceAnswer> {
    let object = Object::read(content, path, report)?;
    object.refuse_unknown_keys(KEYS, report);
    let at_most = Bounds { min: 0, max: LIMITS.choice.options_max };
    let selected = object
        .required_list("selected", at_most, report)
        .map(|items| strings(items, &path.key("selected"), report));
    let other = object.text("other", LIMITS.choice.other_max_length, report);
    if !report.is_clean() {
        return None;
    }
    let answer = ChoiceAnswer { selected: selected?, other };
    check_selected(ask, &answer.selected, path, report);
    check_other(ask, &answer, path, report);
    check_count(ask, &answer, path, report);
    Some(answer)
}

/// Every id is one the ask offers, named once.
fn check_selected(ask: &ChoiceAsk, selected: &[String], content: &Path<'_>, report: &mut Report) {
    let path = content.key("selected");
    let mut repeats = Repeats::default();
    for (index, id) in selected.iter().enumerate() {
        let path = path.index(index);
        if ask.option(id).is_none() {
            let offered = list_names(ask.options.iter().map(|option| option.id.as_str()));
            report.option_not_offered(&path, id, &offered);
        } else if repeats.is_repeated(id) {
            report.duplicate_id(&path, id);
        }
    }
}

fn check_other(ask: &ChoiceAsk, answer: &ChoiceAnswer, content: &Path<'_>, report: &mut Report) {
    if answer.other.is_some() && !ask.offers_other() {
        report.add(
            &content.key("other"),
            ErrorCode::OtherNotAllowed,
            "The answer has an other text, but the ask does not allow one.".to_owned(),
            "Remove other and select from the offered options.".to_owned(),
        );
    }
}

/// An `other` the ask allows counts as one choice.
fn check_count(ask: &ChoiceAsk, answer: &ChoiceAnswer, content: &Path<'_>, report: &mut Report) {
    let bounds = ask.selection_bounds();
    let count = answer.selected.len() + usize::from(answer.other.is_some() && ask.offers_other());
    if !bounds.contains(count) {
        let wanted = bounds.of("choice");
        let count = counted(count, "choice");
        report.add(
            &content.key("selected"),
            ErrorCode::SelectionCount,
            format!("The answer holds {count}, but the ask wants {wanted}."),
            format!("Make {wanted} among what the ask offers."),
        );
    }
}
