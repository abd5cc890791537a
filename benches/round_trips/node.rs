//! A node of the script's own, in a temporary folder, with a model that asks at once and replies at once.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use crate::http::Failure;
use crate::process::Process;

const JUST_BUILT: &str = env!("CARGO_BIN_EXE_turnwright");
const STARTS_WITHIN: Duration = Duration::from_secs(30);

/// A node that runs until it is dropped.
pub struct Node {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl Node {
    /// Starts a node on a free port, on SQLite or the database named.
    pub fn start(program: Option<&Path>, database_url: Option<&str>) -> Result<Self, Failure> {
        let program = program.unwrap_or(Path::new(JUST_BUILT)).canonicalize()?;
        let folder = TempDir::new()?;
        let script = folder.path().join("script.json");
        fs::write(&script, asks_once().to_string())?;
        if let Some(url) = database_url {
            let migrated = Command::new(&program)
                .args(["migrate", "--database-url", url])
                .current_dir(&folder)
                .status()?;
            if !migrated.success() {
                return Err("the tables could not be made".into());
            }
        }
        let log = folder.path().join("log");
        let mut command = Command::new(&program);
        command
            .args(["serve", "--port", "0"])
            .args(database_url.iter().flat_map(|url| ["--database-url", url]))
            .env("TURNWRIGHT__DEMO__SCRIPT", &script)
            .env("TURNWRIGHT__DEMO__DELAY_MS", "0")
            .current_dir(&folder)
            .stderr(File::create(&log)?);
        let child = command.spawn()?;
        let mut node = Self { child, url: String::new(), _folder: folder };
        node.url = format!("http://{}", node.wait_for_address(&log)?);
        Ok(node)
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    pub fn process(&self) -> Process {
        Process(self.child.id())
    }

    /// The address it logs once it listens.
    fn wait_for_address(&mut self, log: &Path) -> Result<String, Failure> {
        let latest = Instant::now() + STARTS_WITHIN;
        loop {
            let said = fs::read_to_string(log)?;
            let words =
                said.lines().filter(|line| line.contains("listening")).flat_map(str::split_whitespace);
            if let Some(address) = words.filter_map(|word| word.strip_prefix("address=")).next() {
                return Ok(address.to_owned());
            }
            if self.child.try_wait()?.is_some() || Instant::now() > latest {
                return Err(format!("the node did not start: {said}").into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have ended by itself; its folder goes either way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A model that asks one question a turn and then replies.
fn asks_once() -> serde_json::Value {
    let ask = json!({"id": "call_1", "name": "ask_confirm", "args": {"prompt": "Send the invoice?"}});
    json!({"rules": [{"when": "ask", "requests": [[{"call": ask}], [{"text": "Sent."}]]}]})
}
