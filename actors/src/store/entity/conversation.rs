//! Table `conversations`.

use sea_orm::entity::prelude::*;

/// A conversation: one owner, an ordered transcript, at most one running turn.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "conversations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    pub title: String,
    pub message_count: i32,
    pub event_seq: i64,
    pub active_task_id: Option<Uuid>,
    pub pending_ask_id: Option<Uuid>,
    pub inbox_count: i32,
    pub created: i64,
    pub updated: i64,
    pub deleted: Option<i64>,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
