//! An engine on a real database, with an agent that plays what a test tells it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use object_store::memory::InMemory;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use turnwright_actors::bus::InProcessBus;
use turnwright_actors::clock::Clock;
use turnwright_actors::engine::{Accepted, CommandBody, Engine, EngineParts, Submission};
use turnwright_actors::error::Refusal;
use turnwright_actors::files::FileStore;
use turnwright_actors::ids::{ConversationId, UserId};
use turnwright_actors::ports::{
    Agent, LanguageModel, ModelCall, ModelError, ModelPart, ModelRequest, PrepareError, Prepared, Replay,
    Tool, ToolCall, ToolError, ToolSpec, TurnContext,
};
use turnwright_actors::settings::EngineSettings;
use turnwright_actors::store::{Database, Viewer};
use turnwright_migrations::{Migrator, MigratorTrait};
use turnwright_schemas::Surface;
use turnwright_schemas::history::History;
use turnwright_schemas::turn_body::TurnResult;

/// What the model does in one request.
#[derive(Clone)]
pub enum Part {
    Text(&'static str),
    Call(&'static str, &'static str, Value),
    /// Waits until the test lets it go on.
    Wait(Arc<Notify>),
    Fail(&'static str),
    Panic,
}

#[derive(Default)]
pub struct TestAgent {
    requests: Mutex<VecDeque<Vec<Part>>>,
    pub given: Mutex<Vec<ModelRequest>>,
    pub tools: Mutex<Vec<Arc<dyn Tool>>>,
    pub refuses: Mutex<Option<String>>,
}

impl TestAgent {
    pub fn will(&self, requests: impl IntoIterator<Item = Vec<Part>>) {
        self.requests.lock().unwrap().extend(requests);
    }
}

struct Played(Arc<TestAgent>);

impl Agent for Played {
    fn prepare<'a>(&'a self, _: &'a TurnContext) -> BoxFuture<'a, Result<Prepared, PrepareError>> {
        Box::pin(async move {
            if let Some(sentence) = self.0.refuses.lock().unwrap().clone() {
                return Err(PrepareError(sentence));
            }
            Ok(Prepared {
                model: Arc::new(Self(Arc::clone(&self.0))),
                system_prompt: "Test.".to_owned(),
                tools: self.0.tools.lock().unwrap().clone(),
            })
        })
    }
}

impl LanguageModel for Played {
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelPart, ModelError>> {
        self.0.given.lock().unwrap().push(request);
        let parts = self.0.requests.lock().unwrap().pop_front().unwrap_or_default();
        stream::iter(parts)
            .filter_map(|part| async move {
                match part {
                    Part::Text(text) => Some(Ok(ModelPart::Text(text.to_owned()))),
                    Part::Call(id, name, args) => Some(Ok(ModelPart::Call(ModelCall {
                        id: id.to_owned(),
                        name: name.to_owned(),
                        args,
                    }))),
                    Part::Wait(go) => {
                        go.notified().await;
                        None
                    }
                    Part::Fail(sentence) => {
                        Some(Err(ModelError { message: sentence.to_owned(), status: Some(500) }))
                    }
                    Part::Panic => panic!("the model panicked"),
                }
            })
            .boxed()
    }
}

/// A tool that counts its runs.
pub struct TestTool {
    spec: Arc<ToolSpec>,
    pub runs: Mutex<Vec<ToolCall>>,
    pub does: fn() -> Result<Value, ToolError>,
    pub waits: Option<Arc<Notify>>,
    pub deadline: Duration,
    pub replay: Replay,
}

impl TestTool {
    pub fn new(name: &str, does: fn() -> Result<Value, ToolError>) -> Self {
        let spec =
            ToolSpec { name: name.to_owned(), description: "A test.".to_owned(), input_schema: json!({}) };
        Self {
            spec: Arc::new(spec),
            runs: Mutex::default(),
            does,
            waits: None,
            deadline: Duration::from_secs(60),
            replay: Replay::Never,
        }
    }
}

impl Tool for TestTool {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    fn replay(&self) -> Replay {
        self.replay
    }

    fn deadline(&self) -> Duration {
        self.deadline
    }

    fn run(&self, call: ToolCall) -> BoxFuture<'_, Result<Value, ToolError>> {
        self.runs.lock().unwrap().push(call);
        Box::pin(async move {
            if let Some(waits) = &self.waits {
                waits.notified().await;
            }
            (self.does)()
        })
    }
}

/// An engine, its database and its agent.
pub struct World {
    settings: EngineSettings,
    runtime: Handle,
    pub engine: Engine,
    pub agent: Arc<TestAgent>,
    pub database: Database,
    pub user: UserId,
    pub conversation: ConversationId,
}

impl World {
    async fn start(database: Database, user: UserId, settings: EngineSettings, runtime: Handle) -> Self {
        let agent = Arc::new(TestAgent::default());
        let engine = engine(&database, &agent, settings.clone(), runtime.clone());
        let made = engine.create(user, String::new()).await.unwrap();
        let conversation = made.id.parse().unwrap();
        Self { settings, runtime, engine, agent, database, user, conversation }
    }

    /// Another node on the same database, as after a crash of the first: its turns are still held, and their runs
    /// wait for ever.
    pub fn next_node(&self) -> Engine {
        engine(&self.database, &self.agent, self.settings.clone(), self.runtime.clone())
    }

    pub async fn submit(&self, command: CommandBody) -> Result<Accepted, Refusal> {
        let submission = Submission {
            user_id: self.user,
            conversation_id: Some(self.conversation),
            surface: Surface::Full,
            command,
        };
        self.engine.submit(submission).await
    }

    pub async fn prompt(&self, text: &str) -> Accepted {
        self.submit(CommandBody::Prompt { text: text.to_owned() }).await.unwrap()
    }

    pub async fn say(&self, text: &str) -> TurnResult {
        self.prompt(text).await.into_result().await.unwrap()
    }

    pub async fn answer(&self, tool_call_id: &str, response: Value) -> Result<Accepted, Refusal> {
        self.submit(CommandBody::Answer { tool_call_id: tool_call_id.to_owned(), response }).await
    }

    pub async fn history(&self) -> History {
        let viewer = Viewer { user_id: self.user, admin: false };
        self.engine.read(self.conversation, viewer).await.unwrap()
    }

    /// The transcript as `type: text`, results of tools as their JSON.
    pub async fn transcript(&self) -> Vec<String> {
        let rows = self.history().await.prompts;
        rows.into_iter()
            .map(|row| {
                let said = row.result.map_or(row.text, |result| result.to_string());
                format!("{}: {said}", row.kind.as_str())
            })
            .collect()
    }
}

fn engine(database: &Database, agent: &Arc<TestAgent>, settings: EngineSettings, runtime: Handle) -> Engine {
    Engine::start(EngineParts {
        settings,
        database: database.clone(),
        files: FileStore::new(database.clone(), Arc::new(InMemory::new()), Clock::System),
        agent: Arc::new(Played(Arc::clone(agent))),
        bus: Arc::new(InProcessBus::default()),
        clock: Clock::System,
        runtime,
    })
}

async fn open(url: String) -> (Database, UserId) {
    let database = Database::open(&url, std::time::Duration::from_secs(15)).await.unwrap();
    Migrator::up(database.reader(), None).await.unwrap();
    let user = UserId::new();
    insert_user(&database, user).await;
    (database, user)
}

async fn insert_user(database: &Database, user: UserId) {
    let id = user.uuid();
    database
        .transaction(move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO users (id, email, name, password_hash, admin, created, updated) \
                           VALUES ($1, $2, 'T', 'x', FALSE, 0, 0)";
                let values = [id.into(), id.to_string().into()];
                let statement =
                    sea_orm::Statement::from_sql_and_values(tx.get_database_backend(), sql, values);
                tx.execute_raw(statement).await?;
                Ok(())
            })
        })
        .await
        .unwrap();
}

/// Runs a test on SQLite and on Postgres, each with a database of its own.
pub fn on_both<F>(settings: EngineSettings, test: impl Fn(World) -> F)
where
    F: Future<Output = ()>,
{
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite://{}?mode=rwc", folder.path().join("test.db").display());
    run(&sqlite, settings.clone(), &test);
    if let Some(postgres) = crate::postgres::Postgres::shared() {
        run(&postgres.database(), settings, &test);
    }
}

fn run<F: Future<Output = ()>>(url: &str, settings: EngineSettings, test: impl Fn(World) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    actix::System::new().block_on(async {
        // A connection lives on the runtime that opened it.
        let (database, user) = handle.spawn(open(url.to_owned())).await.unwrap();
        test(World::start(database, user, settings, handle).await).await;
    });
}
