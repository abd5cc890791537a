//! The commits of a running turn, each one transaction.

use sea_orm::EntityTrait;

use super::entity::{conversation, task};
use super::{Store, load};
use crate::bus::Published;
use crate::commit::{Author, Commit, Fence, RunningTask};
use crate::error::EngineError;
use crate::ids::{ConversationId, LeaseToken};
use crate::machine::{Decision, Input, Phase, decide};
use crate::snapshot::Snapshot;
use crate::transition::fail::Failure;
use crate::transition::pause::Pause;
use crate::transition::results::CallResult;
use crate::transition::{abort, calls, fail, finish, pause, results, undo};
use crate::turn_state::TurnState;

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

/// What a turn wants to commit.
#[derive(Debug, Clone)]
pub enum TurnWrite {
    /// The model's calls, before any runs.
    Calls(TurnState),
    /// Results of calls that may not run twice, as they arrive.
    SaveResults(TurnState, Vec<CallResult>),
    /// The remaining results.
    Results(TurnState, Vec<CallResult>),
    /// The asks of a step.
    Pause(TurnState, Pause),
    /// The reply.
    Finish(String),
    /// The end of a turn that cannot go on; undone when that is wanted and still possible.
    Fail {
        /// What it remembers.
        state: TurnState,
        /// How it failed.
        failure: Failure,
        /// Whether the answer it goes on with should be undone.
        undo: bool,
    },
    /// The end of a turn whose `cancel_at` is set.
    Abort(TurnState, String),
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

/// What a commit led to.
#[derive(Debug)]
pub enum TurnCommitted {
    /// The turn goes on.
    Goes {
        /// What it remembers now.
        state: TurnState,
        /// What it does next.
        phase: Phase,
    },
    /// The turn is at rest; the command whose turn it is now, if one waited.
    Rests {
        /// The turn to run next.
        next: Option<RunningTask>,
        /// Whether the conversation is gone.
        gone: bool,
    },
    /// Nothing was written: `cancel_at` is set, and only an abort may be.
    MustAbort,
}

impl TurnWrite {
    fn input(&self) -> Input {
        match self {
            Self::Calls(_) => Input::Calls,
            Self::SaveResults(..) => Input::ToolResult,
            Self::Results(..) => Input::Results,
            Self::Pause(..) => Input::Pause,
            Self::Finish(_) => Input::Finish,
            Self::Fail { undo: true, .. } => Input::Undo,
            Self::Fail { undo: false, .. } => Input::Fail,
            Self::Abort(..) => Input::Abort,
        }
    }
}

impl Store {
    /// The turn that holds a conversation now, as it is stored.
    ///
    /// # Errors
    /// When the database fails or holds what does not read back.
    pub async fn running_task(&self, id: ConversationId) -> Result<Option<RunningTask>, EngineError> {
        let reader = self.database.reader();
        let Some(conversation) = conversation::Entity::find_by_id(id.uuid()).one(reader).await? else {
            return Ok(None);
        };
        let Some(task_id) = conversation.active_task_id else { return Ok(None) };
        let Some(row) = task::Entity::find_by_id(task_id).one(reader).await? else { return Ok(None) };
        let phase = match row.phase.as_str() {
            "request" => Phase::Request,
            "tools" => Phase::Tools,
            _ => return Ok(None),
        };
        Ok(Some(RunningTask {
            fence: Fence {
                task_id: row.id.into(),
                token: row.lease_token.into(),
                checkpoint: row.checkpoint,
            },
            command_id: row.command_id.into(),
            phase,
            state: load::document("turn", &row.state)?,
            after_seq: conversation.event_seq,
        }))
    }

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
                    let committed = match decision {
                        Decision::Commit | Decision::CancelNewAsk | Decision::Keep => {
                            transition(tx, decision, write, holder.fence, &snapshot, &mut commit).await?
                        }
                        Decision::MustAbort => {
                            let event_seq = snapshot.conversation.event_seq;
                            let outcome = TurnCommitted::MustAbort;
                            return Ok(TurnCommit { outcome, published: Vec::new(), event_seq });
                        }
                        Decision::Begin { .. }
                        | Decision::Enqueue { .. }
                        | Decision::Resume
                        | Decision::Remove { .. }
                        | Decision::RemoveAndCancel
                        | Decision::NotFound
                        | Decision::NotPending
                        | Decision::QueueFull
                        | Decision::LeaseLost => return Err(EngineError::LeaseLost),
                    };
                    super::apply::apply(tx, &commit, node).await?;
                    let event_seq = commit.conversation.event_seq;
                    Ok(TurnCommit { outcome: committed, published: commit.published, event_seq })
                })
            })
            .await
    }
}

async fn transition(
    tx: &sea_orm::DatabaseTransaction,
    decision: Decision,
    write: TurnWrite,
    fence: Fence,
    snapshot: &Snapshot,
    commit: &mut Commit,
) -> Result<TurnCommitted, EngineError> {
    let token = LeaseToken::new();
    let goes = |state, phase| TurnCommitted::Goes { state, phase };
    let rests = |next| TurnCommitted::Rests { next, gone: false };
    Ok(match write {
        TurnWrite::Calls(state) => goes(calls::calls(state, fence, commit), Phase::Tools),
        TurnWrite::SaveResults(state, done) => goes(results::save(state, &done, fence, commit), Phase::Tools),
        TurnWrite::Results(state, done) => {
            goes(results::results(state, &done, fence, commit), Phase::Request)
        }
        TurnWrite::Pause(state, asked) if decision == Decision::CancelNewAsk => {
            rests(pause::cancel_new_asks(state, asked, fence, snapshot, token, commit)?)
        }
        TurnWrite::Pause(state, asked) => rests(pause::pause(state, asked, fence, snapshot, token, commit)?),
        TurnWrite::Finish(reply) => rests(finish::finish(reply, fence, snapshot, token, commit)?),
        TurnWrite::Fail { mut state, failure, undo: wanted } => {
            match state.resumed.take_if(|_| wanted && decision == Decision::Commit) {
                Some(resumed) => {
                    let ask = load::answered_ask(tx, resumed.ask_id).await?;
                    undo::undo(state, resumed, failure.error, &ask, fence, commit);
                    TurnCommitted::Rests { next: None, gone: false }
                }
                None => rests(fail::fail(&mut state, failure, fence, snapshot, token, commit)?),
            }
        }
        TurnWrite::Abort(mut state, said) => {
            let waiting = match snapshot.inbox.count {
                0 => Vec::new(),
                _ => load::waiting_commands(tx, snapshot.conversation.id).await?,
            };
            let slot = match snapshot.conversation.pending_ask {
                Some(ask_id) => Some(load::pending_ask(tx, ask_id).await?),
                None => None,
            };
            abort::abort(&mut state, said, &waiting, slot.as_ref(), fence, commit);
            TurnCommitted::Rests { next: None, gone: true }
        }
    })
}
