//! The rules a form value keeps, whether it is a default or an answer.

use super::formats::{is_date, is_datetime, is_email, is_http_url, is_phone, is_time};
use super::{FieldInput, NumberInput, TextInput};
use crate::codes::ErrorCode;
use crate::error::Path;
use crate::limits::LIMITS;
use crate::number::Number;
use crate::report::{Report, quote};
use crate::text::{Unit, trim, utf16_length};

/// Checks a text that is not blank against the field it is for. A `select` has rules of its own.
pub(super) fn check_text(input: &FieldInput, text: &str, path: &Path<'_>, report: &mut Report) {
    if let Some(max) = input.text_max_length()
        && Unit::CodeUnits.exceeds(text, max)
    {
        report.too_long(path, text, max, Unit::CodeUnits);
        return;
    }
    let fits = match input {
        FieldInput::Text(rules) | FieldInput::Textarea(rules) => {
            check_min_length(rules, text, path, report);
            true
        }
        FieldInput::Email(_) => is_email(text),
        FieldInput::Url(_) => is_http_url(text),
        FieldInput::Phone(_) => is_phone(text),
        FieldInput::Date(_) => is_date(text),
        FieldInput::Time(_) => is_time(text),
        FieldInput::Datetime(_) => is_datetime(text),
        FieldInput::Number(_)
        | FieldInput::Boolean(_)
        | FieldInput::Select(_)
        | FieldInput::Multiselect(_) => true,
    };
    if !fits && let Some((code, expected, example)) = format_of(input) {
        let name = path.subject();
        let shown = quote(text);
        report.add(
            path,
            code,
            format!("{name} is {shown}, which is not {expected}."),
            format!("Write {name} as {expected}, such as {example}."),
        );
    }
}

/// The code of a text that does not fit the field's format, the format in words, and a text that fits.
fn format_of(input: &FieldInput) -> Option<(ErrorCode, String, &'static str)> {
    let (code, expected, example) = match input {
        FieldInput::Email(_) => (ErrorCode::FieldTypeMismatch, "an email address", "name@example.com"),
        FieldInput::Url(_) => (ErrorCode::FieldTypeMismatch, "an http or https URL", "https://example.com"),
        FieldInput::Phone(_) => {
            let (min, max) = (LIMITS.form.phone_digits_min, LIMITS.form.phone_digits_max);
            let expected = format!("a phone number of {min} to {max} digits");
            return Some((ErrorCode::FieldTypeMismatch, expected, "+14155552671"));
        }
        FieldInput::Date(_) => (ErrorCode::InvalidDate, "a real date in the form YYYY-MM-DD", "2026-10-01"),
        FieldInput::Time(_) => (ErrorCode::InvalidDate, "a 24-hour time in the form HH:mm", "09:30"),
        FieldInput::Datetime(_) => (
            ErrorCode::InvalidDate,
            "a real date and time in ISO 8601 with an offset",
            "2026-10-01T09:30:00+02:00",
        ),
        FieldInput::Text(_)
        | FieldInput::Textarea(_)
        | FieldInput::Number(_)
        | FieldInput::Boolean(_)
        | FieldInput::Select(_)
        | FieldInput::Multiselect(_) => return None,
    };
    Some((code, expected.to_owned(), example))
}

fn check_min_length(rules: &TextInput, text: &str, path: &Path<'_>, report: &mut Report) {
    let min = rules.min_length.unwrap_or(0);
    let length = utf16_length(trim(text));
    if length < min {
        report.too_short(path, length, min);
    }
}

/// Checks a number against the field it is for.
pub(super) fn check_number(rules: &NumberInput, number: Number, path: &Path<'_>, report: &mut Report) {
    if rules.integer == Some(true) && !number.is_whole() {
        let name = path.subject();
        report.add(
            path,
            ErrorCode::FieldTypeMismatch,
            format!("{name} is {number}, but the field takes only whole numbers."),
            format!("Make {name} a whole number."),
        );
        return;
    }
    let broken_bound = match (rules.min, rules.max) {
        (Some(min), _) if number < min => Some(format!("at least {min}")),
        (_, Some(max)) if number > max => Some(format!("at most {max}")),
        _ => None,
    };
    if let Some(bound) = broken_bound {
        let name = path.subject();
        report.add(
            path,
            ErrorCode::OutOfRange,
            format!("{name} is {number}, but it must be {bound}."),
            format!("Set {name} to {bound}."),
        );
    }
}
