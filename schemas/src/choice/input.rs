//! Validating the input of a `choice` ask.

use serde_json::Value;

use super::{ChoiceAsk, ChoiceOption, SelectMode};
use crate::bounds::{Bounds, count, whole};
use crate::choice::DEFAULT_MIN_SELECTED;
use crate::codes::ErrorCode;
use crate::error::{AskError, Path};
use crate::ids::{Repeats, id};
use crate::kind::Surface;
use crate::limits::LIMITS;
use crate::object::{Object, WireName, strings};
use crate::report::Report;
use crate::shared_fields::{SharedFields, submit_label};
use crate::text::{Unit, trim};

const FULL_KEYS: &[&str] = &[
    "prompt",
    "title",
    "submitLabel",
    "allowDecline",
    "select",
    "options",
    "default",
    "minSelected",
    "maxSelected",
    "allowOther",
    "otherLabel",
];

const COMPACT_KEYS: &[&str] =
    &["prompt", "title", "submitLabel", "allowDecline", "select", "options", "default"];

const OPTION_KEYS: &[&str] = &["id", "label", "description"];

const SELECT_EXPECTED: &str = "\"one\" or \"many\"";

/// The only value `select` has on a compact surface.
#[derive(Clone, Copy)]
struct CompactSelect;

impl WireName for CompactSelect {
    const VALUES: &'static [Self] = &[Self];

    fn wire_name(self) -> &'static str {
        SelectMode::One.wire_name()
    }
}

/// How many choices the ask says an answer holds, possibly out of range.
#[derive(Default)]
struct RawBounds {
    min: Option<i64>,
    max: Option<i64>,
}

/// Reads a `choice` ask of this surface, or says everything that is wrong with it.
///
/// A compact ask is a full one with `select: "one"`, none of the keys of `"many"`, and options that each fit a
/// button of the card uncut and differ from each other.
pub(crate) fn parse(input: &Value, surface: Surface) -> Result<ChoiceAsk, Vec<AskError>> {
    let mut report = Report::default();
    let root = Path::Root("the ask");
    let ask = Object::read(input, &root, &mut report).and_then(|object| read(&object, surface, &mut report));
    report.finish(ask)
}

fn read(object: &Object<'_>, surface: Surface, report: &mut Report) -> Option<ChoiceAsk> {
    let limits = &LIMITS.choice;
    let shared = SharedFields::read(object, report);
    let submit_label = submit_label(object, report);
    let options = read_options(object, surface, report);
    let default = read_default(object, report);
    let mut bounds = RawBounds::default();
    let mut allow_other = None;
    let mut other_label = None;
    let select = match surface {
        Surface::Full => {
            object.refuse_unknown_keys(FULL_KEYS, report);
            bounds.min = object.whole("minSelected", 0, None, report);
            bounds.max = object.whole("maxSelected", 1, None, report);
            allow_other = object.boolean("allowOther", report);
            other_label = object.text("otherLabel", limits.option_label_max_length, report);
            object.required_name("select", SELECT_EXPECTED, report)
        }
        Surface::Compact => {
            object.refuse_unknown_keys(COMPACT_KEYS, report);
            object.required_name("select", "\"one\"", report).map(|CompactSelect| SelectMode::One)
        }
    };
    if report.is_shape_broken() {
        return None;
    }
    let ask = ChoiceAsk {
        prompt: shared.prompt?,
        title: shared.title,
        submit_label,
        allow_decline: shared.allow_decline,
        select: select?,
        options: options?,
        default,
        min_selected: bounds.min.map(count),
        max_selected: bounds.max.map(count),
        allow_other,
        other_label,
    };
    check_option_ids(&ask.options, object.path(), report);
    check_bounds(&ask, &bounds, object.path(), report);
    check_other(&ask, object.path(), report);
    check_default(&ask, &bounds, object.path(), report);
    if surface == Surface::Compact {
        check_buttons(&ask.options, object.path(), report);
    }
    Some(ask)
}

fn read_options(object: &Object<'_>, surface: Surface, report: &mut Report) -> Option<Vec<ChoiceOption>> {
    let limits = &LIMITS.choice;
    let (max, label_max) = match surface {
        Surface::Full => (limits.options_max, limits.option_label_max_length),
        Surface::Compact => (LIMITS.simple_card.buttons_max, LIMITS.simple_card.button_label_max_length),
    };
    let count = Bounds { min: limits.options_min, max };
    let items = object.required_list("options", count, report)?;
    let path = object.path().key("options");
    let options = items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| {
            let path = path.index(index);
            let object = Object::read(item, &path, report)?;
            object.refuse_unknown_keys(OPTION_KEYS, report);
            let id = id(&object, report);
            let label = object.required_text("label", label_max, report);
            let description = object.text("description", limits.option_description_max_length, report);
            Some(ChoiceOption { id: id?, label: label?, description })
        })
        .collect();
    Some(options)
}

fn read_default(object: &Object<'_>, report: &mut Report) -> Option<Vec<String>> {
    let at_most = Bounds { min: 0, max: LIMITS.choice.options_max };
    let items = object.list("default", at_most, report)?;
    Some(strings(items, &object.path().key("default"), report))
}

/// The ids of options differ.
fn check_option_ids(options: &[ChoiceOption], root: &Path<'_>, report: &mut Report) {
    let mut repeats = Repeats::default();
    for (index, option) in options.iter().enumerate() {
        if repeats.is_repeated(&option.id) {
            report.duplicate_id(&root.key("options").index(index).key("id"), &option.id);
        }
    }
}

/// With `"one"` both bounds are 1 where they are set; with `"many"` they are in order and can be met.
///
/// The least bound counts with its default of 1: a `maxSelected` of 0 is below it.
fn check_bounds(ask: &ChoiceAsk, raw: &RawBounds, root: &Path<'_>, report: &mut Report) {
    match ask.select {
        SelectMode::One => {
            for (key, bound) in [("minSelected", raw.min), ("maxSelected", raw.max)] {
                if let Some(bound) = bound.filter(|bound| *bound != 1) {
                    report.range(
                        &root.key(key),
                        format!("{key} is {bound}, but with select \"one\" it can only be 1."),
                        format!("Remove {key}, or set select to \"many\"."),
                    );
                }
            }
        }
        SelectMode::Many => {
            let offered = whole(ask.choices_offered());
            let min = raw.min.unwrap_or(whole(DEFAULT_MIN_SELECTED));
            let max = raw.max.unwrap_or(offered);
            if max > offered {
                report.range(
                    &root.key("maxSelected"),
                    format!("maxSelected is {max}, but the ask offers only {offered} to choose from."),
                    format!("Set maxSelected to at most {offered}, or offer more options."),
                );
            }
            let highest = max.min(offered);
            if min > highest {
                report.range(
                    &root.key("minSelected"),
                    format!("minSelected is {min}, but at most {highest} choices can be selected."),
                    format!(
                        "Set minSelected to at most {highest}, or raise maxSelected or the number of options."
                    ),
                );
            }
        }
    }
}

/// Other exists only with `"many"`, and its label only with Other.
fn check_other(ask: &ChoiceAsk, root: &Path<'_>, report: &mut Report) {
    if ask.select == SelectMode::One && ask.offers_other() {
        report.add(
            &root.key("allowOther"),
            ErrorCode::OtherNotAllowed,
            "allowOther is true, but select is \"one\".".to_owned(),
            "Remove allowOther, or use select \"many\" with maxSelected 1.".to_owned(),
        );
    }
    if ask.other_label.is_some() && !ask.offers_other() {
        report.add(
            &root.key("otherLabel"),
            ErrorCode::OtherNotAllowed,
            "otherLabel is set, but allowOther is not true.".to_owned(),
            "Remove otherLabel, or set select to \"many\" and allowOther to true.".to_owned(),
        );
    }
}

/// A default names options, each once, and no more than can be selected. It may name fewer than `minSelected`.
fn check_default(ask: &ChoiceAsk, raw: &RawBounds, root: &Path<'_>, report: &mut Report) {
    let Some(default) = &ask.default else {
        return;
    };
    let path = root.key("default");
    let max = match ask.select {
        SelectMode::One => 1,
        SelectMode::Many => raw.max.unwrap_or(whole(ask.choices_offered())),
    };
    let named = whole(default.len());
    if named > max {
        report.add(
            &path,
            ErrorCode::SelectionCount,
            format!("default names {named} options, but at most {max} can be selected."),
            format!("Keep at most {max} of the ids in default."),
        );
    }
    let mut repeats = Repeats::default();
    for (index, id) in default.iter().enumerate() {
        let path = path.index(index);
        if ask.option(id).is_none() {
            report.default_not_in_options(&path, id);
        } else if repeats.is_repeated(id) {
            report.duplicate_id(&path, id);
        }
    }
}

/// Each option fits a button of the card uncut, and no two buttons look alike.
fn check_buttons(options: &[ChoiceOption], root: &Path<'_>, report: &mut Report) {
    let max = LIMITS.simple_card.button_label_max_length;
    let options_path = root.key("options");
    let mut repeats = Repeats::default();
    for (index, option) in options.iter().enumerate() {
        let option_path = options_path.index(index);
        let path = option_path.key("label");
        if Unit::CodeUnits.exceeds(&option.label, max) {
            report.too_long(&path, &option.label, max, Unit::CodeUnits);
        }
        if repeats.is_repeated(trim(&option.label)) {
            report.duplicate_label(&path, &option.label);
        }
    }
}
