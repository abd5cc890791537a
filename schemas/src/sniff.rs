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

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(bytes: &[u8], mime_type: &str, cap: u64) -> Vec<(String, ErrorCode)> {
        check_file_bytes(bytes, 2, mime_type, cap).into_iter().map(|error| (error.path, error.code)).collect()
    }

    #[track_caller]
    fn assert_mismatch(bytes: &[u8], mime_type: &str) {
        assert_eq!(
            codes(bytes, mime_type, 100),
            [("content.files[2].mimeType".to_owned(), ErrorCode::MimeMismatch)]
        );
    }

    #[test]
    fn a_signature_is_whole_and_at_the_very_start() {
        assert_eq!(sniff(b"\x89PNG\r\n\x1a\n"), SniffedType::Signature(FileMimeType::Png));
        assert_eq!(sniff(b"\x89PNG\r\n\x1a"), SniffedType::Unknown);
        assert_eq!(sniff(b"GIF87a"), SniffedType::Signature(FileMimeType::Gif));
        assert_eq!(sniff(b"GIF88a"), SniffedType::Text);
        assert_eq!(sniff(b"RIFF1234WEBP"), SniffedType::Signature(FileMimeType::Webp));
        assert_eq!(sniff(b"RIFF1234WEB"), SniffedType::Text);
        assert_eq!(sniff(b"%PDF-1.7"), SniffedType::Signature(FileMimeType::Pdf));
        assert_eq!(sniff(b" %PDF-1.7"), SniffedType::Text);
    }

    #[test]
    fn a_signature_comes_before_text() {
        assert_eq!(codes(b"%PDF-1.7", "application/pdf", 100), []);
        assert_mismatch(b"%PDF-1.7", "text/plain");
        assert_mismatch(b"GIF89a", "text/csv");
    }

    #[test]
    fn text_is_utf8_without_nul_and_may_be_empty() {
        assert_eq!(codes("é漢😀".as_bytes(), "text/plain", 100), []);
        assert_eq!(codes(b"", "text/csv", 100), []);
        assert_mismatch(b"a\0b", "text/plain");
        assert_mismatch(b"\xc3\x28", "text/plain");
        assert_mismatch(b"hello", "image/png");
    }

    #[test]
    fn json_must_parse_however_deep_or_large_its_numbers() {
        assert_eq!(codes(b"\xef\xbb\xbf{\"a\": [1, null]}", "application/json", 100), []);
        assert_eq!(codes(b"1e999", "application/json", 100), []);
        let deep = "[".repeat(5_000) + &"]".repeat(5_000);
        assert_eq!(codes(deep.as_bytes(), "application/json", 100_000), []);
        assert_mismatch(b"", "application/json");
        assert_mismatch(b"NaN", "application/json");
        assert_mismatch(b"{} {}", "application/json");
    }

    #[test]
    fn bytes_over_the_cap_are_only_too_large() {
        assert_eq!(
            codes(b"abc", "image/png", 2),
            [("content.files[2].size".to_owned(), ErrorCode::FileTooLarge)]
        );
        assert_eq!(codes(b"abc", "text/plain", 3), []);
    }

    #[test]
    fn a_type_no_ask_takes_matches_nothing() {
        assert_mismatch(b"<svg/>", "image/svg+xml");
        assert_mismatch(b"\xff\xd8\xff", "IMAGE/JPEG");
    }
}
