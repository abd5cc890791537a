//! The log of a process, kept line by line so that a test can wait for a line instead of for time.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;

/// How long a test waits for a line before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a process has written so far; clones share it.
#[derive(Clone)]
pub struct Logs {
    lines: Arc<Mutex<Vec<String>>>,
    /// How many lines there are. Its sender goes away when the process closes its end.
    count: watch::Receiver<usize>,
}

impl Logs {
    /// Keeps everything that comes out of a pipe.
    pub fn of(pipe: impl Read + Send + 'static) -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (sender, count) = watch::channel(0);
        let kept = Arc::clone(&lines);
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                kept.lock().unwrap().push(line);
                sender.send_modify(|count| *count += 1);
            }
        });
        Self { lines, count }
    }

    /// Everything written so far.
    pub fn text(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }

    /// Waits for a warning that holds `part`.
    ///
    /// # Panics
    /// As [`Self::wait_for`].
    pub async fn warning_about(&self, part: &str) {
        let warns = |line: &str| line.contains("\"level\":\"WARN\"") && line.contains(part);
        self.wait_for(&format!("warning about {part}"), |line| warns(line).then_some(())).await;
    }

    /// What `find` makes of the first line it makes something of, now or later.
    ///
    /// # Panics
    /// When the process ends, or half a minute passes, without such a line.
    pub async fn wait_for<T>(&self, what: &str, find: impl Fn(&str) -> Option<T>) -> T {
        let mut count = self.count.clone();
        let mut looked_at = 0;
        let search = async {
            loop {
                count.borrow_and_update();
                let found = {
                    let lines = self.lines.lock().unwrap();
                    let found = lines[looked_at..].iter().find_map(|line| find(line));
                    looked_at = lines.len();
                    found
                };
                if let Some(found) = found {
                    return Some(found);
                }
                if count.changed().await.is_err() {
                    return None;
                }
            }
        };
        match tokio::time::timeout(PATIENCE, search).await {
            Ok(Some(found)) => found,
            Ok(None) => panic!("the process ended before it wrote {what}:\n{}", self.text()),
            Err(_) => panic!("the process wrote no {what} in {PATIENCE:?}:\n{}", self.text()),
        }
    }
}
