//! Table `outbox`.

use sea_orm::entity::prelude::*;

/// What subscribers will hear.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "outbox")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub conversation_id: Uuid,
    pub partition: i32,
    pub position: Option<i64>,
    pub kind: String,
    /// JSON.
    pub data: String,
    pub created: i64,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
