//! Invoice details: a `form` of eight fields.

use serde::Deserialize;
use serde_json::{Value, json};
use turnwright_actors::ports::ModelResult;
use turnwright_schemas::{AskKind, FormValue, FormValues};

use super::reply::Reply;
use super::{Play, Scenario};
use crate::demo::wording::{briefly_listed, listed};

pub(super) const SCENARIO: Scenario = Scenario {
    trigger: r"\b(?:invoice|form)\b",
    play: Play::Ask {
        kind: AskKind::Form,
        input,
        compact_fallback: Some("Filling in a form needs a bigger screen. Open this chat on your phone."),
        reply,
    },
};

/// Ids and labels of the fields, in display order.
const FIELDS: [(&str, &str); 8] = [
    ("company", "Company name"),
    ("email", "Billing email"),
    ("phone", "Callback phone"),
    ("seats", "Seats"),
    ("start", "Start date"),
    (REGION, "Region"),
    ("notify", "Email me the invoice"),
    ("notes", "Notes"),
];
const REGION: &str = "region";

/// Ids and labels of the regions, in display order.
const REGIONS: [(&str, &str); 3] =
    [("us", "United States"), ("eu", "European Union"), ("apac", "Asia and the Pacific")];

fn input() -> Value {
    let regions: Vec<Value> = REGIONS.iter().map(|(id, label)| json!({"id": id, "label": label})).collect();
    let takes = [
        json!({"type": "text", "required": true, "maxLength": 120, "default": "Acme Inc."}),
        json!({"type": "email", "required": true, "default": "billing@example.com"}),
        json!({"type": "phone", "helperText": "Only for questions about this invoice."}),
        json!({"type": "number", "integer": true, "min": 1, "max": 500, "default": 5}),
        json!({"type": "date"}),
        json!({"type": "select", "options": regions, "default": "us"}),
        json!({"type": "boolean", "default": true}),
        json!({"type": "textarea", "maxLength": 1000}),
    ];
    let fields: Vec<Value> = FIELDS
        .iter()
        .zip(takes)
        .map(|((id, label), mut field)| {
            field["id"] = json!(id);
            field["label"] = json!(label);
            field
        })
        .collect();
    json!({
        "title": "Invoice details",
        "prompt": "I need a few details to make the invoice.",
        "fields": fields,
        "submitLabel": "Send details",
    })
}

#[derive(Deserialize)]
struct Filled {
    values: FormValues,
}

fn reply(result: &ModelResult) -> Reply {
    Reply::to_answer(result, "make the invoice", |filled: Filled| {
        let sent: Vec<(&str, String)> = FIELDS
            .iter()
            .filter_map(|(id, label)| Some((*label, in_words(id, filled.values.get(*id)?))))
            .filter(|(_, value)| !value.trim().is_empty())
            .collect();
        let lines: String = sent.iter().map(|(label, value)| format!("\n- {label}: {value}")).collect();
        let values: Vec<&str> = sent.iter().map(|(_, value)| value.as_str()).collect();
        Reply::new(
            format!("A real agent would make the invoice with these details now:\n{lines}"),
            format!("You sent {}. A real agent would make the invoice now.", briefly_listed(&values)),
        )
    })
}

fn in_words(field: &str, value: &FormValue) -> String {
    match value {
        FormValue::Boolean(on) => if *on { "Yes" } else { "No" }.to_owned(),
        FormValue::Number(number) => number.to_string(),
        FormValue::Options(ids) => listed(ids),
        FormValue::Text(text) if field == REGION => {
            let region = REGIONS.iter().find(|(id, _)| id == text);
            region.map_or(text.as_str(), |(_, label)| label).to_owned()
        }
        FormValue::Text(text) => text.clone(),
    }
}
