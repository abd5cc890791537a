//! What the demo agent prepares turns with.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;
use turnwright_actors::ids::UserId;
use turnwright_schemas::{AskKind, Surface};

use super::*;
use crate::demo::todos::tests::Fixture;

async fn agent(script: Option<PathBuf>, record: Option<PathBuf>) -> Result<DemoAgent, StartError> {
    let settings = DemoAgentSettings { enabled: true, delay: Duration::ZERO, script, record };
    let asks = AskSettings { enabled: true, kinds: AskKind::ALL.to_vec(), max_file_size_bytes: 1 };
    DemoAgent::new(&settings, &asks, Fixture::new().await.todos)
}

async fn prepare(agent: &DemoAgent) -> Result<Vec<String>, PrepareError> {
    let turn = TurnContext { user_id: UserId::new(), conversation_id: None, surface: Surface::Full };
    let prepared = agent.prepare(&turn).await?;
    Ok(prepared.tools.iter().map(|tool| tool.spec().name.clone()).collect())
}

fn folder_with(script: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("play.json");
    fs::write(&path, script).unwrap();
    (folder, path)
}

#[tokio::test]
async fn the_demo_agent_has_its_one_tool() {
    assert_eq!(prepare(&agent(None, None).await.unwrap()).await.unwrap(), ["deleteCompletedTodos"]);
}

#[tokio::test]
async fn a_scripted_agent_has_the_tools_of_its_script_only() {
    let (folder, script) = folder_with(r#"{"tools": [{"name": "charge"}, {"name": "refund"}]}"#);
    let record = Some(folder.path().join("record.jsonl"));
    assert_eq!(prepare(&agent(Some(script), record).await.unwrap()).await.unwrap(), ["charge", "refund"]);
}

#[tokio::test]
async fn a_script_that_goes_bad_fails_preparations_until_it_is_mended() {
    let (_folder, script) = folder_with("{}");
    let agent = agent(Some(script.clone()), None).await.unwrap();
    assert!(prepare(&agent).await.unwrap().is_empty());
    fs::write(&script, "broken").unwrap();
    assert!(prepare(&agent).await.unwrap_err().0.contains("is not a valid script"));
    fs::write(&script, r#"{"tools": [{"name": "charge"}]}"#).unwrap();
    assert_eq!(prepare(&agent).await.unwrap(), ["charge"]);
}

#[tokio::test]
async fn a_wrong_script_or_record_stops_the_start_with_the_setting_named() {
    let (_folder, script) = folder_with(r#"{"rules": [{"when": "("}]}"#);
    let error = agent(Some(script), None).await.err().unwrap().to_string();
    assert!(error.starts_with("the setting demo.script cannot be used: "), "{error}");
    assert!(error.contains("rules[0].when"), "{error}");
    let error = agent(Some("/nowhere/play.json".into()), None).await.err().unwrap().to_string();
    assert!(
        error.starts_with("the setting demo.script cannot be used: /nowhere/play.json cannot be read"),
        "{error}"
    );
    let error = agent(None, Some("/nowhere/record.jsonl".into())).await.err().unwrap().to_string();
    assert!(error.starts_with("the setting demo.record cannot be used: "), "{error}");
}
