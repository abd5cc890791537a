//! Who answers on this node.

use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use turnwright_actors::ports::{Agent, PrepareError, Prepared, TurnContext};

use crate::demo::{DemoAgent, Todos};
use crate::error::StartError;
use crate::settings::Settings;

/// The agent the settings ask for.
///
/// # Errors
/// When its files cannot be used.
pub fn configured(settings: &Settings, todos: Todos) -> Result<Arc<dyn Agent>, StartError> {
    if settings.demo.enabled {
        Ok(Arc::new(DemoAgent::new(&settings.demo, &settings.asks, todos)?))
    } else {
        Ok(Arc::new(NoAgent))
    }
}

/// Stands in where nobody answers: conversations can be read, and every command is refused.
struct NoAgent;

impl Agent for NoAgent {
    fn prepare<'a>(&'a self, _turn: &'a TurnContext) -> BoxFuture<'a, Result<Prepared, PrepareError>> {
        Box::pin(ready(Err(PrepareError("no model is configured, and demo.enabled is false".to_owned()))))
    }
}
