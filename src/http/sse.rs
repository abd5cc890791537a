//! Streams of events: `data:` lines with ids, kept alive, each counted while it is open.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue, LOCATION};
use actix_web::{HttpRequest, Responder};
use actix_web_lab::sse::{Data, Event, Sse};
use futures_util::{Stream, StreamExt, stream};
use tokio::time::timeout;
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
    let lines = kept_alive(lines, state.settings.http.keep_alive);
    let mut response = Sse::from_stream(lines).respond_to(request).map_into_boxed_body();
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

/// Adds a comment whenever nothing came for `period`. The library's own keep-alive begins with one.
fn kept_alive<E>(
    lines: impl Stream<Item = Result<Event, E>>,
    period: Duration,
) -> impl Stream<Item = Result<Event, E>> {
    // A line that is late is waited for again: only the waiting is given up, not the line.
    stream::unfold(Box::pin(lines), move |mut lines| async move {
        let line = match timeout(period, lines.next()).await {
            Ok(line) => line?,
            Err(_) => Ok(Event::Comment("keep-alive".into())),
        };
        Some((line, lines))
    })
}

fn event(line: &Line) -> Event {
    let data = serde_json::to_string(&line.event).unwrap_or_default();
    let data = Data::new(data);
    Event::Data(match line.id {
        Some(id) => data.id(id.to_string()),
        None => data,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tokio::sync::oneshot;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test]
    async fn a_comment_comes_after_silence_and_no_line_is_lost_to_it() {
        let period = Duration::from_millis(20);
        let (late, line) = oneshot::channel::<Event>();
        let early = stream::iter([Ok(Event::Data(Data::new("early")))]);
        let began = Instant::now();
        let mut lines = Box::pin(kept_alive(early.chain(stream::once(line)), period));
        assert!(matches!(lines.next().await, Some(Ok(Event::Data(_)))));
        for comments in 1..=2 {
            assert!(matches!(lines.next().await, Some(Ok(Event::Comment(_)))));
            assert!(began.elapsed() >= period * comments);
        }
        late.send(Event::Data(Data::new("late"))).unwrap();
        assert!(matches!(lines.next().await, Some(Ok(Event::Data(_)))));
        assert!(lines.next().await.is_none());
    }
}
