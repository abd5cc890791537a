//! Table `users`.

use sea_orm::entity::prelude::*;

/// A user.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// In small letters.
    pub email: String,
    pub name: String,
    pub password_hash: String,
    pub admin: bool,
    pub created: i64,
    pub updated: i64,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
