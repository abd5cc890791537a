//! The demo agent: a scripted partner that asks every kind of ask, so that a client can be built and a node tried
//! without a model (spec, "Try it without an API key").

mod agent;
mod conversation;
mod model;
mod record;
mod scenarios;
mod script;
mod script_file;
mod scripted_model;
mod todo_tool;
mod todos;
mod wording;

pub use agent::DemoAgent;
pub use todos::{TitleError, Todo, TodoChange, TodoId, TodoTitle, Todos};
