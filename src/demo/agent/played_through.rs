//! Whole exchanges with the demo agent, played by the engine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use object_store::memory::InMemory;
use serde_json::{Value, json};
use turnwright_actors::bus::InProcessBus;
use turnwright_actors::clock::Clock;
use turnwright_actors::engine::{CommandBody, Engine, EngineParts, Submission};
use turnwright_actors::error::Refusal;
use turnwright_actors::files::FileStore;
use turnwright_actors::ids::ConversationId;
use turnwright_actors::settings::EngineSettings;
use turnwright_schemas::{AskKind, PendingAskSummary, Surface, TurnResult};

use super::*;
use crate::demo::todos::tests::Fixture;

/// A user in a chat of its own with the demo agent.
struct Chat {
    engine: Engine,
    fixture: Fixture,
    id: ConversationId,
    surface: Surface,
}

impl Chat {
    async fn new(surface: Surface, demo: &DemoAgentSettings, asks_enabled: bool) -> Self {
        let fixture = Fixture::new().await;
        let asks =
            AskSettings { enabled: asks_enabled, kinds: AskKind::ALL.to_vec(), max_file_size_bytes: 1 << 20 };
        let mut settings = EngineSettings::default();
        settings.asks.enabled = asks_enabled;
        let engine = Engine::start(EngineParts {
            settings,
            database: fixture.database.clone(),
            files: FileStore::new(fixture.database.clone(), Arc::new(InMemory::new()), Clock::System),
            agent: Arc::new(DemoAgent::new(demo, &asks, fixture.todos.clone()).unwrap()),
            bus: Arc::new(InProcessBus::default()),
            clock: Clock::System,
            runtime: tokio::runtime::Handle::current(),
        });
        let id = engine.create(fixture.ann, String::new()).await.unwrap().id.parse().unwrap();
        Self { engine, fixture, id, surface }
    }

    async fn send(&self, command: CommandBody) -> Result<TurnResult, Refusal> {
        let (user_id, conversation_id) = (self.fixture.ann, Some(self.id));
        let sent =
            self.engine.submit(Submission { user_id, conversation_id, surface: self.surface, command }).await;
        Ok(sent?.into_result().await?)
    }

    /// Says something and is asked.
    async fn asked(&self, text: &str) -> PendingAskSummary {
        let result = self.send(CommandBody::Prompt { text: text.to_owned() }).await.unwrap();
        assert_eq!((result.text.as_str(), result.error), ("", None));
        result.pending_ask.expect("an ask")
    }

    /// Answers the ask and is replied to.
    async fn reply(&self, ask: PendingAskSummary, response: Value) -> String {
        let command = CommandBody::Answer { tool_call_id: ask.tool_call_id, response };
        self.told(command).await
    }

    async fn press(&self, ask: PendingAskSummary, button: &str) -> String {
        let button_id = button.to_owned();
        self.told(CommandBody::Button { tool_call_id: ask.tool_call_id, button_id }).await
    }

    async fn told(&self, command: CommandBody) -> String {
        let result = self.send(command).await.unwrap();
        assert!(result.error.is_none() && result.pending_ask.is_none(), "{result:?}");
        result.text
    }
}

fn demo() -> DemoAgentSettings {
    DemoAgentSettings { enabled: true, delay: Duration::ZERO, script: None, record: None }
}

fn on_a_system(test: impl Future<Output = ()>) {
    actix_rt::System::new().block_on(test);
}

fn accepted(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

fn data_url(mime_type: &str, bytes: &[u8]) -> String {
    format!("data:{mime_type};base64,{}", BASE64_STANDARD.encode(bytes))
}

#[test]
fn a_plan_is_picked_from_a_watch() {
    on_a_system(async {
        let chat = Chat::new(Surface::Compact, &demo(), true).await;
        let ask = chat.asked("Help me pick a plan").await;
        let buttons: Vec<&str> = ask.simple.buttons.iter().map(|button| button.id.as_str()).collect();
        assert_eq!(buttons, ["option:team", "option:starter", "option:enterprise"]);
        let reply = chat.press(ask, "option:starter").await;
        assert_eq!(reply, "You picked the Starter plan. A real agent would set it up now.");
    });
}

#[test]
fn every_kind_of_ask_is_answered_in_one_chat() {
    on_a_system(async {
        let chat = Chat::new(Surface::Full, &demo(), true).await;
        let ask = chat.asked("Pick toppings for my pizza").await;
        let reply =
            chat.reply(ask, accepted(json!({"selected": ["cheese", "olives"], "other": "Basil"}))).await;
        assert!(reply.contains("Extra cheese, Olives and Basil"), "{reply}");

        let ask = chat.asked("Archive old chats").await;
        let reply = chat.reply(ask, accepted(json!({"confirmed": false}))).await;
        assert!(reply.contains("kept your chats"), "{reply}");

        let ask = chat.asked("Draft an announcement").await;
        let text = "The launch is on Monday, and everybody is invited to it.";
        let reply = chat.reply(ask, accepted(json!({"markdown": text, "changed": true}))).await;
        assert!(reply.contains(text), "{reply}");

        let ask = chat.asked("Fill in the invoice details").await;
        let values =
            json!({"company": "Initech", "email": "pay@initech.test", "seats": 12, "start": "2026-10-01"});
        let reply = chat.reply(ask, accepted(json!({"values": values}))).await;
        assert!(reply.contains("- Company name: Initech") && reply.contains("- Seats: 12"), "{reply}");

        let ask = chat.asked("Upload a receipt").await;
        let csv = b"item,price\ncoffee,3.50\n";
        let files = json!([
            {"url": data_url("text/csv", csv), "filename": "receipt.csv", "mimeType": "text/csv", "size": csv.len()},
            {"url": data_url("application/pdf", b"%PDF-1.7\n"), "filename": "receipt.pdf",
             "mimeType": "application/pdf", "size": 9},
        ]);
        let reply = chat.reply(ask, accepted(json!({"files": files}))).await;
        assert!(reply.contains("receipt.csv (text/csv, 23 bytes). Its first line: item,price"), "{reply}");
        assert!(reply.contains("receipt.pdf (application/pdf, 9 bytes)"), "{reply}");

        let ask = chat.asked("Help me pick a plan").await;
        let reply = chat.reply(ask, json!({"action": "decline"})).await;
        assert_eq!(reply, "You skipped the question, so I did not set up a plan.");
    });
}

#[test]
fn completed_todos_are_deleted_only_once_the_user_approves() {
    on_a_system(async {
        for surface in [Surface::Full, Surface::Compact] {
            let chat = Chat::new(surface, &demo(), true).await;
            let fixture = &chat.fixture;
            fixture.complete(fixture.ann, "Buy milk").await;
            fixture.add(fixture.ann, "Call Bob").await;

            let ask = chat.asked("Delete my completed todos").await;
            assert_eq!(ask.simple.text, "Delete all of your completed todos? You can't undo this.");
            let labels: Vec<&str> = ask.simple.buttons.iter().map(|button| button.label.as_str()).collect();
            assert_eq!(labels, ["Delete", "Keep them"]);
            let reply = chat.press(ask, "deny").await;
            assert!(reply.contains("kept your completed todos"), "{reply}");
            assert_eq!(fixture.titles(fixture.ann).await, ["Buy milk", "Call Bob"]);

            let ask = chat.asked("Delete my completed todos").await;
            let reply = chat.press(ask, "approve").await;
            assert_eq!(reply, "I deleted 1 completed todo: Buy milk.");
            assert_eq!(fixture.titles(fixture.ann).await, ["Call Bob"]);
        }
    });
}

#[test]
fn with_asks_off_nothing_is_asked_or_deleted() {
    on_a_system(async {
        let chat = Chat::new(Surface::Full, &demo(), false).await;
        chat.fixture.complete(chat.fixture.ann, "Buy milk").await;
        for text in ["Help me pick a plan", "Delete my completed todos"] {
            let reply = chat.told(CommandBody::Prompt { text: text.to_owned() }).await;
            assert!(reply.contains("asks are turned off"), "{reply}");
        }
        assert_eq!(chat.fixture.titles(chat.fixture.ann).await, ["Buy milk"]);
    });
}

/// The lines of a record by what they tell of.
fn recorded_lines(path: &Path) -> Vec<String> {
    let lines = fs::read_to_string(path).unwrap();
    let kind = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["tool"].as_str().map_or("request".to_owned(), str::to_owned)
    };
    lines.lines().map(kind).collect()
}

#[test]
fn the_record_counts_model_requests_and_tool_runs() {
    on_a_system(async {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("record.jsonl");
        let chat =
            Chat::new(Surface::Full, &DemoAgentSettings { record: Some(record.clone()), ..demo() }, true)
                .await;
        let ask = chat.asked("Delete my completed todos").await;
        assert_eq!(recorded_lines(&record), ["request"]);
        chat.press(ask, "approve").await;
        assert_eq!(recorded_lines(&record), ["request", "deleteCompletedTodos", "request"]);
    });
}

#[test]
fn a_script_that_went_bad_refuses_the_answer_and_the_mended_one_takes_it() {
    on_a_system(async {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("play.json");
        let play = json!({
            "rules": [{"when": "pay", "requests": [
                [{"call": {"id": "call_1", "name": "ask_confirm", "args": {"prompt": "Pay?"}}}],
                [{"text": "Paid."}],
            ]}],
        });
        fs::write(&script, play.to_string()).unwrap();
        let chat =
            Chat::new(Surface::Full, &DemoAgentSettings { script: Some(script.clone()), ..demo() }, true)
                .await;
        let ask = chat.asked("pay").await;
        let answer = || CommandBody::Button {
            tool_call_id: ask.tool_call_id.clone(),
            button_id: "approve".to_owned(),
        };
        fs::write(&script, "{").unwrap();
        assert!(matches!(chat.send(answer()).await, Err(Refusal::NotPrepared(_))));
        fs::write(&script, play.to_string()).unwrap();
        assert_eq!(chat.told(answer()).await, "Paid.");
    });
}
