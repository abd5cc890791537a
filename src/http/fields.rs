//! Taking a JSON object apart, field by field, with a sentence for each field that is wrong.

use serde_json::{Map, Value};
use turnwright_schemas::BodyErrors;

use super::error::ApiError;

/// A body's fields, and what was wrong with those read so far. Fields nobody reads are ignored, unless they are
/// refused.
pub struct Fields {
    values: Map<String, Value>,
    errors: BodyErrors,
}

impl Fields {
    /// The fields of a body.
    ///
    /// # Errors
    /// When the body is not an object.
    pub fn of(body: Value) -> Result<Self, ApiError> {
        match body {
            Value::Object(values) => Ok(Self { values, errors: BodyErrors::new() }),
            _ => Err(ApiError::InvalidFields(BodyErrors::from([(
                String::new(),
                "The body must be a JSON object.".to_owned(),
            )]))),
        }
    }

    /// Takes a field that must be there and that `parse` reads.
    pub fn required<T>(&mut self, name: &str, parse: impl FnOnce(Value) -> Result<T, String>) -> Option<T> {
        match self.values.remove(name) {
            None => self.refuse(name, format!("{name} is required.")),
            Some(value) => self.parsed(name, parse(value)),
        }
    }

    /// Takes a field that may be left out.
    pub fn optional<T>(&mut self, name: &str, parse: impl FnOnce(Value) -> Result<T, String>) -> Option<T> {
        let value = self.values.remove(name)?;
        self.parsed(name, parse(value))
    }

    /// Refuses every field that was not read.
    pub fn refuse_others(&mut self) {
        for name in std::mem::take(&mut self.values).into_iter().map(|(name, _)| name) {
            let sentence = format!("{name} is no field of this body.");
            self.errors.insert(name, sentence);
        }
    }

    /// Ends the reading with what was made of the fields; `None` when one of them was wrong.
    ///
    /// # Errors
    /// A sentence for each field that was wrong.
    pub fn finish<T>(self, form: Option<T>) -> Result<T, ApiError> {
        match form {
            Some(form) if self.errors.is_empty() => Ok(form),
            _ => Err(ApiError::InvalidFields(self.errors)),
        }
    }

    fn parsed<T>(&mut self, name: &str, parsed: Result<T, String>) -> Option<T> {
        match parsed {
            Ok(value) => Some(value),
            Err(sentence) => self.refuse(name, sentence),
        }
    }

    fn refuse<T>(&mut self, name: &str, sentence: String) -> Option<T> {
        self.errors.insert(name.to_owned(), sentence);
        None
    }
}

/// Reads a text.
pub fn text(name: &'static str) -> impl FnOnce(Value) -> Result<String, String> {
    move |value| match value {
        Value::String(text) => Ok(text),
        _ => Err(format!("{name} must be a text.")),
    }
}
