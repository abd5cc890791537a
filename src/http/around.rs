//! What happens around every request: its id, cross-origin answers, problem documents, counting and logging.

use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, web};
use tracing::Instrument;
use turnwright_schemas::Problem;

use super::error::ApiError;
use super::request_id::{self, RequestId};
use super::unread_body::HeldBody;
use super::{AppState, cors, reply};

/// The media type of problem documents.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// Serves one request. Nothing of its query, headers or body is logged: they may hold tokens, answers and files.
pub async fn around(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let id = RequestId::of_header(request.request());
    request.extensions_mut().insert(id.clone());
    let state = request.app_data::<web::Data<AppState>>().cloned();
    let origin =
        state.as_ref().and_then(|state| cors::allowed_origin(&request, &state.settings.http.cors_origins));
    let span = tracing::info_span!("request", requestId = id.as_str());

    let body = HeldBody::of(&mut request);
    let preflight = origin.as_ref().and_then(|_| cors::preflight(&request));
    let mut response = match preflight {
        Some(preflight) => request.into_response(preflight),
        None => with_problem(next.call(request).instrument(span.clone()).await?.map_into_boxed_body(), &id),
    };

    if let Some(body) = body {
        response = body.until_sent(response);
    }
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(HeaderName::from_static(request_id::HEADER), id);
    }
    if let Some(origin) = origin {
        cors::allow(response.headers_mut(), origin);
    }
    record(&response, state.as_deref().map(|state| &**state), started, &span);
    Ok(response)
}

/// Replaces the body of a refusal by its problem document.
fn with_problem(response: ServiceResponse<BoxBody>, id: &RequestId) -> ServiceResponse<BoxBody> {
    let Some(error) = response.response().error() else { return response };
    let refusal = match error.as_error::<ApiError>() {
        Some(error) => problem_of(error, id),
        None => problem_of_framework(error, id),
    };
    let (request, _) = response.into_parts();
    ServiceResponse::new(request, refusal)
}

fn problem_of(error: &ApiError, id: &RequestId) -> HttpResponse {
    let problem = error.problem(id.as_str());
    if problem.status >= 500 {
        tracing::error!(requestId = id.as_str(), %error, "a request failed");
    }
    let mut response = problem_response(&problem);
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    if let Some(allow) = error.allow().and_then(|allow| HeaderValue::from_str(allow).ok()) {
        response.headers_mut().insert(ALLOW, allow);
    }
    response
}

/// What actix refuses by itself, such as a path that is not UTF-8.
fn problem_of_framework(error: &Error, id: &RequestId) -> HttpResponse {
    let status = error.as_response_error().status_code();
    problem_response(&Problem {
        status: status.as_u16(),
        title: status.canonical_reason().unwrap_or("Refused").to_owned(),
        detail: "The request cannot be served as it was sent.".to_owned(),
        request_id: id.as_str().to_owned(),
        code: None,
        fields: None,
        meta: None,
    })
}

fn problem_response(problem: &Problem) -> HttpResponse {
    let status = actix_web::http::StatusCode::from_u16(problem.status)
        .unwrap_or(actix_web::http::StatusCode::INTERNAL_SERVER_ERROR);
    reply::typed_json(status, PROBLEM_JSON, problem)
}

fn record(
    response: &ServiceResponse<BoxBody>,
    state: Option<&AppState>,
    started: Instant,
    span: &tracing::Span,
) {
    let request = response.request();
    let route = request.match_pattern().unwrap_or_else(|| "unmatched".to_owned());
    let status = response.status().as_u16();
    let took = started.elapsed();
    if let Some(state) = state {
        state.metrics.request(request.method().as_str(), &route, status, took);
    }
    let _entered = span.enter();
    tracing::info!(
        method = request.method().as_str(),
        route,
        status,
        microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        "served"
    );
}
