//! Writing a [`Commit`]: the fenced task first, so that a lost lease writes nothing else.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, Set, UpdateMany,
};
use serde::Serialize;
use turnwright_schemas::row::AskStatus;

use super::entity::{ask, conversation, event, inbox, message, outbox, task};
use super::statements::Statements;
use crate::commit::{AskWrite, Commit, Fence, NewAsk, RunningTask, TaskEnd, TaskWrite};
use crate::error::EngineError;
use crate::ids::{NodeId, TaskId};
use crate::machine::Phase;
use crate::transition::slot::status_after;
use crate::turn_state::{TURN_TASK, TURN_VERSION, TurnState};

/// How many partitions asks are spread over; fixed when the first event is stored.
const PARTITIONS: u128 = 16;

/// Writes everything a commit holds.
///
/// # Errors
/// [`EngineError::LeaseLost`] when a fence does not hold; the transaction must then be rolled back.
pub async fn apply(tx: &DatabaseTransaction, commit: &Commit, node: NodeId) -> Result<(), EngineError> {
    let mut writes = Statements::new(tx.get_database_backend());
    for write in &commit.tasks {
        write_task(tx, write, commit, node, &mut writes).await?;
    }
    write_asks(commit, &mut writes)?;
    write_messages(commit, &mut writes)?;
    write_events(commit, &mut writes)?;
    write_inbox(commit, &mut writes)?;
    write_conversation(commit, &mut writes);
    Ok(writes.run(tx).await?)
}

/// Moves a task where its fence holds; what needs no fence is added to the other writes.
async fn write_task(
    tx: &DatabaseTransaction,
    write: &TaskWrite,
    commit: &Commit,
    node: NodeId,
    writes: &mut Statements,
) -> Result<(), EngineError> {
    let updated = match write {
        TaskWrite::Begin(task) => return insert_task(task, commit, node, writes),
        TaskWrite::Resume { fence, task } => fenced(*fence, TaskStatus::Waiting)
            .col_expr(task::Column::LeaseToken, Expr::value(task.fence.token.uuid()))
            .col_expr(task::Column::Status, Expr::value(TaskStatus::Running.as_str()))
            .col_expr(task::Column::Phase, Expr::value(phase_name(task.phase)))
            .col_expr(task::Column::State, Expr::value(state_json(&task.state)?))
            .col_expr(task::Column::CommandId, Expr::value(task.command_id.uuid()))
            .col_expr(task::Column::NodeId, Expr::value(node.uuid())),
        TaskWrite::Advance { fence, phase, state, despite_cancel, progress } => {
            let mut update = fenced(*fence, TaskStatus::Running)
                .col_expr(task::Column::Phase, Expr::value(phase_name(*phase)))
                .col_expr(task::Column::State, Expr::value(state_json(state)?));
            if *progress {
                update = update.col_expr(task::Column::Losses, Expr::value(0));
            }
            if *despite_cancel { update } else { update.filter(task::Column::CancelAt.is_null()) }
        }
        TaskWrite::Wait { fence, state } => fenced(*fence, TaskStatus::Running)
            .col_expr(task::Column::Status, Expr::value(TaskStatus::Waiting.as_str()))
            .col_expr(task::Column::Phase, Expr::value("waiting"))
            .col_expr(task::Column::State, Expr::value(state_json(state)?))
            .col_expr(task::Column::NodeId, Expr::value(Option::<uuid::Uuid>::None))
            .col_expr(task::Column::Losses, Expr::value(0))
            .filter(task::Column::CancelAt.is_null()),
        TaskWrite::End { fence, end } => end_task(*fence, *end, commit),
        TaskWrite::Cancel(task_id) => {
            cancel_task(*task_id, commit, writes);
            return Ok(());
        }
    }
    .exec(tx)
    .await?;
    if updated.rows_affected == 1 { Ok(()) } else { Err(EngineError::LeaseLost) }
}

/// An ended task remembers nothing: whoever continues the conversation reads its rows.
fn end_task(fence: Fence, end: TaskEnd, commit: &Commit) -> UpdateMany<task::Entity> {
    let update = task::Entity::update_many()
        .filter(task::Column::Id.eq(fence.task_id.uuid()))
        .filter(task::Column::LeaseToken.eq(fence.token.uuid()))
        .filter(task::Column::Checkpoint.eq(fence.checkpoint))
        .filter(task::Column::Ended.is_null())
        .col_expr(task::Column::Checkpoint, Expr::value(fence.checkpoint + 1))
        .col_expr(task::Column::Status, Expr::value(end_name(end)))
        .col_expr(task::Column::State, Expr::value("{}"))
        .col_expr(task::Column::NodeId, Expr::value(Option::<uuid::Uuid>::None))
        .col_expr(task::Column::Ended, Expr::value(commit.now.millis()));
    match end {
        TaskEnd::Completed | TaskEnd::Failed => update.filter(task::Column::CancelAt.is_null()),
        TaskEnd::Cancelled => update,
    }
}

fn fenced(fence: Fence, status: TaskStatus) -> UpdateMany<task::Entity> {
    task::Entity::update_many()
        .filter(task::Column::Id.eq(fence.task_id.uuid()))
        .filter(task::Column::LeaseToken.eq(fence.token.uuid()))
        .filter(task::Column::Checkpoint.eq(fence.checkpoint))
        .filter(task::Column::Status.eq(status.as_str()))
        .col_expr(task::Column::Checkpoint, Expr::value(fence.checkpoint + 1))
}

fn insert_task(
    task: &RunningTask,
    commit: &Commit,
    node: NodeId,
    writes: &mut Statements,
) -> Result<(), EngineError> {
    let row = task::ActiveModel {
        id: Set(task.fence.task_id.uuid()),
        conversation_id: Set(commit.conversation_id.uuid()),
        name: Set(TURN_TASK.to_owned()),
        version: Set(TURN_VERSION),
        status: Set(TaskStatus::Running.as_str().to_owned()),
        phase: Set(phase_name(task.phase).to_owned()),
        state: Set(state_json(&task.state)?),
        command_id: Set(task.command_id.uuid()),
        node_id: Set(Some(node.uuid())),
        lease_token: Set(task.fence.token.uuid()),
        checkpoint: Set(task.fence.checkpoint),
        losses: Set(0),
        cancel_at: Set(None),
        cancelled_by: Set(None),
        created: Set(commit.now.millis()),
        ended: Set(None),
    };
    writes.add(&task::Entity::insert(row));
    Ok(())
}

fn cancel_task(task_id: TaskId, commit: &Commit, writes: &mut Statements) {
    let cancel = task::Entity::update_many()
        .filter(task::Column::Id.eq(task_id.uuid()))
        .filter(task::Column::CancelAt.is_null())
        .col_expr(task::Column::CancelAt, Expr::value(commit.now.millis()))
        .col_expr(task::Column::CancelledBy, Expr::value(commit.author().command_id.uuid()));
    writes.add(&cancel);
}

fn write_asks(commit: &Commit, writes: &mut Statements) -> Result<(), EngineError> {
    for (ask_id, write) in &commit.ask_changes {
        let update = ask::Entity::update_many().filter(ask::Column::Id.eq(ask_id.uuid()));
        let update = match write {
            AskWrite::Claimed(by) => update.col_expr(ask::Column::ClaimedBy, Expr::value(by.uuid())),
            AskWrite::Ended { by, action } => update
                .col_expr(ask::Column::Status, Expr::value(status_after(*action).as_str()))
                .col_expr(ask::Column::ClaimedBy, Expr::value(by.uuid()))
                .col_expr(ask::Column::Action, Expr::value(action.as_str()))
                .col_expr(ask::Column::Resolved, Expr::value(commit.now.millis())),
            AskWrite::Reopened => update
                .col_expr(ask::Column::Status, Expr::value(AskStatus::Pending.as_str()))
                .col_expr(ask::Column::ClaimedBy, Expr::value(Option::<uuid::Uuid>::None))
                .col_expr(ask::Column::Action, Expr::value(Option::<String>::None))
                .col_expr(ask::Column::Resolved, Expr::value(Option::<i64>::None)),
        };
        writes.add(&update);
    }
    if !commit.asks.is_empty() {
        let rows = commit.asks.iter().map(|ask| ask_row(ask, commit)).collect::<Result<Vec<_>, _>>()?;
        writes.add(&ask::Entity::insert_many(rows));
    }
    Ok(())
}

fn ask_row(ask: &NewAsk, commit: &Commit) -> Result<ask::ActiveModel, EngineError> {
    let cancelled = ask.status == AskStatus::Cancelled;
    let (tool_name, host_call_id) = match &ask.approves {
        Some(call) => (Some(call.tool_name.clone()), Some(call.tool_call_id.clone())),
        None => (None, None),
    };
    Ok(ask::ActiveModel {
        id: Set(ask.id.uuid()),
        conversation_id: Set(commit.conversation_id.uuid()),
        task_id: Set(ask.task_id.uuid()),
        tool_call_id: Set(ask.tool_call_id.clone()),
        kind: Set(ask.kind.as_str().to_owned()),
        input: Set(json("ask", &ask.input)?),
        simple: Set(json("card", &ask.simple)?),
        tool_name: Set(tool_name),
        host_call_id: Set(host_call_id),
        status: Set(ask.status.as_str().to_owned()),
        claimed_by: Set(None),
        action: Set(cancelled.then(|| turnwright_schemas::Action::Cancel.as_str().to_owned())),
        message_seq: Set(ask.message_seq),
        created: Set(commit.now.millis()),
        resolved: Set(cancelled.then(|| commit.now.millis())),
    })
}

fn write_messages(commit: &Commit, writes: &mut Statements) -> Result<(), EngineError> {
    let of = |seq: i64| {
        message::Entity::update_many()
            .filter(message::Column::ConversationId.eq(commit.conversation_id.uuid()))
            .filter(message::Column::Seq.eq(seq))
    };
    if let Some(seq) = commit.removed_message {
        writes.add(&of(seq).col_expr(message::Column::Index, Expr::value(Option::<i32>::None)));
    }
    for (seq, status) in &commit.row_statuses {
        writes.add(&of(*seq).col_expr(message::Column::AskStatus, Expr::value(status.as_str())));
    }
    if commit.messages.is_empty() {
        return Ok(());
    }
    let mut rows = Vec::with_capacity(commit.messages.len());
    for new in &commit.messages {
        rows.push(message::ActiveModel {
            conversation_id: Set(commit.conversation_id.uuid()),
            seq: Set(new.seq),
            index: Set(Some(i32::try_from(new.index).unwrap_or(i32::MAX))),
            command_id: Set(new.author.command_id.uuid()),
            task_id: Set(new.author.task_id.uuid()),
            kind: Set(new.body.row_type().as_str().to_owned()),
            tool_call_id: Set(new.body.tool_call_id().map(str::to_owned)),
            ask_status: Set(new.ask_status.map(|status| status.as_str().to_owned())),
            rating: Set(None),
            body: Set(json("message", &new.body)?),
            created: Set(commit.now.millis()),
        });
    }
    writes.add(&message::Entity::insert_many(rows));
    Ok(())
}

fn write_events(commit: &Commit, writes: &mut Statements) -> Result<(), EngineError> {
    if !commit.events.is_empty() {
        let mut rows = Vec::with_capacity(commit.events.len());
        for new in &commit.events {
            rows.push(event::ActiveModel {
                conversation_id: Set(commit.conversation_id.uuid()),
                seq: Set(new.seq),
                command_id: Set(new.command_id.uuid()),
                event: Set(json("event", &new.event)?),
                created: Set(commit.now.millis()),
            });
        }
        writes.add(&event::Entity::insert_many(rows));
    }
    if !commit.outbox.is_empty() {
        let partition =
            i32::try_from(commit.conversation_id.uuid().as_u128() % PARTITIONS).unwrap_or_default();
        let mut rows = Vec::with_capacity(commit.outbox.len());
        for change in &commit.outbox {
            rows.push(outbox::ActiveModel {
                conversation_id: Set(commit.conversation_id.uuid()),
                partition: Set(partition),
                position: Set(None),
                kind: Set(change.type_name().to_owned()),
                data: Set(json("outbox row", change)?),
                created: Set(commit.now.millis()),
                ..Default::default()
            });
        }
        writes.add(&outbox::Entity::insert_many(rows));
    }
    Ok(())
}

fn write_inbox(commit: &Commit, writes: &mut Statements) -> Result<(), EngineError> {
    let of_conversation = || {
        inbox::Entity::delete_many().filter(inbox::Column::ConversationId.eq(commit.conversation_id.uuid()))
    };
    if commit.inbox_cleared {
        writes.add(&of_conversation());
    }
    if let Some(seq) = commit.dequeued {
        writes.add(&of_conversation().filter(inbox::Column::Seq.eq(seq)));
    }
    if let Some(queued) = &commit.enqueued {
        let row = inbox::ActiveModel {
            conversation_id: Set(commit.conversation_id.uuid()),
            seq: Set(queued.seq),
            command_id: Set(queued.command_id.uuid()),
            task_id: Set(queued.task_id.uuid()),
            kind: Set(queued.command.kind().to_owned()),
            command: Set(json("command", &queued.command)?),
            created: Set(commit.now.millis()),
        };
        writes.add(&inbox::Entity::insert(row));
    }
    Ok(())
}

fn write_conversation(commit: &Commit, writes: &mut Statements) {
    let after = &commit.conversation;
    let mut update = conversation::Entity::update_many()
        .filter(conversation::Column::Id.eq(commit.conversation_id.uuid()))
        .col_expr(
            conversation::Column::MessageCount,
            Expr::value(i32::try_from(after.message_count).unwrap_or(i32::MAX)),
        )
        .col_expr(conversation::Column::EventSeq, Expr::value(after.event_seq))
        .col_expr(conversation::Column::ActiveTaskId, Expr::value(after.active_task.map(TaskId::uuid)))
        .col_expr(
            conversation::Column::PendingAskId,
            Expr::value(after.pending_ask.map(crate::ids::AskId::uuid)),
        )
        .col_expr(
            conversation::Column::InboxCount,
            Expr::value(i32::try_from(after.inbox_count).unwrap_or(i32::MAX)),
        )
        .col_expr(conversation::Column::Title, Expr::value(after.title.clone()))
        .col_expr(conversation::Column::Updated, Expr::value(commit.now.millis()));
    if after.deleted {
        update = update.col_expr(
            conversation::Column::Deleted,
            Expr::col(conversation::Column::Deleted).if_null(commit.now.millis()),
        );
    }
    writes.add(&update);
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    /// Somebody runs it, or it waits to be taken over.
    Running,
    /// It waits for an answer.
    Waiting,
}

impl TaskStatus {
    /// The `status` column.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
        }
    }
}

const fn end_name(end: TaskEnd) -> &'static str {
    match end {
        TaskEnd::Completed => "completed",
        TaskEnd::Failed => "failed",
        TaskEnd::Cancelled => "cancelled",
    }
}

const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Request => "request",
        Phase::Tools => "tools",
    }
}

fn state_json(state: &TurnState) -> Result<String, EngineError> {
    json("turn", state)
}

fn json<T: Serialize>(what: &'static str, value: &T) -> Result<String, EngineError> {
    serde_json::to_string(value).map_err(|source| EngineError::Corrupt { what, source })
}
