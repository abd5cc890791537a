//! `GET /gpt/histories/:id/events`: everything a conversation says, from any point on, to its owner.

use serde_json::{Value, json};

use crate::support::play::{accept, ask_colour, call, fail, no, rule, script_with_tools, text, wait, yes};
use crate::support::sse::{Event, Frame, Turn};
use crate::support::stored::Stored;
use crate::support::{Client, Node, Setup, invariants};

/// An agent that does everything a conversation can say.
fn agent() -> Value {
    let tool =
        |name: &str, approval: bool| json!({"name": name, "needsApproval": approval, "result": {"ok": true}});
    script_with_tools(
        [
            rule(
                "^pay",
                [vec![text("Let me see. "), call("call_1", "charge", json!({}))], vec![text("Paid.")]],
            ),
            rule("^wipe", [vec![call("call_1", "wipe", json!({}))], vec![text("As you wish.")]]),
            rule("^ask", [vec![ask_colour("call_1")], vec![text("Thank you.")]]),
            rule("^flaky", [vec![ask_colour("call_1")], vec![fail("down")], vec![text("I am back.")]]),
            rule("^fail", [vec![text("Half a "), fail("down")]]),
            rule(
                "^long",
                [vec![
                    text("Ünï"),
                    text("cödé "),
                    wait(1000),
                    text("→ and "),
                    wait(1000),
                    text("the ↓ rest."),
                ]],
            ),
            rule(
                "^thinks",
                [vec![text("Hm. "), wait(1000), call("call_1", "charge", json!({}))], vec![text("Paid.")]],
            ),
        ],
        [tool("charge", false), tool("wipe", true)],
    )
}

/// A conversation in which everything happens.
async fn live_through_everything(user: &Client, history: &str) {
    let red = || accept(json!({"selected": ["red"]}));
    user.says_in(history, "pay").await.done();
    for decision in [no(), yes()] {
        let asked = user.says_in(history, "wipe").await;
        user.answer(history, &asked.ask_id(), decision).await.rest().await.done();
    }
    user.says_in(history, "ask").await.ask();
    user.says_in(history, "fail").await.one("error");
    let asked = user.says_in(history, "flaky").await;
    let undone = user.answer(history, &asked.ask_id(), red()).await.rest().await;
    assert_eq!(undone.done()["pendingAsk"]["toolCallId"], asked.ask_id());
    user.answer(history, &asked.ask_id(), red()).await.rest().await.done();
}

/// Everything a conversation has said, from an id on.
async fn replay(node: &Node, user: &Client, history: &str, after: &str) -> Vec<Event> {
    let last = Stored::read(node.setup()).await.conversation(history).event_seq.to_string();
    let mut events = user.events(history, Some(after)).await;
    let mut heard = Vec::new();
    while heard.last().is_none_or(|event: &Event| event.id.as_ref() != Some(&last)) {
        heard.push(events.next().await.unwrap());
    }
    heard
}

fn all<'a>(events: &'a [Event], key: &str) -> Vec<&'a Value> {
    events.iter().filter_map(|event| event.data.get(key)).collect()
}

/// The text of events of previews, joined.
fn said(events: &[Event]) -> String {
    all(events, "text").iter().map(|text| text.as_str().unwrap()).collect()
}

/// An id as numbers, so that ids can be put in order.
fn position(event: &Event) -> Option<(i64, usize)> {
    let (seq, offset) = event.id.as_ref()?.split_once('.').unwrap_or((event.id.as_ref()?, "0"));
    Some((seq.parse().unwrap(), offset.parse().unwrap()))
}

fn assert_ids_increase(events: &[Event]) {
    // What is taken back leads back to where the text began.
    let forward = events.iter().filter(|event| event.data.get("retracted").is_none());
    let positions: Vec<_> = forward.filter_map(position).collect();
    assert!(positions.is_sorted_by(|a, b| a < b), "{positions:?}");
}

#[tokio::test]
async fn a_replay_is_the_stored_transcript_and_every_durable_event_in_order() {
    for setup in [Some(Setup::new()), Setup::new().on_postgres()].into_iter().flatten() {
        let node = setup.scripted(&agent()).start().await;
        let user = node.user("listener").await;
        let history = user.new_history().await;
        live_through_everything(&user, &history).await;
        let heard = replay(&node, &user, &history, "0").await;
        assert_ids_increase(&heard);
        let read = user.history(&history).await;
        assert_eq!(all(&heard, "message"), read["prompts"].as_array().unwrap().iter().collect::<Vec<_>>());
        let kinds = Turn { events: heard.clone() }.kinds();
        let times = |kind: &str| kinds.iter().filter(|heard| **heard == kind).count();
        let told =
            ["done", "ask", "askResolved", "error", "messageRemoved", "toolCall", "toolResult", "text"]
                .map(times);
        assert_eq!(told, [10, 5, 5, 2, 1, 3, 3, 0], "{kinds:?}");
        let stored = Stored::read(node.setup()).await;
        let stored: Vec<_> =
            stored.conversation(&history).events.iter().map(|event| event.event.clone()).collect();
        let durable = heard.iter().map(|event| &event.data);
        let durable: Vec<_> = durable
            .filter(|data| ["message", "toolCall", "toolResult"].iter().all(|kind| data.get(kind).is_none()))
            .cloned()
            .collect();
        assert_eq!(durable, stored);
        invariants::hold(&node).await;
    }
}

#[tokio::test]
async fn a_replay_from_any_id_is_what_followed_it() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    live_through_everything(&user, &history).await;
    let whole = replay(&node, &user, &history, "0").await;
    for (place, event) in whole.iter().enumerate().filter(|(_, event)| event.id.is_some()).step_by(3) {
        if place + 1 < whole.len() {
            assert_eq!(replay(&node, &user, &history, event.id.as_ref().unwrap()).await, whole[place + 1..]);
        }
    }
}

#[tokio::test]
async fn a_live_listener_hears_everything_as_it_happens() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    let mut listener = user.events(&history, None).await;
    live_through_everything(&user, &history).await;
    let mut heard = Vec::new();
    for _ in 0..10 {
        heard.extend(listener.until("done").await);
    }
    assert_ids_increase(&heard);
    assert_eq!(said(&heard), "Let me see. Paid.As you wish.As you wish.Half a I am back.");
    assert_eq!(all(&heard, "retracted"), ["text"]);
    // The same as a replay, but for previews, the answer that was taken back, and rows as they were then.
    let is_live = |event: &&Event| ["text", "retracted"].iter().all(|kind| event.data.get(kind).is_none());
    let live: Vec<_> = heard.iter().filter(is_live).map(without_status).collect();
    let removed = all(&heard, "messageRemoved")[0]["index"].clone();
    let replayed: Vec<_> = replay(&node, &user, &history, "0").await.iter().map(without_status).collect();
    let undone = live.iter().find(|event| !replayed.contains(event)).unwrap();
    assert_eq!(undone.data["message"]["index"], removed);
    let kept: Vec<_> = live.iter().filter(|event| event.id != undone.id).cloned().collect();
    assert_eq!(kept, replayed);
}

fn without_status(event: &Event) -> Event {
    let mut event = event.clone();
    if let Some(ask) = event.data.pointer_mut("/message/ask").and_then(Value::as_object_mut) {
        ask.remove("status");
    }
    event
}

#[tokio::test]
async fn every_listener_of_a_conversation_hears_the_same() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    let mut listeners = Vec::new();
    for _ in 0..8 {
        listeners.push(user.on_its_own_socket().events(&history, None).await);
    }
    let other = user.new_history().await;
    user.says_in(&other, "hello").await.done();
    user.says_in(&history, "pay").await.done();
    let mut heard = Vec::new();
    for mut listener in listeners {
        let events = listener.until("done").await;
        assert_eq!(said(&events), "Let me see. Paid.");
        heard.push(events.into_iter().filter(|event| event.data.get("text").is_none()).collect::<Vec<_>>());
    }
    assert!(heard.iter().all(|events| *events == heard[0]));
}

#[tokio::test]
async fn who_joins_in_the_middle_of_a_reply_gets_the_text_so_far_once() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    let mut turn = user.prompt(json!({"historyId": history, "prompt": "long"})).await;
    let begun = turn.until("text").await;
    let heard = user.events(&history, None).await.until("done").await;
    assert_eq!(said(&heard), "Ünïcödé → and the ↓ rest.");
    assert!(said(&heard[..1]).starts_with(&said(&begun)));
    assert_ids_increase(&heard);
    let texts = heard.iter().filter(|event| event.data.get("text").is_some());
    let mut bytes = 0;
    for event in texts {
        bytes += event.data["text"].as_str().unwrap().len();
        assert_eq!(position(event).unwrap().1, bytes, "{event:?}");
    }
}

#[tokio::test]
async fn who_comes_back_in_the_middle_of_a_reply_gets_the_rest_of_its_text() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    let mut turn = user.prompt(json!({"historyId": history, "prompt": "long"})).await;
    let begun = turn.until("text").await;
    let id = begun.last().unwrap().id.clone().unwrap();
    let while_it_runs = user.events(&history, Some(&id)).await.until("done").await;
    assert_eq!(said(&begun) + &said(&while_it_runs), "Ünïcödé → and the ↓ rest.");
    // The same when the reply has ended meanwhile: the rest of it comes before its row.
    turn.rest().await.done();
    let later = user.events(&history, Some(&id)).await.until("done").await;
    assert_eq!(said(&begun) + &said(&later), "Ünïcödé → and the ↓ rest.");
    let kinds: Vec<_> =
        later.iter().map(|event| event.data.as_object().unwrap().keys().next().unwrap()).collect();
    assert_eq!(kinds, ["text", "message", "done"]);
}

#[tokio::test]
async fn who_comes_back_after_text_was_taken_back_is_told_so() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    let mut turn = user.prompt(json!({"historyId": history, "prompt": "thinks"})).await;
    let id = turn.until("text").await.last().unwrap().id.clone().unwrap();
    turn.rest().await.done();
    let heard = user.events(&history, Some(&id)).await.until("done").await;
    assert_eq!(heard[0].data, json!({"retracted": "text"}));
    assert_eq!(said(&heard), "");
}

#[tokio::test]
async fn a_listener_says_where_it_is_in_the_header_or_the_query() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.says("hello").await.history_id();
    let path = format!("/gpt/histories/{history}/events");
    let call = |path: String| user.call(reqwest::Method::GET, &path);
    let by_query = call(format!("{path}?after=1")).stream().await.until("done").await;
    let by_header = user.events(&history, Some("1")).await.until("done").await;
    assert_eq!(by_query, by_header);
    assert_eq!(by_query.len(), 2);
    // A browser that connects again repeats the query it began with; the header is newer.
    let both =
        call(format!("{path}?after=0")).header("Last-Event-ID", "2").stream().await.until("done").await;
    assert_eq!(both, by_header[1..]);
    for nonsense in ["x", "-1", "1.", "1.2.3", "99999999999999999999", "%00", ""] {
        call(format!("{path}?after={nonsense}")).send().await.expect_problem(400, "Invalid event id");
    }
    call(path).header("Last-Event-ID", "ü").send().await.expect_problem(400, "Invalid event id");
}

#[tokio::test]
async fn an_id_the_conversation_has_not_reached_hides_nothing() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.says("hello").await.history_id();
    for ahead in ["4", "9223372036854775807", "9223372036854775807.18446744073709551615"] {
        let mut listener = user.events(&history, Some(ahead)).await;
        user.says_in(&history, "hello again").await.done();
        let heard = listener.until("done").await;
        assert_eq!(said(&heard), "ok", "after {ahead}");
    }
}

#[tokio::test]
async fn nobody_but_the_owner_listens() {
    let node = Node::scripted(agent()).await;
    let owner = node.user("owner").await;
    let history = owner.says("hello").await.history_id();
    let path = format!("/gpt/histories/{history}/events");
    let admin = node.admin().await;
    admin.get(&path).await.expect_problem(403, "Not authorized to access this history");
    let stranger = node.user("stranger").await;
    let refused = stranger.get(&path).await.expect_problem(403, "Access denied");
    assert_eq!(refused.json()["code"], "action-access-denied");
    node.client().get(&path).await.expect_problem(401, "Unauthorized");
    for missing in ["nonsense", "01a22e66-0000-7000-8000-000000000000", "%00", "a%2Fb"] {
        let path = format!("/gpt/histories/{missing}/events");
        let refused = owner.get(&path).await.expect_problem(404, "Document not found");
        assert_eq!(refused.json()["code"], "document-not-found");
    }
}

#[tokio::test]
async fn the_stream_of_a_deleted_conversation_ends() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let resting = user.says("ask").await.history_id();
    let listener = user.events(&resting, None).await;
    user.delete(&format!("/gpt/histories/{resting}")).await.expect(204);
    let heard = listener.rest().await;
    assert_eq!(heard.kinds(), ["askResolved", "message"]);
    assert_eq!(heard.one("message")["result"], json!({"action": "cancel", "reason": "user_cancelled"}));

    let running = user.new_history().await;
    let listener = user.events(&running, None).await;
    let mut turn = user.prompt(json!({"historyId": running, "prompt": "long"})).await;
    let queued = user.prompt(json!({"historyId": running, "prompt": "hello"})).await;
    turn.until("text").await;
    user.delete(&format!("/gpt/histories/{running}")).await.expect(204);
    assert_eq!(turn.rest().await.done()["cancelled"], true);
    assert_eq!(queued.rest().await.kinds(), ["error", "done"]);
    let heard = listener.rest().await;
    assert_eq!(heard.all("done").len(), 2, "{:#?}", heard.data());
    user.get(&format!("/gpt/histories/{running}/events")).await.expect_problem(404, "Document not found");
    invariants::hold(&node).await;
}

#[tokio::test]
async fn a_stream_that_has_nothing_to_say_is_kept_alive() {
    let node = Setup::new().set("http.keep_alive_seconds", 0.2).start().await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    let mut listener = user.events(&history, None).await;
    for _ in 0..3 {
        assert!(matches!(listener.frame().await, Some(Frame::Comment(_))));
    }
}

#[tokio::test]
async fn a_client_that_goes_away_is_freed_within_two_keep_alives() {
    let node = Setup::new().set("http.keep_alive_seconds", 1).scripted(&agent()).start().await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        streams.push(user.events(&history, None).await);
    }
    streams.push(user.prompt(json!({"historyId": history, "prompt": "long"})).await);
    assert_eq!(open_streams(&node).await, 21);
    let gone = std::time::Instant::now();
    drop(streams);
    while open_streams(&node).await > 0 {
        assert!(gone.elapsed().as_secs_f64() < 10.0, "{} streams stay", open_streams(&node).await);
    }
    println!("21 clients that went away were freed after {:.1?}, with a keep-alive of 1 s", gone.elapsed());
}

/// What the gauge of open streams shows.
async fn open_streams(node: &Node) -> usize {
    let metrics = node.client().get("/metrics").await.expect(200);
    let line = metrics.text().lines().find_map(|line| line.strip_prefix("turnwright_streams_open "));
    line.unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_user_listens_256_times_and_the_next_is_told_the_limit() {
    let node = Node::scripted(agent()).await;
    let user = node.user("listener").await;
    let history = user.new_history().await;
    let mut streams = Vec::new();
    for _ in 0..256 {
        streams.push(user.events(&history, None).await);
    }
    let path = format!("/gpt/histories/{history}/events");
    for refused in [user.get(&path).await, user.post("/gpt/prompt", json!({"prompt": "hello"})).await] {
        let refused = refused.expect_problem(429, "Too many requests");
        assert!(refused.json()["detail"].as_str().unwrap().contains("256"), "{}", refused.text());
        assert!(refused.headers.contains_key("retry-after"));
    }
    // Others are not held up, nor is what does not stream.
    node.user("other").await.says("hello").await.done();
    assert_eq!(user.turn(&history, json!({"prompt": "hello"})).await.expect(200).data()["text"], "ok");
    for stream in &mut streams {
        assert_eq!(said(&stream.until("done").await), "ok");
    }
}
