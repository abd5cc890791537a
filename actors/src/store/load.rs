//! Reading a conversation under its lock.

use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::de::DeserializeOwned;
use turnwright_schemas::events::{AskEvent, AskOrigin};
use turnwright_schemas::row::{AskStatus, Rating};
use turnwright_schemas::{Action, Ask, AskKind, SimpleCard, Surface};

use super::entity::{ask, conversation, inbox, task};
use crate::clock::Timestamp;
use crate::command::{Queued, QueuedCommand};
use crate::error::EngineError;
use crate::ids::{AskId, ConversationId, TaskId};
use crate::question::{HostCall, Question};
use crate::snapshot::{Conversation, Inbox, PendingAsk, Snapshot, WaitingTask};
use crate::transition::undo::AnsweredAsk;

/// How much of a conversation a decision needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// A client's command: the slot and the inbox as they stand.
    Command,
    /// A commit of the running turn: the slot only where a waiting command will use it.
    Turn,
}

/// Locks the conversation's row, then reads what the decision needs. `None` when there is no such row.
///
/// # Errors
/// When the database fails or holds what does not read back.
pub async fn snapshot(
    tx: &DatabaseTransaction,
    id: ConversationId,
    depth: Depth,
) -> Result<Option<Snapshot>, EngineError> {
    let Some(row) = conversation::Entity::find_by_id(id.uuid()).lock_exclusive().one(tx).await? else {
        return Ok(None);
    };
    let inbox = if row.inbox_count > 0 { inbox(tx, &row).await? } else { Inbox::default() };
    let ask = match row.pending_ask_id {
        Some(ask_id) if depth == Depth::Command || inbox.count > 0 => {
            Some(pending_ask(tx, ask_id.into()).await?)
        }
        _ => None,
    };
    Ok(Some(Snapshot { conversation: conversation(row), ask, inbox }))
}

fn conversation(row: conversation::Model) -> Conversation {
    Conversation {
        id: row.id.into(),
        user_id: row.user_id.into(),
        title: row.title,
        message_count: row.message_count.unsigned_abs(),
        event_seq: row.event_seq,
        active_task: row.active_task_id.map(TaskId::from),
        pending_ask: row.pending_ask_id.map(AskId::from),
        deleted: row.deleted.is_some(),
    }
}

async fn inbox(tx: &DatabaseTransaction, row: &conversation::Model) -> Result<Inbox, EngineError> {
    let of_conversation = || inbox::Entity::find().filter(inbox::Column::ConversationId.eq(row.id));
    let head = of_conversation().order_by_asc(inbox::Column::Seq).one(tx).await?;
    let prompts = of_conversation().filter(inbox::Column::Kind.eq("prompt")).count(tx).await?;
    let last_seq = of_conversation()
        .select_only()
        .column_as(inbox::Column::Seq.max(), "last")
        .into_tuple::<Option<i64>>()
        .one(tx)
        .await?
        .flatten();
    Ok(Inbox {
        count: row.inbox_count.unsigned_abs(),
        prompts: u32::try_from(prompts).unwrap_or(u32::MAX),
        head: head.map(queued).transpose()?,
        last_seq: last_seq.unwrap_or(0),
    })
}

/// Every waiting command, oldest first.
///
/// # Errors
/// When the database fails or holds what does not read back.
pub async fn waiting_commands(
    tx: &DatabaseTransaction,
    id: ConversationId,
) -> Result<Vec<Queued>, EngineError> {
    inbox::Entity::find()
        .filter(inbox::Column::ConversationId.eq(id.uuid()))
        .order_by_asc(inbox::Column::Seq)
        .all(tx)
        .await?
        .into_iter()
        .map(queued)
        .collect()
}

fn queued(row: inbox::Model) -> Result<Queued, EngineError> {
    Ok(Queued {
        seq: row.seq,
        command_id: row.command_id.into(),
        task_id: row.task_id.into(),
        command: document::<QueuedCommand>("command", &row.command)?,
    })
}

/// The ask in the slot, with the turn that waits for it.
///
/// # Errors
/// When the database fails or holds what does not read back.
pub async fn pending_ask(tx: &DatabaseTransaction, id: AskId) -> Result<PendingAsk, EngineError> {
    let row = ask::Entity::find_by_id(id.uuid()).find_also_related(task::Entity).one(tx).await?;
    let (ask, task) = row.ok_or(EngineError::Invariant("a conversation names the ask in its slot"))?;
    pending(ask, task)
}

/// The ask in a slot, from its row and the row of the turn that waits for it.
///
/// # Errors
/// When either does not read back.
pub fn pending(row: ask::Model, task: Option<task::Model>) -> Result<PendingAsk, EngineError> {
    let task = task.ok_or(EngineError::Invariant("a pending ask has a waiting turn"))?;
    Ok(PendingAsk {
        id: row.id.into(),
        question: Question {
            ask: typed_ask(&row.kind, &row.input)?,
            approves: host_call(row.tool_name, row.host_call_id),
            tool_call_id: row.tool_call_id,
        },
        simple: document("card", &row.simple)?,
        claimed_by: row.claimed_by.map(Into::into),
        message_seq: row.message_seq,
        created: Timestamp::from_millis(row.created),
        task: WaitingTask {
            id: task.id.into(),
            token: task.lease_token.into(),
            checkpoint: task.checkpoint,
            state: document("turn", &task.state)?,
        },
    })
}

/// The ask an undo puts back into the slot.
///
/// # Errors
/// When the database fails or holds what does not read back.
pub async fn answered_ask(tx: &DatabaseTransaction, id: AskId) -> Result<AnsweredAsk, EngineError> {
    let row = ask::Entity::find_by_id(id.uuid())
        .one(tx)
        .await?
        .ok_or(EngineError::Invariant("an answered ask has a row"))?;
    Ok(AnsweredAsk {
        id,
        message_seq: row.message_seq,
        created: Timestamp::from_millis(row.created),
        event: ask_event(row)?,
    })
}

/// An ask's row in the words of the wire.
///
/// # Errors
/// When it does not read back.
pub fn ask_event(row: ask::Model) -> Result<AskEvent, EngineError> {
    Ok(AskEvent {
        kind: kind(&row.kind)?,
        input: document("ask", &row.input)?,
        simple: document::<SimpleCard>("card", &row.simple)?,
        origin: row.tool_name.as_ref().map(|_| AskOrigin::Approval),
        tool_name: row.tool_name,
        tool_call_id: row.tool_call_id,
    })
}

fn host_call(tool_name: Option<String>, tool_call_id: Option<String>) -> Option<HostCall> {
    Some(HostCall { tool_name: tool_name?, tool_call_id: tool_call_id? })
}

fn typed_ask(kind_name: &str, input: &str) -> Result<Ask, EngineError> {
    let input = document("ask", input)?;
    Ask::parse(kind(kind_name)?, &input, Surface::Full)
        .map_err(|_| EngineError::Invariant("a stored ask was valid when it was made"))
}

/// The kind a row names.
///
/// # Errors
/// When it names none.
pub fn kind(name: &str) -> Result<AskKind, EngineError> {
    name.parse().map_err(|_| EngineError::Invariant("a stored ask has a known kind"))
}

/// Reads a stored document.
///
/// # Errors
/// When it is not what we wrote.
pub fn document<T: DeserializeOwned>(what: &'static str, json: &str) -> Result<T, EngineError> {
    serde_json::from_str(json).map_err(|source| EngineError::Corrupt { what, source })
}

/// The action a row names.
pub fn action(name: &str) -> Option<Action> {
    Action::ALL.iter().copied().find(|action| action.as_str() == name)
}

/// The shown status an ask's row names.
pub fn ask_status(name: &str) -> Option<AskStatus> {
    AskStatus::ALL.iter().copied().find(|status| status.as_str() == name)
}

/// The rating a row names.
pub fn rating(name: &str) -> Option<Rating> {
    Rating::ALL.iter().copied().find(|rating| rating.as_str() == name)
}
