//! The `files` ask: send files that the model then reads (reference, "files").

pub(crate) mod answer;
pub(crate) mod input;

use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::data_url::DataUrl;
use crate::file_type::{FileAccept, FileMimeType};
use crate::limits::LIMITS;

/// A valid `files` ask. It serializes to exactly the input it was parsed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FilesAsk {
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
    /// The files a user may send, each value once.
    pub accept: Vec<FileAccept>,
    /// The fewest files an answer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_files: Option<usize>,
    /// The most files an answer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_files: Option<usize>,
}

/// Where the bytes of a file in an answer are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum FileSource {
    /// The id of an upload of the user who answers.
    #[serde(rename = "fileId")]
    Upload(String),
    /// In the answer itself.
    #[serde(rename = "url")]
    DataUrl(DataUrl),
}

/// One file of a valid answer, its bytes not looked at yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileRef {
    /// Where the bytes are.
    #[serde(flatten)]
    pub source: FileSource,
    /// 1 to 255 characters.
    pub filename: String,
    /// The type the client declared, one the ask accepts.
    pub mime_type: FileMimeType,
    /// The bytes the client declared.
    pub size: u64,
}

/// One file of an answer as it is stored: never its bytes or their URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredFile {
    /// The upload it came from; unset when the bytes were in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_id: Option<String>,
    /// The name the user's client gave it.
    pub filename: String,
    /// What its bytes are.
    pub mime_type: FileMimeType,
    /// How many bytes it really has.
    pub size: u64,
}

impl FilesAsk {
    /// How many files an answer must hold.
    pub fn count_bounds(&self) -> Bounds {
        Bounds {
            min: self.min_files.unwrap_or(LIMITS.files.min_files),
            max: self.max_files.unwrap_or(LIMITS.files.max_files),
        }
    }

    /// Whether an answer may hold a file of this type.
    pub fn accepts(&self, mime_type: FileMimeType) -> bool {
        self.accept.iter().any(|accept| accept.mime_types().contains(&mime_type))
    }
}

impl FileRef {
    /// The file as it is stored, once its bytes were counted.
    pub fn stored(&self, real_size: u64) -> StoredFile {
        StoredFile {
            file_id: match &self.source {
                FileSource::Upload(id) => Some(id.clone()),
                FileSource::DataUrl(_) => None,
            },
            filename: self.filename.clone(),
            mime_type: self.mime_type,
            size: real_size,
        }
    }
}
