//! The `form` ask: a few typed fields, sent at once (reference, "form").

pub(crate) mod answer;
mod field_type;
mod formats;
pub(crate) mod input;
mod values;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::limits::LIMITS;
use crate::number::Number;
use crate::text::is_blank;

/// A valid `form` ask. It serializes to exactly the input it was parsed from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FormAsk {
    /// The question, 1 to 500 characters of plain text.
    pub prompt: String,
    /// A heading, at most 80 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The label of the submit button, at most 24 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_label: Option<String>,
    /// Whether the user may skip; they may when it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_decline: Option<bool>,
    /// 1 to 8 fields in display order.
    pub fields: Vec<FormField>,
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FormField {
    /// Matches `choice.optionIdPattern`; unique within the form. It keys the field's value in an answer.
    pub id: String,
    /// What the user reads, 1 to 120 characters.
    pub label: String,
    /// A line under the field, at most 280 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub helper_text: Option<String>,
    /// Whether an answer must hold a value that is not blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// What the field takes, with the keys of its type.
    #[serde(flatten)]
    pub input: FieldInput,
}

/// What a form field takes: its type, the keys of that type, and the value it starts with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FieldInput {
    /// One line of text.
    Text(TextInput),
    /// Several lines of text.
    Textarea(TextInput),
    /// An email address.
    Email(PlainInput),
    /// An `http` or `https` URL.
    Url(PlainInput),
    /// A phone number.
    Phone(PlainInput),
    /// A number.
    Number(NumberInput),
    /// A calendar date, `YYYY-MM-DD`.
    Date(PlainInput),
    /// A 24-hour time, `HH:mm`.
    Time(PlainInput),
    /// An ISO 8601 date and time with an offset.
    Datetime(PlainInput),
    /// On or off.
    Boolean(BooleanInput),
    /// One of a list of options.
    Select(SelectInput),
    /// Any of a list of options.
    Multiselect(MultiselectInput),
}

/// The keys of a `text` or `textarea` field. Lengths are in UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextInput {
    /// The shortest value, white space at its ends not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<usize>,
    /// The longest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<usize>,
    /// The value the field starts with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// The keys of a field whose format says everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlainInput {
    /// The value the field starts with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// The keys of a `number` field.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NumberInput {
    /// The least value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Number>,
    /// The greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Number>,
    /// Whether only whole numbers fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integer: Option<bool>,
    /// The value the field starts with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Number>,
}

/// The keys of a `boolean` field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BooleanInput {
    /// The value the field starts with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
}

/// The keys of a `select` field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SelectInput {
    /// 2 to 50 options in display order.
    pub options: Vec<FormOption>,
    /// The id of the option selected from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// The keys of a `multiselect` field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MultiselectInput {
    /// 2 to 50 options in display order.
    pub options: Vec<FormOption>,
    /// The ids of the options selected from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<String>>,
}

/// One option of a `select` or `multiselect` field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FormOption {
    /// Matches `choice.optionIdPattern`; unique within the field.
    pub id: String,
    /// What the user reads, 1 to 120 characters.
    pub label: String,
}

/// The value of one field in an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FormValue {
    /// Of a `boolean` field.
    Boolean(bool),
    /// Of a `number` field.
    Number(Number),
    /// Of a `multiselect` field: ids of its options.
    Options(Vec<String>),
    /// Of every other field.
    Text(String),
}

impl FormValue {
    /// Whether the value answers its field: a blank string and an empty list do not.
    pub fn is_answered(&self) -> bool {
        match self {
            Self::Boolean(_) | Self::Number(_) => true,
            Self::Options(ids) => !ids.is_empty(),
            Self::Text(text) => !is_blank(text),
        }
    }
}

/// Values by field id.
pub type FormValues = BTreeMap<String, FormValue>;

impl FormAsk {
    /// The values the fields start with, without the fields that have none.
    pub fn default_values(&self) -> FormValues {
        self.fields
            .iter()
            .filter_map(|field| Some((field.id.clone(), field.input.default_value()?)))
            .collect()
    }

    /// The field with this id.
    pub fn field(&self, id: &str) -> Option<&FormField> {
        self.fields.iter().find(|field| field.id == id)
    }
}

impl FormField {
    /// Whether an answer must hold a value that is not blank.
    pub fn is_required(&self) -> bool {
        self.required == Some(true)
    }
}

impl FieldInput {
    /// The value the field starts with.
    pub fn default_value(&self) -> Option<FormValue> {
        match self {
            Self::Number(number) => number.default.map(FormValue::Number),
            Self::Boolean(boolean) => boolean.default.map(FormValue::Boolean),
            Self::Select(select) => select.default.clone().map(FormValue::Text),
            Self::Multiselect(select) => select.default.clone().map(FormValue::Options),
            Self::Text(_)
            | Self::Textarea(_)
            | Self::Email(_)
            | Self::Url(_)
            | Self::Phone(_)
            | Self::Date(_)
            | Self::Time(_)
            | Self::Datetime(_) => self.typed_default().map(|text| FormValue::Text(text.to_owned())),
        }
    }

    /// The text the field starts with, where the user types its value.
    fn typed_default(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Textarea(text) => text.default.as_deref(),
            Self::Email(plain)
            | Self::Url(plain)
            | Self::Phone(plain)
            | Self::Date(plain)
            | Self::Time(plain)
            | Self::Datetime(plain) => plain.default.as_deref(),
            Self::Number(_) | Self::Boolean(_) | Self::Select(_) | Self::Multiselect(_) => None,
        }
    }

    /// The longest string the field takes, in UTF-16 code units; `None` where the value is no free text.
    pub fn text_max_length(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(text.max_length.unwrap_or(LIMITS.form.text_max_length)),
            Self::Textarea(text) => Some(text.max_length.unwrap_or(LIMITS.form.textarea_max_length)),
            Self::Email(_) | Self::Url(_) | Self::Phone(_) => Some(LIMITS.form.text_max_length),
            Self::Number(_)
            | Self::Date(_)
            | Self::Time(_)
            | Self::Datetime(_)
            | Self::Boolean(_)
            | Self::Select(_)
            | Self::Multiselect(_) => None,
        }
    }
}
