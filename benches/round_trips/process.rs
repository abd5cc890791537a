//! What a process takes of the machine, as the kernel counts it.

use std::fs;
use std::time::Duration;

use crate::http::Failure;

/// Of a second; the unit of `/proc/<pid>/stat` on every Linux that Rust runs on.
const TICKS: u32 = 100;

/// A process of this machine.
#[derive(Debug, Clone, Copy)]
pub struct Process(pub u32);

impl Process {
    /// Its resident memory.
    pub fn resident_megabytes(self) -> Result<f64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()).ok_or("VmRSS is missing")?;
        Ok(kilobytes.parse::<f64>()? / 1024.0)
    }

    /// The processor time it has used so far.
    fn processor_time(self) -> Result<Duration, Failure> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0))?;
        // The program's name, in parentheses, may hold spaces. User and system time are fields 14 and 15.
        let (_, after_name) = stat.rsplit_once(')').ok_or("the name is missing")?;
        let times = after_name.split_whitespace().skip(11).take(2);
        let ticks = times.map(str::parse::<u32>).sum::<Result<u32, _>>()?;
        Ok(Duration::from_secs(1) * ticks / TICKS)
    }
}

/// Processor time of the two sides.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Of the node, when it is a child of this process.
    pub node: Option<Duration>,
    /// Of this process.
    pub client: Duration,
}

impl Usage {
    /// So far.
    pub fn of(node: Option<Process>) -> Result<Self, Failure> {
        let node = node.map(Process::processor_time).transpose()?;
        Ok(Self { node, client: Process(std::process::id()).processor_time()? })
    }

    /// Since an earlier moment.
    pub fn since(self, earlier: Self) -> Self {
        let node = self.node.zip(earlier.node).map(|(now, then)| now.saturating_sub(then));
        Self { node, client: self.client.saturating_sub(earlier.client) }
    }
}
