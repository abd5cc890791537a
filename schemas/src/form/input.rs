//! Validating the input of a `form` ask.

use serde_json::Value;

use super::field_type::FieldType;
use super::values::{check_number, check_text};
use super::{
    BooleanInput, FieldInput, FormAsk, FormField, FormOption, MultiselectInput, NumberInput, PlainInput,
    SelectInput, TextInput,
};
use crate::bounds::{Bounds, count, whole};
use crate::error::{AskError, Path};
use crate::ids::{Repeats, id};
use crate::limits::LIMITS;
use crate::markdown::input::check_length_order;
use crate::object::{Object, strings};
use crate::report::Report;
use crate::shared_fields::{SharedFields, submit_label};
use crate::text::is_blank;

const KEYS: &[&str] = &["prompt", "title", "submitLabel", "allowDecline", "fields"];

const OPTION_KEYS: &[&str] = &["id", "label"];

/// Reads a `form` ask, or says everything that is wrong with it.
///
/// The rules between fields and on their defaults are judged only when every field has its right shape.
pub(crate) fn parse(input: &Value) -> Result<FormAsk, Vec<AskError>> {
    let mut report = Report::default();
    let root = Path::Root("the ask");
    let ask = Object::read(input, &root, &mut report).and_then(|object| read(&object, &mut report));
    report.finish(ask)
}

fn read(object: &Object<'_>, report: &mut Report) -> Option<FormAsk> {
    object.refuse_unknown_keys(KEYS, report);
    let shared = SharedFields::read(object, report);
    let submit_label = submit_label(object, report);
    let bounds = Bounds { min: LIMITS.form.fields_min, max: LIMITS.form.fields_max };
    let items = object.required_list("fields", bounds, report);
    let fields_path = object.path().key("fields");
    let fields: Vec<_> = items
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(index, item)| read_field(item, &fields_path.index(index), report))
        .collect();
    if report.is_shape_broken() {
        return None;
    }
    let mut repeats = Repeats::default();
    for (index, field) in fields.iter().enumerate() {
        let path = fields_path.index(index);
        if repeats.is_repeated(&field.id) {
            report.duplicate_id(&path.key("id"), &field.id);
        }
        check_field(field, &path, report);
    }
    Some(FormAsk {
        prompt: shared.prompt?,
        title: shared.title,
        submit_label,
        allow_decline: shared.allow_decline,
        fields,
    })
}

/// Reads one field; without a known type nothing else of it can be judged.
fn read_field(item: &Value, path: &Path<'_>, report: &mut Report) -> Option<FormField> {
    let object = Object::read(item, path, report)?;
    let field_type: FieldType = object.required_name("type", "a field type", report)?;
    object.refuse_unknown_keys(field_type.keys(), report);
    let id = id(&object, report);
    let label = object.required_text("label", LIMITS.form.label_max_length, report);
    let helper_text = object.text("helperText", LIMITS.form.helper_text_max_length, report);
    let required = object.boolean("required", report);
    let input = read_input(field_type, &object, report);
    Some(FormField { id: id?, label: label?, helper_text, required, input: input? })
}

fn read_input(field_type: FieldType, object: &Object<'_>, report: &mut Report) -> Option<FieldInput> {
    Some(match field_type {
        FieldType::Text => FieldInput::Text(read_text(object, LIMITS.form.text_max_length, report)),
        FieldType::Textarea => {
            FieldInput::Textarea(read_text(object, LIMITS.form.textarea_max_length, report))
        }
        FieldType::Email => FieldInput::Email(read_plain(object, report)),
        FieldType::Url => FieldInput::Url(read_plain(object, report)),
        FieldType::Phone => FieldInput::Phone(read_plain(object, report)),
        FieldType::Date => FieldInput::Date(read_plain(object, report)),
        FieldType::Time => FieldInput::Time(read_plain(object, report)),
        FieldType::Datetime => FieldInput::Datetime(read_plain(object, report)),
        FieldType::Number => FieldInput::Number(NumberInput {
            min: object.number("min", report),
            max: object.number("max", report),
            integer: object.boolean("integer", report),
            default: object.number("default", report),
        }),
        FieldType::Boolean => {
            FieldInput::Boolean(BooleanInput { default: object.boolean("default", report) })
        }
        FieldType::Select => {
            let options = read_options(object, report);
            let default = read_string_default(object, report);
            FieldInput::Select(SelectInput { options: options?, default })
        }
        FieldType::Multiselect => {
            let options = read_options(object, report);
            let at_most = Bounds { min: 0, max: LIMITS.choice.options_max };
            let default = object
                .list("default", at_most, report)
                .map(|items| strings(items, &object.path().key("default"), report));
            FieldInput::Multiselect(MultiselectInput { options: options?, default })
        }
    })
}

fn read_text(object: &Object<'_>, cap: usize, report: &mut Report) -> TextInput {
    let cap = whole(cap);
    TextInput {
        min_length: object.whole("minLength", 0, Some(cap), report).map(count),
        max_length: object.whole("maxLength", 1, Some(cap), report).map(count),
        default: read_string_default(object, report),
    }
}

fn read_plain(object: &Object<'_>, report: &mut Report) -> PlainInput {
    PlainInput { default: read_string_default(object, report) }
}

fn read_string_default(object: &Object<'_>, report: &mut Report) -> Option<String> {
    object.string("default", report).map(str::to_owned)
}

fn read_options(object: &Object<'_>, report: &mut Report) -> Option<Vec<FormOption>> {
    let limits = &LIMITS.choice;
    let bounds = Bounds { min: limits.options_min, max: limits.options_max };
    let items = object.required_list("options", bounds, report)?;
    let path = object.path().key("options");
    let options = items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| {
            let path = path.index(index);
            let object = Object::read(item, &path, report)?;
            object.refuse_unknown_keys(OPTION_KEYS, report);
            let id = id(&object, report);
            let label = object.required_text("label", limits.option_label_max_length, report);
            Some(FormOption { id: id?, label: label? })
        })
        .collect();
    Some(options)
}

/// The rules between the keys of one field, and those on its default.
fn check_field(field: &FormField, path: &Path<'_>, report: &mut Report) {
    let default_path = path.key("default");
    match &field.input {
        FieldInput::Text(text) => check_lengths(text, LIMITS.form.text_max_length, path, report),
        FieldInput::Textarea(text) => check_lengths(text, LIMITS.form.textarea_max_length, path, report),
        FieldInput::Number(number) => {
            if let (Some(min), Some(max)) = (number.min, number.max)
                && min > max
            {
                report.range(
                    &path.key("min"),
                    format!("min is {min}, but max is {max}."),
                    format!("Set min to at most {max}, or raise max."),
                );
            }
            if let Some(default) = number.default {
                check_number(number, default, &default_path, report);
            }
        }
        FieldInput::Select(select) => {
            check_option_ids(&select.options, path, report);
            if let Some(default) = &select.default
                && !offers(&select.options, default)
            {
                report.default_not_in_options(&default_path, default);
            }
        }
        FieldInput::Multiselect(select) => {
            check_option_ids(&select.options, path, report);
            let mut repeats = Repeats::default();
            for (index, id) in select.default.iter().flatten().enumerate() {
                let path = default_path.index(index);
                if !offers(&select.options, id) {
                    report.default_not_in_options(&path, id);
                } else if repeats.is_repeated(id) {
                    report.duplicate_id(&path, id);
                }
            }
        }
        FieldInput::Email(_)
        | FieldInput::Url(_)
        | FieldInput::Phone(_)
        | FieldInput::Date(_)
        | FieldInput::Time(_)
        | FieldInput::Datetime(_)
        | FieldInput::Boolean(_) => {}
    }
    if let Some(default) = field.input.typed_default() {
        if is_blank(default) {
            report.blank(&default_path);
        } else {
            check_text(&field.input, default, &default_path, report);
        }
    }
}

fn check_lengths(text: &TextInput, cap: usize, path: &Path<'_>, report: &mut Report) {
    let (min, max) = (text.min_length.map(whole), text.max_length.map(whole));
    check_length_order(min, max, whole(cap), path, report);
}

/// The ids of a field's options differ.
fn check_option_ids(options: &[FormOption], field: &Path<'_>, report: &mut Report) {
    let path = field.key("options");
    let mut repeats = Repeats::default();
    for (index, option) in options.iter().enumerate() {
        if repeats.is_repeated(&option.id) {
            report.duplicate_id(&path.index(index).key("id"), &option.id);
        }
    }
}

pub(super) fn offers(options: &[FormOption], id: &str) -> bool {
    options.iter().any(|option| option.id == id)
}
