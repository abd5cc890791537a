//! The program `turnwright`.

use std::process::ExitCode;

use clap::Parser;
use turnwright::cli::Cli;
use turnwright::commands;

fn main() -> ExitCode {
    match commands::run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("turnwright: {error}");
            ExitCode::FAILURE
        }
    }
}
