//! Table `files`.

use sea_orm::entity::prelude::*;

/// An upload; its bytes are in the file store.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "files")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    /// JSON.
    pub filename: String,
    pub mime_type: String,
    pub size: i64,
    pub created: i64,
    pub deleted: Option<i64>,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
