//! Turns whose holder is gone: finding them, and taking them over.

use std::collections::HashSet;

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::entity::{conversation, inbox, task};
use super::{Store, load};
use crate::commit::{Fence, RunningTask};
use crate::error::EngineError;
use crate::ids::{CommandId, ConversationId, LeaseToken, TaskId, UserId};
use crate::machine::Phase;
use crate::turn_state::{TURN_TASK, TURN_VERSION};

/// A running turn that somebody held.
#[derive(Debug, Clone, Copy)]
pub struct HeldTask {
    /// The turn.
    pub task_id: TaskId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The conversation's owner.
    pub user_id: UserId,
    /// Who held it, by the token of that acquisition.
    pub token: LeaseToken,
}

impl Store {
    /// Every running turn this build knows how to run.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn held_tasks(&self) -> Result<Vec<HeldTask>, EngineError> {
        let rows = task::Entity::find()
            .filter(task::Column::Status.eq("running"))
            .filter(task::Column::Name.eq(TURN_TASK))
            .filter(task::Column::Version.eq(TURN_VERSION))
            .find_also_related(conversation::Entity)
            .all(self.database.reader())
            .await?;
        Ok(rows
            .into_iter()
            .filter_map(|(task, conversation)| {
                Some(HeldTask {
                    task_id: task.id.into(),
                    conversation_id: task.conversation_id.into(),
                    user_id: conversation?.user_id.into(),
                    token: task.lease_token.into(),
                })
            })
            .collect())
    }

    /// The commands that wait, and those whose turn runs.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn commands_at_work(&self) -> Result<HashSet<CommandId>, EngineError> {
        // One snapshot: a command that leaves the inbox meanwhile is not missed.
        let tx = self.database.begin_read().await?;
        let waiting = inbox::Entity::find().select_only().column(inbox::Column::CommandId);
        let mut commands: Vec<Uuid> = waiting.into_tuple().all(&tx).await?;
        let running = task::Entity::find().select_only().column(task::Column::CommandId);
        let running = running.filter(task::Column::Status.eq("running"));
        commands.extend(running.into_tuple::<Uuid>().all(&tx).await?);
        tx.commit().await?;
        Ok(commands.into_iter().map(CommandId::from).collect())
    }

    /// Takes a turn over, unless somebody else did: what its old holder still writes is refused from now on.
    ///
    /// # Errors
    /// When the database fails or holds what does not read back.
    pub async fn take_over(&self, held: HeldTask) -> Result<Option<RunningTask>, EngineError> {
        let node = self.node;
        self.database
            .transaction(move |tx| {
                Box::pin(async move {
                    let taken = task::Entity::update_many()
                        .filter(task::Column::Id.eq(held.task_id.uuid()))
                        .filter(task::Column::LeaseToken.eq(held.token.uuid()))
                        .filter(task::Column::Status.eq("running"))
                        .col_expr(task::Column::LeaseToken, Expr::value(LeaseToken::new().uuid()))
                        .col_expr(task::Column::NodeId, Expr::value(node.uuid()))
                        .col_expr(task::Column::Losses, Expr::col(task::Column::Losses).add(1))
                        .exec_with_returning(tx)
                        .await?;
                    let Some(row) = taken.into_iter().next() else { return Ok(None) };
                    let conversation = conversation::Entity::find_by_id(row.conversation_id).one(tx).await?;
                    let conversation =
                        conversation.ok_or(EngineError::Invariant("a turn has a conversation"))?;
                    running(row, conversation.event_seq).map(Some)
                })
            })
            .await
    }

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
        let row = task::Entity::find_by_id(task_id).one(reader).await?;
        row.map(|row| running(row, conversation.event_seq)).transpose()
    }
}

fn running(row: task::Model, after_seq: i64) -> Result<RunningTask, EngineError> {
    Ok(RunningTask {
        fence: Fence { task_id: row.id.into(), token: row.lease_token.into(), checkpoint: row.checkpoint },
        command_id: row.command_id.into(),
        phase: match row.phase.as_str() {
            "request" => Phase::Request,
            "tools" => Phase::Tools,
            _ => return Err(EngineError::Invariant("a running turn is in a working phase")),
        },
        state: load::document("turn", &row.state)?,
        after_seq,
        losses: row.losses.unsigned_abs(),
    })
}
