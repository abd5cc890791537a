//! Ask round trips over HTTP: how many a second a node does, and how long each half of one takes.
//!
//! A round trip is a prompt that pauses on an ask, and the answer that ends the turn. The script starts a node of
//! its own, with a model that plays a script without waiting, or drives the one at `--url`:
//!
//! ```text
//! cargo bench --bench round_trips
//! cargo bench --bench round_trips -- --conversations 64 --seconds 30 --turn
//! ```
//!
//! Client and node share the machine; the table shows what each of them takes of the processors.

mod chat;
mod http;
mod node;
mod process;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use tokio::task::LocalSet;

use chat::{Chat, Halves, Surface};
use http::Failure;
use node::Node;
use process::{Process, Usage};
use report::{Measured, Report};

/// Drives ask round trips over HTTP and prints how many a second there were and how long they took.
#[derive(Debug, Parser)]
struct Options {
    /// How many conversations go on at the same time; one row of the table for each number.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    conversations: Vec<usize>,
    /// How long each row is measured, after a second to warm up.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// A new conversation begins after so many round trips; 1: each has its own, 0: never.
    #[arg(long, default_value_t = 20)]
    renew_after: u32,
    /// Use POST /gpt/histories/:id/turn, which answers with JSON, instead of the stream of POST /gpt/prompt.
    #[arg(long)]
    turn: bool,
    /// The database of the node that is started, such as postgres://localhost/bench; it gets the tables it lacks.
    #[arg(long, conflicts_with = "url")]
    database_url: Option<String>,
    /// A node that runs already, such as http://127.0.0.1:4000. Its model must ask when it hears "ask".
    #[arg(long)]
    url: Option<String>,
    /// The program to start, such as one built before a change; by default the one just built.
    #[arg(long, conflicts_with = "url")]
    program: Option<PathBuf>,
    /// What cargo adds.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let mut options = Options::parse();
    if !options.bench && std::env::args().len() == 1 {
        // `cargo test --all-targets` wants to know whether the script works, not how fast the node is.
        (options.conversations, options.seconds) = (vec![1], 0.1);
    }
    match run(&options) {
        Ok(report) => {
            print!("{report}");
            if report.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Err(failure) => {
            eprintln!("round_trips: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<Report, Failure> {
    let node = match &options.url {
        Some(_) => None,
        None => Some(Node::start(options.program.as_deref(), options.database_url.as_deref())?),
    };
    let url = match (&options.url, &node) {
        (Some(url), _) => url.as_str(),
        (None, Some(node)) => node.url(),
        (None, None) => return Err("there is no node".into()),
    };
    let process = node.as_ref().map(Node::process);
    let idle = process.map(Process::resident_megabytes).transpose()?;
    let surface = if options.turn { Surface::Turn } else { Surface::Stream };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let rows = runtime.block_on(LocalSet::new().run_until(async {
        let address = http::address(url)?;
        let token = chat::sign_up(address).await?;
        let mut rows = Vec::with_capacity(options.conversations.len());
        for &conversations in &options.conversations {
            let chats = (0..conversations).map(|_| Chat::new(address, &token, surface, options.renew_after));
            let seconds = Duration::from_secs_f64(options.seconds);
            rows.push(measure(chats.collect(), seconds, process).await?);
        }
        Ok::<_, Failure>(rows)
    }))?;
    let after = process.map(Process::resident_megabytes).transpose()?;
    Ok(Report { surface: surface.name(), rows, resident_megabytes: idle.zip(after) })
}

/// Lets every conversation go on until the time is over. What began before the warm-up ended is not counted.
async fn measure(chats: Vec<Chat>, length: Duration, node: Option<Process>) -> Result<Measured, Failure> {
    let conversations = chats.len();
    let begin = Instant::now() + Duration::from_secs(1).min(length);
    let end = begin + length;
    let running: Vec<_> =
        chats.into_iter().map(|chat| tokio::task::spawn_local(go_on(chat, begin, end))).collect();
    tokio::time::sleep_until(begin.into()).await;
    let before = Usage::of(node)?;
    tokio::time::sleep_until(end.into()).await;
    let used = Usage::of(node)?.since(before);
    let (mut halves, mut errors) = (Vec::new(), Vec::new());
    for chat in running {
        let (done, failures) = chat.await?;
        halves.extend(done);
        errors.extend(failures);
    }
    Ok(Measured { conversations, length, halves, errors, used })
}

async fn go_on(mut chat: Chat, begin: Instant, end: Instant) -> (Vec<Halves>, Vec<Failure>) {
    let (mut halves, mut errors) = (Vec::new(), Vec::new());
    loop {
        let started = Instant::now();
        let round_trip = chat.round_trip().await;
        if Instant::now() >= end {
            return (halves, errors);
        }
        match round_trip {
            Ok(times) if started >= begin => halves.push(times),
            Ok(_) => {}
            Err(failure) => {
                errors.push(failure);
                // A node that refuses everything is not asked again and again.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
