//! The Turnwright server: settings, the command line, HTTP, sign-in, files and the demo agent around the engine.
//!
//! `main` parses a [`cli::Cli`] and runs one of the [`commands`]. `serve` starts a [`node::Node`] from
//! [`settings::Settings`]: a database, an engine with an [`agent`], and an [`http`] server over them.

pub mod agent;
pub mod auth;
pub mod cli;
pub mod commands;
pub mod database;
pub mod demo;
pub mod error;
pub mod http;
pub mod io;
pub mod log;
pub mod metrics;
pub mod node;
pub mod settings;
pub mod stopping;
