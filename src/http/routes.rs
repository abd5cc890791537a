//! The one table of routes: what is registered is what `/openapi.json` describes.

use std::collections::BTreeMap;

use actix_web::web::{self, ServiceConfig};

use super::body::BodyLimits;
use super::endpoint::{Body, Endpoint};
use super::error::ApiError;
use super::{auth, chat, files, histories, operations, todos};
use crate::settings::{HttpSettings, Settings};

/// Room for a form around an uploaded file, in bytes.
pub const FORM_OVERHEAD: usize = 64 * 1024;

/// Every operation that a node with these settings has.
pub fn endpoints(settings: &Settings) -> Vec<Endpoint> {
    let mut endpoints = [
        auth::endpoints(),
        chat::endpoints(settings),
        histories::endpoints(),
        files::endpoints(),
        operations::endpoints(),
    ]
    .concat();
    if settings.demo.enabled {
        endpoints.extend(todos::endpoints());
    }
    endpoints
}

/// Registers every operation, and the refusals for other methods and paths.
pub fn configure(app: &mut ServiceConfig, settings: &Settings) {
    let mut paths: BTreeMap<PathOrder, Vec<Endpoint>> = BTreeMap::new();
    for endpoint in endpoints(settings) {
        paths.entry(PathOrder::of(endpoint.path)).or_default().push(endpoint);
    }
    for (path, operations) in paths {
        let allow =
            operations.iter().map(|operation| operation.method.as_str()).collect::<Vec<_>>().join(", ");
        let mut resource = web::resource(path.path);
        for operation in operations {
            if let Some(limits) = limits(&operation.body, settings) {
                resource = resource.app_data(limits);
            }
            resource = resource.route((operation.handler)(web::method(operation.method)));
        }
        let refuse = move || {
            let allow = allow.clone();
            async move { Err::<&str, _>(ApiError::MethodNotAllowed { allow }) }
        };
        app.service(resource.default_service(web::to(refuse)));
    }
    app.default_service(web::to(async || Err::<&str, _>(ApiError::UnknownPath)));
}

/// The limits of the bodies a path takes.
fn limits(body: &Body, settings: &Settings) -> Option<BodyLimits> {
    let http = &settings.http;
    let limits = |bytes, setting| {
        let HttpSettings { max_json_depth: depth, body_pause: pause, .. } = *http;
        Some(BodyLimits { bytes, setting, depth, pause })
    };
    match body {
        Body::None => None,
        Body::Json(_) => limits(http.max_body_bytes, "http.max_body_bytes"),
        Body::ChatJson(_) => limits(http.max_chat_body_bytes, "http.max_chat_body_bytes"),
        Body::Upload => {
            let file = usize::try_from(settings.asks.max_file_size_bytes).unwrap_or(usize::MAX);
            limits(file.saturating_add(FORM_OVERHEAD), "asks.max_file_size_bytes")
        }
    }
}

/// Paths in the order they are tried: a fixed word before an id in the same place.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PathOrder {
    segments: Vec<(bool, &'static str)>,
    path: &'static str,
}

impl PathOrder {
    fn of(path: &'static str) -> Self {
        let segments = path.split('/').map(|segment| (segment.starts_with('{'), segment)).collect();
        Self { segments, path }
    }
}
