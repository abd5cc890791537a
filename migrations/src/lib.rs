//! The tables of Turnwright on SQLite and Postgres, as ordered migrations.
//!
//! Instants are stored as milliseconds since the Unix epoch in `BIGINT`, documents as JSON in `TEXT`: both read
//! the same on either database, and a JSON text keeps characters (such as NUL) that Postgres refuses in a
//! plain string.

mod m20261201_000001_accounts;
mod m20261201_000002_conversations;
mod m20261201_000003_nodes;
mod m20261201_000004_demo_todos;

use sea_orm_migration::{MigrationTrait, async_trait};
pub use sea_orm_migration::{MigratorTrait, sea_orm};

/// Every migration, oldest first.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261201_000001_accounts::Migration),
            Box::new(m20261201_000002_conversations::Migration),
            Box::new(m20261201_000003_nodes::Migration),
            Box::new(m20261201_000004_demo_todos::Migration),
        ]
    }
}
