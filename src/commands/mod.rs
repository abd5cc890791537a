//! The commands of the program, one file each where one is more than a line.

mod check;
mod schemas;

use std::io::Write as _;
use std::process::ExitCode;

use turnwright_actors::clock::Clock;

use crate::auth::{self, Accounts};
use crate::cli::{Cli, Command, NodeFlags};
use crate::database;
use crate::error::StartError;
use crate::http::openapi;
use crate::io::IoRuntime;
use crate::settings::{self, DatabaseLocation, Settings};
use crate::{log, node};

/// Does what the command line says.
///
/// # Errors
/// Why it could not be done.
pub fn run(cli: Cli) -> Result<ExitCode, StartError> {
    match cli.command() {
        Command::Check { file } => check::run(file.as_deref()),
        Command::Schemas { check: true, root } => schemas::check(&root),
        Command::Schemas { check: false, root } => schemas::write(&root),
        Command::Serve(flags) => with_settings(&flags, serve),
        Command::Migrate(flags) => with_settings(&flags, migrate),
        Command::Seed(flags) => with_settings(&flags, seed),
        Command::Openapi(flags) => with_settings(&flags, print_openapi),
    }
}

fn with_settings(
    flags: &NodeFlags,
    command: impl FnOnce(Settings) -> Result<(), StartError>,
) -> Result<ExitCode, StartError> {
    let sources = flags.sources();
    if flags.print_config {
        print(&settings::shown(&sources)?)?;
    } else {
        command(Settings::load(&sources)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn serve(settings: Settings) -> Result<(), StartError> {
    log::start(&settings.log);
    node::run(settings, |_| {}, node::told_to_stop())
}

fn migrate(settings: Settings) -> Result<(), StartError> {
    log::start(&settings.log);
    let runtime = IoRuntime::start()?;
    runtime.block_on(async move {
        let database = database::open(&settings.database, settings.cluster.lease).await?;
        database::migrate(&database).await?;
        tracing::info!("the tables are up to date");
        Ok(())
    })
}

fn seed(settings: Settings) -> Result<(), StartError> {
    log::start(&settings.log);
    let runtime = IoRuntime::start()?;
    runtime.block_on(async move {
        let database = database::open(&settings.database, settings.cluster.lease).await?;
        match settings.database {
            DatabaseLocation::Sqlite(_) => database::migrate(&database).await?,
            DatabaseLocation::Postgres(_) => database::require_tables(&database).await?,
        }
        let accounts = Accounts::new(database, Clock::System, settings.auth);
        Ok(auth::seed(&accounts).await?)
    })
}

fn print_openapi(settings: Settings) -> Result<(), StartError> {
    print(&format!("{:#}\n", openapi::document(&settings)))
}

fn print(text: &str) -> Result<(), StartError> {
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}
