//! The multipart form of an upload, read while it arrives and never beyond its limits.

use std::io;
use std::time::Duration;

use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::web;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use turnwright_schemas::{AskError, ErrorCode, FileMimeType, LIMITS, check_file_bytes};

use super::body::content_length;
use super::error::ApiError;
use super::routes::FORM_OVERHEAD;
use crate::settings::Settings;

/// How much of a form is read.
#[derive(Debug, Clone, Copy)]
pub struct UploadLimits {
    file_bytes: u64,
    pause: Duration,
}

impl UploadLimits {
    /// The limits in the settings.
    pub fn of(settings: &Settings) -> Self {
        Self { file_bytes: settings.asks.max_file_size_bytes, pause: settings.http.body_pause }
    }

    fn too_large(self) -> ApiError {
        ApiError::BodyTooLarge { limit: self.file_bytes as usize, setting: "asks.max_file_size_bytes" }
    }

    fn form_bytes(self) -> usize {
        usize::try_from(self.file_bytes).unwrap_or(usize::MAX).saturating_add(FORM_OVERHEAD)
    }
}

/// A file that arrived, checked to be of the type it declares.
#[derive(Debug)]
pub struct UploadedFile {
    /// Its name without folders and control characters.
    pub filename: String,
    /// Its type.
    pub mime_type: FileMimeType,
    /// Its bytes.
    pub bytes: Bytes,
}

/// Reads the form's field `file`. Other fields are passed over.
///
/// # Errors
/// When the form has no such field or more than one, is broken, too large or too slow, or the file is not what it
/// says it is.
pub async fn read_upload(
    headers: &HeaderMap,
    payload: web::Payload,
    limits: UploadLimits,
) -> Result<UploadedFile, ApiError> {
    if content_length(headers).is_some_and(|length| length > limits.form_bytes()) {
        return Err(limits.too_large());
    }
    let refused = |error| refusal(error, limits);
    let mut form = Multipart::new(headers, limited(payload, limits));
    let mut file = None;
    while let Some(field) = form.try_next().await.map_err(refused)? {
        if field.name() != Some("file") {
            pass_over(field).await.map_err(refused)?;
        } else if file.is_none() {
            file = Some(read_file(field, limits).await?);
        } else {
            return Err(invalid("Send one field named file, not several."));
        }
    }
    file.ok_or_else(|| invalid("Send the file in a field named file, with its name."))
}

async fn pass_over(mut field: Field) -> Result<(), MultipartError> {
    while field.try_next().await?.is_some() {}
    Ok(())
}

async fn read_file(mut field: Field, limits: UploadLimits) -> Result<UploadedFile, ApiError> {
    let filename = field.content_disposition().and_then(|disposition| {
        disposition
            .get_filename_ext()
            .map(|name| String::from_utf8_lossy(&name.value).into_owned())
            .or_else(|| disposition.get_filename().map(str::to_owned))
    });
    let filename = file_name(&filename.unwrap_or_default())?;
    let declared = field.content_type().map(|mime| mime.essence_str().to_ascii_lowercase());
    let mime_type = mime_type(&declared.unwrap_or_default())?;
    let mut bytes = BytesMut::new();
    while let Some(chunk) = field.try_next().await.map_err(|error| refusal(error, limits))? {
        if (bytes.len() + chunk.len()) as u64 > limits.file_bytes {
            return Err(limits.too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    match check_file_bytes(&bytes, 0, mime_type.as_str(), limits.file_bytes).into_iter().next() {
        Some(error) => Err(ApiError::InvalidFile(AskError { path: "file".to_owned(), ..error })),
        None => Ok(UploadedFile { filename, mime_type, bytes: bytes.freeze() }),
    }
}

/// The last part of a path, without control characters: what a client may call a file on the server.
fn file_name(sent: &str) -> Result<String, ApiError> {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|character| !character.is_control()).collect();
    let name = name.trim();
    let longest = LIMITS.files.filename_max_length;
    if (1..=longest).contains(&name.chars().count()) && !matches!(name, "." | "..") {
        Ok(name.to_owned())
    } else {
        Err(invalid(format!("The file needs a name of 1 to {longest} characters.")))
    }
}

fn mime_type(declared: &str) -> Result<FileMimeType, ApiError> {
    FileMimeType::from_name(declared).ok_or_else(|| {
        let known: Vec<_> = FileMimeType::ALL.iter().map(|kind| kind.as_str()).collect();
        ApiError::InvalidFile(AskError {
            path: "file".to_owned(),
            code: ErrorCode::FileTypeNotAccepted,
            message: format!("\"{declared}\" is not a type of file that can be uploaded."),
            fix: format!("Declare the file's Content-Type as one of: {}.", known.join(", ")),
        })
    })
}

/// The payload, broken off where it becomes too large or pauses for too long.
fn limited(
    payload: web::Payload,
    limits: UploadLimits,
) -> impl Stream<Item = Result<Bytes, PayloadError>> + 'static {
    let start = Some((payload, limits.form_bytes()));
    let chunks = stream::unfold(start, move |state| async move {
        let (mut payload, left) = state?;
        match tokio::time::timeout(limits.pause, payload.next()).await {
            Err(_) => Some((Err(io::Error::from(io::ErrorKind::TimedOut).into()), None)),
            Ok(None) => None,
            Ok(Some(Err(error))) => Some((Err(error), None)),
            Ok(Some(Ok(chunk))) => match left.checked_sub(chunk.len()) {
                Some(left) => Some((Ok(chunk), Some((payload, left)))),
                None => Some((Err(PayloadError::Overflow), None)),
            },
        }
    });
    // The reader of the form asks again after the end.
    chunks.fuse()
}

fn refusal(error: MultipartError, limits: UploadLimits) -> ApiError {
    match error {
        MultipartError::Payload(PayloadError::Overflow) => limits.too_large(),
        MultipartError::Payload(PayloadError::Io(error)) if error.kind() == io::ErrorKind::TimedOut => {
            ApiError::BodyTimeout(limits.pause)
        }
        MultipartError::ContentTypeMissing
        | MultipartError::ContentTypeParse
        | MultipartError::ContentTypeIncompatible => {
            ApiError::UnsupportedMediaType("Send a form: Content-Type: multipart/form-data.")
        }
        error => invalid(format!("The form cannot be read: {error}.")),
    }
}

fn invalid(detail: impl Into<String>) -> ApiError {
    ApiError::BadRequest { title: "Invalid upload", detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(sent: &str) -> Option<String> {
        file_name(sent).ok()
    }

    #[test]
    fn folders_and_control_characters_are_no_part_of_a_name() {
        for sent in ["receipt.png", "../../etc/receipt.png", "C:\\files\\receipt.png", " rec\u{0}eipt\n.png "]
        {
            assert_eq!(named(sent).as_deref(), Some("receipt.png"), "{sent:?}");
        }
        assert_eq!(named("say \"hi\" 你好.txt").as_deref(), Some("say \"hi\" 你好.txt"));
    }

    #[test]
    fn a_file_without_a_usable_name_is_refused() {
        for sent in ["", "folder/", "..", ".", " ", &"a".repeat(256)] {
            assert_eq!(named(sent), None, "{sent:?}");
        }
    }

    #[test]
    fn a_type_no_ask_takes_is_refused() {
        assert!(mime_type("image/png").is_ok());
        assert!(matches!(mime_type("application/zip"), Err(ApiError::InvalidFile(_))));
        assert!(matches!(mime_type(""), Err(ApiError::InvalidFile(_))));
    }
}
