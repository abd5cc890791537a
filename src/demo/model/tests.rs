//! Every row of the table "You send | The demo agent" (spec, "Try it without an API key"), on both surfaces.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod any_text;

use std::sync::Arc;

use futures_util::FutureExt;
use turnwright_actors::ids::TaskId;
use turnwright_actors::ports::{ModelMessage, ModelResult, ToolOutput, ToolSpec};

use super::*;
use crate::demo::todo_tool::DELETE_COMPLETED_TODOS;

const ASKS: [&str; 5] = ["ask_choice", "ask_confirm", "ask_markdown", "ask_form", "ask_files"];

/// A request of a full screen, with every ask and the demo agent's tool offered.
fn request(text: &str) -> ModelRequest {
    let mut request = ModelRequest {
        task_id: TaskId::new(),
        request: 0,
        surface: Surface::Full,
        system: String::new(),
        messages: vec![ModelMessage::User { text: text.to_owned() }],
        tools: Vec::new(),
    };
    offer(&mut request, &ASKS);
    offer(&mut request, &[DELETE_COMPLETED_TODOS]);
    request
}

/// The same of a small screen, which offers two kinds.
fn compact(text: &str) -> ModelRequest {
    let mut request = request(text);
    request.surface = Surface::Compact;
    request.tools.clear();
    offer(&mut request, &[ASKS[0], ASKS[1], DELETE_COMPLETED_TODOS]);
    request
}

fn offer(request: &mut ModelRequest, tools: &[&str]) {
    request.tools.extend(tools.iter().map(|name| {
        Arc::new(ToolSpec { name: (*name).to_owned(), description: String::new(), input_schema: json!({}) })
    }));
}

fn without_asks(mut request: ModelRequest) -> ModelRequest {
    request.tools.retain(|tool| !tool.name.starts_with("ask_"));
    request
}

fn model(asks_enabled: bool) -> DemoModel {
    DemoModel { delay: Duration::ZERO, asks_enabled }
}

fn next_move(request: &ModelRequest) -> Move {
    model(true).next_move(request)
}

/// The request after the call that `request` leads to came to `output`.
fn after(mut request: ModelRequest, output: ToolOutput) -> ModelRequest {
    let Move::Call { tool, args } = next_move(&request) else { panic!("no call in {request:?}") };
    let call = ModelCall { id: "call_1".to_owned(), name: tool.to_owned(), args };
    request.messages.push(ModelMessage::Assistant { text: String::new(), calls: vec![call], provider: None });
    let result = ModelResult { id: "call_1".to_owned(), name: tool.to_owned(), output, files: Vec::new() };
    request.messages.push(ModelMessage::Tool { results: vec![result] });
    request.request += 1;
    request
}

fn answered(request: ModelRequest, content: Value) -> ModelRequest {
    after(request, ToolOutput::Json(json!({"action": "accept", "content": content})))
}

fn skipped(request: ModelRequest) -> ModelRequest {
    after(request, ToolOutput::Json(json!({"action": "decline"})))
}

fn dropped(request: ModelRequest) -> ModelRequest {
    after(request, ToolOutput::Json(json!({"action": "cancel", "reason": "user_cancelled"})))
}

fn denied(request: ModelRequest, reason: &str) -> ModelRequest {
    after(request, ToolOutput::ExecutionDenied { reason: reason.to_owned() })
}

fn said(request: &ModelRequest) -> String {
    text_of(next_move(request))
}

/// What is said on a server whose asks are off, which offers no kind.
fn said_with_asks_off(request: ModelRequest) -> String {
    text_of(model(false).next_move(&without_asks(request)))
}

fn text_of(next: Move) -> String {
    match next {
        Move::Say(text) => text,
        Move::Call { tool, .. } => panic!("called {tool}"),
    }
}

fn asked(request: &ModelRequest, kind: AskKind) -> Value {
    match next_move(request) {
        Move::Call { tool, args } if tool == kind.tool_name() => args,
        other => panic!("{other:?} instead of {kind}"),
    }
}

/// One or two short sentences without markdown.
fn assert_fits_a_watch(reply: &str) {
    assert!(reply.chars().count() <= 200, "long: {reply}");
    let sentences = reply.split(' ').filter(|word| word.ends_with(['.', '!', '?'])).count();
    assert!((1..=2).contains(&sentences), "{sentences} sentences: {reply}");
    assert!(!reply.contains(['*', '`', '#', '\n', '[']), "markdown: {reply}");
}

#[test]
fn a_message_about_toppings_asks_for_several_with_two_preselected_and_an_other_field() {
    for text in ["pick toppings", "pick several toppings", "One TOPPING please", "Pick toppings for my pizza"]
    {
        let ask = asked(&request(text), AskKind::Choice);
        assert_eq!(ask["prompt"], "Which toppings should I add? Pick up to three.");
        assert_eq!(ask["select"], "many");
        assert_eq!(ask["options"].as_array().unwrap().len(), 6);
        assert_eq!(ask["default"], json!(["cheese", "mushrooms"]));
        assert_eq!(ask["options"][0]["label"], "Extra cheese");
        assert_eq!(ask["options"][1]["label"], "Mushrooms");
        assert_eq!(ask["maxSelected"], 3);
        assert_eq!(ask["allowOther"], true);
        assert_eq!(ask["otherLabel"], "Another topping");
        assert_eq!(ask["submitLabel"], "Add toppings");
    }
}

#[test]
fn a_message_about_the_weekly_report_asks_to_send_it() {
    let expected = json!({
        "title": "Weekly report",
        "prompt": "Send the weekly report to the team now? It goes to 8 people.",
        "confirmLabel": "Send report",
        "denyLabel": "Not now",
    });
    assert_eq!(asked(&request("send the weekly report"), AskKind::Confirm), expected);
    assert_eq!(asked(&compact("Send the Weekly Report"), AskKind::Confirm), expected);
}

#[test]
fn a_message_with_archive_asks_to_confirm_what_cannot_be_undone() {
    let expected = json!({
        "title": "Archive old chats",
        "prompt": "Archive the 12 chats older than 90 days? You can't undo this.",
        "confirmLabel": "Archive 12 chats",
        "denyLabel": "Keep them",
        "destructive": true,
    });
    assert_eq!(asked(&request("archive old chats"), AskKind::Confirm), expected);
    assert_eq!(asked(&compact("Archive old chats"), AskKind::Confirm), expected);
}

#[test]
fn a_message_about_an_announcement_asks_to_edit_a_draft() {
    let ask = asked(&request("Draft an announcement"), AskKind::Markdown);
    assert_eq!(ask["minLength"], 40);
    assert_eq!(ask["maxLength"], 2000);
    assert_eq!(ask["submitLabel"], "Post it");
    assert!((40..=2000).contains(&ask["initial"].as_str().unwrap().len()));
}

#[test]
fn a_message_about_an_invoice_or_a_form_asks_for_eight_details() {
    for text in ["Fill in the invoice details", "invoice details", "fill out a form"] {
        let ask = asked(&request(text), AskKind::Form);
        assert_eq!(ask["title"], "Invoice details");
        assert_eq!(ask["submitLabel"], "Send details");
        let fields = ask["fields"].as_array().unwrap();
        let of = |key: &str| fields.iter().map(|field| field[key].clone()).collect::<Value>();
        assert_eq!(
            of("type"),
            json!(["text", "email", "phone", "number", "date", "select", "boolean", "textarea"])
        );
        assert_eq!(of("required"), json!([true, true, null, null, null, null, null, null]));
        assert_eq!(
            of("default"),
            json!(["Acme Inc.", "billing@example.com", null, 5, null, "us", true, null])
        );
        assert_eq!(fields[3]["label"], "Seats");
        assert_eq!(
            (&fields[3]["min"], &fields[3]["max"], &fields[3]["integer"]),
            (&json!(1), &json!(500), &json!(true))
        );
        assert_eq!(fields[5]["options"][0], json!({"id": "us", "label": "United States"}));
        assert_eq!(fields[6]["label"], "Email me the invoice");
    }
}

#[test]
fn a_message_about_a_receipt_or_an_upload_asks_for_files() {
    for text in [
        "Upload a receipt",
        "my receipts",
        "upload a file",
        "upload an image",
        "upload my document",
        "please upload some photos",
        "upload the file",
        "upload files",
    ] {
        let ask = asked(&request(text), AskKind::Files);
        assert_eq!(ask["title"], "Upload a receipt");
        assert_eq!(ask["accept"], json!(["image", "pdf", "text", "csv"]));
        assert_eq!(ask["maxFiles"], 3);
        assert_eq!(ask["submitLabel"], "Send receipt");
    }
}

#[test]
fn having_uploaded_something_asks_for_nothing() {
    for text in ["I uploaded the slides", "I uploaded the file", "upload it"] {
        assert!(said(&request(text)).contains("script"), "{text}");
    }
}

#[test]
fn a_message_to_delete_what_is_completed_calls_the_tool_that_needs_approval() {
    for text in [
        "Delete my completed todos",
        "clear the completed ones",
        "Please remove everything I completed",
        "Hi. Delete my completed todos!",
    ] {
        for request in [request(text), compact(text)] {
            let Move::Call { tool, args } = next_move(&request) else { panic!("no call for {text}") };
            assert_eq!((tool, args), ("deleteCompletedTodos", json!({})));
        }
    }
}

#[test]
fn completed_before_delete_or_in_another_sentence_deletes_nothing() {
    for text in
        ["I completed the report, please delete the draft", "Delete the draft. I completed the report."]
    {
        assert!(said(&request(text)).contains("script"), "{text}");
    }
}

#[test]
fn a_message_to_pick_choose_or_plan_asks_for_a_plan_on_either_surface() {
    for text in ["Help me pick a plan", "choose between several plans", "What is the plan?", "CHOOSE for me"]
    {
        for request in [request(text), compact(text)] {
            let ask = asked(&request, AskKind::Choice);
            assert_eq!(ask["prompt"], "Which plan should I set up for your workspace?");
            let labels: Vec<&Value> =
                ask["options"].as_array().unwrap().iter().map(|option| &option["label"]).collect();
            assert_eq!(labels, ["Starter", "Team", "Enterprise"]);
            assert_eq!(ask["default"], json!(["team"]));
        }
    }
}

#[test]
fn a_narrower_scenario_wins_over_a_wider_one() {
    asked(&request("pick a form"), AskKind::Form);
    asked(&request("choose an announcement for the plan"), AskKind::Markdown);
    asked(&request("plan to archive"), AskKind::Confirm);
    asked(&request("pick toppings for the weekly report"), AskKind::Choice);
}

#[test]
fn words_that_only_contain_a_trigger_start_nothing() {
    for text in ["the planet", "informal information", "archived", "stoppings", "a picket"] {
        assert!(said(&request(text)).contains("script"), "{text}");
    }
}

#[test]
fn anything_else_is_told_of_the_script_and_of_real_models_with_and_without_asks() {
    for text in ["Hello", "", "What's the weather?"] {
        for reply in [said(&request(text)), said_with_asks_off(request(text))] {
            assert!(reply.contains("script") && reply.contains("real model"), "{reply}");
        }
        for reply in [said(&compact(text)), said_with_asks_off(compact(text))] {
            assert!(reply.contains("script") && reply.contains("real model"), "{reply}");
            assert_fits_a_watch(&reply);
        }
    }
}

const OPENINGS: [&str; 7] = [
    "pick toppings",
    "send the weekly report",
    "archive old chats",
    "draft an announcement",
    "invoice details",
    "upload a receipt",
    "pick a plan",
];

#[test]
fn with_asks_off_it_says_so_and_how_to_turn_them_on() {
    for text in OPENINGS {
        let reply = said_with_asks_off(request(text));
        assert!(
            reply.contains("asks are turned off") && reply.contains("TURNWRIGHT__ASKS__ENABLED"),
            "{reply}"
        );
        let reply = said_with_asks_off(compact(text));
        assert!(reply.contains("turned off") && reply.contains("asks.enabled"), "{reply}");
        assert_fits_a_watch(&reply);
    }
}

#[test]
fn a_kind_that_is_not_offered_is_named_with_how_to_turn_it_on() {
    for (text, kind) in
        OPENINGS.iter().zip(["choice", "confirm", "confirm", "markdown", "form", "files", "choice"])
    {
        let reply = said(&without_asks(request(text)));
        assert!(reply.contains(&format!("`{kind}`")) && reply.contains("TURNWRIGHT__ASKS__KINDS"), "{reply}");
    }
    let reply = said(&without_asks(compact("pick a plan")));
    assert!(reply.contains("choice") && reply.contains("asks.kinds"), "{reply}");
    assert_fits_a_watch(&reply);
}

#[test]
fn what_a_small_screen_cannot_ask_is_left_to_the_phone() {
    for text in ["pick toppings", "draft an announcement", "invoice details", "upload a receipt"] {
        let reply = said(&compact(text));
        assert!(reply.contains("on your phone"), "{reply}");
        assert_fits_a_watch(&reply);
    }
}

#[test]
fn without_the_tool_or_with_asks_off_it_says_why_it_deleted_nothing() {
    let mut without_tool = request("delete my completed todos");
    without_tool.tools.retain(|tool| tool.name != DELETE_COMPLETED_TODOS);
    assert!(said(&without_tool).contains("not available"));
    let reply = said_with_asks_off(request("delete my completed todos"));
    assert!(reply.contains("asks are turned off") && reply.contains("TURNWRIGHT__ASKS__ENABLED"), "{reply}");
    assert_fits_a_watch(&said_with_asks_off(compact("delete my completed todos")));
}

#[test]
fn approvals_work_without_a_kind_to_ask() {
    let call = next_move(&without_asks(request("delete my completed todos")));
    assert!(matches!(call, Move::Call { tool: "deleteCompletedTodos", .. }), "{call:?}");
}

#[test]
fn a_reply_is_streamed_in_at_most_twelve_chunks_that_join_to_it() {
    for text in ["", "one", "two words", "a\n\n b  c", &"word ".repeat(1000), &"x".repeat(5000)] {
        let chunks = chunks(text);
        assert!(chunks.len() <= CHUNKS, "{}", chunks.len());
        assert_eq!(chunks.concat(), text);
    }
    assert_eq!(chunks("You picked the Team plan.").len(), 5);
}

#[tokio::test]
async fn every_chunk_waits_for_the_delay() {
    let delay = Duration::from_millis(2);
    let start = std::time::Instant::now();
    assert_eq!(DemoModel { delay, ..model(true) }.stream(request("hello")).count().await, CHUNKS);
    assert!(start.elapsed() >= delay * 12);
}

#[test]
fn a_call_waits_for_nothing_and_without_a_delay_a_reply_does_not_either() {
    let hour = DemoModel { delay: Duration::from_secs(3600), ..model(true) };
    assert_eq!(hour.stream(request("pick a plan")).count().now_or_never(), Some(1));
    assert_eq!(model(true).stream(request("hello")).count().now_or_never(), Some(CHUNKS));
}

#[tokio::test]
async fn calls_have_ids_of_their_own() {
    let model = model(true);
    let mut ids = std::collections::HashSet::new();
    for _ in 0..100 {
        let mut parts = model.stream(request("pick a plan"));
        let Some(Ok(ModelPart::Call(call))) = parts.next().await else { panic!("no call") };
        assert!(call.id.starts_with("call_"));
        assert!(ids.insert(call.id));
    }
}
