//! Who answers on this node.

use std::sync::Arc;

use turnwright_actors::ports::Agent;

use crate::demo::{DemoAgent, Todos};
use crate::error::StartError;
use crate::settings::{DemoAgentSettings, Settings};

/// The agent the settings ask for.
///
/// # Errors
/// When they leave nobody to answer, or the agent's files cannot be used.
pub fn configured(settings: &Settings, todos: Todos) -> Result<Arc<dyn Agent>, StartError> {
    if !settings.demo.enabled {
        return Err(StartError::RefusedSetting {
            key: "demo.enabled",
            reason: "this build has no model but the demo agent, so nobody would answer; set it to true"
                .to_owned(),
        });
    }
    Ok(Arc::new(DemoAgent::new(&settings.demo, &settings.asks, todos)?))
}

/// The agent of these settings in the words of the log.
pub fn described(settings: &DemoAgentSettings) -> String {
    match &settings.script {
        Some(script) => format!("the script {}", script.display()),
        None => "the scripted Turnwright demo agent, because no model is configured".to_owned(),
    }
}
