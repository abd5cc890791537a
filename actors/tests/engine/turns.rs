//! A turn pauses on an ask and goes on with the answer (DESIGN section 4).

use serde_json::json;
use turnwright_actors::error::Refusal;
use turnwright_actors::ports::{ModelMessage, ToolOutput};
use turnwright_actors::settings::EngineSettings;
use turnwright_schemas::problem::AskEndedStatus;

use crate::support::{Part, on_both};

pub fn confirm(id: &'static str) -> Part {
    Part::Call(id, "ask_confirm", json!({"prompt": "Go on?"}))
}

#[test]
fn a_turn_pauses_on_an_ask_and_goes_on_with_the_answer() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![confirm("call_1")], vec![Part::Text("Going on.")]]);
        let paused = world.say("Start").await;
        assert_eq!(paused.pending_ask.unwrap().tool_call_id, "call_1");
        assert_eq!(paused.text, "");

        let answer = json!({"action": "accept", "content": {"confirmed": true}});
        let done = world.answer("call_1", answer.clone()).await.unwrap().into_result().await.unwrap();
        assert_eq!((done.text.as_str(), done.title.as_deref()), ("Going on.", Some("Start")));
        assert_eq!(
            world.transcript().await,
            [
                "user: Start".to_owned(),
                "tool-call: Tool call: ask_confirm".to_owned(),
                format!("tool-result: {answer}"),
                "assistant: Going on.".to_owned(),
            ]
        );
        let given = world.agent.given.lock().unwrap();
        assert_eq!(given[1].messages[0], ModelMessage::User { text: "Start".to_owned() });
        let ModelMessage::Tool { results } = &given[1].messages[2] else { panic!() };
        assert_eq!(results[0].output, ToolOutput::Json(answer));
    });
}

#[test]
fn an_invalid_ask_goes_back_to_the_model_and_never_reaches_the_client() {
    on_both(EngineSettings::default(), async |world| {
        let bad = Part::Call("call_1", "ask_confirm", json!({"prompt": ""}));
        world.agent.will([vec![bad], vec![Part::Text("Never mind.")]]);
        assert_eq!(world.say("Start").await.text, "Never mind.");
        assert_eq!(world.transcript().await, ["user: Start", "assistant: Never mind."]);
        let given = world.agent.given.lock().unwrap();
        let ModelMessage::Tool { results } = &given[1].messages[2] else { panic!() };
        let ToolOutput::Error(error) = &results[0].output else { panic!() };
        assert_eq!(error["errors"][0]["path"], "prompt");
        assert_eq!(error["errors"][0]["code"], "TOO_SHORT");
    });
}

#[test]
fn a_second_answer_is_told_how_the_ask_ended() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![confirm("call_1")], vec![Part::Text("Done.")]]);
        world.say("Start").await;
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        world.answer("call_1", yes.clone()).await.unwrap().into_result().await.unwrap();
        let Err(Refusal::AskNotPending(Some(ended))) = world.answer("call_1", yes.clone()).await else {
            panic!()
        };
        assert_eq!(ended.status, AskEndedStatus::Answered);
        assert!(matches!(world.answer("call_9", yes).await, Err(Refusal::AskNotPending(None))));
    });
}

#[test]
fn a_turn_that_calls_for_ever_is_stopped() {
    let settings = EngineSettings { max_steps: 3, ..EngineSettings::default() };
    on_both(settings, async |world| {
        let call = || vec![Part::Call("call", "nothing", json!({}))];
        world.agent.will((0..5).map(|_| call()));
        let failed = world.say("Start").await;
        assert_eq!(failed.error.as_deref(), Some("The agent stopped after 3 steps."));
        assert_eq!(world.agent.given.lock().unwrap().len(), 3);
    });
}

#[test]
fn a_model_that_panics_fails_the_turn_and_the_conversation_goes_on() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![Part::Panic], vec![Part::Text("Here.")]]);
        let failed = world.say("Start").await;
        assert_eq!(failed.error.as_deref(), Some("The turn failed unexpectedly."));
        assert_eq!(world.say("Again").await.text, "Here.");
    });
}

#[test]
fn a_model_that_hangs_fails_the_turn_at_its_deadline() {
    let request_deadline = std::time::Duration::from_millis(20);
    let settings = EngineSettings { request_deadline, ..EngineSettings::default() };
    on_both(settings, async |world| {
        world.agent.will([vec![Part::Text("So "), Part::Wait(std::sync::Arc::default())]]);
        let failed = world.say("Start").await;
        assert_eq!(failed.error.as_deref(), Some("The model took too long to answer."));
        assert_eq!(failed.text, "So ");
    });
}

#[test]
fn nothing_is_written_when_the_agent_cannot_be_prepared() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![confirm("call_1")], vec![Part::Text("Done.")]]);
        world.say("Start").await;
        let before = world.history().await;
        *world.agent.refuses.lock().unwrap() = Some("no tools today".to_owned());
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        assert!(matches!(world.answer("call_1", yes.clone()).await, Err(Refusal::NotPrepared(_))));
        assert_eq!(world.history().await, before);
        *world.agent.refuses.lock().unwrap() = None;
        let done = world.answer("call_1", yes).await.unwrap().into_result().await.unwrap();
        assert_eq!(done.text, "Done.");
    });
}

#[test]
fn an_actor_lives_only_while_somebody_needs_it() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![Part::Text("Hi.")]]);
        world.say("Start").await;
        // The turn's own presence goes a moment after its `done` was heard.
        while world.engine.actors() > 0 || world.engine.running_turns() > 0 {
            tokio::task::yield_now().await;
        }
    });
}
