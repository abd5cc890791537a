//! Validating an answer to a `form` ask.

use serde_json::Value;

use super::input::offers;
use super::values::{check_number, check_text};
use super::{FieldInput, FormAsk, FormField, FormOption, FormValue, FormValues, MultiselectInput};
use crate::codes::ErrorCode;
use crate::error::Path;
use crate::ids::Repeats;
use crate::number::Number;
use crate::object::Object;
use crate::report::{Report, describe, list_names};
use crate::text::is_blank;

const CONTENT_KEYS: &[&str] = &["values"];

/// The `content` of an accepted answer.
///
/// What the content itself has wrong is reported alone; only a well-formed answer is held against the fields.
pub(crate) fn parse(
    ask: &FormAsk,
    content: &Value,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<FormValues> {
    let object = Object::read(content, path, report)?;
    object.refuse_unknown_keys(CONTENT_KEYS, report);
    let values_path = path.key("values");
    let values = object
        .require("values", "an object keyed by field id", report)
        .and_then(|values| Object::read(values, &values_path, report));
    if !report.is_clean() {
        return None;
    }
    let values = values?;
    let ids: Vec<_> = ask.fields.iter().map(|field| field.id.as_str()).collect();
    values.refuse_unknown_keys(&ids, report);
    let answered = ask
        .fields
        .iter()
        .filter_map(|field| {
            let value = read_value(
                field,
                values.get(&field.id),
                &values_path.labeled(&field.id, &field.label),
                report,
            )?;
            Some((field.id.clone(), value))
        })
        .collect();
    Some(answered)
}

/// The value of one field, if the answer has one.
///
/// A blank string or an empty list counts as unanswered whatever the field's type; it is kept as it was sent.
fn read_value(
    field: &FormField,
    value: Option<&Value>,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<FormValue> {
    let value = match value {
        Some(value) if !is_unanswered(value) => value,
        unanswered => {
            if field.is_required() {
                let name = path.subject();
                report.add(
                    path,
                    ErrorCode::RequiredField,
                    format!("{name} is required, but it has no value."),
                    format!("Fill in {name}."),
                );
            }
            return unanswered.map(|value| match value {
                Value::String(text) => FormValue::Text(text.clone()),
                _ => FormValue::Options(Vec::new()),
            });
        }
    };
    match (&field.input, value) {
        (FieldInput::Number(rules), Value::Number(_)) => {
            let number = Number::from_json(value)?;
            check_number(rules, number, path, report);
            Some(FormValue::Number(number))
        }
        (FieldInput::Boolean(_), Value::Bool(boolean)) => Some(FormValue::Boolean(*boolean)),
        (FieldInput::Select(select), Value::String(id)) => {
            check_offered(&select.options, id, path, report);
            Some(FormValue::Text(id.clone()))
        }
        (FieldInput::Multiselect(select), Value::Array(items)) => read_ids(select, items, path, report),
        (
            FieldInput::Text(_)
            | FieldInput::Textarea(_)
            | FieldInput::Email(_)
            | FieldInput::Url(_)
            | FieldInput::Phone(_)
            | FieldInput::Date(_)
            | FieldInput::Time(_)
            | FieldInput::Datetime(_),
            Value::String(text),
        ) => {
            check_text(&field.input, text, path, report);
            Some(FormValue::Text(text.clone()))
        }
        (input, other) => {
            mismatch(input, other, path, report);
            None
        }
    }
}

fn is_unanswered(value: &Value) -> bool {
    match value {
        Value::String(text) => is_blank(text),
        Value::Array(items) => items.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// The ids of a `multiselect` value: offered ones, each once.
fn read_ids(
    select: &MultiselectInput,
    items: &[Value],
    path: &Path<'_>,
    report: &mut Report,
) -> Option<FormValue> {
    let Some(ids) = items.iter().map(Value::as_str).collect::<Option<Vec<_>>>() else {
        report.add(
            path,
            ErrorCode::FieldTypeMismatch,
            format!("{} holds a value that is not a string.", path.subject()),
            format!("Make {} a list of option ids.", path.subject()),
        );
        return None;
    };
    let mut repeats = Repeats::default();
    for (index, id) in ids.iter().enumerate() {
        let path = path.index(index);
        if check_offered(&select.options, id, &path, report) && repeats.is_repeated(id) {
            report.duplicate_id(&path, id);
        }
    }
    Some(FormValue::Options(ids.into_iter().map(str::to_owned).collect()))
}

fn check_offered(options: &[FormOption], id: &str, path: &Path<'_>, report: &mut Report) -> bool {
    let offered = offers(options, id);
    if !offered {
        let ids = list_names(options.iter().map(|option| option.id.as_str()));
        report.option_not_offered(path, id, &ids);
    }
    offered
}

fn mismatch(input: &FieldInput, value: &Value, path: &Path<'_>, report: &mut Report) {
    let name = path.subject();
    let found = describe(value);
    let expected = match input {
        FieldInput::Number(_) => "a number",
        FieldInput::Boolean(_) => "true or false",
        FieldInput::Multiselect(_) => "a list of option ids",
        FieldInput::Select(_) => "the id of an option",
        FieldInput::Text(_)
        | FieldInput::Textarea(_)
        | FieldInput::Email(_)
        | FieldInput::Url(_)
        | FieldInput::Phone(_)
        | FieldInput::Date(_)
        | FieldInput::Time(_)
        | FieldInput::Datetime(_) => "a string",
    };
    report.add(
        path,
        ErrorCode::FieldTypeMismatch,
        format!("{name} is {found}, but its field takes {expected}."),
        format!("Make {name} {expected}, or leave it out if it is optional."),
    );
}
