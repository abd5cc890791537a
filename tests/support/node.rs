//! Real nodes: the binary as a process of its own, on a free port, in a folder of its own.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::client::Client;
use super::contract::Contract;
use super::logs::Logs;
use super::postgres::Postgres;
use super::script::{self, Record};

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_turnwright");

/// How long a process that should end by itself may take.
const ENDS_WITHIN: Duration = Duration::from_secs(30);

/// What a node is started with. Clones share the folder, so that a node can be started again on its data.
#[derive(Clone)]
pub struct Setup {
    folder: Arc<TempDir>,
    settings: BTreeMap<String, String>,
    script: bool,
}

impl Setup {
    /// A node with nothing but what keeps it apart from others: a free port, a SQLite file and a folder for
    /// uploads.
    pub fn new() -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let sqlite = format!("sqlite://{}", folder.path().join("turnwright.db").display());
        let files = folder.path().join("files").display().to_string();
        Self { folder, settings: BTreeMap::new(), script: false }
            .set("http.port", 0)
            .set("log.format", "json")
            .set("database.url", sqlite)
            .set("files.url", files)
    }

    /// With a setting, by its dotted key.
    pub fn set(mut self, key: &str, value: impl ToString) -> Self {
        self.settings.insert(key.to_owned(), value.to_string());
        self
    }

    /// On a Postgres database of its own instead of SQLite, its tables made. `None` where Postgres is not installed.
    pub fn on_postgres(self) -> Option<Self> {
        let setup = self.set("database.url", Postgres::shared()?.database());
        let migrated = setup.command(&["migrate"]).output().unwrap();
        assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
        Some(setup)
    }

    /// With a scripted model (`{"rules": …, "tools": …}`) whose requests and tool runs are recorded.
    pub fn scripted(mut self, script: &Value) -> Self {
        self.script = true;
        self.write_script(script);
        let (script, record) = (self.script_file(), self.record_file());
        self.set("demo.script", script.display()).set("demo.record", record.display())
    }

    /// Replaces the script; a running node reads it at its next prompt.
    pub fn write_script(&self, script: &Value) {
        std::fs::write(self.script_file(), script.to_string()).unwrap();
    }

    /// A setting that was set, by its dotted key.
    pub fn setting(&self, key: &str) -> &str {
        &self.settings[key]
    }

    /// Where the node keeps its data.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn script_file(&self) -> PathBuf {
        self.folder.path().join("script.json")
    }

    fn record_file(&self) -> PathBuf {
        self.folder.path().join("record.jsonl")
    }

    /// The program with these settings and no others, in the folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(self.folder.path());
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_setting(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        for (key, value) in &self.settings {
            command.env(format!("TURNWRIGHT__{}", key.replace('.', "__").to_uppercase()), value);
        }
        command
    }

    /// Runs the program to its end.
    ///
    /// # Panics
    /// When it does not end by itself.
    pub async fn run(&self, arguments: &[&str]) -> Output {
        run_to_its_end(self.command(arguments)).await
    }

    /// Runs a node that must refuse to start, and gives what it says.
    ///
    /// # Panics
    /// When it starts.
    pub async fn refused(&self) -> String {
        let output = self.run(&["serve"]).await;
        assert!(!output.status.success(), "the node ended as if all were well");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Starts a node and waits until it is ready.
    ///
    /// # Panics
    /// When it does not start; the panic shows its log.
    pub async fn start(self) -> Node {
        let mut process = self
            .command(&["serve"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let logs = Logs::of(process.stderr.take().unwrap());
        let process = Process(process);
        let address = logs.wait_for("address it listens on", listening_address).await;
        let contract = Contract::of(&format!("http://{address}")).await;
        let node = Node { process, setup: self, address, logs, contract };
        node.client().get("/readyz").await.expect(200);
        node
    }
}

/// Runs a command to its end.
///
/// # Panics
/// When it does not end by itself.
pub async fn run_to_its_end(mut command: Command) -> Output {
    let process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = process.id();
    let ended = tokio::task::spawn_blocking(move || process.wait_with_output().unwrap());
    match tokio::time::timeout(ENDS_WITHIN, ended).await {
        Ok(output) => output.unwrap(),
        Err(_) => {
            signal("-KILL", pid);
            panic!("{command:?} goes on for {ENDS_WITHIN:?}");
        }
    }
}

fn is_setting(name: &str) -> bool {
    name.to_uppercase().starts_with("TURNWRIGHT__")
}

fn listening_address(line: &str) -> Option<SocketAddr> {
    let event: Value = serde_json::from_str(line).ok()?;
    if event["message"] != "listening" {
        return None;
    }
    event["address"].as_str()?.parse().ok()
}

fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// A process that goes when its owner goes, also when that is a test that panics.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running node.
pub struct Node {
    process: Process,
    setup: Setup,
    address: SocketAddr,
    logs: Logs,
    contract: Arc<Contract>,
}

impl Node {
    /// A node with the default settings.
    pub async fn start() -> Self {
        Setup::new().start().await
    }

    /// A node whose model is scripted and recorded.
    pub async fn scripted(script: Value) -> Self {
        Setup::new().scripted(&script).start().await
    }

    /// A client that has not signed in.
    pub fn client(&self) -> Client {
        Client::new(format!("http://{}", self.address), Arc::clone(&self.contract))
    }

    /// A new user, signed in.
    pub async fn user(&self, name: &str) -> Client {
        self.client().sign_up(name).await
    }

    /// The administrator that the setting `auth.development` makes, signed in.
    pub async fn admin(&self) -> Client {
        self.client().sign_in("admin@example.com", "adminpassword123").await
    }

    /// What the node was started with.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it has logged.
    pub fn logs(&self) -> &Logs {
        &self.logs
    }

    /// The API it describes.
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// What the scripted model was given, and which tools ran.
    ///
    /// # Panics
    /// When the node has no script.
    pub fn record(&self) -> Record {
        assert!(self.setup.script, "this node records nothing");
        script::read_record(&self.setup.record_file())
    }

    /// Kills the node as a power cut would, and starts another on its data.
    pub async fn restart(self) -> Self {
        let setup = self.setup.clone();
        drop(self);
        setup.start().await
    }

    /// Tells the node to stop, as an operator does, and waits until it has.
    ///
    /// # Panics
    /// When it does not end, or not well.
    pub async fn stop(mut self) -> Logs {
        signal("-TERM", self.process.0.id());
        let logs = self.logs.clone();
        let ended = tokio::task::spawn_blocking(move || self.process.0.wait());
        let status = tokio::time::timeout(ENDS_WITHIN, ended).await.expect("the node goes on").unwrap();
        assert!(status.unwrap().success(), "{}", logs.text());
        logs
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- the node's log\n{}\n---", self.logs.text());
        }
    }
}
