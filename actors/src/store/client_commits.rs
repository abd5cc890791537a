//! The commits of clients' commands, each one transaction: begin, resume, queue or refuse, and delete.

use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, Set};
use turnwright_schemas::problem::{AskEnded, AskEndedStatus};
use turnwright_schemas::row::AskStatus;

use super::entity::{ask, conversation};
use super::{Store, Viewer, apply, load};
use crate::bus::Published;
use crate::clock::Timestamp;
use crate::command::ClientCommand;
use crate::commit::{Author, Commit, RunningTask};
use crate::error::{EngineError, Refusal};
use crate::ids::{CommandId, ConversationId, LeaseToken, TaskId, UserId};
use crate::machine::{Decision, Input, Phase, decide};
use crate::transition::client::{ClientOutcome, client};
use crate::transition::delete;

/// A command to store.
#[derive(Debug, Clone)]
pub struct Submit {
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// Who sends it.
    pub user_id: UserId,
    /// Whether the conversation is made with it.
    pub new_conversation: bool,
    /// Its id, the same on every try.
    pub command_id: CommandId,
    /// What it wants.
    pub command: ClientCommand,
}

/// A command that was stored.
#[derive(Debug)]
pub struct Submitted {
    /// The turn it began, resumed, or will.
    pub task_id: TaskId,
    /// Whether it waits.
    pub waiting: Waiting,
    /// What became durable, to be published.
    pub published: Vec<Published>,
}

/// Whether a stored command waits for its turn.
#[derive(Debug)]
pub enum Waiting {
    /// It does not: this runs now.
    No(Box<RunningTask>),
    /// It waits in the inbox.
    Queued,
}

impl Store {
    /// Stores a command, or refuses it; decided under the conversation's lock. The outer error means that nothing
    /// is known to be written.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn submit(&self, submit: Submit) -> Result<Result<Submitted, Refusal>, EngineError> {
        let store = self.clone();
        self.database.transaction(move |tx| Box::pin(async move { store.submit_in(tx, submit).await })).await
    }

    async fn submit_in(
        &self,
        tx: &DatabaseTransaction,
        submit: Submit,
    ) -> Result<Result<Submitted, Refusal>, EngineError> {
        let now = self.clock.now();
        if submit.new_conversation {
            insert_conversation(tx, submit.conversation_id, submit.user_id, String::new(), now).await?;
        }
        let snapshot = match load::snapshot(tx, submit.conversation_id, load::Depth::Command).await? {
            Some(snapshot) if !snapshot.conversation.deleted => snapshot,
            _ => return Ok(Err(Refusal::NotFound)),
        };
        if snapshot.conversation.user_id != submit.user_id {
            return Ok(Err(Refusal::NotOwner));
        }
        let (input, task_id) = submit.command.input(&snapshot);
        // The phase of the running turn decides nothing about a client's command.
        let decision = decide(snapshot.state(Phase::Request, self.queue_limit), input);
        let author = Author { command_id: submit.command_id, task_id };
        let mut commit = Commit::new(&snapshot.conversation, snapshot.inbox.count, author, now);
        let named = submit.command.tool_call_id().map(str::to_owned);
        let token = LeaseToken::new();
        let waiting = match client(decision, submit.command, &snapshot, token, &mut commit)? {
            ClientOutcome::Runs(task) => Waiting::No(task),
            ClientOutcome::Waits => Waiting::Queued,
            ClientOutcome::NotFound => return Ok(Err(Refusal::NotFound)),
            ClientOutcome::QueueFull => return Ok(Err(Refusal::QueueFull { limit: self.queue_limit })),
            ClientOutcome::NotPending => {
                let tool_call_id = named.unwrap_or_default();
                let ended = how_it_ended(tx, submit.conversation_id, &tool_call_id).await?;
                return Ok(Err(Refusal::AskNotPending(ended)));
            }
        };
        apply::apply(tx, &commit, self.node).await?;
        Ok(Ok(Submitted { task_id, waiting, published: commit.published }))
    }

    /// Marks a conversation deleted. Returns what became durable, and the turn that must be told to abort.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete(
        &self,
        id: ConversationId,
        viewer: Viewer,
        command_id: CommandId,
    ) -> Result<Result<Deleted, Refusal>, EngineError> {
        let (node, now, limit) = (self.node, self.clock.now(), self.queue_limit);
        self.database
            .transaction(move |tx| {
                Box::pin(async move {
                    let snapshot = match load::snapshot(tx, id, load::Depth::Command).await? {
                        Some(snapshot) if !snapshot.conversation.deleted => snapshot,
                        _ => return Ok(Err(Refusal::NotFound)),
                    };
                    if !viewer.may_read(snapshot.conversation.user_id) {
                        return Ok(Err(Refusal::NotOwner));
                    }
                    let running = snapshot.conversation.active_task;
                    let task_id = running.unwrap_or_else(TaskId::new);
                    let author = Author { command_id, task_id };
                    let mut commit = Commit::new(&snapshot.conversation, snapshot.inbox.count, author, now);
                    match decide(snapshot.state(Phase::Request, limit), Input::Delete) {
                        Decision::Remove { .. } => delete::remove(&snapshot, &mut commit),
                        _ => delete::remove_and_cancel(&snapshot, &mut commit),
                    }
                    apply::apply(tx, &commit, node).await?;
                    Ok(Ok(Deleted { aborts: running, published: commit.published }))
                })
            })
            .await
    }
}

/// A conversation that was deleted.
#[derive(Debug)]
pub struct Deleted {
    /// The turn that still runs and must be told.
    pub aborts: Option<TaskId>,
    /// What became durable.
    pub published: Vec<Published>,
}

/// Inserts an empty conversation.
pub(super) async fn insert_conversation(
    tx: &DatabaseTransaction,
    id: ConversationId,
    owner: UserId,
    title: String,
    now: Timestamp,
) -> Result<(), EngineError> {
    let row = conversation::ActiveModel {
        id: Set(id.uuid()),
        user_id: Set(owner.uuid()),
        title: Set(title),
        message_count: Set(0),
        event_seq: Set(0),
        active_task_id: Set(None),
        pending_ask_id: Set(None),
        inbox_count: Set(0),
        created: Set(now.millis()),
        updated: Set(now.millis()),
        deleted: Set(None),
    };
    conversation::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// What became of the ask an answer names; `None` when there never was one (rule 2).
pub(super) async fn how_it_ended<C: sea_orm::ConnectionTrait>(
    connection: &C,
    conversation_id: ConversationId,
    tool_call_id: &str,
) -> Result<Option<AskEnded>, EngineError> {
    let row = ask::Entity::find()
        .filter(ask::Column::ConversationId.eq(conversation_id.uuid()))
        .filter(ask::Column::ToolCallId.eq(tool_call_id))
        .order_by_desc(ask::Column::MessageSeq)
        .one(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let status = match row.status.as_str() {
        status if status == AskStatus::Answered.as_str() => AskEndedStatus::Answered,
        status if status == AskStatus::Cancelled.as_str() => AskEndedStatus::Cancelled,
        _ => AskEndedStatus::Claimed,
    };
    Ok(Some(AskEnded {
        status,
        action: row.action.as_deref().and_then(load::action),
        resolved_at: row.resolved.map(|at| Timestamp::from_millis(at).iso()),
    }))
}
