//! The command line (DESIGN section 10).

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::settings::Sources;

/// A chat backend whose agents stop to ask typed questions and go on with validated answers.
#[derive(Debug, Parser)]
#[command(name = "turnwright", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(flatten)]
    node: NodeFlags,
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// The command; `serve` when none is named.
    pub fn command(self) -> Command {
        self.command.unwrap_or(Command::Serve(self.node))
    }
}

/// What the program is to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a node (the default command).
    Serve(NodeFlags),
    /// Make the tables, or bring them up to date. Safe to run from several machines at once.
    Migrate(NodeFlags),
    /// Make the users test@example.com and admin@example.com, whose passwords are public.
    Seed(NodeFlags),
    /// Check asks, answers, cards and files given as JSON lines, and write one JSON line for each.
    ///
    /// Exits with 0 when every check is clean, 1 when one found an error, 2 when a line cannot be read.
    Check {
        /// Where the lines are; standard input when left out or `-`.
        file: Option<PathBuf>,
    },
    /// Write the JSON Schemas and the example asks.
    Schemas {
        /// Write nothing; fail when the files are out of date.
        #[arg(long)]
        check: bool,
        /// The root of the repository.
        #[arg(long, default_value = ".")]
        root: PathBuf,
    },
    /// Print the OpenAPI 3.1 document of the API.
    Openapi(NodeFlags),
}

/// Flags of the commands that use a node's settings.
#[derive(Debug, Clone, Default, Args)]
pub struct NodeFlags {
    /// A settings file of the form of config/default.toml. May be given more than once; later files win.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// The port to listen on.
    #[arg(long)]
    port: Option<u16>,
    /// sqlite://FILE or postgres://USER:PASSWORD@HOST/NAME.
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// The Redis that carries events between nodes.
    #[arg(long, value_name = "URL")]
    redis_url: Option<String>,
    /// Print the settings in force, secrets hidden, and stop.
    #[arg(long)]
    pub print_config: bool,
}

impl NodeFlags {
    /// The settings of files, this process's environment and these flags.
    pub fn sources(&self) -> Sources {
        let flags = [
            ("http.port", self.port.map(|port| port.to_string())),
            ("database.url", self.database_url.clone()),
            ("bus.redis_url", self.redis_url.clone()),
        ];
        Sources {
            files: self.config.clone(),
            environment: Sources::process_environment(),
            flags: flags.into_iter().filter_map(|(key, value)| Some((key, value?))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use clap::CommandFactory;

    use super::*;

    fn command(line: &str) -> Command {
        Cli::try_parse_from(line.split(' ')).unwrap().command()
    }

    #[test]
    fn the_commands_are_well_formed() {
        <Cli as CommandFactory>::command().debug_assert();
    }

    #[test]
    fn serve_is_the_default_command_with_the_same_flags() {
        for line in ["turnwright --port 4001", "turnwright serve --port 4001"] {
            let Command::Serve(flags) = command(line) else { panic!("{line}") };
            assert_eq!(flags.sources().flags, [("http.port", "4001".to_owned())]);
        }
    }

    #[test]
    fn migrate_and_seed_take_the_same_flags() {
        let flags = "--config a.toml --config b.toml --database-url sqlite://x.db";
        for name in ["migrate", "seed"] {
            let (Command::Migrate(flags) | Command::Seed(flags)) =
                command(&format!("turnwright {name} {flags}"))
            else {
                panic!("{name}")
            };
            assert_eq!(flags.sources().files, [PathBuf::from("a.toml"), PathBuf::from("b.toml")]);
        }
    }
}
