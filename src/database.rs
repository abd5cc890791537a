//! The tables: who makes them, and the lock that says that a SQLite database is served.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use turnwright_actors::error::EngineError;
use turnwright_actors::store::Database;
use turnwright_migrations::{Migrator, MigratorTrait};

use crate::error::StartError;
use crate::settings::DatabaseLocation;

/// Names the advisory lock that lets one migration run at a time: "turnwright" as no other program spells it.
const MIGRATION_LOCK: i64 = 0x7475_726e_7772_6967;

/// The lock that a serving process holds on its SQLite database, until it ends.
#[derive(Debug)]
pub struct ServingLock(#[expect(dead_code, reason = "held, never read")] Option<File>);

impl ServingLock {
    /// Takes the lock; on Postgres there is none to take.
    ///
    /// # Errors
    /// When another process holds it, or the file cannot be made.
    pub fn take(location: &DatabaseLocation) -> Result<Self, StartError> {
        let Some(path) = location.lock_file() else { return Ok(Self(None)) };
        let failed = |source| StartError::File { path: path.clone(), source };
        make_folder_of(&path)?;
        let file = File::create(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(Some(file))),
            Err(TryLockError::WouldBlock) => Err(StartError::DatabaseInUse(path.with_extension(""))),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}

/// Opens the database; a SQLite file and its folder are made when missing. Must be awaited on the I/O runtime.
///
/// # Errors
/// When it cannot be reached.
pub async fn open(location: &DatabaseLocation, lease: Duration) -> Result<Database, StartError> {
    if let DatabaseLocation::Sqlite(path) = location {
        make_folder_of(path)?;
    }
    Database::open(&location.url(), lease)
        .await
        .map_err(|cause| StartError::DatabaseUnusable { location: location.clone(), cause })
}

/// Makes the tables or brings them up to date, in one transaction. Those who do it at once take turns.
///
/// # Errors
/// When the database refuses, or its tables are newer than this program.
pub async fn migrate(database: &Database) -> Result<(), StartError> {
    let migrated = database.transaction(|transaction| {
        Box::pin(async move {
            if transaction.get_database_backend() == DbBackend::Postgres {
                // Waiting for another migration is no frozen node.
                transaction.execute_unprepared("SET LOCAL lock_timeout = 0").await?;
                let lock = Statement::from_sql_and_values(
                    DbBackend::Postgres,
                    "SELECT pg_advisory_xact_lock($1)",
                    [MIGRATION_LOCK.into()],
                );
                transaction.execute_raw(lock).await?;
            }
            Ok(Migrator::up(transaction, None).await?)
        })
    });
    Ok(migrated.await?)
}

/// Refuses a database whose tables are not those of this program.
///
/// # Errors
/// [`StartError::OldTables`], or that the tables are newer.
pub async fn require_tables(database: &Database) -> Result<(), StartError> {
    let pending = Migrator::get_pending_migrations_read_only(database.reader()).await?;
    if pending.is_empty() { Ok(()) } else { Err(StartError::OldTables) }
}

/// Whether the database answers a trivial question.
///
/// # Errors
/// When it does not.
pub async fn ping(database: &Database) -> Result<(), EngineError> {
    Ok(database.reader().ping().await?)
}

fn make_folder_of(file: &Path) -> Result<(), StartError> {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::fs::create_dir_all(folder)
            .map_err(|source| StartError::File { path: folder.to_owned(), source }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use sea_orm::EntityTrait;
    use tempfile::TempDir;

    use super::*;

    fn in_folder(folder: &TempDir) -> DatabaseLocation {
        DatabaseLocation::Sqlite(folder.path().join("new/t.db"))
    }

    #[test]
    fn a_database_is_served_by_one_process() {
        let folder = TempDir::new().unwrap();
        let held = ServingLock::take(&in_folder(&folder)).unwrap();
        let refusal = ServingLock::take(&in_folder(&folder)).unwrap_err();
        assert!(matches!(&refusal, StartError::DatabaseInUse(path) if path.ends_with("t.db")), "{refusal}");
        drop(held);
        ServingLock::take(&in_folder(&folder)).unwrap();
    }

    #[tokio::test]
    async fn those_who_migrate_at_once_take_turns() {
        let folder = TempDir::new().unwrap();
        let migrations = (0..4).map(|_| async {
            let database = open(&in_folder(&folder), Duration::from_secs(15)).await.unwrap();
            migrate(&database).await.unwrap();
            require_tables(&database).await.unwrap();
        });
        futures_util::future::join_all(migrations).await;
    }

    #[tokio::test]
    async fn missing_tables_are_named_with_the_command_that_makes_them() {
        let folder = TempDir::new().unwrap();
        let database = open(&in_folder(&folder), Duration::from_secs(15)).await.unwrap();
        let refusal = require_tables(&database).await.unwrap_err();
        assert!(refusal.to_string().contains("turnwright migrate"), "{refusal}");
        migrate(&database).await.unwrap();
        require_tables(&database).await.unwrap();
        let files = turnwright_actors::store::entity::file::Entity::find();
        assert_eq!(files.all(database.reader()).await.unwrap(), []);
    }
}
