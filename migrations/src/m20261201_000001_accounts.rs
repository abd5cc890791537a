//! Users, their sessions and uploads, and the rate counters of the sign-in paths.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("users")
                    .col(pk_uuid("id"))
                    .col(text_uniq("email"))
                    .col(text("name"))
                    .col(text("password_hash"))
                    .col(boolean("admin").default(false))
                    .col(big_integer("created"))
                    .col(big_integer("updated"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("sessions")
                    // The SHA-256 of the token: whoever reads the table cannot sign in with it.
                    .col(binary_len("token_hash", 32).primary_key())
                    .col(uuid("user_id"))
                    .col(big_integer("created"))
                    .col(big_integer("expires"))
                    .foreign_key(ForeignKey::create().from("sessions", "user_id").to("users", "id"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_index(
                Index::create().name("sessions_by_user").table("sessions").col("user_id").to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("rate_counters")
                    .col(text("scope").primary_key())
                    .col(big_integer("window_start"))
                    .col(integer("count"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("files")
                    .col(pk_uuid("id"))
                    .col(uuid("user_id"))
                    // JSON: a file name may hold any character.
                    .col(text("filename"))
                    .col(text("mime_type"))
                    .col(big_integer("size"))
                    .col(big_integer("created"))
                    .col(big_integer_null("deleted"))
                    .foreign_key(ForeignKey::create().from("files", "user_id").to("users", "id"))
                    .to_owned(),
            )
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["files", "rate_counters", "sessions", "users"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
