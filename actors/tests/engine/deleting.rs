//! Deleting a conversation (DESIGN section 8).

use std::sync::Arc;

use turnwright_actors::error::Refusal;
use turnwright_actors::ids::UserId;
use turnwright_actors::settings::EngineSettings;
use turnwright_actors::store::Viewer;
use turnwright_schemas::events::TurnEvent;

use crate::support::{Part, on_both};
use crate::turns::confirm;

#[test]
fn a_running_turn_is_aborted_and_what_waits_is_told() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![Part::Text("So far"), Part::Wait(Arc::default())]]);
        let mut first = world.prompt("first").await;
        let mut second = world.prompt("second").await;
        assert!(matches!(first.events.next().await.unwrap().event, TurnEvent::Text { .. }));
        let viewer = Viewer { user_id: world.user, admin: false };
        world.engine.delete(world.conversation, viewer).await.unwrap();

        let Some(TurnEvent::Done(done)) = first.events.next().await.map(|line| line.event) else { panic!() };
        assert!(done.cancelled);
        let told = second.events.next().await.unwrap().event;
        assert_eq!(told, TurnEvent::Error { error: "The conversation was deleted.".to_owned() });
        assert!(matches!(second.events.next().await.unwrap().event, TurnEvent::Done(_)));
        let read = world.engine.read(world.conversation, viewer).await;
        assert!(matches!(read, Err(Refusal::NotFound)));
        assert_eq!(world.agent.given.lock().unwrap().len(), 1);
    });
}

#[test]
fn a_pending_ask_ends_with_its_conversation_and_listeners_are_let_go() {
    on_both(EngineSettings::default(), async |world| {
        world.agent.will([vec![confirm("call_1")]]);
        world.say("Start").await;
        let mut heard = world.engine.listen(world.conversation, world.user, None).await.unwrap();
        let stranger = Viewer { user_id: UserId::new(), admin: false };
        let refused = world.engine.delete(world.conversation, stranger).await;
        assert!(matches!(refused, Err(Refusal::NotOwner)));
        let admin = Viewer { admin: true, ..stranger };
        world.engine.delete(world.conversation, admin).await.unwrap();
        let resolved = heard.next().await.unwrap().unwrap().event;
        assert!(matches!(resolved, TurnEvent::AskResolved { .. }));
        assert!(matches!(heard.next().await.unwrap().unwrap().event, TurnEvent::Message { .. }));
        assert!(heard.next().await.unwrap().is_none());
        assert!(world.engine.pending_asks(world.user).await.unwrap().is_empty());
    });
}
