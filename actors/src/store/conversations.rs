//! Conversations as their owner sees them: create, list, read, rename, rate.

use std::collections::HashMap;

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, ExprTrait, JoinType, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, RelationTrait,
};
use turnwright_schemas::events::AskEvent;
use turnwright_schemas::history::{History, HistoryPendingAsk};
use turnwright_schemas::row::{MessageRow, Rating, RowType};
use turnwright_schemas::turn_body::PendingAskListItem;
use uuid::Uuid;

use super::client_commits::{how_it_ended, insert_conversation};
use super::entity::{ask, conversation, message, task};
use super::transcript::published_message;
use super::{Store, load};
use crate::bus::Fact;
use crate::call_id;
use crate::clock::Timestamp;
use crate::error::{EngineError, Refusal};
use crate::ids::{ConversationId, UserId};
use crate::snapshot::PendingAsk;

/// The most asks `pendingAsks` lists (DESIGN section 8).
const PENDING_ASKS: u64 = 100;

/// Who reads or changes a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Viewer {
    /// The user.
    pub user_id: UserId,
    /// An admin may read and delete what belongs to others.
    pub admin: bool,
}

impl Viewer {
    /// Whether the viewer may read a conversation of that owner, or delete it.
    pub fn may_read(self, owner: UserId) -> bool {
        self.admin || self.user_id == owner
    }
}

/// One page of a user's conversations.
#[derive(Debug, Clone)]
pub struct HistoryPage {
    /// The conversations, the newest `updated` first.
    pub histories: Vec<History>,
    /// How many there are on all pages.
    pub total: u64,
}

impl Store {
    /// Makes an empty conversation.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create(&self, owner: UserId, title: String) -> Result<History, EngineError> {
        let (id, now) = (ConversationId::new(), self.clock.now());
        let shown = title.clone();
        self.database
            .transaction(move |tx| {
                Box::pin(async move { insert_conversation(tx, id, owner, title, now).await })
            })
            .await?;
        Ok(History {
            id: id.to_string(),
            user_id: owner.to_string(),
            title: shown,
            prompts: Vec::new(),
            pending_ask: None,
            created: now.iso(),
            updated: now.iso(),
        })
    }

    /// One page of a user's conversations, after the first `offset`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self, owner: UserId, offset: u64, limit: u64) -> Result<HistoryPage, EngineError> {
        let reader = &self.database.begin_read().await?;
        let of_owner = || {
            conversation::Entity::find()
                .filter(conversation::Column::UserId.eq(owner.uuid()))
                .filter(conversation::Column::Deleted.is_null())
        };
        let total = of_owner().count(reader).await?;
        let rows = of_owner()
            .order_by_desc(conversation::Column::Updated)
            .order_by_desc(conversation::Column::Id)
            .offset(offset)
            .limit(limit)
            .all(reader)
            .await?;
        Ok(HistoryPage { histories: histories(reader, rows).await?, total })
    }

    /// A conversation, for who may read it.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] and [`Refusal::NotOwner`], or when the database fails.
    pub async fn read(&self, id: ConversationId, viewer: Viewer) -> Result<History, Refusal> {
        let reader = &self.database.begin_read().await?;
        let row = live(reader, id).await?;
        if !viewer.may_read(row.user_id.into()) {
            return Err(Refusal::NotOwner);
        }
        let mut found = histories(reader, vec![row]).await?;
        found.pop().ok_or(Refusal::NotFound)
    }

    /// Whose conversation it is.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], or when the database fails.
    pub async fn owner(&self, id: ConversationId) -> Result<UserId, Refusal> {
        Ok(live(self.database.reader(), id).await?.user_id.into())
    }

    /// Whose conversation it is, and its last `seq`.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], or when the database fails.
    pub async fn owner_and_seq(&self, id: ConversationId) -> Result<(UserId, i64), Refusal> {
        let row = live(self.database.reader(), id).await?;
        Ok((row.user_id.into(), row.event_seq))
    }

    /// Sets the title of one's own conversation, when one is given.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] and [`Refusal::NotOwner`], or when the database fails.
    pub async fn change(
        &self,
        id: ConversationId,
        owner: UserId,
        title: Option<String>,
    ) -> Result<(), Refusal> {
        let now = self.clock.now();
        self.database
            .transaction(move |tx| {
                Box::pin(async move {
                    if let Err(refusal) = own(tx, id, owner).await? {
                        return Ok(Err(refusal));
                    }
                    let Some(title) = title else { return Ok(Ok(())) };
                    conversation::Entity::update_many()
                        .filter(conversation::Column::Id.eq(id.uuid()))
                        .col_expr(conversation::Column::Title, Expr::value(title))
                        .col_expr(conversation::Column::Updated, Expr::value(now.millis()))
                        .exec(tx)
                        .await?;
                    Ok(Ok(()))
                })
            })
            .await?
    }

    /// Rates one of the agent's replies. False when no reply has that index.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] and [`Refusal::NotOwner`], or when the database fails.
    pub async fn rate(
        &self,
        id: ConversationId,
        owner: UserId,
        index: u32,
        rating: Option<Rating>,
    ) -> Result<bool, Refusal> {
        let Ok(index) = i32::try_from(index) else { return Ok(false) };
        self.database
            .transaction(move |tx| {
                Box::pin(async move {
                    if let Err(refusal) = own(tx, id, owner).await? {
                        return Ok(Err(refusal));
                    }
                    let updated = message::Entity::update_many()
                        .filter(message::Column::ConversationId.eq(id.uuid()))
                        .filter(message::Column::Index.eq(index))
                        .filter(message::Column::Kind.eq(RowType::Assistant.as_str()))
                        .col_expr(message::Column::Rating, Expr::value(rating.map(Rating::as_str)))
                        .exec(tx)
                        .await?;
                    Ok(Ok(updated.rows_affected == 1))
                })
            })
            .await?
    }

    /// The asks that wait on a user, newest first; at most 100.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn pending_asks(&self, owner: UserId) -> Result<Vec<PendingAskListItem>, EngineError> {
        let rows = ask::Entity::find()
            .join(JoinType::InnerJoin, ask::Relation::Conversation.def())
            .select_also(conversation::Entity)
            .filter(conversation::Column::PendingAskId.into_expr().equals((ask::Entity, ask::Column::Id)))
            .filter(conversation::Column::UserId.eq(owner.uuid()))
            .filter(conversation::Column::Deleted.is_null())
            .filter(ask::Column::ClaimedBy.is_null())
            .order_by_desc(ask::Column::Created)
            .order_by_desc(ask::Column::Id)
            .limit(PENDING_ASKS)
            .all(self.database.reader())
            .await?;
        let mut items = Vec::with_capacity(rows.len());
        for (ask, conversation) in rows {
            let title = conversation.map(|row| row.title).filter(|title| !title.is_empty());
            let (history_id, created) =
                (ask.conversation_id.to_string(), Timestamp::from_millis(ask.created));
            let event = load::ask_event(ask)?;
            items.push(PendingAskListItem {
                history_id,
                title,
                tool_call_id: event.tool_call_id,
                kind: event.kind,
                simple: event.simple,
                created: created.iso(),
            });
        }
        Ok(items)
    }

    /// The pending ask an answer names, for its owner to answer. A read that lets an answer be checked before it
    /// is stored; what is stored is decided again under the lock.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`Refusal::NotOwner`] and [`Refusal::AskNotPending`], or when the database fails.
    pub async fn answerable(
        &self,
        id: ConversationId,
        owner: UserId,
        tool_call_id: &str,
    ) -> Result<PendingAsk, Refusal> {
        if !call_id::may_be_kept(tool_call_id) {
            let row = live(self.database.reader(), id).await?;
            return Err(if row.user_id == owner.uuid() {
                Refusal::AskNotPending(None)
            } else {
                Refusal::NotOwner
            });
        }
        // One statement for the answer that will go through; why another does not is looked up after.
        if let Some(ask) = answerable_by(self.database.reader(), id, owner, tool_call_id).await? {
            return Ok(ask);
        }
        let reader = &self.database.begin_read().await?;
        let row = live(reader, id).await?;
        if row.user_id != owner.uuid() {
            return Err(Refusal::NotOwner);
        }
        match answerable_by(reader, id, owner, tool_call_id).await? {
            Some(ask) => Ok(ask),
            None => Err(Refusal::AskNotPending(how_it_ended(reader, id, tool_call_id).await?)),
        }
    }
}

async fn answerable_by<C: ConnectionTrait>(
    connection: &C,
    id: ConversationId,
    owner: UserId,
    tool_call_id: &str,
) -> Result<Option<PendingAsk>, EngineError> {
    let found = ask::Entity::find()
        .find_also_related(task::Entity)
        .join(JoinType::InnerJoin, ask::Relation::Conversation.def())
        .filter(ask::Column::ConversationId.eq(id.uuid()))
        .filter(ask::Column::Status.eq("pending"))
        .filter(ask::Column::ClaimedBy.is_null())
        .filter(ask::Column::ToolCallId.eq(tool_call_id))
        .filter(conversation::Column::UserId.eq(owner.uuid()))
        .filter(conversation::Column::Deleted.is_null())
        .one(connection)
        .await?;
    found.map(|(ask, task)| load::pending(ask, task)).transpose()
}

async fn live<C: ConnectionTrait>(
    connection: &C,
    id: ConversationId,
) -> Result<conversation::Model, Refusal> {
    conversation::Entity::find_by_id(id.uuid())
        .filter(conversation::Column::Deleted.is_null())
        .one(connection)
        .await?
        .ok_or(Refusal::NotFound)
}

/// Locks one's own conversation.
async fn own(
    tx: &DatabaseTransaction,
    id: ConversationId,
    owner: UserId,
) -> Result<Result<(), Refusal>, EngineError> {
    let row = conversation::Entity::find_by_id(id.uuid())
        .filter(conversation::Column::Deleted.is_null())
        .lock_exclusive()
        .one(tx)
        .await?;
    Ok(match row {
        None => Err(Refusal::NotFound),
        Some(row) if row.user_id != owner.uuid() => Err(Refusal::NotOwner),
        Some(_) => Ok(()),
    })
}

async fn histories<C: ConnectionTrait>(
    connection: &C,
    rows: Vec<conversation::Model>,
) -> Result<Vec<History>, EngineError> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut prompts: HashMap<Uuid, Vec<MessageRow>> = HashMap::new();
    let messages = message::Entity::find()
        .filter(message::Column::ConversationId.is_in(ids.iter().copied()))
        .filter(message::Column::Index.is_not_null())
        .order_by_asc(message::Column::Index)
        .all(connection)
        .await?;
    for row in messages {
        let conversation = row.conversation_id;
        if let Fact::Message { row, .. } = published_message(row)?.fact {
            prompts.entry(conversation).or_default().push(row);
        }
    }
    let asks = ask::Entity::find()
        .filter(ask::Column::ConversationId.is_in(ids))
        .filter(ask::Column::Status.eq("pending"))
        .filter(ask::Column::ClaimedBy.is_null())
        .all(connection)
        .await?;
    let mut pending = HashMap::new();
    for row in asks {
        pending.insert(row.conversation_id, shown_ask(row)?);
    }
    Ok(rows
        .into_iter()
        .map(|row| History {
            id: row.id.to_string(),
            user_id: row.user_id.to_string(),
            title: row.title,
            prompts: prompts.remove(&row.id).unwrap_or_default(),
            pending_ask: pending.remove(&row.id),
            created: Timestamp::from_millis(row.created).iso(),
            updated: Timestamp::from_millis(row.updated).iso(),
        })
        .collect())
}

fn shown_ask(row: ask::Model) -> Result<HistoryPendingAsk, EngineError> {
    let created = Timestamp::from_millis(row.created).iso();
    let AskEvent { tool_call_id, kind, input, simple, origin, tool_name } = load::ask_event(row)?;
    Ok(HistoryPendingAsk {
        approval_id: origin.map(|_| tool_call_id.clone()),
        tool_call_id,
        kind,
        input,
        simple,
        created,
        origin,
        tool_name,
    })
}
