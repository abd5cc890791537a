//! A turn whose node is gone goes on from its last commit (rules 8 and 9).

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Notify;
use turnwright_actors::engine::Engine;
use turnwright_actors::ports::{ModelMessage, Replay, Tool, ToolOutput};
use turnwright_actors::settings::EngineSettings;
use turnwright_actors::streams::Position;
use turnwright_schemas::events::TurnEvent;

use crate::support::{Part, TestTool, World, on_both};
use crate::turns::confirm;

/// Reads the conversation's events from the start until a turn has ended as often as asked.
async fn heard(world: &World, engine: &Engine, dones: usize) -> Vec<TurnEvent> {
    let at = Some(Position { seq: 0, offset: 0 });
    let mut stream = engine.listen(world.conversation, world.user, at).await.unwrap();
    let mut events = Vec::new();
    while events.iter().filter(|event| matches!(event, TurnEvent::Done(_))).count() < dones {
        events.push(stream.next().await.unwrap().unwrap().event);
    }
    events
}

fn hangs() -> Part {
    Part::Wait(Arc::new(Notify::new()))
}

#[test]
fn a_model_request_is_made_again_and_what_was_said_of_it_is_retracted() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![Part::Text("Lost "), hangs()], vec![Part::Text("Found.")]]);
        let mut lost = world.prompt("Start").await;
        assert!(matches!(lost.events.next().await.unwrap().event, TurnEvent::Text { .. }));
        let queued = world.prompt("Next").await;

        let node = world.next_node();
        assert_eq!(node.recover().await.unwrap(), 1);
        let events = heard(&world, &node, 2).await;
        assert!(events.iter().any(|event| matches!(event, TurnEvent::Retracted { .. })));
        assert_eq!(world.transcript().await, ["user: Start", "assistant: Found.", "user: Next"]);
        let given = world.agent.given.lock().unwrap();
        assert_eq!((given[0].request, given[1].request), (0, 0));
        assert_eq!((given[0].task_id, given[2].task_id), (given[1].task_id, queued.task_id));
    });
}

#[test]
fn a_call_that_may_not_run_twice_is_reported_as_interrupted_and_a_safe_one_runs_again() {
    on_both(EngineSettings::default(), async |world| {
        let stuck = |name, replay| {
            let mut tool = TestTool::new(name, || Ok(json!("ran")));
            tool.waits = Some(Arc::new(Notify::new()));
            tool.replay = replay;
            Arc::new(tool)
        };
        let never = stuck("never", Replay::Never);
        let safe = stuck("safe", Replay::Safe);
        *world.agent.tools.lock().unwrap() = vec![never.clone() as Arc<dyn Tool>, safe.clone()];
        let calls = ["never", "safe"].map(|name| Part::Call(name, name, json!({})));
        world.agent.will([calls.to_vec(), vec![Part::Text("Done.")]]);
        let _lost = world.prompt("Start").await;
        while never.runs.lock().unwrap().is_empty() || safe.runs.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }

        let mut again = TestTool::new("safe", || Ok(json!("ran again")));
        again.replay = Replay::Safe;
        let again = Arc::new(again);
        *world.agent.tools.lock().unwrap() = vec![never.clone() as Arc<dyn Tool>, again.clone()];
        let node = world.next_node();
        assert_eq!(node.recover().await.unwrap(), 1);
        heard(&world, &node, 1).await;
        assert_eq!((never.runs.lock().unwrap().len(), again.runs.lock().unwrap().len()), (1, 1));
        let given = world.agent.given.lock().unwrap();
        let Some(ModelMessage::Tool { results }) = given.last().unwrap().messages.last() else { panic!() };
        assert_eq!(results[0].output, ToolOutput::interrupted());
        assert_eq!(results[1].output, ToolOutput::Json(json!("ran again")));
    });
}

#[test]
fn an_answer_is_kept_after_a_takeover() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![confirm("call_1")], vec![hangs()], vec![Part::Fail("down")]]);
        world.say("Start").await;
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        let _lost = world.answer("call_1", yes).await.unwrap();
        while world.agent.given.lock().unwrap().len() < 2 {
            tokio::task::yield_now().await;
        }
        let node = world.next_node();
        node.recover().await.unwrap();
        heard(&world, &node, 2).await;
        assert_eq!(world.history().await.pending_ask, None);
        assert_eq!(world.history().await.prompts.len(), 3);
    });
}

#[test]
fn a_third_lost_attempt_ends_the_turn() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![hangs()], vec![hangs()], vec![hangs()], vec![Part::Text("Here.")]]);
        let _lost = world.prompt("Start").await;
        let mut node = world.next_node();
        for attempt in 1..=3 {
            while world.agent.given.lock().unwrap().len() < attempt {
                tokio::task::yield_now().await;
            }
            node = world.next_node();
            node.recover().await.unwrap();
        }
        let events = heard(&world, &node, 1).await;
        let sentence = "The turn was interrupted too often.".to_owned();
        assert!(events.contains(&TurnEvent::Error { error: sentence }));
        assert_eq!(world.say("Again").await.text, "Here.");
    });
}

#[test]
fn the_holder_that_was_replaced_writes_nothing_more() {
    on_both(EngineSettings::default(), async |world| {
        let go = Arc::new(Notify::new());
        world
            .agent
            .will([vec![Part::Wait(Arc::clone(&go)), Part::Text("Late.")], vec![Part::Text("In time.")]]);
        let _lost = world.prompt("Start").await;
        while world.agent.given.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        let node = world.next_node();
        node.recover().await.unwrap();
        heard(&world, &node, 1).await;
        go.notify_one();
        while world.engine.running_turns() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(world.transcript().await, ["user: Start", "assistant: In time."]);
    });
}
