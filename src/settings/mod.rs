//! Settings: what a node may be told, checked at start (DESIGN section 10).
//!
//! `config/default.toml` names and explains every one. A value that is wrong stops the start with a sentence that
//! names the key.

mod address;
mod layers;
mod location;
mod read;
mod shown;

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use tracing_subscriber::EnvFilter;
use turnwright_actors::settings::EngineSettings;
use turnwright_actors::streams::StreamText;

pub use address::Network;
pub use layers::Sources;
pub use location::{DatabaseLocation, FilesLocation};
pub use shown::shown;
pub use turnwright_actors::settings::AskSettings;

/// Everything a node may be told.
#[derive(Debug)]
pub struct Settings {
    /// How the API is served.
    pub http: HttpSettings,
    /// Where the rows live.
    pub database: DatabaseLocation,
    /// What agents may ask.
    pub asks: AskSettings,
    /// How turns run.
    pub turns: TurnSettings,
    /// How nodes know that others live.
    pub cluster: ClusterSettings,
    /// Who may come in.
    pub auth: AuthSettings,
    /// Where uploads live.
    pub files: FilesLocation,
    /// The agent that answers when no model is configured.
    pub demo: DemoAgentSettings,
    /// What is logged.
    pub log: LogSettings,
}

impl Settings {
    /// What the engine is told.
    pub fn engine(&self) -> EngineSettings {
        EngineSettings {
            asks: self.asks.clone(),
            max_steps: self.turns.max_steps,
            queue_limit: self.turns.queue_limit,
            run_deadline: self.turns.run_deadline,
            request_deadline: self.turns.request_deadline,
        }
    }
}

/// How the API is served.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// The address to listen on.
    pub bind: IpAddr,
    /// The port to listen on; 0 lets the system choose.
    pub port: u16,
    /// Threads that serve; `None` is one for each core.
    pub workers: Option<usize>,
    /// Origins whose pages may call the API; `*` is all.
    pub cors_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` counts.
    pub trusted_proxies: Vec<Network>,
    /// The largest body of a prompt or a turn, in bytes.
    pub max_chat_body_bytes: usize,
    /// The largest JSON body elsewhere, in bytes.
    pub max_body_bytes: usize,
    /// How deep a body's JSON may nest.
    pub max_json_depth: usize,
    /// How long the head of a request may take.
    pub head_timeout: Duration,
    /// How long a client may pause while it sends a body.
    pub body_pause: Duration,
    /// How often a silent stream sends a comment.
    pub keep_alive: Duration,
    /// Event streams one user may hold open on this node.
    pub streams_per_user: usize,
    /// How long stopping may take.
    pub shutdown: Duration,
}

/// How turns run.
#[derive(Debug, Clone)]
pub struct TurnSettings {
    /// Model requests of one turn, at most.
    pub max_steps: u32,
    /// Prompts that may wait in one conversation.
    pub queue_limit: u32,
    /// How text is streamed when a request does not say.
    pub stream_text: StreamText,
    /// How long a turn may run until it rests.
    pub run_deadline: Duration,
    /// How long one model request may take.
    pub request_deadline: Duration,
}

/// How nodes know that others live (DESIGN section 6).
#[derive(Debug, Clone)]
pub struct ClusterSettings {
    /// How long a silent node is taken to live.
    pub lease: Duration,
    /// How often a node says that it lives; at most half of the lease.
    pub heartbeat: Duration,
}

/// Who may come in (DESIGN sections 8 and 10).
#[derive(Debug, Clone)]
pub struct AuthSettings {
    /// Whether the users whose passwords are public are made at start.
    pub development: bool,
    /// How long a session lives without use.
    pub session: Duration,
    /// Failed sign-ins of one account in a window.
    pub failures_per_account: u32,
    /// Failed sign-ins from one address in a window.
    pub failures_per_address: u32,
    /// The window in which failed sign-ins count.
    pub sign_in_window: Duration,
    /// Sign-ups from one address in a minute.
    pub sign_ups_per_minute: u32,
}

/// The agent that answers when no model is configured.
#[derive(Debug, Clone)]
pub struct DemoAgentSettings {
    /// Whether it and its to-do list exist.
    pub enabled: bool,
    /// How long it waits before each piece of text.
    pub delay: Duration,
    /// A file that scripts the model.
    pub script: Option<PathBuf>,
    /// A file that records model requests and tool runs.
    pub record: Option<PathBuf>,
}

/// What is logged.
#[derive(Debug)]
pub struct LogSettings {
    /// Which events.
    pub filter: EnvFilter,
    /// For whom.
    pub format: LogFormat,
}

/// For whom logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object a line.
    Json,
}
