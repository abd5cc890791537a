//! What must hold of everything a node has stored, at any moment and after any test.
//!
//! A test that has driven a node ends with `invariants::hold(&node).await`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use uuid::Uuid;

use super::stored::{Ask, Conversation, Message, Stored};
use super::{Node, Setup};

/// How many characters of base64 are long enough to be a file.
const LONG_BASE64: usize = 256;

/// Holds what a node has stored to every invariant.
///
/// # Panics
/// When one does not hold; the panic tells all that do not.
pub async fn hold(node: &Node) {
    hold_of(node.setup()).await;
}

/// As [`hold`], for a node that may have stopped.
pub async fn hold_of(setup: &Setup) {
    let stored = Stored::read(setup).await;
    let mut broken = Broken::default();
    for (id, conversation) in &stored.conversations {
        broken.place = format!("conversation {id}");
        check(conversation, &mut broken);
    }
    for (column, text) in &stored.texts {
        broken.place.clone_from(column);
        broken.unless(!holds_file_bytes(text), || format!("holds the bytes of a file: {text:.200}"));
    }
    assert!(broken.found.is_empty(), "{}\n{stored:#?}", broken.found.join("\n"));
}

#[derive(Default)]
struct Broken {
    place: String,
    found: Vec<String>,
}

impl Broken {
    fn unless(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.found.push(format!("{}: {}", self.place, what()));
        }
    }
}

fn check(conversation: &Conversation, broken: &mut Broken) {
    one_slot(conversation, broken);
    one_turn(conversation, broken);
    numbered_without_gaps(conversation, broken);
    calls_have_results(conversation, broken);
    asks_agree_with_their_rows(conversation, broken);
    tasks_wait_or_end(conversation, broken);
    subscribers_hear_each_ask(conversation, broken);
    commands_end_once(conversation, broken);
}

/// At most one ask is pending, and it is the one the conversation names.
fn one_slot(conversation: &Conversation, broken: &mut Broken) {
    let pending: Vec<Uuid> = pending_asks(conversation).map(|ask| ask.id).collect();
    let named: Vec<Uuid> = conversation.pending_ask.into_iter().collect();
    broken.unless(pending == named, || format!("asks {pending:?} are pending, {named:?} is in the slot"));
}

/// At most one task runs, and it is the one the conversation names; commands wait only while one does.
fn one_turn(conversation: &Conversation, broken: &mut Broken) {
    let of_status = |status| conversation.tasks.iter().filter(move |task| task.status == status);
    let running: Vec<Uuid> = of_status("running").map(|task| task.id).collect();
    let active: Vec<Uuid> = conversation.active_task.into_iter().collect();
    broken.unless(running == active, || format!("tasks {running:?} run, {active:?} is active"));
    let waiting = conversation.inbox.len();
    broken.unless(usize::try_from(conversation.inbox_count) == Ok(waiting), || {
        format!("{waiting} commands wait, {} are counted", conversation.inbox_count)
    });
    broken.unless(waiting == 0 || !active.is_empty(), || format!("{waiting} commands wait for no turn"));
    let claims = pending_asks(conversation).filter_map(|ask| ask.claimed_by);
    let claims: Vec<Uuid> = claims.filter(|command| !conversation.inbox.contains(command)).collect();
    broken.unless(claims.is_empty(), || format!("commands {claims:?} claim an ask and do not wait"));
}

/// Messages have every index and every place among the facts is taken once, tombstones included.
fn numbered_without_gaps(conversation: &Conversation, broken: &mut Broken) {
    let indexes: Vec<i32> = conversation.messages.iter().filter_map(|message| message.index).collect();
    let expected: Vec<i32> = (0..conversation.message_count).collect();
    broken.unless(indexes == expected, || format!("messages have the indexes {indexes:?}, not {expected:?}"));
    let messages = conversation.messages.iter().map(|message| message.seq);
    let mut seqs: Vec<i64> = messages.chain(conversation.events.iter().map(|event| event.seq)).collect();
    seqs.sort_unstable();
    let expected: Vec<i64> = (1..=conversation.event_seq).collect();
    broken.unless(seqs == expected, || format!("facts have the seqs {seqs:?}, not {expected:?}"));
}

/// Every call has one result after it, unless its turn waits or runs; no result is without its call.
fn calls_have_results(conversation: &Conversation, broken: &mut Broken) {
    type Calls<'a> = BTreeMap<(Uuid, &'a str), Vec<&'a Message>>;
    let (mut calls, mut results) = (Calls::new(), Calls::new());
    for message in conversation.messages.iter().filter(|message| message.index.is_some()) {
        let of_kind = match message.kind.as_str() {
            "tool-call" => &mut calls,
            "tool-result" => &mut results,
            kind => {
                broken.unless(message.tool_call_id.is_none(), || format!("a row {kind} names a call"));
                continue;
            }
        };
        let id = message.tool_call_id.as_deref().expect("a tool row names its call");
        of_kind.entry((message.task_id, id)).or_default().push(message);
    }
    let unended: BTreeSet<Uuid> =
        conversation.tasks.iter().filter(|task| task.ended.is_none()).map(|task| task.id).collect();
    for ((task, id), rows) in &calls {
        let results = results.remove(&(*task, *id)).unwrap_or_default();
        let in_order = matches!((&rows[..], &results[..]), ([call], [result]) if call.seq < result.seq);
        let may_lack = rows.len() == 1 && results.is_empty() && unended.contains(task);
        broken.unless(in_order || may_lack, || {
            format!("call {id} has {} rows and {} results", rows.len(), results.len())
        });
        let is_ask = rows[0].ask_status.is_some();
        let pending = pending_asks(conversation).any(|ask| ask.task_id == *task && ask.tool_call_id == *id);
        broken.unless(!is_ask || results.is_empty() == pending, || {
            format!("ask {id} ended without an answer's row")
        });
    }
    broken.unless(results.is_empty(), || format!("results without a call: {:?}", results.keys()));
}

/// Each ask has its row, which shows its status; a claimed one is shown as its claim will end it.
fn asks_agree_with_their_rows(conversation: &Conversation, broken: &mut Broken) {
    for ask in &conversation.asks {
        let row = conversation.messages.iter().find(|message| message.seq == ask.message_seq);
        let shown = row.and_then(|row| row.ask_status.as_deref());
        let fits = match (ask.status.as_str(), ask.claimed_by) {
            ("pending", Some(_)) => matches!(shown, Some("answered" | "cancelled")),
            (status, _) => shown == Some(status),
        };
        broken.unless(fits, || {
            format!("ask {} is {} and its row shows {shown:?}", ask.tool_call_id, ask.status)
        });
        let same_call = row.is_some_and(|row| row.tool_call_id.as_deref() == Some(&ask.tool_call_id));
        broken.unless(same_call, || format!("ask {} has the row of another call", ask.tool_call_id));
        let ended = (ask.action.is_some(), ask.resolved.is_some());
        let pending = ask.status == "pending";
        broken.unless(ended == (!pending, !pending), || {
            format!("ask {} is {} and how it ended is {ended:?}", ask.tool_call_id, ask.status)
        });
    }
    let asked: BTreeSet<i64> = conversation.asks.iter().map(|ask| ask.message_seq).collect();
    let orphans =
        conversation.messages.iter().filter(|row| row.ask_status.is_some() && !asked.contains(&row.seq));
    let orphans: Vec<&Message> = orphans.collect();
    broken.unless(orphans.is_empty(), || format!("rows of asks that are not: {orphans:?}"));
}

/// The waiting tasks are those of pending asks, and what has ended remembers nothing.
fn tasks_wait_or_end(conversation: &Conversation, broken: &mut Broken) {
    let waiting = conversation.tasks.iter().filter(|task| task.status == "waiting").map(|task| task.id);
    let waiting: BTreeSet<Uuid> = waiting.collect();
    let asking: BTreeSet<Uuid> = pending_asks(conversation).map(|ask| ask.task_id).collect();
    broken.unless(waiting == asking, || format!("tasks {waiting:?} wait, asks of {asking:?} are pending"));
    for task in &conversation.tasks {
        let over = matches!(task.status.as_str(), "completed" | "failed" | "cancelled");
        let lives = matches!(task.status.as_str(), "running" | "waiting");
        broken.unless(over != lives && over == task.ended.is_some(), || {
            format!("task {} is {} and ended at {:?}", task.id, task.status, task.ended)
        });
        let remembers = task.state != json!({});
        broken.unless(remembers == lives, || {
            format!("task {} is {} with {}", task.id, task.status, task.state)
        });
    }
}

/// Subscribers hear once of each ask that was pending, once of each end, and of each time it came back.
fn subscribers_hear_each_ask(conversation: &Conversation, broken: &mut Broken) {
    let ids: BTreeSet<&str> = conversation.asks.iter().map(|ask| ask.tool_call_id.as_str()).collect();
    for id in ids {
        let asks = || conversation.asks.iter().filter(move |ask| ask.tool_call_id == id);
        let heard = |kind: &str| {
            let rows = conversation.outbox.iter();
            rows.filter(|(heard, data)| heard.contains(kind) && data["toolCallId"] == id).count()
        };
        let told = |kind: &str| {
            let events = conversation.events.iter();
            events.filter(|event| event.event[kind]["toolCallId"] == id).count()
        };
        let was_pending = asks().filter(|ask| took_the_slot(ask)).count();
        let over = asks().filter(|ask| took_the_slot(ask) && ask.status != "pending").count();
        let (created, resolved, reopened) = (heard(".created."), heard(".resolved."), heard(".reopened."));
        broken.unless(created == was_pending && resolved == over + reopened, || {
            format!("ask {id}: {was_pending} were pending and {over} are over; {created} created, {resolved} resolved and {reopened} reopened are in the outbox")
        });
        let (asked, ended) = (told("ask"), told("askResolved"));
        broken.unless(asked == created + reopened && ended == resolved, || {
            format!("ask {id}: {asked} events ask and {ended} askResolved; outbox {created}, {resolved}, {reopened}")
        });
    }
    for (kind, data) in &conversation.outbox {
        let event = conversation.events.iter().find(|event| json!(event.seq) == data["seq"]);
        let told = if kind.contains(".resolved.") { "askResolved" } else { "ask" };
        let same = event.is_some_and(|event| event.event[told]["toolCallId"] == data["toolCallId"]);
        broken.unless(same, || format!("{kind} names the seq of another event: {data}"));
    }
}

/// Each command that was stored gets one `done`, its last event, unless its turn still runs or it still waits.
fn commands_end_once(conversation: &Conversation, broken: &mut Broken) {
    if conversation.deleted {
        // The command that deletes ends an ask and has no stream.
        return;
    }
    let mut events: BTreeMap<Uuid, Vec<bool>> = BTreeMap::new();
    for message in &conversation.messages {
        events.entry(message.command_id).or_default();
    }
    for event in &conversation.events {
        events.entry(event.command_id).or_default().push(event.event["done"] == true);
    }
    let running =
        conversation.tasks.iter().filter(|task| task.status == "running").map(|task| task.command_id);
    let running: BTreeSet<Uuid> = running.chain(conversation.inbox.iter().copied()).collect();
    for (command, dones) in events {
        let ends = dones.iter().filter(|done| **done).count();
        let well =
            if running.contains(&command) { ends == 0 } else { ends == 1 && dones.last() == Some(&true) };
        broken.unless(well, || format!("command {command} has {ends} dones among {} events", dones.len()));
    }
}

fn pending_asks(conversation: &Conversation) -> impl Iterator<Item = &Ask> {
    conversation.asks.iter().filter(|ask| ask.status == "pending")
}

/// Whether an ask ever was in the slot: one that was cancelled as it was made was ended by no command.
fn took_the_slot(ask: &Ask) -> bool {
    ask.status == "pending" || ask.claimed_by.is_some()
}

fn holds_file_bytes(text: &str) -> bool {
    let data_url = text.contains("data:") && text.contains(";base64,");
    data_url || text.split(|c: char| !is_base64(c)).any(is_long_base64)
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_')
}

/// A long run of letters alone is somebody's text.
fn is_long_base64(run: &str) -> bool {
    let has = |test: fn(char) -> bool| run.chars().any(test);
    run.len() >= LONG_BASE64
        && has(|c| c.is_ascii_uppercase())
        && has(|c| c.is_ascii_lowercase())
        && has(|c| c.is_ascii_digit())
}
