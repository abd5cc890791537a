//! Which conversations this node holds an actor for, and for how long.
//!
//! An actor lives while somebody needs it: a command on its way, a running turn or a listener. Each of those holds
//! a [`Presence`]; when the last is dropped, the actor is unregistered and then stopped, under the lock under which
//! it would be found.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix::{Actor, Addr, ArbiterHandle};

use crate::conversation_actor::{ConversationActor, Stop};
use crate::ids::ConversationId;
use crate::turn::TurnServices;

/// The conversation actors of a node.
#[derive(Clone)]
pub struct Registry {
    inner: Arc<Inner>,
}

struct Inner {
    actors: Mutex<HashMap<ConversationId, Entry>>,
    arbiter: ArbiterHandle,
    services: Arc<TurnServices>,
    runtime: tokio::runtime::Handle,
}

struct Entry {
    address: Addr<ConversationActor>,
    present: usize,
}

/// A reason for a conversation's actor to live.
pub struct Presence {
    conversation_id: ConversationId,
    registry: Registry,
}

impl Registry {
    /// A registry whose actors live on that arbiter.
    pub fn new(arbiter: ArbiterHandle, services: Arc<TurnServices>, runtime: tokio::runtime::Handle) -> Self {
        Self { inner: Arc::new(Inner { actors: Mutex::default(), arbiter, services, runtime }) }
    }

    fn actors(&self) -> MutexGuard<'_, HashMap<ConversationId, Entry>> {
        // Nothing panics while the lock is held.
        self.inner.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The conversation's actor, started when there is none.
    pub fn enter(&self, conversation_id: ConversationId) -> (Addr<ConversationActor>, Presence) {
        let mut actors = self.actors();
        let entry = actors.entry(conversation_id).or_insert_with(|| self.start(conversation_id));
        entry.present += 1;
        (entry.address.clone(), Presence { conversation_id, registry: self.clone() })
    }

    fn start(&self, conversation_id: ConversationId) -> Entry {
        let (services, runtime) = (Arc::clone(&self.inner.services), self.inner.runtime.clone());
        let address = ConversationActor::start_in_arbiter(&self.inner.arbiter, move |context| {
            ConversationActor::new(conversation_id, services, runtime, context)
        });
        Entry { address, present: 0 }
    }

    /// How many actors live.
    pub fn actor_count(&self) -> usize {
        self.actors().len()
    }
}

impl Clone for Presence {
    fn clone(&self) -> Self {
        if let Some(entry) = self.registry.actors().get_mut(&self.conversation_id) {
            entry.present += 1;
        }
        Self { conversation_id: self.conversation_id, registry: self.registry.clone() }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut actors = self.registry.actors();
        let Some(entry) = actors.get_mut(&self.conversation_id) else { return };
        entry.present -= 1;
        if entry.present == 0
            && let Some(entry) = actors.remove(&self.conversation_id)
        {
            entry.address.do_send(Stop);
        }
    }
}
