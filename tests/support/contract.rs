//! The API as a node describes it, and the check that a response is as described.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::{Draft, Validator};
use reqwest::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderMap};
use reqwest::{Method, StatusCode};
use serde_json::Value;

/// The contracts compiled in this process, by the text of their documents.
static COMPILED: LazyLock<Mutex<HashMap<String, Arc<Contract>>>> = LazyLock::new(Mutex::default);

/// A node's OpenAPI document.
pub struct Contract {
    document: Value,
    /// Compiled schemas by where they stand in the document.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// A request and the head of its response.
pub struct Exchange<'a> {
    /// The request's method.
    pub method: &'a Method,
    /// The request's path, perhaps with a query.
    pub path: &'a str,
    /// The request's body, when it was JSON.
    pub sent: Option<&'a Value>,
    /// The response's status.
    pub status: StatusCode,
    /// The response's headers.
    pub headers: &'a HeaderMap,
}

impl Contract {
    /// What the node at `url` describes.
    pub async fn of(url: &str) -> Arc<Self> {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let text = http.get(format!("{url}/openapi.json")).send().await.unwrap().text().await.unwrap();
        let mut compiled = COMPILED.lock().unwrap();
        if let Some(contract) = compiled.get(&text) {
            return Arc::clone(contract);
        }
        let contract = Arc::new(Self::new(serde_json::from_str(&text).unwrap()));
        compiled.insert(text, Arc::clone(&contract));
        contract
    }

    /// The contract of a document.
    pub fn new(document: Value) -> Self {
        Self { document, validators: Mutex::default() }
    }

    /// The document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Checks the head of a response. When it streams, gives the schema of its events.
    ///
    /// # Panics
    /// When the response is not as documented.
    pub fn check_stream(&self, exchange: &Exchange<'_>) -> Option<Arc<Validator>> {
        if media_type(exchange.headers) != Some("text/event-stream") {
            return None;
        }
        let place = self.response(exchange).unwrap_or_else(|| panic!("{exchange} streams undocumented"));
        self.check_headers(&place, exchange);
        self.check_sent(exchange);
        // Nothing between the node and its client may keep events back.
        assert_eq!(exchange.headers[CACHE_CONTROL], "no-cache", "{exchange}");
        assert_eq!(exchange.headers["x-accel-buffering"], "no", "{exchange}");
        let schema = format!("{place}/content/text~1event-stream/x-event-schema");
        Some(self.validator(&schema))
    }

    /// Checks a response that has been read.
    ///
    /// # Panics
    /// When it is not as documented.
    pub fn check_whole(&self, exchange: &Exchange<'_>, body: &[u8]) {
        if is_preflight(exchange) {
            return;
        }
        let place = self.response(exchange).unwrap_or_else(|| self.refusal_of_the_unknown(exchange));
        self.check_headers(&place, exchange);
        self.check_sent(exchange);
        let content = format!("{place}/content");
        let Some(documented) = self.document.pointer(&content).and_then(Value::as_object) else {
            assert!(body.is_empty(), "{exchange} should have no body");
            return;
        };
        let media_type =
            media_type(exchange.headers).unwrap_or_else(|| panic!("{exchange} has no media type"));
        let key = documented.keys().find(|key| key.split(';').next() == Some(media_type) || *key == "*/*");
        let key = key.unwrap_or_else(|| panic!("{exchange} is {media_type}, which is not documented"));
        if media_type.ends_with("json") && key != "*/*" {
            self.check_json(&format!("{content}/{}/schema", escaped(key)), exchange, body);
        }
    }

    fn check_json(&self, schema: &str, exchange: &Exchange<'_>, body: &[u8]) {
        let body: Value = serde_json::from_slice(body).unwrap_or_else(|error| panic!("{exchange}: {error}"));
        let errors: Vec<String> = self
            .validator(schema)
            .iter_errors(&body)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{exchange} is not as documented:\n{}\n{body:#}", errors.join("\n"));
        if let Some(id) = body.get("requestId") {
            assert_eq!(id, exchange.headers["x-request-id"].to_str().unwrap(), "{exchange}");
        }
        assert_eq!(exchange.headers[CACHE_CONTROL], "no-store", "{exchange}");
    }

    /// What a request without a documented operation gets: 405 when the path has others, 404 when it has none.
    fn refusal_of_the_unknown(&self, exchange: &Exchange<'_>) -> String {
        let documented = self.path(exchange.path).map(|path| {
            let methods = self.document["paths"][path].as_object().unwrap().keys();
            let mut methods: Vec<String> = methods.map(|method| method.to_uppercase()).collect();
            methods.sort();
            methods
        });
        match documented {
            None => assert_eq!(exchange.status, StatusCode::NOT_FOUND, "{exchange} is not documented"),
            Some(methods) => {
                assert!(
                    !methods.iter().any(|method| method == exchange.method.as_str()),
                    "{exchange} is a status that is not documented"
                );
                assert_eq!(exchange.status, StatusCode::METHOD_NOT_ALLOWED, "{exchange} is not documented");
                let allow = exchange.headers[ALLOW].to_str().unwrap();
                let mut allowed: Vec<_> = allow.split(", ").map(str::to_owned).collect();
                allowed.sort();
                assert_eq!(allowed, methods, "{exchange}");
            }
        }
        // Every operation documents this refusal, and all document it alike.
        "/paths/~1healthz/get/responses/500".to_owned()
    }

    /// Where the response to a documented operation stands in the document.
    fn response(&self, exchange: &Exchange<'_>) -> Option<String> {
        let place = format!("{}/responses/{}", self.operation(exchange)?, exchange.status.as_u16());
        self.document.pointer(&place).map(|_| place)
    }

    fn operation(&self, exchange: &Exchange<'_>) -> Option<String> {
        let path = self.path(exchange.path)?;
        Some(format!("/paths/{}/{}", escaped(path), exchange.method.as_str().to_lowercase()))
    }

    /// The documented path a request's path is one of. Fixed words come before ids.
    fn path(&self, path: &str) -> Option<&str> {
        let path = path.split('?').next()?;
        let matches = |template: &&String| {
            let mut words = path.split('/');
            let fits = template.split('/').all(|word| {
                words.next().is_some_and(|given| {
                    if word.starts_with('{') { !given.is_empty() } else { word == given }
                })
            });
            fits && words.next().is_none()
        };
        let paths = self.document["paths"].as_object().unwrap().keys();
        paths.filter(matches).min_by_key(|template| template.matches('{').count()).map(String::as_str)
    }

    /// Every documented header is there, unless it is documented as one that may be left out.
    fn check_headers(&self, place: &str, exchange: &Exchange<'_>) {
        let documented = self.document.pointer(&format!("{place}/headers")).and_then(Value::as_object);
        for (name, header) in documented.into_iter().flatten() {
            let promised = header["required"] != false;
            assert!(!promised || exchange.headers.contains_key(name), "{exchange} has no header {name}");
        }
        assert!(exchange.headers.contains_key("x-request-id"), "{exchange} has no X-Request-Id");
    }

    /// A body the server took must be one its document allows.
    fn check_sent(&self, exchange: &Exchange<'_>) {
        let (Some(sent), true) = (exchange.sent, exchange.status.is_success()) else { return };
        let Some(operation) = self.operation(exchange) else { return };
        let schema = format!("{operation}/requestBody/content/application~1json/schema");
        if self.document.pointer(&schema).is_some()
            && let Err(error) = self.validator(&schema).validate(sent)
        {
            panic!("{exchange}, but by the document it should be refused: {error}\n{sent:#}");
        }
    }

    fn validator(&self, place: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        if let Some(validator) = validators.get(place) {
            return Arc::clone(validator);
        }
        let schema = self.document.pointer(place).unwrap_or_else(|| panic!("{place} has no schema"));
        // References of the document point to its components, so these come along.
        let mut root = schema.clone();
        if let Some(root) = root.as_object_mut() {
            root.insert("components".to_owned(), self.document["components"].clone());
        }
        let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
        let compiled = options.build(&root).unwrap_or_else(|error| panic!("{place}: {error}"));
        let compiled = Arc::new(compiled);
        validators.insert(place.to_owned(), Arc::clone(&compiled));
        compiled
    }
}

impl std::fmt::Display for Exchange<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} gave {}", self.method, self.path, self.status)
    }
}

/// A browser's question before it sends a request is no operation of the API.
fn is_preflight(exchange: &Exchange<'_>) -> bool {
    exchange.method == Method::OPTIONS && exchange.headers.contains_key("access-control-allow-methods")
}

fn media_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next().map(str::trim)
}

/// A key as a JSON pointer writes it.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
