//! Running turns: what happens between two commits.

mod answer_files;
mod approval;
pub mod cancel;
mod classify;
mod deltas;
mod history;
mod model_step;
pub mod offer;
mod request_phase;
mod runner;
mod tool_runs;
mod tools_phase;

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::bus::{BusEvent, EventBus, Published};
use crate::files::FileStore;
use crate::ids::{ConversationId, UserId};
use crate::ports::{Agent, PrepareError, Prepared, TurnContext};
use crate::settings::EngineSettings;
use crate::store::Store;
use cancel::CancelSignals;
use offer::AskOffer;

pub use runner::{Run, fail_running};

/// What every turn of a node runs with.
pub struct TurnServices {
    /// The rows.
    pub store: Store,
    /// Who hears of it.
    pub bus: Arc<dyn EventBus>,
    /// The files.
    pub files: FileStore,
    /// Who answers.
    pub agent: Arc<dyn Agent>,
    /// How.
    pub settings: EngineSettings,
    /// The asks.
    pub offer: AskOffer,
    /// How running turns are told to abort.
    pub cancels: CancelSignals,
}

/// A conversation on this node: its owner, and the gate that keeps facts in order.
#[derive(Clone)]
pub struct ConversationRef {
    /// Its id.
    pub id: ConversationId,
    /// Its owner.
    pub user_id: UserId,
    /// Held from before a commit until what it stored is published, so that listeners hear facts in the order of
    /// their `seq`.
    pub gate: Arc<Mutex<()>>,
}

/// Prepares a turn. While there are asks, a tool whose name is reserved for them is dropped with a warning (spec
/// "Enable asks").
///
/// # Errors
/// What the agent says.
pub async fn prepare(
    agent: &dyn Agent,
    offer: &AskOffer,
    context: &TurnContext,
) -> Result<Prepared, PrepareError> {
    let mut prepared = agent.prepare(context).await?;
    prepared.tools.retain(|tool| {
        let reserved = offer.enabled() && tool.spec().name.starts_with("ask_");
        if reserved {
            tracing::warn!(
                tool = tool.spec().name,
                "a tool was dropped: names that begin with ask_ are for asks"
            );
        }
        !reserved
    });
    Ok(prepared)
}

impl TurnServices {
    /// Publishes what a commit stored. The caller holds the conversation's gate.
    pub fn publish(&self, conversation_id: ConversationId, facts: Vec<Published>) {
        for fact in facts {
            self.bus.publish(conversation_id, BusEvent::Durable(Arc::new(fact)));
        }
    }

    /// Ends every stream of a conversation that is gone.
    pub fn close(&self, conversation_id: ConversationId) {
        self.bus.publish(conversation_id, BusEvent::Closed);
    }
}
