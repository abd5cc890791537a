//! What a node has stored, read from its database in one moment and without the program's own code.

use std::collections::BTreeMap;

use sea_orm::{
    AccessMode, ConnectOptions, ConnectionTrait, Database, DatabaseTransaction, DbBackend, IsolationLevel,
    QueryResult, Statement, TransactionTrait, TryGetable,
};
use serde_json::Value;
use uuid::Uuid;

use super::Setup;

/// The rows of every conversation, and every text of every table.
#[derive(Debug)]
pub struct Stored {
    /// The conversations by id.
    pub conversations: BTreeMap<Uuid, Conversation>,
    /// Every text column that is not null, with the table and column it is from.
    pub texts: Vec<(String, String)>,
}

/// A conversation with the rows that belong to it.
#[derive(Debug)]
pub struct Conversation {
    pub message_count: i32,
    pub event_seq: i64,
    pub active_task: Option<Uuid>,
    pub pending_ask: Option<Uuid>,
    pub inbox_count: i32,
    pub deleted: bool,
    /// By `seq`, those an undo removed included.
    pub messages: Vec<Message>,
    /// By `seq`.
    pub events: Vec<Event>,
    pub asks: Vec<Ask>,
    pub tasks: Vec<Task>,
    /// The commands that wait, oldest first.
    pub inbox: Vec<Uuid>,
    /// Type and data of what subscribers hear, oldest first.
    pub outbox: Vec<(String, Value)>,
}

#[derive(Debug)]
pub struct Message {
    pub seq: i64,
    /// `None` on a tombstone.
    pub index: Option<i32>,
    pub command_id: Uuid,
    pub task_id: Uuid,
    pub kind: String,
    pub tool_call_id: Option<String>,
    pub ask_status: Option<String>,
    pub body: Value,
}

#[derive(Debug)]
pub struct Event {
    pub seq: i64,
    pub command_id: Uuid,
    pub event: Value,
}

#[derive(Debug)]
pub struct Ask {
    pub id: Uuid,
    pub task_id: Uuid,
    pub tool_call_id: String,
    pub host_call_id: Option<String>,
    pub status: String,
    pub claimed_by: Option<Uuid>,
    pub action: Option<String>,
    pub message_seq: i64,
    pub resolved: Option<i64>,
}

#[derive(Debug)]
pub struct Task {
    pub id: Uuid,
    pub status: String,
    pub command_id: Uuid,
    pub state: Value,
    pub ended: Option<i64>,
}

impl Stored {
    /// Reads the database of a node, which may be running.
    pub async fn read(setup: &Setup) -> Self {
        let url = setup.setting("database.url");
        let url = if url.starts_with("sqlite:") { format!("{url}?mode=ro") } else { url.to_owned() };
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).sqlx_logging(false);
        let database = Database::connect(options).await.unwrap();
        // SQLite has one isolation only, which is the one wanted.
        let isolation = (database.get_database_backend() == DbBackend::Postgres)
            .then_some(IsolationLevel::RepeatableRead);
        let moment =
            database.begin_with_config(isolation, isolation.map(|_| AccessMode::ReadOnly)).await.unwrap();
        let stored = Self { conversations: conversations(&moment).await, texts: texts(&moment).await };
        moment.rollback().await.unwrap();
        database.close().await.unwrap();
        stored
    }

    /// The only conversation with this id.
    pub fn conversation(&self, id: &str) -> &Conversation {
        &self.conversations[&id.parse().unwrap()]
    }
}

async fn rows(moment: &DatabaseTransaction, sql: &str) -> Vec<QueryResult> {
    moment.query_all_raw(Statement::from_string(moment.get_database_backend(), sql)).await.unwrap()
}

fn get<T: TryGetable>(row: &QueryResult, column: &str) -> T {
    row.try_get("", column).unwrap()
}

fn document(row: &QueryResult, column: &str) -> Value {
    serde_json::from_str(&get::<String>(row, column)).unwrap()
}

async fn conversations(moment: &DatabaseTransaction) -> BTreeMap<Uuid, Conversation> {
    let mut found = BTreeMap::new();
    for row in rows(moment, "SELECT * FROM conversations").await {
        let conversation = Conversation {
            message_count: get(&row, "message_count"),
            event_seq: get(&row, "event_seq"),
            active_task: get(&row, "active_task_id"),
            pending_ask: get(&row, "pending_ask_id"),
            inbox_count: get(&row, "inbox_count"),
            deleted: get::<Option<i64>>(&row, "deleted").is_some(),
            messages: Vec::new(),
            events: Vec::new(),
            asks: Vec::new(),
            tasks: Vec::new(),
            inbox: Vec::new(),
            outbox: Vec::new(),
        };
        found.insert(get(&row, "id"), conversation);
    }
    let mut of = |row: &QueryResult, add: &dyn Fn(&mut Conversation)| {
        add(found.get_mut(&get::<Uuid>(row, "conversation_id")).expect("a row belongs to a conversation"));
    };
    for row in rows(moment, "SELECT * FROM messages ORDER BY seq").await {
        of(&row, &|conversation| conversation.messages.push(message(&row)));
    }
    for row in rows(moment, "SELECT * FROM events ORDER BY seq").await {
        of(&row, &|conversation| conversation.events.push(event(&row)));
    }
    for row in rows(moment, "SELECT * FROM asks ORDER BY message_seq").await {
        of(&row, &|conversation| conversation.asks.push(ask(&row)));
    }
    for row in rows(moment, "SELECT * FROM tasks ORDER BY id").await {
        of(&row, &|conversation| conversation.tasks.push(task(&row)));
    }
    for row in rows(moment, "SELECT * FROM inbox ORDER BY seq").await {
        of(&row, &|conversation| conversation.inbox.push(get(&row, "command_id")));
    }
    for row in rows(moment, "SELECT * FROM outbox ORDER BY id").await {
        of(&row, &|conversation| {
            conversation.outbox.push((get(&row, "kind"), document(&row, "data")["data"].take()))
        });
    }
    found
}

fn message(row: &QueryResult) -> Message {
    Message {
        seq: get(row, "seq"),
        index: get(row, "index"),
        command_id: get(row, "command_id"),
        task_id: get(row, "task_id"),
        kind: get(row, "kind"),
        tool_call_id: get(row, "tool_call_id"),
        ask_status: get(row, "ask_status"),
        body: document(row, "body"),
    }
}

fn event(row: &QueryResult) -> Event {
    Event { seq: get(row, "seq"), command_id: get(row, "command_id"), event: document(row, "event") }
}

fn ask(row: &QueryResult) -> Ask {
    Ask {
        id: get(row, "id"),
        task_id: get(row, "task_id"),
        tool_call_id: get(row, "tool_call_id"),
        host_call_id: get(row, "host_call_id"),
        status: get(row, "status"),
        claimed_by: get(row, "claimed_by"),
        action: get(row, "action"),
        message_seq: get(row, "message_seq"),
        resolved: get(row, "resolved"),
    }
}

fn task(row: &QueryResult) -> Task {
    Task {
        id: get(row, "id"),
        status: get(row, "status"),
        command_id: get(row, "command_id"),
        state: document(row, "state"),
        ended: get(row, "ended"),
    }
}

/// Every text of every table there is, also of tables this file does not know.
async fn texts(moment: &DatabaseTransaction) -> Vec<(String, String)> {
    let tables = match moment.get_database_backend() {
        DbBackend::Postgres => "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
        _ => "SELECT name FROM sqlite_master WHERE type = 'table'",
    };
    let mut texts = Vec::new();
    for table in rows(moment, tables).await {
        let table: String = get(&table, "name");
        for row in rows(moment, &format!("SELECT * FROM \"{table}\"")).await {
            for column in row.column_names() {
                if let Ok(Some(text)) = row.try_get::<Option<String>>("", &column) {
                    texts.push((format!("{table}.{column}"), text));
                }
            }
        }
    }
    texts
}
