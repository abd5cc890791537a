//! What the demo agent asks, and what it says to each answer (spec, "Try it without an API key").

mod announcement;
mod clean_up;
mod confirms;
mod invoice;
mod plan;
mod receipt;
mod reply;
mod toppings;

use std::sync::LazyLock;

use regex::{RegexSet, RegexSetBuilder};
use serde_json::Value;
use turnwright_actors::ports::ModelResult;
use turnwright_schemas::AskKind;

pub(super) use reply::Reply;

/// One scripted exchange.
pub(super) struct Scenario {
    /// A pattern found in the user's text, whatever its case.
    trigger: &'static str,
    /// What happens then.
    pub(super) play: Play,
}

/// How an exchange goes.
pub(super) enum Play {
    /// The demo agent asks, then replies to the answer.
    Ask {
        /// The kind of the ask.
        kind: AskKind,
        /// The ask.
        input: fn() -> Value,
        /// What it says instead on a small screen that the ask does not fit.
        compact_fallback: Option<&'static str>,
        /// What it says to the answer.
        reply: fn(&ModelResult) -> Reply,
    },
    /// The demo agent calls a tool that the server runs only once the user approved it.
    Approved {
        /// The tool.
        tool: &'static str,
        /// What it says to the outcome.
        reply: fn(&ModelResult) -> Reply,
    },
}

/// Every scenario. The first whose trigger is found plays, so narrower triggers come first.
const SCENARIOS: [Scenario; 8] = [
    toppings::SCENARIO,
    confirms::WEEKLY_REPORT,
    confirms::ARCHIVE,
    announcement::SCENARIO,
    invoice::SCENARIO,
    receipt::SCENARIO,
    clean_up::SCENARIO,
    plan::SCENARIO,
];

#[expect(clippy::expect_used, reason = "the patterns are constants, and a test builds them")]
static TRIGGERS: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSetBuilder::new(SCENARIOS.iter().map(|scenario| scenario.trigger))
        .case_insensitive(true)
        .build()
        .expect("every trigger is a valid pattern")
});

impl Scenario {
    /// The scenario that a text of the user starts.
    pub(super) fn started_by(text: &str) -> Option<&'static Self> {
        const ALL: &[Scenario] = &SCENARIOS;
        TRIGGERS.matches(text).iter().next().and_then(|first| ALL.get(first))
    }

    /// The tool whose result the scenario replies to.
    pub(super) fn tool(&self) -> &'static str {
        match self.play {
            Play::Ask { kind, .. } => kind.tool_name(),
            Play::Approved { tool, .. } => tool,
        }
    }

    /// What the demo agent says to the outcome of the scenario's call.
    pub(super) fn reply(&self, result: &ModelResult) -> Reply {
        match self.play {
            Play::Ask { reply, .. } | Play::Approved { reply, .. } => reply(result),
        }
    }
}
