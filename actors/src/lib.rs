//! The engine of Turnwright: conversation actors, turns, the store of rows and the event bus.
//!
//! It knows nothing of HTTP. A server hands it an [`ports::Agent`], a [`store::Database`] and an object store
//! and sends it commands.

mod answers;
pub mod bus;
pub mod clock;
pub mod command;
pub mod commit;
mod conversation_actor;
pub mod engine;
pub mod error;
pub mod files;
pub mod ids;
pub mod machine;
pub mod message;
pub mod ports;
mod registry;
pub mod settings;
pub mod snapshot;
pub mod store;
pub mod streams;
pub mod title;
pub mod transition;
pub mod turn;
pub mod turn_state;
