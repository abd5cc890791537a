//! The rows of users and sessions.

#![allow(missing_docs, reason = "the columns are those of the migrations, where they are explained")]

pub mod session;
pub mod user;
