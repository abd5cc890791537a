//! What end-to-end tests need: real nodes, clients that hold every response to `/openapi.json`, private servers.

#![allow(dead_code, unused_imports, reason = "each test uses its part")]

pub mod client;
pub mod contract;
pub mod invariants;
pub mod logs;
pub mod node;
pub mod play;
pub mod postgres;
pub mod race;
pub mod redaction;
pub mod reply;
pub mod script;
#[path = "../../schemas/tests/support/shared.rs"]
pub mod shared;
pub mod sse;
pub mod stored;
pub mod transcript;

pub use client::Client;
pub use node::{Node, Setup};
pub use reply::Reply;
