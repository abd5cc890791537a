//! Table `messages`.

use sea_orm::entity::prelude::*;

/// One entry of a transcript. It is its own event: it holds a seq of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "messages")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub conversation_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// Null once an undo has removed the message.
    pub index: Option<i32>,
    pub command_id: Uuid,
    pub task_id: Uuid,
    pub kind: String,
    pub tool_call_id: Option<String>,
    pub ask_status: Option<String>,
    pub rating: Option<String>,
    /// JSON.
    pub body: String,
    pub created: i64,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
