//! Table `tasks`.

use sea_orm::entity::prelude::*;

/// A durable unit of work; a turn is one.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tasks")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub conversation_id: Uuid,
    pub name: String,
    pub version: i32,
    pub status: String,
    pub phase: String,
    /// JSON.
    pub state: String,
    pub command_id: Uuid,
    pub node_id: Option<Uuid>,
    pub lease_token: Uuid,
    pub checkpoint: i64,
    pub losses: i32,
    pub cancel_at: Option<i64>,
    pub cancelled_by: Option<Uuid>,
    pub created: i64,
    pub ended: Option<i64>,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::conversation::Entity",
        from = "Column::ConversationId",
        to = "super::conversation::Column::Id"
    )]
    Conversation,
}

impl Related<super::conversation::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Conversation.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
