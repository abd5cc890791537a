//! Reading what is stored of a conversation: its transcript and its facts.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::entity::{event, message};
use super::{Store, load};
use crate::bus::{Fact, Published};
use crate::clock::Timestamp;
use crate::error::EngineError;
use crate::ids::{ConversationId, TaskId};
use crate::message::MessageBody;

/// A transcript entry as later turns replay it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The turn it belongs to; call ids are unique within one.
    pub task_id: TaskId,
    /// What it says.
    pub body: MessageBody,
}

impl Store {
    /// The transcript up to and including the message with that index, oldest first.
    ///
    /// # Errors
    /// When the database fails or holds what does not read back.
    pub async fn transcript(&self, id: ConversationId, last_index: u32) -> Result<Vec<Record>, EngineError> {
        let last_index = i32::try_from(last_index).unwrap_or(i32::MAX);
        // Read once for each run of a turn, and as long as the conversation: only what is needed of a row.
        let rows: Vec<(Uuid, String)> = message::Entity::find()
            .select_only()
            .columns([message::Column::TaskId, message::Column::Body])
            .filter(message::Column::ConversationId.eq(id.uuid()))
            .filter(message::Column::Index.lte(last_index))
            .order_by_asc(message::Column::Index)
            .into_tuple()
            .all(self.database.reader())
            .await?;
        rows.into_iter()
            .map(|(task_id, body)| {
                Ok(Record { task_id: task_id.into(), body: load::document("message", &body)? })
            })
            .collect()
    }

    /// The conversation's facts after `seq`, up to and including `until`, in order. Messages an undo removed are
    /// left out.
    ///
    /// # Errors
    /// When the database fails or holds what does not read back.
    pub async fn facts(
        &self,
        id: ConversationId,
        after: i64,
        until: Option<i64>,
    ) -> Result<Vec<Published>, EngineError> {
        facts(&self.database.begin_read().await?, id, after, until).await
    }
}

async fn facts<C: ConnectionTrait>(
    connection: &C,
    id: ConversationId,
    after: i64,
    until: Option<i64>,
) -> Result<Vec<Published>, EngineError> {
    let mut messages = message::Entity::find()
        .filter(message::Column::ConversationId.eq(id.uuid()))
        .filter(message::Column::Seq.gt(after))
        .filter(message::Column::Index.is_not_null())
        .order_by_asc(message::Column::Seq);
    let mut events = event::Entity::find()
        .filter(event::Column::ConversationId.eq(id.uuid()))
        .filter(event::Column::Seq.gt(after))
        .order_by_asc(event::Column::Seq);
    if let Some(until) = until {
        messages = messages.filter(message::Column::Seq.lte(until));
        events = events.filter(event::Column::Seq.lte(until));
    }
    let mut facts = Vec::new();
    for row in messages.all(connection).await? {
        facts.push(published_message(row)?);
    }
    for row in events.all(connection).await? {
        facts.push(Published {
            seq: row.seq,
            command_id: row.command_id.into(),
            fact: Fact::Event(load::document("event", &row.event)?),
        });
    }
    facts.sort_by_key(|fact| fact.seq);
    Ok(facts)
}

/// A message's row as a fact.
///
/// # Errors
/// When it does not read back.
pub(super) fn published_message(row: message::Model) -> Result<Published, EngineError> {
    let body: MessageBody = load::document("message", &row.body)?;
    let shown = body.clone().into_row(
        row.index.unwrap_or_default().unsigned_abs(),
        row.ask_status.as_deref().and_then(load::ask_status),
        row.rating.as_deref().and_then(load::rating),
        Timestamp::from_millis(row.created),
    );
    Ok(Published {
        seq: row.seq,
        command_id: row.command_id.into(),
        fact: Fact::Message { body, row: shown },
    })
}
