//! Turns of one conversation run one after another (rule 4), and what waits keeps its claims (rules 2 and 3).

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Notify;
use turnwright_actors::engine::CommandBody;
use turnwright_actors::error::Refusal;
use turnwright_actors::settings::EngineSettings;
use turnwright_schemas::problem::AskEndedStatus;

use crate::support::{Part, on_both};
use crate::turns::confirm;

#[test]
fn a_prompt_waits_for_the_running_turn() {
    on_both(EngineSettings::default(), async |world| {
        let go = Arc::new(Notify::new());
        world.agent.will([vec![Part::Wait(Arc::clone(&go)), Part::Text("One.")], vec![Part::Text("Two.")]]);
        let first = world.prompt("first").await;
        let second = world.prompt("second").await;
        assert_ne!(first.task_id, second.task_id);
        go.notify_one();
        assert_eq!(first.into_result().await.unwrap().text, "One.");
        assert_eq!(second.into_result().await.unwrap().text, "Two.");
        assert_eq!(
            world.transcript().await,
            ["user: first", "assistant: One.", "user: second", "assistant: Two."]
        );
    });
}

#[test]
fn a_prompt_that_waited_since_before_the_ask_does_not_cancel_it() {
    on_both(EngineSettings::default(), async |world| {
        let go = Arc::new(Notify::new());
        world.agent.will([
            vec![Part::Wait(Arc::clone(&go)), confirm("call_1")],
            vec![Part::Text("Meanwhile.")],
            vec![Part::Text("Confirmed.")],
        ]);
        let first = world.prompt("first").await;
        let second = world.prompt("second").await;
        go.notify_one();
        assert!(first.into_result().await.unwrap().pending_ask.is_some());
        assert_eq!(second.into_result().await.unwrap().text, "Meanwhile.");
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        let done = world.answer("call_1", yes).await.unwrap().into_result().await.unwrap();
        assert_eq!(done.text, "Confirmed.");
    });
}

#[test]
fn an_ask_of_a_second_turn_is_cancelled_while_the_slot_is_taken() {
    on_both(EngineSettings::default(), async |world| {
        let go = Arc::new(Notify::new());
        world.agent.will([vec![Part::Wait(Arc::clone(&go)), confirm("call_1")], vec![confirm("call_2")]]);
        let first = world.prompt("first").await;
        let second = world.prompt("second").await;
        go.notify_one();
        first.into_result().await.unwrap();
        let second = second.into_result().await.unwrap();
        assert_eq!((second.text.as_str(), second.error, second.pending_ask), ("", None, None));
        assert_eq!(world.agent.given.lock().unwrap().len(), 2);
        assert_eq!(world.history().await.pending_ask.unwrap().tool_call_id, "call_1");
        let last = world.transcript().await.pop().unwrap();
        assert_eq!(last, r#"tool-result: {"action":"cancel","reason":"one_ask_at_a_time"}"#);
    });
}

#[test]
fn an_answer_that_waits_has_claimed_its_ask() {
    on_both(EngineSettings::default(), async |world| {
        let (go, pause) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        world.agent.will([
            vec![Part::Wait(Arc::clone(&go)), confirm("call_1")],
            vec![Part::Wait(Arc::clone(&pause)), Part::Text("Meanwhile.")],
            vec![Part::Text("Confirmed.")],
        ]);
        let first = world.prompt("first").await;
        let second = world.prompt("second").await;
        go.notify_one();
        first.into_result().await.unwrap();

        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        let waiting = world.answer("call_1", yes.clone()).await.unwrap();
        let Err(Refusal::AskNotPending(Some(ended))) = world.answer("call_1", yes).await else { panic!() };
        assert_eq!((ended.status, ended.action), (AskEndedStatus::Claimed, None));
        assert_eq!(world.history().await.pending_ask, None);
        assert!(world.engine.pending_asks(world.user).await.unwrap().is_empty());
        pause.notify_one();
        assert_eq!(second.into_result().await.unwrap().text, "Meanwhile.");
        assert_eq!(waiting.into_result().await.unwrap().text, "Confirmed.");
    });
}

#[test]
fn so_many_prompts_wait_and_no_more() {
    let settings = EngineSettings { queue_limit: 2, ..EngineSettings::default() };
    on_both(settings, async |world| {
        let go = Arc::new(Notify::new());
        world.agent.will([vec![Part::Wait(Arc::clone(&go))]]);
        let accepted = [world.prompt("1").await, world.prompt("2").await, world.prompt("3").await];
        let refused = world.submit(CommandBody::Prompt { text: "4".to_owned() }).await;
        assert!(matches!(refused, Err(Refusal::QueueFull { limit: 2 })));
        go.notify_one();
        for accepted in accepted {
            assert_eq!(accepted.into_result().await.unwrap().error, None);
        }
        assert_eq!(world.transcript().await, ["user: 1", "user: 2", "user: 3"]);
    });
}
