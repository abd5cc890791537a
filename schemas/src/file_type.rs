//! The types of file an ask can take (reference, "files").

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value of a `files` ask's `accept`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileAccept {
    /// JPEG, PNG, GIF and WebP.
    Image,
    /// PDF.
    Pdf,
    /// Plain text.
    Text,
    /// Comma-separated values.
    Csv,
    /// JSON.
    Json,
}

impl FileAccept {
    /// Every value, in the order the reference lists them.
    pub const ALL: &[Self] = &[Self::Image, Self::Pdf, Self::Text, Self::Csv, Self::Json];

    /// The value's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Pdf => "pdf",
            Self::Text => "text",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// The types this value lets a user send.
    pub const fn mime_types(self) -> &'static [FileMimeType] {
        match self {
            Self::Image => &[FileMimeType::Jpeg, FileMimeType::Png, FileMimeType::Gif, FileMimeType::Webp],
            Self::Pdf => &[FileMimeType::Pdf],
            Self::Text => &[FileMimeType::Text],
            Self::Csv => &[FileMimeType::Csv],
            Self::Json => &[FileMimeType::Json],
        }
    }
}

/// A type of file a user can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FileMimeType {
    /// `image/jpeg`
    #[serde(rename = "image/jpeg")]
    Jpeg,
    /// `image/png`
    #[serde(rename = "image/png")]
    Png,
    /// `image/gif`
    #[serde(rename = "image/gif")]
    Gif,
    /// `image/webp`
    #[serde(rename = "image/webp")]
    Webp,
    /// `application/pdf`
    #[serde(rename = "application/pdf")]
    Pdf,
    /// `text/plain`
    #[serde(rename = "text/plain")]
    Text,
    /// `text/csv`
    #[serde(rename = "text/csv")]
    Csv,
    /// `application/json`
    #[serde(rename = "application/json")]
    Json,
}

impl FileMimeType {
    /// Every type, in the order the reference lists them.
    pub const ALL: &[Self] =
        &[Self::Jpeg, Self::Png, Self::Gif, Self::Webp, Self::Pdf, Self::Text, Self::Csv, Self::Json];

    /// The type as it is declared: lower case, without parameters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Pdf => "application/pdf",
            Self::Text => "text/plain",
            Self::Csv => "text/csv",
            Self::Json => "application/json",
        }
    }

    /// The type with exactly this name, or `None` for a type no ask can take.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|mime_type| mime_type.as_str() == name)
    }

    /// Whether a model is given the file as text.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Csv | Self::Json)
    }

    /// Whether a model is given the file as an image.
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Jpeg | Self::Png | Self::Gif | Self::Webp)
    }
}

impl fmt::Display for FileMimeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_found_by_the_name_it_serializes_to() {
        for mime_type in FileMimeType::ALL {
            assert_eq!(serde_json::json!(mime_type), mime_type.as_str());
            assert_eq!(FileMimeType::from_name(mime_type.as_str()), Some(*mime_type));
        }
        assert_eq!(FileMimeType::from_name("IMAGE/PNG"), None);
    }

    #[test]
    fn every_type_belongs_to_one_accept_value() {
        for mime_type in FileMimeType::ALL {
            let values = FileAccept::ALL.iter().filter(|accept| accept.mime_types().contains(mime_type));
            assert_eq!(values.count(), 1);
        }
    }
}
