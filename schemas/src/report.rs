//! What is wrong with a document, collected while it is read, in words a model can act on.

use serde_json::Value;

use crate::codes::ErrorCode;
use crate::error::{AskError, Path, sort_errors};
use crate::number::Number;
use crate::text::{Unit, trim};

/// The longest piece of a document that a message repeats, in characters.
const QUOTED_CHARACTERS: usize = 60;

/// The errors of one document.
#[derive(Debug, Default)]
pub(crate) struct Report {
    errors: Vec<AskError>,
    shape_broken: bool,
}

impl Report {
    /// Whether a field is missing or has a wrong type or name, so that rules between fields cannot be judged.
    ///
    /// Unknown keys, wrong lengths and counts do not break the shape: the rules run next to them.
    pub(crate) fn is_shape_broken(&self) -> bool {
        self.shape_broken
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.errors.is_empty()
    }

    /// The value read, when it had no error; else every error once, sorted by path and code.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, Vec<AskError>> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(self.into_errors()),
        }
    }

    pub(crate) fn into_errors(mut self) -> Vec<AskError> {
        sort_errors(&mut self.errors);
        self.errors.dedup_by(|later, earlier| later.path == earlier.path && later.code == earlier.code);
        self.errors
    }

    /// Takes over what another report found.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.errors.extend(other.errors);
        self.shape_broken |= other.shape_broken;
    }

    /// Adds an error with its own words.
    pub(crate) fn add(&mut self, path: &Path<'_>, code: ErrorCode, message: String, fix: String) {
        self.shape_broken |=
            matches!(code, ErrorCode::InvalidType | ErrorCode::InvalidEnum | ErrorCode::MissingRequired);
        self.errors.push(AskError { path: path.render(), code, message, fix });
    }

    pub(crate) fn missing(&mut self, path: &Path<'_>, expected: &str) {
        let name = path.subject();
        self.add(
            path,
            ErrorCode::MissingRequired,
            format!("{name} is missing."),
            format!("Add {name} as {expected}."),
        );
    }

    pub(crate) fn wrong_type(&mut self, path: &Path<'_>, value: &Value, expected: &str) {
        let name = path.subject();
        let found = describe(value);
        self.add(
            path,
            ErrorCode::InvalidType,
            format!("Expected {expected} for {name}, but found {found}."),
            format!("Make {name} {expected}."),
        );
    }

    pub(crate) fn fraction(&mut self, path: &Path<'_>, number: Number) {
        let name = path.subject();
        self.add(
            path,
            ErrorCode::InvalidType,
            format!("Expected a whole number for {name}, but found {number}."),
            format!("Make {name} a whole number."),
        );
    }

    pub(crate) fn outside(&mut self, path: &Path<'_>, number: Number, min: i64, max: Option<i64>) {
        let name = path.subject();
        let range = match max {
            Some(max) => format!("from {min} to {max}"),
            None => format!("of at least {min}"),
        };
        self.add(
            path,
            ErrorCode::RangeInvalid,
            format!("{name} is {number}, but it must be a whole number {range}."),
            format!("Set {name} to a whole number {range}."),
        );
    }

    pub(crate) fn unknown_key(&mut self, object: &Path<'_>, key: &str, known: &[&str]) {
        let parent = object.subject();
        let shown = quote(key);
        let known = known.join(", ");
        self.add(
            &object.key(key),
            ErrorCode::UnknownKey,
            format!("{shown} is not a field of {parent}."),
            format!("Remove {shown} from {parent}; its fields are: {known}."),
        );
    }

    pub(crate) fn not_one_of(&mut self, path: &Path<'_>, value: &Value, allowed: &str) {
        let name = path.subject();
        let shown = match value {
            Value::String(text) => quote(text),
            other => describe(other).to_owned(),
        };
        self.add(
            path,
            ErrorCode::InvalidEnum,
            format!("{name} is {shown}, which is not one of its allowed values."),
            format!("Set {name} to one of: {allowed}."),
        );
    }

    pub(crate) fn blank(&mut self, path: &Path<'_>) {
        let name = path.subject();
        self.add(
            path,
            ErrorCode::TooShort,
            format!("{name} has no visible characters."),
            format!("Write at least one visible character in {name}."),
        );
    }

    pub(crate) fn too_long(&mut self, path: &Path<'_>, text: &str, max: usize, unit: Unit) {
        let name = path.subject();
        let length = counted(unit.length(text), unit.noun());
        let limit = counted(max, unit.noun());
        self.add(
            path,
            ErrorCode::TooLong,
            format!("{name} is {length} long; the limit is {max}."),
            format!("Shorten {name} to at most {limit}."),
        );
    }

    pub(crate) fn too_short(&mut self, path: &Path<'_>, length: usize, min: usize) {
        let name = path.subject();
        let length = counted(length, "character");
        let limit = counted(min, "character");
        self.add(
            path,
            ErrorCode::TooShort,
            format!("{name} is {length} long without white space at its ends; it needs at least {min}."),
            format!("Lengthen {name} to at least {limit}."),
        );
    }

    pub(crate) fn too_few(&mut self, path: &Path<'_>, count: usize, min: usize) {
        let name = path.subject();
        let count = counted(count, "item");
        let limit = counted(min, "item");
        self.add(
            path,
            ErrorCode::TooFew,
            format!("{name} has {count}; it needs at least {min}."),
            format!("Give {name} at least {limit}."),
        );
    }

    pub(crate) fn too_many(&mut self, path: &Path<'_>, count: usize, max: usize) {
        let name = path.subject();
        self.add(
            path,
            ErrorCode::TooMany,
            format!("{name} has {count} items; the limit is {max}."),
            format!("Cut {name} down to at most {max} items."),
        );
    }

    pub(crate) fn duplicate_id(&mut self, path: &Path<'_>, id: &str) {
        let name = path.subject();
        let shown = quote(id);
        self.add(
            path,
            ErrorCode::DuplicateId,
            format!("{name} repeats {shown}, which must appear only once."),
            format!("Replace or remove the second {shown} at {name}."),
        );
    }

    pub(crate) fn duplicate_label(&mut self, path: &Path<'_>, label: &str) {
        let name = path.subject();
        let shown = quote(trim(label));
        self.add(
            path,
            ErrorCode::DuplicateLabel,
            format!("{name} is {shown}, which another button already shows."),
            format!("Give {name} a label that differs from every other button."),
        );
    }

    pub(crate) fn default_not_in_options(&mut self, path: &Path<'_>, id: &str) {
        let name = path.subject();
        let shown = quote(id);
        self.add(
            path,
            ErrorCode::DefaultNotInOptions,
            format!("{name} is {shown}, which is not the id of an option."),
            format!("Set {name} to the id of one of the options, or remove it."),
        );
    }

    pub(crate) fn option_not_offered(&mut self, path: &Path<'_>, id: &str, offered: &str) {
        let shown = quote(id);
        self.add(
            path,
            ErrorCode::OptionNotOffered,
            format!("{shown} is not one of the offered options."),
            format!("Use the id of an offered option: {offered}."),
        );
    }

    pub(crate) fn file_too_large(&mut self, path: &Path<'_>, size: u64, max: u64) {
        self.add(
            path,
            ErrorCode::FileTooLarge,
            format!("The file has {size} bytes; the limit is {max}."),
            format!("Send a file of at most {max} bytes."),
        );
    }

    pub(crate) fn range(&mut self, path: &Path<'_>, message: String, fix: String) {
        self.add(path, ErrorCode::RangeInvalid, message, fix);
    }
}

/// A count with its noun: "1 item", "2 items".
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A JSON value's type as a sentence names it.
pub(crate) fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A piece of the document in quotes, cut so that a message stays one sentence.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARACTERS) {
        Some((end, _)) => format!("\"{}…\"", text.get(..end).unwrap_or(text)),
        None => format!("\"{text}\""),
    }
}

/// Names in quotes, with commas between them.
pub(crate) fn list_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut list = String::new();
    for name in names {
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(&quote(name));
    }
    list
}
