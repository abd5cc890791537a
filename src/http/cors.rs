//! Cross-origin requests: pages of the origins in `http.cors_origins` may call the API.

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap,
    HeaderValue, ORIGIN, VARY,
};

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PATCH, DELETE");
const REQUEST_HEADERS: HeaderValue =
    HeaderValue::from_static("Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id");
const RESPONSE_HEADERS: HeaderValue = HeaderValue::from_static(
    "Content-Disposition, Location, Retry-After, X-History-Id, X-Request-Id, X-Turn-Id",
);
const AN_HOUR: HeaderValue = HeaderValue::from_static("3600");

/// The origin of a request whose page may call the API.
pub fn allowed_origin(request: &ServiceRequest, allowed: &[String]) -> Option<HeaderValue> {
    let origin = request.headers().get(ORIGIN)?;
    allowed
        .iter()
        .any(|allowed| allowed == "*" || allowed.as_bytes() == origin.as_bytes())
        .then(|| origin.clone())
}

/// The answer to a browser that asks before it sends a request, or `None` for any other request.
pub fn preflight(request: &ServiceRequest) -> Option<HttpResponse> {
    let asks =
        request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    asks.then(|| {
        HttpResponse::NoContent()
            .insert_header((ACCESS_CONTROL_ALLOW_METHODS, METHODS))
            .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS))
            .insert_header((ACCESS_CONTROL_MAX_AGE, AN_HOUR))
            .finish()
    })
}

/// Lets the page read the response. No cookies are used, so no credentials are allowed.
pub fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
    headers.append(VARY, HeaderValue::from_static("Origin"));
}
