#![allow(clippy::unwrap_used)]

use tempfile::TempDir;

use super::*;

async fn database() -> (TempDir, Database) {
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite://{}/jobs.db?mode=rwc", folder.path().display());
    let database = Database::open(&url, Duration::from_secs(15)).await.unwrap();
    database.reader().execute_unprepared("CREATE TABLE notes (name TEXT PRIMARY KEY)").await.unwrap();
    (folder, database)
}

/// Notes a name in a job of its own, which then ends as told.
async fn note(
    database: &Database,
    name: &'static str,
    ends: Result<(), EngineError>,
) -> Result<(), EngineError> {
    database
        .transaction(move |tx| {
            Box::pin(async move {
                tx.execute_unprepared(&format!("INSERT INTO notes VALUES ('{name}')")).await?;
                ends
            })
        })
        .await
}

async fn notes(database: &Database) -> Vec<String> {
    let all = Statement::from_string(DbBackend::Sqlite, "SELECT name FROM notes ORDER BY name");
    let rows = database.reader().query_all_raw(all).await.unwrap();
    rows.into_iter().map(|row| row.try_get("", "name").unwrap()).collect()
}

// All jobs of a `join!` are sent before the task that writes, which shares their thread, takes them as one batch.

#[tokio::test]
async fn jobs_that_fail_take_back_what_they_wrote_and_the_others_of_their_commit_keep_theirs() {
    let (_folder, database) = database().await;
    let lost = || Err(EngineError::LeaseLost);
    let outcomes = tokio::join!(
        note(&database, "a", lost()),
        note(&database, "b", Ok(())),
        note(&database, "c", lost()),
        note(&database, "d", lost()),
        note(&database, "e", Ok(())),
        note(&database, "f", lost()),
    );
    assert!(matches!(
        outcomes,
        (Err(EngineError::LeaseLost), Ok(()), Err(_), Err(_), Ok(()), Err(EngineError::LeaseLost))
    ));
    assert_eq!(notes(&database).await, ["b", "e"]);
}

#[tokio::test]
async fn a_statement_that_fails_fails_its_own_job_only() {
    let (_folder, database) = database().await;
    let outcomes = tokio::join!(
        note(&database, "a", Ok(())),
        note(&database, "a", Ok(())),
        note(&database, "b", Ok(())),
    );
    assert!(matches!(outcomes, (Ok(()), Err(EngineError::Database(_)), Ok(()))));
    assert_eq!(notes(&database).await, ["a", "b"]);
}

#[tokio::test]
async fn a_job_alone_that_fails_writes_nothing() {
    let (_folder, database) = database().await;
    assert!(note(&database, "a", Err(EngineError::LeaseLost)).await.is_err());
    assert!(notes(&database).await.is_empty());
}
