//! The engine of Turnwright: conversation actors, turns, the store of rows and the event bus.
//!
//! It knows nothing of HTTP. A server hands an [`engine::Engine`] an [`ports::Agent`], a [`store::Database`], a
//! [`files::FileStore`] and an [`bus::EventBus`], and sends it commands; each gives a stream of events
//! ([`streams`]) or its outcome.
//!
//! A command's way: the actor of its conversation takes it, [`store`] locks and reads the conversation's rows,
//! [`machine`] decides, a [`transition`] writes the decision down as a [`commit::Commit`], and what was stored is
//! published. A turn that runs ([`turn`]) goes the same way with each of its steps. `docs/architecture.md` draws it.

mod answers;
pub mod bus;
mod call_id;
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
pub mod question;
mod registry;
pub mod settings;
pub mod snapshot;
pub mod store;
pub mod streams;
pub mod title;
pub mod transition;
pub mod turn;
pub mod turn_state;
