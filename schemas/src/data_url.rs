//! Base64 `data:` URLs, the way an answer carries a file's bytes when the host has no file storage (reference, "files").

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Serialize, Serializer};

const SCHEME: &str = "data:";
const BASE64_MARK: &str = ";base64";

/// A base64 `data:` URL with a media type. Its payload is decoded only when asked for.
#[derive(Clone, PartialEq, Eq)]
pub struct DataUrl {
    url: String,
    media_type: Range<usize>,
    payload_start: usize,
}

impl DataUrl {
    /// Reads `data:<media type>[;parameter…];base64,<payload>`, or gives `None` for any other string.
    ///
    /// The scheme and `base64` may be in any case. The media type must not be empty. The payload is in the
    /// standard alphabet, padded, without white space; it may be empty.
    pub fn parse(url: &str) -> Option<Self> {
        let (media_type, payload_start) = Self::locate(url)?;
        Some(Self { url: url.to_owned(), media_type, payload_start })
    }

    /// Where the media type and the payload of a well-formed URL are.
    fn locate(url: &str) -> Option<(Range<usize>, usize)> {
        let scheme = url.get(..SCHEME.len())?;
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        let (header, payload) = url.get(SCHEME.len()..)?.split_once(',')?;
        let mark_start = header.len().checked_sub(BASE64_MARK.len())?;
        if !header.get(mark_start..)?.eq_ignore_ascii_case(BASE64_MARK) {
            return None;
        }
        let media_type = header.get(..mark_start)?.split(';').next()?;
        if media_type.is_empty() || !is_base64(payload.as_bytes()) {
            return None;
        }
        let media_type_end = SCHEME.len() + media_type.len();
        Some((SCHEME.len()..media_type_end, url.len() - payload.len()))
    }

    /// The media type without its parameters, as written.
    pub fn media_type(&self) -> &str {
        self.url.get(self.media_type.clone()).unwrap_or_default()
    }

    /// The whole URL.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// How many bytes the payload decodes to.
    pub fn decoded_len(&self) -> usize {
        let payload = self.payload().as_bytes();
        let padding = payload.iter().rev().take_while(|byte| **byte == b'=').count();
        payload.len() / 4 * 3 - padding
    }

    /// The bytes.
    ///
    /// # Errors
    ///
    /// When the payload's last character carries bits beyond the last byte, which no encoder writes.
    pub fn decode(&self) -> Result<Vec<u8>, base64::DecodeError> {
        BASE64.decode(self.payload())
    }

    fn payload(&self) -> &str {
        self.url.get(self.payload_start..).unwrap_or_default()
    }
}

impl Serialize for DataUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.url)
    }
}

/// A file in an answer must not end up in a log.
impl std::fmt::Debug for DataUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DataUrl({}, {} bytes)", self.media_type(), self.decoded_len())
    }
}

/// Whether these are whole groups of four characters, with padding only at the end.
fn is_base64(payload: &[u8]) -> bool {
    let padding = payload.iter().rev().take_while(|byte| **byte == b'=').count();
    payload.len().is_multiple_of(4)
        && padding <= 2
        && payload
            .iter()
            .take(payload.len() - padding)
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base64_url_has_a_media_type_and_bytes() {
        let url = DataUrl::parse("data:text/plain;charset=utf-8;base64,aGVsbG8=");
        let url = url.as_ref();
        assert_eq!(url.map(DataUrl::media_type), Some("text/plain"));
        assert_eq!(url.map(DataUrl::decoded_len), Some(5));
        assert_eq!(url.map(DataUrl::decode), Some(Ok(b"hello".to_vec())));
    }

    #[test]
    fn scheme_and_mark_are_read_in_any_case() {
        let url = DataUrl::parse("DATA:Image/PNG;BASE64,");
        assert_eq!(url.as_ref().map(DataUrl::media_type), Some("Image/PNG"));
        assert_eq!(url.as_ref().map(DataUrl::decoded_len), Some(0));
    }

    #[test]
    fn every_other_url_is_refused() {
        for url in [
            "",
            "data:",
            "data:,",
            "https://ex.com/a.png",
            "data:text/csv,raw",
            "data:;base64,aGVsbG8=",
            "data:text/csv;base64,***",
            "data:text/csv;base64,aGVsbG8",
            "data:text/csv;base64,aGVs bG8=",
            "data:text/csv;base64,aGVsbG==8",
            "data:text/csv;base64,====",
            "data:text/csv;base64,a-_b",
            "データ:",
        ] {
            assert_eq!(DataUrl::parse(url), None, "{url}");
        }
    }

    #[test]
    fn what_is_logged_names_no_byte_of_the_file() {
        let url = DataUrl::parse("data:text/plain;base64,aGVsbG8=");
        assert_eq!(format!("{url:?}"), "Some(DataUrl(text/plain, 5 bytes))");
    }
}
