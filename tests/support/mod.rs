//! What end-to-end tests need: real nodes, clients that hold every response to `/openapi.json`, private servers.

#![allow(dead_code, unused_imports, reason = "each test uses its part")]

#[path = "../../schemas/tests/support/asks.rs"]
pub mod asks;
pub mod client;
pub mod contract;
pub mod invariants;
pub mod logs;
#[path = "../../schemas/tests/support/mutation.rs"]
pub mod mutation;
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
#[path = "../../schemas/tests/support/strategy.rs"]
pub mod strategy;
pub mod transcript;

pub use client::Client;
pub use node::{Node, Setup};
pub use reply::Reply;
