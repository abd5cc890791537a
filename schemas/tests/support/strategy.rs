//! Values for property tests.

use proptest::prelude::*;
use serde_json::{Value, json};
use turnwright_schemas::{AskKind, ButtonStyle, SimpleCard, SimpleCardButton};

/// Any JSON, a few levels deep.
pub fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Exact in few digits, so that it is read back as what was written.
        any::<i32>().prop_map(|eighths| json!(f64::from(eighths) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-zA-Z_]{0,8}", inner, 0..4)
                .prop_map(|fields| fields.into_iter().collect::<Value>()),
        ]
    })
}

/// Any ask kind.
pub fn kind() -> impl Strategy<Value = AskKind> {
    prop::sample::select(AskKind::ALL)
}

/// Any card the published schema allows.
pub fn card() -> impl Strategy<Value = SimpleCard> {
    let response = prop_oneof![
        Just(json!({"action": "decline"})),
        Just(json!({"action": "cancel", "reason": "late"})),
        any::<bool>().prop_map(|yes| json!({"action": "accept", "content": {"confirmed": yes}})),
    ];
    let button = ("[a-z:]{1,9}", "\\PC{1,20}", prop::sample::select(ButtonStyle::ALL), response)
        .prop_map(|(id, label, style, response)| SimpleCardButton { id, label, style, response });
    let title = prop::option::of("\\PC{1,40}");
    let buttons = prop::collection::vec(button, 0..=3);
    ("[a-z0-9_]{1,9}", kind(), title, "\\PC{1,140}", buttons, any::<bool>()).prop_map(
        |(tool_call_id, kind, title, text, buttons, handoff)| SimpleCard {
            tool_call_id,
            kind,
            title,
            text,
            buttons,
            handoff,
        },
    )
}
