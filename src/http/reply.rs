//! What is answered: JSON in an envelope with the request's id.

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, Responder};
use serde::Serialize;

use super::error::ApiError;
use super::request_id::RequestId;

/// `{data, requestId}`.
#[derive(Debug)]
pub struct Data<T> {
    status: StatusCode,
    data: T,
}

impl<T> Data<T> {
    /// 200 with this data.
    pub fn ok(data: T) -> Self {
        Self { status: StatusCode::OK, data }
    }

    /// 201 with what was made.
    pub fn created(data: T) -> Self {
        Self { status: StatusCode::CREATED, data }
    }
}

impl<T: Serialize> Responder for Data<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Envelope<'a, T> {
            data: T,
            request_id: &'a str,
        }
        let request_id = RequestId::of(request);
        json(self.status, &Envelope { data: self.data, request_id: request_id.as_str() })
    }
}

/// `{data, page, limit, total, more, requestId}`.
#[derive(Debug)]
pub struct List<T> {
    /// The items of this page.
    pub data: Vec<T>,
    /// Which page, from 1.
    pub page: Page,
    /// How many items there are on all pages.
    pub total: u64,
}

impl<T: Serialize> Responder for List<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Envelope<'a, T> {
            data: Vec<T>,
            page: u64,
            limit: u64,
            total: u64,
            more: bool,
            request_id: &'a str,
        }
        let request_id = RequestId::of(request);
        let Page { page, limit } = self.page;
        let envelope = Envelope {
            data: self.data,
            page,
            limit,
            total: self.total,
            more: page.saturating_mul(limit) < self.total,
            request_id: request_id.as_str(),
        };
        json(StatusCode::OK, &envelope)
    }
}

/// Which part of a list is wanted: `?page&limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    page: u64,
    limit: u64,
}

impl Page {
    /// Items on a page when the request does not say.
    pub const DEFAULT_LIMIT: u64 = 20;
    /// Items on a page, at most.
    pub const MAX_LIMIT: u64 = 100;

    /// Reads the query of a request.
    ///
    /// # Errors
    /// 400 when `page` or `limit` is not a whole number in range.
    pub fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let page = whole(request, "page", 1, u64::from(u32::MAX))?;
        let limit = whole(request, "limit", Self::DEFAULT_LIMIT, Self::MAX_LIMIT)?;
        Ok(Self { page, limit })
    }

    /// How many items come before this page.
    pub fn offset(self) -> u64 {
        (self.page - 1).saturating_mul(self.limit)
    }

    /// How many items the page holds at most.
    pub fn limit(self) -> u64 {
        self.limit
    }
}

fn whole(request: &HttpRequest, name: &str, default: u64, max: u64) -> Result<u64, ApiError> {
    let mut query = url::form_urlencoded::parse(request.query_string().as_bytes());
    let Some((_, value)) = query.find(|(key, _)| key == name) else { return Ok(default) };
    match value.parse() {
        Ok(number) if (1..=max).contains(&number) => Ok(number),
        _ => Err(ApiError::BadRequest {
            title: "Invalid query",
            detail: format!("{name} must be a whole number from 1 to {max}."),
        }),
    }
}

/// A JSON response that nobody keeps.
pub fn json<T: Serialize>(status: StatusCode, body: &T) -> HttpResponse {
    typed_json(status, "application/json", body)
}

/// As [`json`], with another media type of JSON.
pub fn typed_json<T: Serialize>(status: StatusCode, media_type: &str, body: &T) -> HttpResponse {
    match serde_json::to_vec(body) {
        Ok(bytes) => HttpResponse::build(status)
            .insert_header((CONTENT_TYPE, media_type))
            .insert_header((CACHE_CONTROL, "no-store"))
            .body(bytes),
        Err(error) => {
            tracing::error!(%error, "a response cannot be written as JSON");
            HttpResponse::InternalServerError().finish()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use actix_web::test::TestRequest;

    use super::*;

    fn page(uri: &str) -> Result<Page, ApiError> {
        Page::of(&TestRequest::with_uri(uri).to_http_request())
    }

    #[test]
    fn a_list_begins_at_its_first_page() {
        let first = page("/list").unwrap();
        assert_eq!((first.offset(), first.limit()), (0, Page::DEFAULT_LIMIT));
        let third = page("/list?page=3&limit=100").unwrap();
        assert_eq!((third.offset(), third.limit()), (200, 100));
    }

    #[test]
    fn a_page_out_of_range_is_refused() {
        for uri in
            ["/?page=0", "/?page=x", "/?limit=0", "/?limit=101", "/?page=-1", "/?page=99999999999999999999"]
        {
            assert!(page(uri).is_err(), "{uri}");
        }
    }
}
