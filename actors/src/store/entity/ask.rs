//! Table `asks`.

use sea_orm::entity::prelude::*;

/// An ask that was made, and how it stands.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "asks")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub conversation_id: Uuid,
    pub task_id: Uuid,
    pub tool_call_id: String,
    pub kind: String,
    /// JSON.
    pub input: String,
    /// JSON.
    pub simple: String,
    /// The host tool of an approval.
    pub tool_name: Option<String>,
    /// The call an approval allows.
    pub host_call_id: Option<String>,
    pub status: String,
    pub claimed_by: Option<Uuid>,
    pub action: Option<String>,
    pub message_seq: i64,
    pub created: i64,
    pub resolved: Option<i64>,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::conversation::Entity",
        from = "Column::ConversationId",
        to = "super::conversation::Column::Id"
    )]
    Conversation,
    #[sea_orm(belongs_to = "super::task::Entity", from = "Column::TaskId", to = "super::task::Column::Id")]
    Task,
}

impl Related<super::task::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Task.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
