//! JSON Schema documents as typed values, so that a schema is built from the limits table like everything else.
//!
//! Only the keywords the contract uses exist here. All of them mean the same in draft-07, which the published
//! documents name, and in the later drafts that model providers read.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The dialect of the published documents.
pub const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";

type Text = Cow<'static, str>;

/// A JSON Schema. An empty one allows every value.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonSchema {
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Text>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<JsonType>,
    #[serde(rename = "const", skip_serializing_if = "Option::is_none")]
    literal: Option<Value>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    words: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_items: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_items: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unique_items: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Box<JsonSchema>>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_properties")]
    properties: Option<Vec<Property>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_properties: Option<AdditionalProperties>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<JsonSchema>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    any_of: Option<Vec<JsonSchema>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
enum JsonType {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

/// What an object may hold besides its named properties.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum AdditionalProperties {
    /// `false`: nothing.
    Allowed(bool),
    /// Values of this schema.
    Of(Box<JsonSchema>),
}

/// A named property of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    name: &'static str,
    schema: JsonSchema,
    required: bool,
}

/// A property that must be there.
pub const fn required(name: &'static str, schema: JsonSchema) -> Property {
    Property { name, schema, required: true }
}

/// A property that may be left out. `null` is not leaving it out.
pub const fn optional(name: &'static str, schema: JsonSchema) -> Property {
    Property { name, schema, required: false }
}

fn serialize_properties<S: Serializer>(
    properties: &Option<Vec<Property>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for property in properties.iter().flatten() {
        map.serialize_entry(property.name, &property.schema)?;
    }
    map.end()
}

impl JsonSchema {
    fn of(kind: JsonType) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// Any value.
    pub fn anything() -> Self {
        Self::default()
    }

    /// Any string.
    pub fn string() -> Self {
        Self::of(JsonType::String)
    }

    /// A string that is not empty.
    pub fn nonempty() -> Self {
        Self { min_length: Some(1), ..Self::string() }
    }

    /// A string of 1 to `max` characters (Unicode code points, as JSON Schema counts).
    pub fn text(max: usize) -> Self {
        Self { max_length: Some(max), ..Self::nonempty() }
    }

    /// A string of at most `max` characters (Unicode code points, as JSON Schema counts).
    pub fn text_or_empty(max: usize) -> Self {
        Self { max_length: Some(max), ..Self::string() }
    }

    /// A string that matches a regular expression.
    pub fn matching(pattern: impl Into<Text>) -> Self {
        Self { pattern: Some(pattern.into()), ..Self::string() }
    }

    /// One of a few words.
    pub fn one_word_of(words: impl IntoIterator<Item = &'static str>) -> Self {
        Self { words: Some(words.into_iter().collect()), ..Self::string() }
    }

    /// Exactly this word.
    pub fn word(word: &'static str) -> Self {
        Self { literal: Some(Value::from(word)), ..Self::string() }
    }

    /// `true`, and never `false`.
    pub fn always_true() -> Self {
        Self { literal: Some(Value::Bool(true)), ..Self::boolean() }
    }

    /// A boolean.
    pub fn boolean() -> Self {
        Self::of(JsonType::Boolean)
    }

    /// A number.
    pub fn number() -> Self {
        Self::of(JsonType::Number)
    }

    /// A whole number from `min` up.
    pub fn whole_from(min: usize) -> Self {
        Self { minimum: Some(min), ..Self::of(JsonType::Integer) }
    }

    /// A whole number from `min` to `max`.
    pub fn whole(min: usize, max: usize) -> Self {
        Self { maximum: Some(max), ..Self::whole_from(min) }
    }

    /// A list of any length.
    pub fn list(items: Self) -> Self {
        Self { items: Some(Box::new(items)), ..Self::of(JsonType::Array) }
    }

    /// A list of at most `max` items.
    pub fn list_up_to(max: usize, items: Self) -> Self {
        Self { max_items: Some(max), ..Self::list(items) }
    }

    /// A list of `min` to `max` items.
    pub fn list_of(min: usize, max: usize, items: Self) -> Self {
        Self { min_items: Some(min), ..Self::list_up_to(max, items) }
    }

    /// An object with these properties and no others.
    pub fn object(properties: impl IntoIterator<Item = Property>) -> Self {
        let closed = AdditionalProperties::Allowed(false);
        Self { additional_properties: Some(closed), ..Self::open_object(properties) }
    }

    /// An object with these properties, and perhaps others.
    pub fn open_object(properties: impl IntoIterator<Item = Property>) -> Self {
        let properties: Vec<Property> = properties.into_iter().collect();
        let required: Vec<&str> =
            properties.iter().filter(|property| property.required).map(|property| property.name).collect();
        Self {
            properties: (!properties.is_empty()).then_some(properties),
            required: (!required.is_empty()).then_some(required),
            ..Self::of(JsonType::Object)
        }
    }

    /// An object that maps any key to a value of `schema`.
    pub fn map_to(schema: Self) -> Self {
        let values = AdditionalProperties::Of(Box::new(schema));
        Self { additional_properties: Some(values), ..Self::of(JsonType::Object) }
    }

    /// Exactly one of these.
    pub fn one_of(schemas: impl IntoIterator<Item = Self>) -> Self {
        Self { one_of: Some(schemas.into_iter().collect()), ..Self::default() }
    }

    /// At least one of these.
    pub fn any_of(schemas: impl IntoIterator<Item = Self>) -> Self {
        Self { any_of: Some(schemas.into_iter().collect()), ..Self::default() }
    }

    /// The list's items differ from each other.
    pub fn distinct(self) -> Self {
        Self { unique_items: true, ..self }
    }

    /// With a format, for readers and for programs that check it.
    pub fn formatted(self, format: &'static str) -> Self {
        Self { format: Some(format), ..self }
    }

    /// With a title: the name generated code gives to the type.
    pub fn titled(self, title: impl Into<Text>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// With a description for people and models.
    pub fn described(self, description: impl Into<Text>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// As JSON.
    #[expect(clippy::expect_used, reason = "every keyword is a string, a number, a boolean or a schema")]
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("a schema is JSON")
    }

    /// As a document of its own, which names its dialect.
    pub fn document(self) -> Self {
        Self { dialect: Some(DRAFT_07), ..self }
    }
}
