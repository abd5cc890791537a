//! The documentation says what is true: its tables hold what the code holds, its examples run.
//!
//! They are one binary, so that they are linked once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod contract_tables;
mod demo_phrases;
mod http_tables;
mod json_examples;
mod links;
mod names;
mod page;
mod settings_tables;
mod shell_examples;
