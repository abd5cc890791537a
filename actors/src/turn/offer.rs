//! What asks add to a turn: tools and system prompt, per surface, made once.

use std::sync::Arc;

use turnwright_schemas::ask_tools::ask_tools;
use turnwright_schemas::prompts;
use turnwright_schemas::{AskKind, LIMITS, Surface};

use crate::ports::{Prepared, ToolSpec};
use crate::settings::AskSettings;

/// The asks of this node.
#[derive(Debug)]
pub struct AskOffer {
    kinds: Vec<AskKind>,
    enabled: bool,
    full: Vec<Arc<ToolSpec>>,
    compact: Vec<Arc<ToolSpec>>,
}

impl AskOffer {
    /// The asks the settings turn on.
    pub fn new(settings: &AskSettings) -> Self {
        let kinds = if settings.enabled { settings.kinds.clone() } else { Vec::new() };
        let tools = |surface| {
            ask_tools(&LIMITS, &kinds, surface)
                .into_iter()
                .map(|tool| {
                    Arc::new(ToolSpec {
                        name: tool.name.to_owned(),
                        description: tool.description,
                        input_schema: tool.input_schema,
                    })
                })
                .collect()
        };
        Self {
            full: tools(Surface::Full),
            compact: tools(Surface::Compact),
            enabled: settings.enabled,
            kinds,
        }
    }

    /// Whether there are asks at all: only then tools that need an approval can get one, and names that begin with
    /// `ask_` are reserved.
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// Whether the model may ask this on that surface.
    pub fn offers(&self, kind: AskKind, surface: Surface) -> bool {
        surface.offers(kind) && self.kinds.contains(&kind)
    }

    /// Everything the model may call. A model that cannot call tools is offered none.
    pub fn tools(&self, prepared: &Prepared, surface: Surface) -> Vec<Arc<ToolSpec>> {
        if !prepared.model.calls_tools() {
            return Vec::new();
        }
        let asks = match surface {
            Surface::Full => &self.full,
            Surface::Compact => &self.compact,
        };
        prepared.tools.iter().map(|tool| Arc::clone(tool.spec())).chain(asks.iter().cloned()).collect()
    }

    /// The whole system prompt of a turn.
    pub fn system_prompt(&self, prepared: &Prepared, surface: Surface) -> String {
        let kinds = if prepared.model.calls_tools() { self.kinds.as_slice() } else { &[] };
        prompts::system_prompt(&prepared.system_prompt, &LIMITS, kinds, surface)
    }
}
