//! End-to-end tests: the real program, real sockets, one file for each promise.
//!
//! They are one binary, so that they are linked once. A new file is one more line here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod answer_files;
mod ask_kinds;
mod asks_switch;
mod auth;
mod check_command;
mod compact;
mod demo_agent;
mod files;
mod histories;
mod one_ask;
mod operations;
mod races;
mod refusals;
mod settings;
mod steps;
mod undo;
mod walkthrough;
