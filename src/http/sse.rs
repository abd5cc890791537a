//! Streams of events: `data:` lines with ids, kept alive, each counted while it is open.

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue, LOCATION};
use actix_web::{HttpRequest, Responder};
use actix_web_lab::sse::{Data, Event, Sse};
use futures_util::{StreamExt, stream};
use turnwright_actors::ids::{ConversationId, TaskId};
use turnwright_actors::streams::{CommandStream, ConversationStream, Line};

use super::AppState;
use super::streams::StreamPlace;

/// What the first bytes of a stream say of it.
#[derive(Debug, Clone, Copy)]
pub struct StreamHead {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The turn, when the stream is that of one command.
    pub task_id: Option<TaskId>,
}

/// The stream of one command.
pub fn command(
    events: CommandStream,
    place: StreamPlace,
    head: StreamHead,
    state: &AppState,
    request: &HttpRequest,
) -> HttpResponse {
    respond(events, place, head, state, request, async |events| Ok(events.next().await))
}

/// The stream of a conversation.
pub fn conversation(
    events: ConversationStream,
    place: StreamPlace,
    head: StreamHead,
    state: &AppState,
    request: &HttpRequest,
) -> HttpResponse {
    respond(events, place, head, state, request, async |events| events.next().await.map_err(Into::into))
}

type BoxError = Box<dyn std::error::Error>;

fn respond<S: 'static>(
    events: S,
    place: StreamPlace,
    head: StreamHead,
    state: &AppState,
    request: &HttpRequest,
    next: impl AsyncFn(&mut S) -> Result<Option<Line>, BoxError> + 'static,
) -> HttpResponse {
    // The body owns the place: it is given back when the client goes or the stream ends.
    let lines = stream::try_unfold((events, place, next), async |(mut events, place, next)| {
        let line = next(&mut events).await?;
        Ok::<_, BoxError>(line.map(|line| (event(&line), (events, place, next))))
    });
    let stopping = state.stopping.clone();
    let lines = lines.take_until(async move { stopping.said().await });
    let mut response = Sse::from_stream(lines)
        .with_keep_alive(state.settings.http.keep_alive)
        .respond_to(request)
        .map_into_boxed_body();
    let headers = response.headers_mut();
    let id = head.conversation_id.to_string();
    let mut insert = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    insert(LOCATION, &format!("/gpt/histories/{id}"));
    insert(HeaderName::from_static("x-history-id"), &id);
    if let Some(task_id) = head.task_id {
        insert(HeaderName::from_static("x-turn-id"), &task_id.to_string());
    }
    insert(HeaderName::from_static("x-accel-buffering"), "no");
    response
}

fn event(line: &Line) -> Event {
    let data = serde_json::to_string(&line.event).unwrap_or_default();
    let data = Data::new(data);
    Event::Data(match line.id {
        Some(id) => data.id(id.to_string()),
        None => data,
    })
}
