//! JSON bodies: read up to a limit, refused with a sentence when they are not what a path takes.

use std::future::{Ready, ready};
use std::pin::pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};
use actix_web::{FromRequest, HttpRequest};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use serde_json::Value;
use turnwright_actors::error::EngineError;

use super::error::ApiError;

const FIRST_ALLOCATION: usize = 64 * 1024;

/// How large the body of a path may be, how deep, and how slow. Set on each path when it is registered.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimits {
    /// Bytes.
    pub bytes: usize,
    /// The setting that says how many bytes.
    pub setting: &'static str,
    /// How deep JSON may nest.
    pub depth: usize,
    /// How long the client may pause.
    pub pause: Duration,
}

/// A JSON body that was not read yet: whoever may not send it is refused before it is.
pub struct JsonBody {
    payload: Payload,
    length: Option<usize>,
    media_type: Result<(), ApiError>,
    limits: BodyLimits,
}

impl JsonBody {
    /// Reads the body. An empty one reads as `{}`: what a path needs is then missing, and the path says so by name.
    ///
    /// # Errors
    /// When it is too large, too slow, too deep or not JSON in UTF-8.
    pub async fn read(self) -> Result<Value, ApiError> {
        let body = read(self.payload, self.length, self.limits).await?;
        if body.is_empty() {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        self.media_type?;
        parse(&body, self.limits.depth)
    }
}

impl FromRequest for JsonBody {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let Some(limits) = request.app_data::<BodyLimits>().copied() else {
            return ready(Err(EngineError::Invariant("a path that takes a body has no limits").into()));
        };
        ready(Ok(Self {
            payload: payload.take(),
            length: content_length(request.headers()),
            media_type: check_media_type(request.headers()),
            limits,
        }))
    }
}

/// Reads a whole body, whatever it holds.
async fn read(payload: Payload, length: Option<usize>, limits: BodyLimits) -> Result<Bytes, ApiError> {
    let too_large = || ApiError::BodyTooLarge { limit: limits.bytes, setting: limits.setting };
    if length.is_some_and(|length| length > limits.bytes) {
        return Err(too_large());
    }
    // What a client says of the length is not yet memory.
    let mut body = BytesMut::with_capacity(length.unwrap_or_default().min(FIRST_ALLOCATION));
    let mut payload = pin!(payload);
    loop {
        match tokio::time::timeout(limits.pause, payload.next()).await {
            Err(_) => return Err(ApiError::BodyTimeout(limits.pause)),
            Ok(None) => return Ok(body.freeze()),
            Ok(Some(Err(_))) => return Err(invalid("The body broke off before its end.")),
            Ok(Some(Ok(chunk))) if body.len() + chunk.len() > limits.bytes => return Err(too_large()),
            Ok(Some(Ok(chunk))) => body.extend_from_slice(&chunk),
        }
    }
}

/// The length a request says its body has.
pub fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    if headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return Err(ApiError::UnsupportedMediaType("Send the body as it is, without Content-Encoding."));
    }
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = declared.split(';').map(|part| part.trim().to_ascii_lowercase());
    let essence = parts.next().unwrap_or_default();
    let is_json =
        essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    let charset =
        parts.find_map(|part| part.strip_prefix("charset=").map(|name| name.trim_matches('"').to_owned()));
    if is_json && charset.is_none_or(|name| matches!(name.as_str(), "utf-8" | "utf8")) {
        Ok(())
    } else {
        Err(ApiError::UnsupportedMediaType("Send JSON in UTF-8, with Content-Type: application/json."))
    }
}

fn parse(body: &[u8], max_depth: usize) -> Result<Value, ApiError> {
    let text = std::str::from_utf8(body).map_err(|_| invalid("The body is not UTF-8."))?;
    if depth(text) > max_depth {
        return Err(invalid(format!("The body nests deeper than {max_depth} levels (http.max_json_depth).")));
    }
    serde_json::from_str(text).map_err(|error| invalid(format!("The body is not JSON: {error}.")))
}

/// How deep brackets nest outside of strings, in a text that may or may not be JSON.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn invalid(detail: impl Into<String>) -> ApiError {
    ApiError::BadRequest { title: "Invalid JSON body", detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn brackets_in_strings_do_not_nest() {
        assert_eq!(depth(r#"{"a": "[[[\"[[", "b": [1, [2]]}"#), 3);
        assert_eq!(depth("]]][[["), 3);
        assert_eq!(depth("7"), 0);
    }

    #[test]
    fn a_body_may_nest_to_the_limit_and_no_deeper() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(nested(64).as_bytes(), 64).is_ok());
        assert!(matches!(parse(nested(65).as_bytes(), 64), Err(ApiError::BadRequest { .. })));
    }

    #[test]
    fn what_is_not_json_is_refused_with_the_reason() {
        for (body, reason) in
            [(&b"\xff"[..], "UTF-8"), (b"{", "JSON"), (b"{} {}", "JSON"), (b"\"\\ud800\"", "JSON")]
        {
            let refusal = parse(body, 64).map_err(|error| error.to_string());
            assert!(refusal.as_ref().is_err_and(|detail| detail.contains(reason)), "{refusal:?}");
        }
    }

    #[test]
    fn only_json_in_utf_8_is_taken() {
        let taken = |media_type: &str| {
            let request = TestRequest::default().insert_header((CONTENT_TYPE, media_type)).to_http_request();
            check_media_type(request.headers()).is_ok()
        };
        assert!(taken("application/json"));
        assert!(taken("Application/JSON; charset=UTF-8"));
        assert!(taken("application/merge-patch+json"));
        assert!(!taken("application/json; charset=latin1"));
        assert!(!taken("text/plain"));
        assert!(!taken(""));
    }
}
