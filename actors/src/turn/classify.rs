//! What becomes of each call of a step: it runs, it asks, it needs an approval, or it goes back as an error.

use serde_json::json;
use turnwright_schemas::{Ask, AskKind, Surface};

use super::offer::AskOffer;
use crate::ports::{ModelCall, Prepared, Tool, ToolOutput};
use crate::turn_state::{CallState, StepCall};

/// How a call stands before anything of its step runs.
pub fn classify(call: ModelCall, offer: &AskOffer, prepared: &Prepared, surface: Surface) -> StepCall {
    let state = match AskKind::from_tool_name(&call.name) {
        Some(kind) if offer.offers(kind, surface) => match Ask::parse(kind, &call.args, surface) {
            Ok(_) => CallState::Asks,
            Err(errors) => error(json!({
                "error": "The ask is invalid. Mend every error and call the tool again.",
                "errors": errors,
            })),
        },
        _ => host_call(&call, offer, prepared),
    };
    StepCall { call, state }
}

fn host_call(call: &ModelCall, offer: &AskOffer, prepared: &Prepared) -> CallState {
    let Some(tool) = find(prepared, &call.name) else {
        return error(json!({"error": format!("There is no tool named {} in this turn.", call.name)}));
    };
    match tool.approval() {
        None => CallState::Running,
        Some(_) if offer.enabled() => CallState::NeedsApproval,
        Some(_) => {
            tracing::warn!(tool = call.name, "a tool that needs an approval did not run: asks are off");
            error(
                json!({"error": format!("{} needs the user's approval, and asks are turned off.", call.name)}),
            )
        }
    }
}

/// The tool of that name.
pub fn find<'a>(prepared: &'a Prepared, name: &str) -> Option<&'a std::sync::Arc<dyn Tool>> {
    prepared.tools.iter().find(|tool| tool.spec().name == name)
}

fn error(value: serde_json::Value) -> CallState {
    CallState::Done { output: ToolOutput::Error(value) }
}
