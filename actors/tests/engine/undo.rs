//! Undo and keep (rule 6).

use serde_json::json;
use turnwright_actors::settings::EngineSettings;
use turnwright_schemas::row::AskStatus;

use crate::support::{Part, on_both};
use crate::turns::confirm;

#[test]
fn an_answer_is_undone_when_its_continuation_fails_before_anything_was_published() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![confirm("call_1")], vec![Part::Fail("down")], vec![Part::Text("Up.")]]);
        world.say("Start").await;
        let before = world.history().await;
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        let undone = world.answer("call_1", yes.clone()).await.unwrap().into_result().await.unwrap();
        assert_eq!(undone.error.as_deref(), Some("down"));
        assert_eq!(undone.pending_ask.unwrap().tool_call_id, "call_1");
        let after = world.history().await;
        assert_eq!((after.prompts, after.pending_ask), (before.prompts, before.pending_ask));

        let done = world.answer("call_1", yes).await.unwrap().into_result().await.unwrap();
        assert_eq!((done.text.as_str(), done.error), ("Up.", None));
    });
}

#[test]
fn an_answer_is_undone_also_after_an_invalid_ask_was_sent_back() {
    on_both(EngineSettings::default(), async |world| {
        let bad = Part::Call("call_2", "ask_confirm", json!({}));
        world.agent.will([vec![confirm("call_1")], vec![bad], vec![Part::Fail("down")], vec![]]);
        world.say("Start").await;
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        let undone = world.answer("call_1", yes.clone()).await.unwrap().into_result().await.unwrap();
        assert!(undone.pending_ask.is_some());
        world.answer("call_1", yes).await.unwrap().into_result().await.unwrap();
        let given = world.agent.given.lock().unwrap();
        assert_eq!(given[3].messages, given[1].messages);
    });
}

#[test]
fn an_answer_is_kept_once_text_was_published() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![confirm("call_1")], vec![Part::Text("So "), Part::Fail("down")]]);
        world.say("Start").await;
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        let kept = world.answer("call_1", yes).await.unwrap().into_result().await.unwrap();
        assert_eq!((kept.text.as_str(), kept.error.as_deref()), ("So ", Some("down")));
        assert_eq!(kept.pending_ask, None);
        assert_eq!(world.history().await.prompts[1].ask.unwrap().status, AskStatus::Answered);
    });
}

#[test]
fn an_answer_is_kept_when_a_next_ask_was_made_and_that_ask_ends_cancelled() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![confirm("call_1")], vec![confirm("call_2"), Part::Fail("down")]]);
        world.say("Start").await;
        let yes = json!({"action": "accept", "content": {"confirmed": true}});
        let kept = world.answer("call_1", yes).await.unwrap().into_result().await.unwrap();
        assert_eq!((kept.error.as_deref(), kept.pending_ask), (Some("down"), None));
        let history = world.history().await;
        assert_eq!(history.prompts[1].ask.unwrap().status, AskStatus::Answered);
        assert_eq!(history.prompts[3].ask.unwrap().status, AskStatus::Cancelled);
        assert_eq!(history.prompts[4].result, Some(json!({"action": "cancel"})));
        assert_eq!(history.pending_ask, None);
    });
}
