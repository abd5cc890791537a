//! A node: everything one serving process starts, and how it stops.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::prefix::PrefixStore;
use turnwright_actors::bus::InProcessBus;
use turnwright_actors::clock::Clock;
use turnwright_actors::engine::{Engine, EngineParts};
use turnwright_actors::error::EngineError;
use turnwright_actors::files::FileStore;
use turnwright_actors::store::Database;

use crate::agent;
use crate::auth::{self, Accounts};
use crate::database::{self, ServingLock};
use crate::demo::Todos;
use crate::error::StartError;
use crate::http::streams::Streams;
use crate::http::{self, AppState, Server};
use crate::io::{Io, IoRuntime};
use crate::metrics::Metrics;
use crate::settings::{DatabaseLocation, FilesLocation, Settings};
use crate::stopping::Stopping;

/// What the process keeps of its shutdown time for closing the database.
const LAST_WORK: Duration = Duration::from_millis(500);
/// How often what has ended is removed from the tables and the file store.
const SWEEP_EVERY: Duration = Duration::from_secs(10 * 60);
/// Long after an answer's files were stored, the answer was stored too or never will be.
const ANSWER_STORED: Duration = Duration::from_secs(60 * 60);
/// What the log says of the user to try a development node as. It never holds a password.
const TEST_USER: &str = "test@example.com, whose password is in README.md";

/// A node that serves. It stops when it is told to, and leaves nothing running when it has.
pub struct Node {
    state: http::State,
    server: Server,
}

impl Node {
    /// Starts a node. Must be awaited within an actix system, which the node needs until it has stopped.
    ///
    /// # Errors
    /// When the database, the file store or the address cannot be had.
    pub async fn start(settings: Settings, io: Io) -> Result<Self, StartError> {
        let objects = open_files(&settings.files)?;
        let clock = Clock::System;
        let (location, lease) = (settings.database.clone(), settings.cluster.lease);
        let database = io.run(async move { open_database(&location, lease).await }).await?;
        let accounts = Accounts::new(database.clone(), clock.clone(), settings.auth.clone());
        if settings.auth.development {
            let accounts = accounts.clone();
            io.run(async move { auth::seed(&accounts).await }).await?;
        }
        let files = FileStore::new(database.clone(), objects, clock.clone());
        let todos = Todos::new(database.clone(), clock.clone());
        let engine = Engine::start(EngineParts {
            settings: settings.engine(),
            database: database.clone(),
            files: files.clone(),
            agent: agent::configured(&settings, todos.clone())?,
            bus: Arc::new(InProcessBus::default()),
            clock,
            runtime: io.handle().clone(),
        });
        // The lock on a SQLite database proves that whoever ran its turns before is gone.
        if matches!(settings.database, DatabaseLocation::Sqlite(_)) {
            sweep_files(&engine, Duration::ZERO).await;
            let taken = engine.recover().await?;
            if taken > 0 {
                tracing::info!(turns = taken, "turns that a stopped node left go on here");
            }
        }
        io.spawn(sweep(accounts.clone(), engine.clone()));
        let metrics = Metrics::new().map_err(|_| EngineError::Invariant("two counters have one name"))?;
        let state = web::Data::new(AppState {
            engine,
            files,
            todos,
            streams: Streams::new(settings.http.streams_per_user, metrics.streams_open().clone()),
            settings,
            io,
            database,
            accounts,
            metrics,
            stopping: Stopping::new(),
        });
        let server = http::serve(state.clone())?;
        tracing::info!(
            address = %server.address,
            agent = agent::described(&state.settings.demo),
            test_user = state.settings.auth.development.then_some(TEST_USER),
            "listening"
        );
        Ok(Self { state, server })
    }

    /// Where the node listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Stops the node, within `http.shutdown_seconds`.
    pub async fn stop(self) {
        let limit = self.state.settings.http.shutdown.saturating_sub(LAST_WORK);
        self.state.stopping.say();
        tracing::info!("stopping");
        if tokio::time::timeout(limit, self.server.stop()).await.is_err() {
            tracing::warn!("what was still running was cut off");
        }
    }
}

/// Runs a node on this thread until `stop` is ready. `started` is told where it listens.
///
/// # Errors
/// When the node cannot start.
pub fn run(
    settings: Settings,
    started: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<(), StartError> {
    // Dropped last, when nothing of this process writes any more.
    let _lock = ServingLock::take(&settings.database)?;
    let runtime = IoRuntime::start()?;
    let io = runtime.io();
    actix_rt::System::new().block_on(async move {
        let node = Node::start(settings, io).await?;
        started(node.address());
        stop.await;
        node.stop().await;
        Ok(())
    })
}

/// Ready when the system tells the process to stop: SIGTERM or SIGINT.
pub async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::error!("the system does not tell this process when to stop");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// SQLite gets its tables by itself; on Postgres somebody must have made them.
async fn open_database(location: &DatabaseLocation, lease: Duration) -> Result<Database, StartError> {
    let database = database::open(location, lease).await?;
    match location {
        DatabaseLocation::Sqlite(_) => database::migrate(&database).await?,
        DatabaseLocation::Postgres(_) => database::require_tables(&database).await?,
    }
    Ok(database)
}

/// The store of files. Credentials of a bucket come from the environment.
fn open_files(location: &FilesLocation) -> Result<Arc<dyn ObjectStore>, StartError> {
    match location {
        FilesLocation::Folder(path) => {
            std::fs::create_dir_all(path)
                .map_err(|source| StartError::File { path: path.clone(), source })?;
            let folder = LocalFileSystem::new_with_prefix(path).map_err(EngineError::from)?;
            Ok(Arc::new(folder.with_fsync(true)))
        }
        FilesLocation::Bucket(url) => {
            let variables = std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .map(|(name, value)| (name.to_ascii_lowercase(), value));
            let (store, prefix) = object_store::parse_url_opts(url, variables).map_err(EngineError::from)?;
            Ok(Arc::new(PrefixStore::new(store, prefix)))
        }
    }
}

async fn sweep(accounts: Accounts, engine: Engine) {
    let mut ticks = tokio::time::interval(SWEEP_EVERY);
    loop {
        ticks.tick().await;
        if let Err(error) = accounts.sweep().await {
            tracing::warn!(%error, "ended sessions could not be removed");
        }
        sweep_files(&engine, ANSWER_STORED).await;
    }
}

async fn sweep_files(engine: &Engine, age: Duration) {
    match engine.sweep_answer_files(age).await {
        Ok(0) => {}
        Ok(answers) => tracing::info!(answers, "files of answers that are over were removed"),
        Err(error) => tracing::warn!(%error, "files of answers that are over could not be removed"),
    }
}
