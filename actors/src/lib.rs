//! The engine of Turnwright: conversation actors, turns, the store of rows and the event bus.
//!
//! It knows nothing of HTTP. A server hands it an [`ports::Agent`], a [`store::Database`] and an object store
//! and sends it commands.

pub mod bus;
pub mod clock;
pub mod command;
pub mod commit;
pub mod error;
pub mod files;
pub mod ids;
pub mod machine;
pub mod message;
pub mod ports;
pub mod settings;
pub mod snapshot;
pub mod store;
pub mod title;
pub mod transition;
pub mod turn;
pub mod turn_state;
