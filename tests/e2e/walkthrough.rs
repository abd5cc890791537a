//! The small-client walkthrough of the reference, on a node that was just started.

use std::process::Command;

use serde_json::json;

use crate::support::{Node, shared};

const BUTTONS: &str = r#"["option:team","option:starter","option:enterprise"]"#;

#[tokio::test]
async fn the_walkthrough_prints_its_two_lines() {
    let script = shared::place_of("walkthrough.sh");
    if shared::read("walkthrough.sh").is_none() {
        return;
    }
    if !["curl", "jq"].iter().all(|program| is_installed(program)) {
        eprintln!("skipped: the walkthrough needs curl and jq");
        return;
    }
    let node = Node::start().await;
    let url = node.url();
    let ran = tokio::task::spawn_blocking(move || Command::new("bash").arg(script).arg(url).output());
    let ran = ran.await.unwrap().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let printed = String::from_utf8(ran.stdout).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert_eq!(lines[0], BUTTONS);
    assert!(lines[1].contains("Starter"), "{printed}");
}

/// The same steps without curl and jq, each response held to the documented API.
#[tokio::test]
async fn a_small_client_asks_for_a_plan_and_presses_a_button() {
    let node = Node::start().await;
    let watch = node.client().sign_in("test@example.com", "testpassword123").await;
    let history = watch.new_history().await;
    let asked = watch.turn(&history, json!({"prompt": "Help me pick a plan", "surface": "compact"})).await;
    insta::assert_json_snapshot!("asked", asked.snapshot());
    let pending = watch.pending_asks().await;
    let buttons = pending[0]["simple"]["buttons"].as_array().unwrap();
    let buttons: Vec<&str> = buttons.iter().map(|button| button["id"].as_str().unwrap()).collect();
    assert_eq!(json!(buttons).to_string(), BUTTONS);
    let ask = asked.data()["pendingAsk"]["toolCallId"].take();
    let press = json!({"toolCallId": ask, "buttonId": "option:starter", "surface": "compact"});
    let answered = watch.turn(&history, press).await;
    assert!(answered.data()["text"].as_str().unwrap().contains("Starter"));
    insta::assert_json_snapshot!("answered", answered.snapshot());
    assert!(watch.pending_asks().await.is_empty());
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|ran| ran.status.success())
}
