//! Table `inbox`.

use sea_orm::entity::prelude::*;

/// A command stored while a turn runs.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "inbox")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub conversation_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    pub command_id: Uuid,
    pub task_id: Uuid,
    pub kind: String,
    /// JSON.
    pub command: String,
    pub created: i64,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
