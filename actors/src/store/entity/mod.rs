//! The rows, one file a table.

#![allow(missing_docs, reason = "the columns are those of the migrations, where they are explained")]

pub(crate) mod ask;
pub(crate) mod conversation;
pub(crate) mod event;
pub(crate) mod inbox;
pub(crate) mod message;
pub(crate) mod outbox;
pub(crate) mod task;
