//! The types a form field can have, by their names on the wire.

use crate::object::WireName;

/// The value of a field's `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldType {
    Text,
    Textarea,
    Email,
    Url,
    Phone,
    Number,
    Date,
    Time,
    Datetime,
    Boolean,
    Select,
    Multiselect,
}

impl WireName for FieldType {
    const VALUES: &'static [Self] = &[
        Self::Text,
        Self::Textarea,
        Self::Email,
        Self::Url,
        Self::Phone,
        Self::Number,
        Self::Date,
        Self::Time,
        Self::Datetime,
        Self::Boolean,
        Self::Select,
        Self::Multiselect,
    ];

    fn wire_name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Textarea => "textarea",
            Self::Email => "email",
            Self::Url => "url",
            Self::Phone => "phone",
            Self::Number => "number",
            Self::Date => "date",
            Self::Time => "time",
            Self::Datetime => "datetime",
            Self::Boolean => "boolean",
            Self::Select => "select",
            Self::Multiselect => "multiselect",
        }
    }
}

impl FieldType {
    /// The keys a field of this type may have.
    pub(crate) const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Text | Self::Textarea => {
                &["id", "type", "label", "helperText", "required", "default", "minLength", "maxLength"]
            }
            Self::Number => {
                &["id", "type", "label", "helperText", "required", "default", "min", "max", "integer"]
            }
            Self::Select | Self::Multiselect => {
                &["id", "type", "label", "helperText", "required", "default", "options"]
            }
            Self::Email
            | Self::Url
            | Self::Phone
            | Self::Date
            | Self::Time
            | Self::Datetime
            | Self::Boolean => &["id", "type", "label", "helperText", "required", "default"],
        }
    }
}
