//! The Turnwright server: settings, the command line, HTTP, sign-in and files around the engine.

pub mod demo;
pub mod error;
pub mod settings;
