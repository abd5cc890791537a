//! The program `turnwright`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use turnwright::cli::Cli;
use turnwright::commands;

/// What a shell reports of a program that ended because nobody reads its output any more.
const OUTPUT_CLOSED: u8 = 141;

fn main() -> ExitCode {
    match commands::run(Cli::parse()) {
        Ok(code) => code,
        Err(error) if error.is_closed_output() => ExitCode::from(OUTPUT_CLOSED),
        Err(error) => {
            // Unlike `eprintln!`, it may fail: what went wrong is told by the exit code as well.
            let _ = writeln!(std::io::stderr(), "turnwright: {error}");
            ExitCode::FAILURE
        }
    }
}
