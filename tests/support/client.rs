//! A client of a node. Whatever it gets is held to the node's `/openapi.json` before the test sees it.

use std::sync::Arc;

use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode, multipart};
use serde_json::{Value, json};

use super::contract::{Contract, Exchange};
use super::reply::Reply;
use super::sse::{EventStream, Turn};

/// A client, signed in or not. Clones share its connections.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
    contract: Arc<Contract>,
}

/// A response that may stream.
pub enum Response {
    /// A whole one.
    Whole(Reply),
    /// A stream of events.
    Events(EventStream),
}

impl Client {
    /// A client of the node at `url` that has not signed in.
    pub fn new(url: String, contract: Arc<Contract>) -> Self {
        Self { http: new_http(), url, token: None, contract }
    }

    /// The same user over connections of its own.
    pub fn on_its_own_socket(&self) -> Self {
        Self { http: new_http(), ..self.clone() }
    }

    /// The same node with another token, or none.
    pub fn with_token(&self, token: Option<&str>) -> Self {
        Self { token: token.map(str::to_owned), ..self.clone() }
    }

    /// The same user on another node, or on the same after it was started again.
    pub fn on(&self, node: &super::Node) -> Self {
        node.client().with_token(self.token.as_deref())
    }

    /// The token of its session.
    pub fn token(&self) -> &str {
        self.token.as_deref().expect("this client has not signed in")
    }

    /// Makes the user `<name>@example.com` and signs it in.
    pub async fn sign_up(&self, name: &str) -> Self {
        let body =
            json!({"email": format!("{name}@example.com"), "password": "a long password", "name": name});
        let reply = self.post("/api/auth/sign-up/email", body).await.expect(200);
        self.with_token(reply.json()["token"].as_str())
    }

    /// Signs a user in.
    pub async fn sign_in(&self, email: &str, password: &str) -> Self {
        let body = json!({"email": email, "password": password});
        let reply = self.post("/api/auth/sign-in/email", body).await.expect(200);
        self.with_token(reply.json()["token"].as_str())
    }

    /// A request to build.
    pub fn call(&self, method: Method, path: &str) -> Call<'_> {
        let mut request = self.http.request(method.clone(), format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        Call { client: self, method, path: path.to_owned(), body: None, request }
    }

    /// Reads something.
    pub async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path).send().await
    }

    /// Sends JSON.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.call(Method::POST, path).json(body).send().await
    }

    /// Changes something.
    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.call(Method::PATCH, path).json(body).send().await
    }

    /// Deletes something.
    pub async fn delete(&self, path: &str) -> Reply {
        self.call(Method::DELETE, path).send().await
    }

    /// Sends a body to `POST /gpt/prompt`, which must answer with events.
    pub async fn prompt(&self, body: Value) -> EventStream {
        self.call(Method::POST, "/gpt/prompt").json(body).stream().await
    }

    /// Sends a body to `POST /gpt/prompt`, which must refuse it.
    pub async fn prompt_refused(&self, body: Value) -> Reply {
        self.post("/gpt/prompt", body).await
    }

    /// Begins a new chat with a message and reads to the end of the turn.
    pub async fn says(&self, text: &str) -> Turn {
        self.prompt(json!({"prompt": text})).await.rest().await
    }

    /// Sends a message to a conversation and reads to the end of the turn.
    pub async fn says_in(&self, history: &str, text: &str) -> Turn {
        self.prompt(json!({"historyId": history, "prompt": text})).await.rest().await
    }

    /// Answers an ask (`{action, content?}`), which must be taken.
    pub async fn answer(&self, history: &str, ask: &str, response: Value) -> EventStream {
        self.prompt(answer_body(history, ask, response)).await
    }

    /// Answers an ask, which must be refused.
    pub async fn answer_refused(&self, history: &str, ask: &str, response: Value) -> Reply {
        self.prompt_refused(answer_body(history, ask, response)).await
    }

    /// Sends a body to the headless `turn` of a conversation.
    pub async fn turn(&self, history: &str, body: Value) -> Reply {
        self.post(&format!("/gpt/histories/{history}/turn"), body).await
    }

    /// Makes an empty conversation and gives its id.
    pub async fn new_history(&self) -> String {
        let made = self.post("/gpt/histories", json!({})).await.expect(201);
        made.data()["_id"].as_str().unwrap().to_owned()
    }

    /// A conversation as it is read.
    pub async fn history(&self, id: &str) -> Value {
        self.get(&format!("/gpt/histories/{id}")).await.expect(200).data()
    }

    /// The asks that wait for this user, newest first.
    pub async fn pending_asks(&self) -> Vec<Value> {
        let listed = self.get("/gpt/histories/pendingAsks").await.expect(200);
        listed.data().as_array().unwrap().clone()
    }

    /// Listens to a conversation, from an event id on when one is given (`"0"`: from the beginning).
    pub async fn events(&self, history: &str, after: Option<&str>) -> EventStream {
        let mut call = self.call(Method::GET, &format!("/gpt/histories/{history}/events"));
        if let Some(id) = after {
            call = call.header("Last-Event-ID", id);
        }
        call.stream().await
    }

    /// Uploads a file.
    pub async fn upload(&self, filename: &str, media_type: &str, bytes: impl Into<Vec<u8>>) -> Reply {
        let part = multipart::Part::bytes(bytes.into()).file_name(filename.to_owned());
        let part = part.mime_str(media_type).unwrap();
        self.call(Method::POST, "/files/upload").form(multipart::Form::new().part("file", part)).send().await
    }
}

/// The body of `POST /gpt/prompt` that answers an ask.
pub fn answer_body(history: &str, ask: &str, mut response: Value) -> Value {
    response["toolCallId"] = ask.into();
    json!({"historyId": history, "askResponse": response})
}

fn new_http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// A request being built.
pub struct Call<'a> {
    client: &'a Client,
    method: Method,
    path: String,
    body: Option<Value>,
    request: reqwest::RequestBuilder,
}

impl Call<'_> {
    /// With a header.
    pub fn header(self, name: &'static str, value: &str) -> Self {
        let header =
            (HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap());
        Self { request: self.request.header(header.0, header.1), ..self }
    }

    /// With a JSON body.
    pub fn json(self, body: Value) -> Self {
        Self { request: self.request.json(&body), body: Some(body), ..self }
    }

    /// With a body as it is.
    pub fn body(self, media_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { request: self.request.header(CONTENT_TYPE, media_type).body(bytes.into()), ..self }
    }

    /// With a form.
    pub fn form(self, form: multipart::Form) -> Self {
        Self { request: self.request.multipart(form), ..self }
    }

    /// Sends it and reads the head of the response; the rest too unless it streams.
    pub async fn respond(self) -> Response {
        let Self { client, method, path, body, request } = self;
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let exchange =
            Exchange { method: &method, path: &path, sent: body.as_ref(), status, headers: &headers };
        if let Some(schema) = client.contract.check_stream(&exchange) {
            return Response::Events(EventStream::new(response, schema));
        }
        let bytes = response.bytes().await.unwrap();
        client.contract.check_whole(&exchange, &bytes);
        Response::Whole(Reply { request: (method, path), status, headers, bytes: bytes.into() })
    }

    /// Sends it and reads the response, which must not stream.
    pub async fn send(self) -> Reply {
        match self.respond().await {
            Response::Whole(reply) => reply,
            Response::Events(_) => panic!("the response is a stream"),
        }
    }

    /// Sends it; the response must be a stream.
    pub async fn stream(self) -> EventStream {
        match self.respond().await {
            Response::Events(events) => events,
            Response::Whole(reply) => {
                assert_eq!(reply.status, StatusCode::OK, "no stream but {}", reply.text());
                panic!("no stream but {}", reply.text());
            }
        }
    }
}
