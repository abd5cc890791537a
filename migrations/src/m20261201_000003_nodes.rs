//! The nodes that live, and the leases that elect one of them.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("nodes")
                    .col(pk_uuid("id"))
                    .col(big_integer("lease_until"))
                    .col(text("runs"))
                    .col(big_integer("started"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                Table::create()
                    .table("leases")
                    .col(text("name").primary_key())
                    .col(uuid("node_id"))
                    .col(uuid("token"))
                    .col(big_integer("until"))
                    .to_owned(),
            )
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["leases", "nodes"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
