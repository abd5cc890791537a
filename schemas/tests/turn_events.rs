//! Events say on the wire what the table of events promises, and are read back as what was written.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::strategy::{any_json, card, kind};
use turnwright_schemas::json_schemas::schema_documents;
use turnwright_schemas::{
    Action, AskEvent, AskOrigin, AskResolvedEvent, AskStatus, DoneEvent, FileEvent, ImageEvent, LIMITS,
    MessageRemovedEvent, MessageRow, PendingAskRef, Rating, Retracted, RowAsk, RowType, ToolCallEvent,
    ToolResultEvent, True, TurnEvent,
};

fn id() -> impl Strategy<Value = String> {
    "[a-z0-9_-]{1,12}"
}

fn maybe<S: Strategy>(strategy: S) -> impl Strategy<Value = Option<S::Value>>
where
    S::Value: Clone,
{
    prop::option::of(strategy)
}

fn action() -> impl Strategy<Value = Action> {
    prop::sample::select(Action::ALL)
}

fn origin() -> impl Strategy<Value = AskOrigin> {
    Just(AskOrigin::Approval)
}

fn ask_event() -> impl Strategy<Value = AskEvent> {
    let input = "[^\u{0}]{1,9}".prop_map(|prompt| json!({"prompt": prompt}));
    (id(), kind(), input, card(), maybe(origin()), maybe(id())).prop_map(
        |(tool_call_id, kind, input, simple, origin, tool_name)| AskEvent {
            tool_call_id,
            kind,
            input,
            simple,
            origin,
            tool_name,
        },
    )
}

fn row_ask() -> impl Strategy<Value = RowAsk> {
    (kind(), prop::sample::select(AskStatus::ALL), maybe(origin()))
        .prop_map(|(kind, status, origin)| RowAsk { kind, status, origin })
}

fn row() -> impl Strategy<Value = MessageRow> {
    let tool = (maybe(id()), maybe(id()), maybe(any_json()), maybe(any_json()));
    let rating = maybe(prop::sample::select(Rating::ALL));
    (any::<u32>(), prop::sample::select(RowType::ALL), any::<String>(), tool, maybe(row_ask()), rating)
        .prop_map(|(index, kind, text, (tool_name, tool_call_id, args, result), ask, rating)| MessageRow {
            index,
            kind,
            text,
            tool_name,
            tool_call_id,
            args,
            result,
            ask,
            rating,
            created: "2026-10-01T09:30:00.000Z".to_owned(),
        })
}

fn done() -> impl Strategy<Value = DoneEvent> {
    let pending_ask = maybe(id().prop_map(|tool_call_id| PendingAskRef { tool_call_id }));
    (id(), maybe(any::<String>()), pending_ask, any::<bool>()).prop_map(
        |(history_id, title, pending_ask, cancelled)| DoneEvent {
            done: True,
            history_id,
            title,
            pending_ask,
            cancelled,
        },
    )
}

fn event() -> impl Strategy<Value = TurnEvent> {
    let call = (id(), id(), any_json())
        .prop_map(|(tool_call_id, tool_name, value)| (tool_call_id, tool_name, value));
    prop_oneof![
        any::<String>().prop_map(|text| TurnEvent::Text { text }),
        Just(TurnEvent::Retracted { retracted: Retracted::Text }),
        call.prop_map(|(tool_call_id, tool_name, args)| TurnEvent::ToolCall {
            tool_call: ToolCallEvent { tool_call_id, tool_name, args }
        }),
        (id(), id(), any_json()).prop_map(|(tool_call_id, tool_name, result)| TurnEvent::ToolResult {
            tool_result: ToolResultEvent { tool_call_id, tool_name, result }
        }),
        (id(), id()).prop_map(|(mime_type, url)| TurnEvent::Image { image: ImageEvent { mime_type, url } }),
        (id(), id(), id()).prop_map(|(filename, mime_type, url)| TurnEvent::File {
            file: FileEvent { filename, mime_type, url }
        }),
        (ask_event(), id()).prop_map(|(ask, history_id)| TurnEvent::Ask { ask, history_id }),
        (id(), action()).prop_map(|(tool_call_id, action)| TurnEvent::AskResolved {
            ask_resolved: AskResolvedEvent { tool_call_id, action }
        }),
        any::<String>().prop_map(|error| TurnEvent::Error { error }),
        done().prop_map(TurnEvent::Done),
        row().prop_map(|message| TurnEvent::Message { message }),
        any::<u32>()
            .prop_map(|index| TurnEvent::MessageRemoved { message_removed: MessageRemovedEvent { index } }),
        Just(TurnEvent::Reload { reload: True }),
    ]
}

fn schema() -> jsonschema::Validator {
    let documents = schema_documents(&LIMITS);
    let document = documents.iter().find(|document| document.file == "turnEvent.schema.json").unwrap();
    jsonschema::draft7::new(&document.schema.to_value()).unwrap()
}

proptest! {
    #[test]
    fn an_event_is_read_back_as_what_was_written(event in event()) {
        let line = serde_json::to_string(&event).unwrap();
        prop_assert!(!line.contains('\n'), "one data: line each");
        prop_assert_eq!(serde_json::from_str::<TurnEvent>(&line).unwrap(), event);
    }

    #[test]
    fn every_event_matches_its_published_schema(event in event()) {
        thread_local! { static SCHEMA: jsonschema::Validator = schema(); }
        let value = serde_json::to_value(&event).unwrap();
        prop_assert!(SCHEMA.with(|schema| schema.is_valid(&value)), "{}", value);
    }

    #[test]
    fn a_key_of_a_newer_writer_is_ignored(event in event()) {
        let mut value = serde_json::to_value(&event).unwrap();
        value["zzNewer"] = json!({"deep": [1]});
        prop_assert_eq!(serde_json::from_value::<TurnEvent>(value).unwrap(), event);
    }

    #[test]
    fn no_json_makes_reading_an_event_panic(value in any_json()) {
        let _ = serde_json::from_value::<TurnEvent>(value);
    }
}

#[test]
fn what_is_left_out_is_not_null() {
    let done = TurnEvent::Done(DoneEvent::new("h1".to_owned()));
    assert_eq!(serde_json::to_string(&done).unwrap(), r#"{"done":true,"historyId":"h1"}"#);
    let reload = TurnEvent::Reload { reload: True };
    assert_eq!(serde_json::to_string(&reload).unwrap(), r#"{"reload":true}"#);
    let retracted = TurnEvent::Retracted { retracted: Retracted::Text };
    assert_eq!(serde_json::to_string(&retracted).unwrap(), r#"{"retracted":"text"}"#);
}

#[test]
fn a_tool_may_return_null() {
    let line = r#"{"toolResult":{"toolCallId":"c","toolName":"t","result":null}}"#;
    let event: TurnEvent = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_value(&event).unwrap()["toolResult"]["result"], Value::Null);
}

#[test]
fn what_is_no_event_is_refused() {
    for line in
        ["{}", "[]", "null", r#"{"done":false,"historyId":"h"}"#, r#"{"done":true}"#, r#"{"reload":false}"#]
    {
        assert!(serde_json::from_str::<TurnEvent>(line).is_err(), "{line}");
    }
}
