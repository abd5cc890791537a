//! The database: where reads go, and the one function that commits.
//!
//! On SQLite a single connection writes. Jobs queue for it, and those that wait together share one
//! transaction, a savepoint each, so that one flush to disk serves many conversations. On Postgres each job
//! has a transaction of its own, and the lock on the conversation's row orders them.

use std::time::Duration;

use futures_util::future::BoxFuture;
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{ConnectOptions as _, Connection as _};
use sea_orm::{
    AccessMode, ConnectOptions, ConnectionTrait, Database as SeaDatabase, DatabaseConnection,
    DatabaseTransaction, DbBackend, DbErr, IsolationLevel, SqliteTransactionMode, SqlxError, Statement,
    TransactionOptions, TransactionTrait,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::error::EngineError;

/// How many jobs may share one SQLite transaction.
const BATCH: usize = 64;
/// How many jobs may wait for the SQLite writer before senders wait too.
const WRITE_QUEUE: usize = 1024;
const SQLITE_READERS: u32 = 4;
const POSTGRES_CONNECTIONS: u32 = 20;
/// How long a Postgres server may take to answer when the database is opened.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// A handle on the database; clones share it.
#[derive(Clone)]
pub struct Database {
    reader: DatabaseConnection,
    writer: Writer,
}

#[derive(Clone)]
enum Writer {
    /// Jobs for the task that owns SQLite's writing connection.
    Sqlite(mpsc::Sender<Box<dyn Job>>),
    Postgres(DatabaseConnection),
}

impl Database {
    /// Opens `sqlite://path?mode=rwc` or `postgres://…`. A SQLite file is created when the URL says so. On Postgres
    /// no session holds a lock for as long as `lease`, so that a frozen node cannot stop the others (law 3).
    ///
    /// Must be called on the runtime that will serve the connections for as long as they live.
    ///
    /// # Errors
    /// When the database cannot be reached or the URL is of another kind.
    pub async fn open(url: &str, lease: Duration) -> Result<Self, EngineError> {
        if url.starts_with("sqlite:") {
            Self::open_sqlite(url).await
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            Self::open_postgres(url, lease).await
        } else {
            Err(EngineError::Settings("database.url must begin with sqlite: or postgres:".to_owned()))
        }
    }

    async fn open_sqlite(url: &str) -> Result<Self, EngineError> {
        let writer = SeaDatabase::connect(sqlite_options(url, 1)).await?;
        let reader = SeaDatabase::connect(sqlite_options(url, SQLITE_READERS)).await?;
        let (jobs, queue) = mpsc::channel(WRITE_QUEUE);
        tokio::spawn(write_in_batches(writer, queue));
        Ok(Self { reader, writer: Writer::Sqlite(jobs) })
    }

    async fn open_postgres(url: &str, lease: Duration) -> Result<Self, EngineError> {
        reach(url).await?;
        let millis = (lease / 4).as_millis().max(1);
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(Duration::from_secs(10))
            .test_before_acquire(false)
            .sqlx_logging(false)
            .map_sqlx_postgres_opts(move |options| {
                options.options([
                    ("idle_in_transaction_session_timeout", millis.to_string()),
                    ("lock_timeout", millis.to_string()),
                    ("tcp_user_timeout", millis.to_string()),
                    ("synchronous_commit", "on".to_owned()),
                ])
            });
        let connection = SeaDatabase::connect(options).await?;
        Ok(Self { reader: connection.clone(), writer: Writer::Postgres(connection) })
    }

    /// The connection for reads that decide nothing.
    pub fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// A transaction that only reads, in which every statement sees the same rows.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin_read(&self) -> Result<DatabaseTransaction, EngineError> {
        Ok(match self.backend() {
            DbBackend::Postgres => {
                let (level, access) = (IsolationLevel::RepeatableRead, AccessMode::ReadOnly);
                self.reader.begin_with_config(Some(level), Some(access)).await?
            }
            // A deferred transaction on a connection that never writes reads one snapshot.
            _ => self.reader.begin().await?,
        })
    }

    /// Which database this is.
    pub fn backend(&self) -> DbBackend {
        self.reader.get_database_backend()
    }

    /// Runs `work` in a transaction and commits it, or rolls it back when it fails. Only SQL may be awaited in
    /// `work`. This is the one place that commits.
    ///
    /// # Errors
    /// What `work` returns, or the failure of the transaction itself.
    pub async fn transaction<T, F>(&self, work: F) -> Result<T, EngineError>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Result<T, EngineError>> + Send + 'static,
    {
        match &self.writer {
            Writer::Sqlite(jobs) => {
                let (reply, outcome) = oneshot::channel();
                let job = Box::new(Work { work: Some(work), result: None, reply });
                jobs.send(job).await.map_err(|_| EngineError::Stopping)?;
                outcome.await.map_err(|_| EngineError::Stopping)?
            }
            Writer::Postgres(connection) => {
                let transaction = connection.begin().await?;
                match work(&transaction).await {
                    Ok(value) => {
                        transaction.commit().await?;
                        Ok(value)
                    }
                    Err(error) => {
                        transaction.rollback().await?;
                        Err(error)
                    }
                }
            }
        }
    }
}

/// Connects once, because a pool does not tell why it cannot: it tries again until its own time is over.
async fn reach(url: &str) -> Result<(), EngineError> {
    let connected = async { url.parse::<PgConnectOptions>()?.connect().await?.close().await };
    match timeout(ANSWERS_WITHIN, connected).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(SqlxError::Io(error))) => Err(EngineError::Unreachable(error.to_string())),
        Ok(Err(SqlxError::Database(error))) => Err(EngineError::Unreachable(error.message().to_owned())),
        Ok(Err(error)) => Err(EngineError::Unreachable(error.to_string())),
        Err(_) => Err(EngineError::Unreachable(format!("no answer within {} s", ANSWERS_WITHIN.as_secs()))),
    }
}

fn sqlite_options(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .min_connections(connections.min(1))
        .acquire_timeout(Duration::from_secs(10))
        .test_before_acquire(false)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(|options| {
            options
                .pragma("journal_mode", "WAL")
                .pragma("synchronous", "FULL")
                .foreign_keys(true)
                .busy_timeout(Duration::from_secs(5))
        });
    options
}

/// One caller's transaction, its types erased so that strangers can share a commit.
trait Job: Send {
    /// Does the work and keeps its result; whether it may be committed.
    fn run<'t>(&'t mut self, transaction: &'t DatabaseTransaction) -> BoxFuture<'t, bool>;
    /// Tells the caller, once the fate of the transaction is known.
    fn reply(self: Box<Self>, committed: Result<(), DbErr>);
}

struct Work<T, F> {
    work: Option<F>,
    result: Option<Result<T, EngineError>>,
    reply: oneshot::Sender<Result<T, EngineError>>,
}

impl<T, F> Job for Work<T, F>
where
    T: Send + 'static,
    F: for<'t> FnOnce(&'t DatabaseTransaction) -> BoxFuture<'t, Result<T, EngineError>> + Send + 'static,
{
    fn run<'t>(&'t mut self, transaction: &'t DatabaseTransaction) -> BoxFuture<'t, bool> {
        Box::pin(async move {
            let Some(work) = self.work.take() else { return false };
            let result = work(transaction).await;
            let succeeded = result.is_ok();
            self.result = Some(result);
            succeeded
        })
    }

    fn reply(self: Box<Self>, committed: Result<(), DbErr>) {
        let outcome = match (self.result, committed) {
            (Some(Err(error)), _) => Err(error),
            (_, Err(error)) => Err(error.into()),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(EngineError::Invariant("a job was committed without having run")),
        };
        // The caller may be gone; what is committed stays.
        let _ = self.reply.send(outcome);
    }
}

async fn write_in_batches(connection: DatabaseConnection, mut queue: mpsc::Receiver<Box<dyn Job>>) {
    let mut jobs = Vec::with_capacity(BATCH);
    while queue.recv_many(&mut jobs, BATCH).await > 0 {
        let committed = write_batch(&connection, &mut jobs).await;
        for job in jobs.drain(..) {
            job.reply(copy_of(&committed));
        }
    }
}

async fn write_batch(connection: &DatabaseConnection, jobs: &mut [Box<dyn Job>]) -> Result<(), DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = connection.begin_with_options(options).await?;
    if let [job] = jobs {
        return if job.run(&transaction).await {
            transaction.commit().await
        } else {
            transaction.rollback().await
        };
    }
    // One statement between two jobs, for each is a trip to the thread of the connection.
    let mut next = "SAVEPOINT job";
    for job in jobs {
        run(&transaction, next).await?;
        next = if job.run(&transaction).await { "RELEASE job; SAVEPOINT job" } else { UNDO };
    }
    if next == UNDO {
        run(&transaction, UNDO).await?;
    }
    transaction.commit().await
}

/// Takes back what was written since the savepoint, which stays.
const UNDO: &str = "ROLLBACK TO job";

async fn run(transaction: &DatabaseTransaction, sql: &str) -> Result<(), DbErr> {
    transaction.execute_raw(Statement::from_string(DbBackend::Sqlite, sql)).await.map(drop)
}

/// `DbErr` cannot be cloned, and every job of a failed batch must hear of it.
fn copy_of(committed: &Result<(), DbErr>) -> Result<(), DbErr> {
    match committed {
        Ok(()) => Ok(()),
        Err(error) => Err(DbErr::Custom(error.to_string())),
    }
}

#[cfg(test)]
mod tests;
