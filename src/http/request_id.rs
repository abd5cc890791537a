//! The id of a request: on every response, in every problem and in every log line.

use actix_web::{HttpMessage, HttpRequest};
use uuid::Uuid;

/// The header that carries it.
pub const HEADER: &str = "x-request-id";

/// The longest id taken from a client.
const LONGEST: usize = 128;

/// The id of a request.
#[derive(Debug, Clone)]
pub struct RequestId(String);

impl RequestId {
    /// The id the client chose, when it is a plain short word, and else a new one.
    pub fn of_header(request: &HttpRequest) -> Self {
        let chosen = request.headers().get(HEADER).and_then(|value| value.to_str().ok());
        match chosen.filter(|id| is_plain(id)) {
            Some(id) => Self(id.to_owned()),
            None => Self(Uuid::new_v4().to_string()),
        }
    }

    /// The id of a request that is being served.
    pub fn of(request: &HttpRequest) -> Self {
        request.extensions().get::<Self>().cloned().unwrap_or_else(|| Self::of_header(request))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_plain(id: &str) -> bool {
    (1..=LONGEST).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn id_for(header: &str) -> String {
        let request = TestRequest::default().insert_header((HEADER, header)).to_http_request();
        RequestId::of_header(&request).0
    }

    #[test]
    fn a_plain_id_of_the_client_is_kept() {
        assert_eq!(id_for("job-17.retry_2"), "job-17.retry_2");
    }

    #[test]
    fn any_other_id_of_the_client_is_replaced() {
        for header in ["", "two words", "\"quoted\"", &"a".repeat(LONGEST + 1)] {
            let id = id_for(header);
            assert!(id.parse::<Uuid>().is_ok(), "{id}");
        }
    }
}
