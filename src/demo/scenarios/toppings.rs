//! Pizza toppings: a `choice` of several with a topping of one's own.

use serde::Deserialize;
use serde_json::{Value, json};
use turnwright_actors::ports::ModelResult;
use turnwright_schemas::AskKind;

use super::reply::Reply;
use super::{Play, Scenario};
use crate::demo::wording::{briefly_listed, listed};

pub(super) const SCENARIO: Scenario = Scenario {
    trigger: r"\btoppings?\b",
    play: Play::Ask {
        kind: AskKind::Choice,
        input,
        compact_fallback: Some(
            "Picking several toppings needs a bigger screen. Open this chat on your phone.",
        ),
        reply,
    },
};

/// Ids and labels, in display order.
const TOPPINGS: [(&str, &str); 6] = [
    ("cheese", "Extra cheese"),
    ("mushrooms", "Mushrooms"),
    ("olives", "Olives"),
    ("peppers", "Peppers"),
    ("pineapple", "Pineapple"),
    ("onions", "Red onions"),
];

fn input() -> Value {
    let options: Vec<Value> = TOPPINGS.iter().map(|(id, label)| json!({"id": id, "label": label})).collect();
    json!({
        "title": "Pizza toppings",
        "prompt": "Which toppings should I add? Pick up to three.",
        "select": "many",
        "options": options,
        "default": ["cheese", "mushrooms"],
        "maxSelected": 3,
        "allowOther": true,
        "otherLabel": "Another topping",
        "submitLabel": "Add toppings",
    })
}

#[derive(Deserialize)]
struct Picked {
    selected: Vec<String>,
    other: Option<String>,
}

fn reply(result: &ModelResult) -> Reply {
    Reply::to_answer(result, "add any toppings", |picked: Picked| {
        let offered = TOPPINGS.iter().filter(|(id, _)| picked.selected.iter().any(|picked| picked == id));
        let mut toppings: Vec<&str> = offered.map(|(_, label)| *label).collect();
        toppings.extend(picked.other.as_deref());
        Reply::new(
            format!("You picked {}. A real agent would add them to your pizza now.", listed(&toppings)),
            format!("You picked {}. A real agent would add them now.", briefly_listed(&toppings)),
        )
    })
}
