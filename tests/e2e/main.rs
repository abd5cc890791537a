//! End-to-end tests: the real program, real sockets, one file for each promise.
//!
//! They are one binary, so that they are linked once. A new file is one more line here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod answer_files;
mod any_body;
mod approvals;
mod ask_kinds;
mod asks_switch;
mod auth;
mod check_command;
mod check_equals_server;
mod commands;
mod compact;
mod conversation_stream;
mod demo_agent;
mod disconnects;
mod failures;
mod files;
mod forgery;
mod histories;
mod hostile;
mod new_chats;
mod odd_text;
mod one_ask;
mod operations;
mod pending_asks;
mod prompts_over_asks;
mod queue;
mod races;
mod refusals;
mod replay;
mod restart;
mod settings;
mod stale_answers;
mod steps;
mod stream_text;
mod undo;
mod walkthrough;
