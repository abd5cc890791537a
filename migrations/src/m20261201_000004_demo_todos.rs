//! The to-do list of each user that the demo agent works on.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("demo_todos")
                    .col(pk_uuid("id"))
                    .col(uuid("user_id"))
                    // JSON: a title may hold any character.
                    .col(text("title"))
                    .col(boolean("completed").default(false))
                    .col(big_integer("created"))
                    .col(big_integer("updated"))
                    .foreign_key(ForeignKey::create().from("demo_todos", "user_id").to("users", "id"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_index(
                Index::create()
                    .name("demo_todos_by_user")
                    .table("demo_todos")
                    .col("user_id")
                    .col("created")
                    .to_owned(),
            )
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("demo_todos").to_owned()).await
    }
}
