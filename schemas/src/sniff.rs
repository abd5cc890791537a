//! What a file is, by its bytes (reference, "files").

use serde::de::IgnoredAny;

use crate::codes::ErrorCode;
use crate::error::{AskError, Path};
use crate::file_type::FileMimeType;
use crate::report::{Report, quote};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8\xff";
const GIF_87: &[u8] = b"GIF87a";
const GIF_89: &[u8] = b"GIF89a";
const PDF: &[u8] = b"%PDF-";
const RIFF: &[u8] = b"RIFF";
const WEBP: &[u8] = b"WEBP";
/// `RIFF` is followed by four bytes of length, then by the form of the file.
const RIFF_FORM_AT: usize = 8;

const UTF8_BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a file's bytes show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SniffedType {
    /// The signature of an image or of a PDF.
    Signature(FileMimeType),
    /// UTF-8 without NUL characters, which may be plain text, CSV or JSON.
    Text,
    /// Anything else.
    Unknown,
}

/// What a file's bytes show: first by the signatures of images and PDF at its very start, then as text.
pub fn sniff(bytes: &[u8]) -> SniffedType {
    let signatures = [
        (PNG, FileMimeType::Png),
        (JPEG, FileMimeType::Jpeg),
        (GIF_87, FileMimeType::Gif),
        (GIF_89, FileMimeType::Gif),
        (PDF, FileMimeType::Pdf),
    ];
    if let Some((_, mime_type)) = signatures.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return SniffedType::Signature(*mime_type);
    }
    let riff_form = bytes.get(RIFF_FORM_AT..).unwrap_or_default();
    if bytes.starts_with(RIFF) && riff_form.starts_with(WEBP) {
        return SniffedType::Signature(FileMimeType::Webp);
    }
    if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() {
        return SniffedType::Text;
    }
    SniffedType::Unknown
}

/// Whether the bytes are a file of the declared type.
fn matches(bytes: &[u8], declared: FileMimeType) -> bool {
    match sniff(bytes) {
        SniffedType::Signature(found) => found == declared,
        SniffedType::Text => match declared {
            FileMimeType::Json => is_json(bytes),
            other => other.is_text(),
        },
        SniffedType::Unknown => false,
    }
}

/// Whether the text is one JSON value; a byte order mark before it does not count.
fn is_json(text: &[u8]) -> bool {
    let json = text.strip_prefix(UTF8_BYTE_ORDER_MARK).unwrap_or(text);
    serde_json::from_slice::<IgnoredAny>(json).is_ok()
}

/// Checks the bytes of file `index` of an answer against its declared type and the host's cap.
///
/// Bytes over the cap are not looked at: the only error is then `FILE_TOO_LARGE`. A declared type that no ask
/// accepts matches no bytes.
pub fn check_file_bytes(
    bytes: &[u8],
    index: usize,
    mime_type: &str,
    max_file_size_bytes: u64,
) -> Vec<AskError> {
    let mut report = Report::default();
    with_file_path(index, |path| {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if size > max_file_size_bytes {
            report.file_too_large(&path.key("size"), size, max_file_size_bytes);
        } else if !FileMimeType::from_name(mime_type).is_some_and(|declared| matches(bytes, declared)) {
            report.add(
                &path.key("mimeType"),
                ErrorCode::MimeMismatch,
                format!("The file's bytes are not of the declared type {}.", quote(mime_type)),
                "Send a file whose bytes are of the type it declares.".to_owned(),
            );
        }
    });
    report.into_errors()
}

/// The error of file `index` of an answer whose upload is not the caller's, is gone, or cannot be read.
pub fn file_not_owned_error(index: usize) -> AskError {
    with_file_path(index, |path| AskError {
        path: path.key("fileId").render(),
        code: ErrorCode::FileNotOwned,
        message: "fileId is not an upload of yours that can be read.".to_owned(),
        fix: "Upload the file and send the id of that upload.".to_owned(),
    })
}

fn with_file_path<T>(index: usize, use_path: impl FnOnce(&Path<'_>) -> T) -> T {
    let root = Path::Root("the answer");
    let content = root.key("content");
    let files = content.key("files");
    use_path(&files.index(index))
}
