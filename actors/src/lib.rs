//! The engine of Turnwright: conversation actors, turns, the store of rows and the event bus.
//!
//! It knows nothing of HTTP. A server hands it an [`ports::Agent`], a [`store::Database`] and an object store
//! and sends it commands.

pub mod clock;
pub mod error;
pub mod files;
pub mod ids;
pub mod outcome;
pub mod ports;
pub mod store;
