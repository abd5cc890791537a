//! Picking a plan: a `choice` of one, which fits a watch.

use serde::Deserialize;
use serde_json::{Value, json};
use turnwright_actors::ports::ModelResult;
use turnwright_schemas::AskKind;

use super::reply::Reply;
use super::{Play, Scenario};
use crate::demo::wording::listed;

pub(super) const SCENARIO: Scenario = Scenario {
    trigger: r"\b(?:pick(?:s|ing)?|choos(?:e|es|ing)|select(?:s|ing)?|plans?)\b",
    play: Play::Ask { kind: AskKind::Choice, input, compact_fallback: None, reply },
};

struct Plan {
    id: &'static str,
    label: &'static str,
    description: &'static str,
}

const PLANS: [Plan; 3] = [
    Plan { id: "starter", label: "Starter", description: "Free, for one person" },
    Plan { id: "team", label: "Team", description: "$20 a seat and month, shared conversations" },
    Plan { id: "enterprise", label: "Enterprise", description: "Single sign-on, audit log and support" },
];
const SUGGESTED: &str = "team";

fn input() -> Value {
    let options: Vec<Value> = PLANS
        .iter()
        .map(|plan| json!({"id": plan.id, "label": plan.label, "description": plan.description}))
        .collect();
    json!({
        "title": "Choose a plan",
        "prompt": "Which plan should I set up for your workspace?",
        "select": "one",
        "options": options,
        "default": [SUGGESTED],
        "submitLabel": "Set up plan",
    })
}

#[derive(Deserialize)]
struct Picked {
    selected: Vec<String>,
}

fn reply(result: &ModelResult) -> Reply {
    Reply::to_answer(result, "set up a plan", |picked: Picked| {
        let is_picked = |plan: &&Plan| picked.selected.iter().any(|id| id == plan.id);
        let labels: Vec<&str> = PLANS.iter().filter(is_picked).map(|plan| plan.label).collect();
        Reply::short(format!("You picked the {} plan. A real agent would set it up now.", listed(&labels)))
    })
}
