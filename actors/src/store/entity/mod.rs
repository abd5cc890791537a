//! The rows, one file a table.

#![allow(missing_docs, reason = "the columns are those of the migrations, where they are explained")]

pub mod ask;
pub mod conversation;
pub mod event;
pub mod file;
pub mod inbox;
pub mod message;
pub mod outbox;
pub mod task;
