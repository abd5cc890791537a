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
    match input {
        FieldInput::Text(rules) | FieldInput::Textarea(rules) => check_min_length(rules, text, path, report),
        FieldInput::Email(_) => {
            check_format(is_email(text), text, "an email address", "name@example.com", path, report);
        }
        FieldInput::Url(_) => {
            check_format(
                is_http_url(text),
                text,
                "an http or https URL",
                "https://example.com",
                path,
                report,
            );
        }
        FieldInput::Phone(_) => {
            let (min, max) = (LIMITS.form.phone_digits_min, LIMITS.form.phone_digits_max);
            let expected = format!("a phone number of {min} to {max} digits");
            check_format(is_phone(text), text, &expected, "+14155552671", path, report);
        }
        FieldInput::Date(_) => check_date(is_date(text), text, "a real date as YYYY-MM-DD", path, report),
        FieldInput::Time(_) => check_date(is_time(text), text, "a 24-hour time as HH:mm", path, report),
        FieldInput::Datetime(_) => {
            let expected = "a real date and time with an offset, such as 2026-10-01T09:30+02:00";
            check_date(is_datetime(text), text, expected, path, report);
        }
        FieldInput::Number(_)
        | FieldInput::Boolean(_)
        | FieldInput::Select(_)
        | FieldInput::Multiselect(_) => {}
    }
}

fn check_min_length(rules: &TextInput, text: &str, path: &Path<'_>, report: &mut Report) {
    let min = rules.min_length.unwrap_or(0);
    let length = utf16_length(trim(text));
    if length < min {
        report.too_short(path, length, min);
    }
}

fn check_format(fits: bool, text: &str, expected: &str, example: &str, path: &Path<'_>, report: &mut Report) {
    if !fits {
        let name = path.subject();
        let shown = quote(text);
        report.add(
            path,
            ErrorCode::FieldTypeMismatch,
            format!("{name} is {shown}, which is not {expected}."),
            format!("Write {name} as {expected}, such as {example}."),
        );
    }
}

fn check_date(fits: bool, text: &str, expected: &str, path: &Path<'_>, report: &mut Report) {
    if !fits {
        let name = path.subject();
        let shown = quote(text);
        report.add(
            path,
            ErrorCode::InvalidDate,
            format!("{name} is {shown}, which is not {expected}."),
            format!("Write {name} as {expected}."),
        );
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
