//! The table.

use std::fmt;
use std::time::Duration;

use crate::chat::Halves;
use crate::http::Failure;
use crate::process::Usage;

/// How many failures are shown in full.
const SHOWN: usize = 5;

/// Everything that was measured.
pub struct Report {
    pub surface: &'static str,
    pub rows: Vec<Measured>,
    /// The node's resident memory before and after.
    pub resident_megabytes: Option<(f64, f64)>,
}

/// What so many conversations at once gave.
pub struct Measured {
    pub conversations: usize,
    pub length: Duration,
    pub halves: Vec<Halves>,
    pub errors: Vec<Failure>,
    pub used: Usage,
}

impl Report {
    /// Whether anything failed, or nothing was done.
    pub fn has_errors(&self) -> bool {
        self.rows.iter().any(|row| !row.errors.is_empty() || row.halves.is_empty())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, times in ms, processor time in ms for each round trip", self.surface)?;
        writeln!(
            f,
            "{:>13} {:>13} {:>16} {:>16} {:>9} {:>9} {:>7}",
            "conversations", "round trips/s", "pause p50/p99", "done p50/p99", "node cpu", "client", "errors"
        )?;
        for row in &self.rows {
            row.fmt(f)?;
        }
        if let Some((idle, after)) = self.resident_megabytes {
            writeln!(f, "resident memory of the node: {idle:.1} MB idle, {after:.1} MB after")?;
        }
        for error in self.rows.iter().flat_map(|row| &row.errors).take(SHOWN) {
            writeln!(f, "error: {error}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.halves.len();
        let rate = count as f64 / self.length.as_secs_f64();
        let pause = percentiles(self.halves.iter().map(|halves| halves.pause));
        let done = percentiles(self.halves.iter().map(|halves| halves.done));
        let each = |used: Duration| format!("{:.2}", milliseconds(used) / count.max(1) as f64);
        let node = self.used.node.map_or("-".to_owned(), each);
        writeln!(
            f,
            "{:>13} {rate:>13.0} {pause:>16} {done:>16} {node:>9} {:>9} {:>7}",
            self.conversations,
            each(self.used.client),
            self.errors.len()
        )
    }
}

fn percentiles(times: impl Iterator<Item = Duration>) -> String {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    let at =
        |percent: usize| times.get((times.len().max(1) - 1) * percent / 100).copied().unwrap_or_default();
    format!("{:.2} / {:.2}", milliseconds(at(50)), milliseconds(at(99)))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
