//! The engine on SQLite and on Postgres: what one node promises of turns, asks and the queue.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../../tests/support/postgres.rs"]
#[allow(dead_code)]
mod postgres;
mod support;

mod deleting;
mod fences;
mod queue;
mod recovery;
mod tools;
mod turns;
mod undo;
