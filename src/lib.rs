//! The Turnwright server: settings, the command line, HTTP, sign-in and files around the engine.

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
