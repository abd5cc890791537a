//! The commits of a running turn, each one transaction.

use sea_orm::DatabaseTransaction;

use super::{Store, load};
use crate::bus::Published;
use crate::commit::{Author, Commit, Fence};
use crate::error::EngineError;
use crate::ids::{ConversationId, LeaseToken};
use crate::machine::{Phase, decide};
use crate::snapshot::Snapshot;
use crate::transition::turn::{Extra, TurnCommitted, TurnWrite, turn};

/// Which turn commits, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Holder {
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The pair that proves the right to write.
    pub fence: Fence,
    /// The command it runs for.
    pub author: Author,
    /// What it does.
    pub phase: Phase,
}

/// A commit that was written.
#[derive(Debug)]
pub struct TurnCommit {
    /// What it led to.
    pub outcome: TurnCommitted,
    /// What became durable, to be published.
    pub published: Vec<Published>,
    /// The conversation's last `seq` after it.
    pub event_seq: i64,
}

impl Store {
    /// Commits what a turn did; what became durable is returned to be published.
    ///
    /// # Errors
    /// [`EngineError::LeaseLost`] when the turn is not the holder's any more. Nothing was written then.
    pub async fn commit_turn(&self, holder: Holder, write: TurnWrite) -> Result<TurnCommit, EngineError> {
        let (node, now, limit) = (self.node, self.clock.now(), self.queue_limit);
        self.database
            .transaction(move |tx| {
                Box::pin(async move {
                    let snapshot = load::snapshot(tx, holder.conversation_id, load::Depth::Turn)
                        .await?
                        .ok_or(EngineError::LeaseLost)?;
                    if snapshot.conversation.active_task != Some(holder.fence.task_id) {
                        return Err(EngineError::LeaseLost);
                    }
                    let decision = decide(snapshot.state(holder.phase, limit), write.input());
                    let mut commit =
                        Commit::new(&snapshot.conversation, snapshot.inbox.count, holder.author, now);
                    let extra = extra(tx, &write, &snapshot).await?;
                    let token = LeaseToken::new();
                    let outcome = turn(decision, write, holder.fence, &snapshot, extra, token, &mut commit)?;
                    if matches!(outcome, TurnCommitted::MustAbort) {
                        let event_seq = snapshot.conversation.event_seq;
                        return Ok(TurnCommit { outcome, published: Vec::new(), event_seq });
                    }
                    super::apply::apply(tx, &commit, node).await?;
                    let event_seq = commit.conversation.event_seq;
                    Ok(TurnCommit { outcome, published: commit.published, event_seq })
                })
            })
            .await
    }
}

/// The rows that only some writes need.
async fn extra(
    tx: &DatabaseTransaction,
    write: &TurnWrite,
    snapshot: &Snapshot,
) -> Result<Extra, EngineError> {
    let answered = match write.reopens() {
        Some(ask_id) => Some(load::answered_ask(tx, ask_id).await?),
        None => None,
    };
    if !matches!(write, TurnWrite::Abort(..)) {
        return Ok(Extra { answered, ..Extra::default() });
    }
    let slot = match snapshot.conversation.pending_ask {
        Some(ask_id) => Some(load::pending_ask(tx, ask_id).await?),
        None => None,
    };
    Ok(Extra { answered, slot, waiting: load::waiting_commands(tx, snapshot.conversation.id).await? })
}
