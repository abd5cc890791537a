//! What holds for any text of the user, any surface and any choice of kinds.

use proptest::prelude::*;
use turnwright_schemas::{Ask, SimpleCard};

use super::*;

/// Text made of the words that scenarios listen for, words that contain them, and anything else.
fn any_user_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "pick",
        "choose",
        "plan",
        "toppings",
        "weekly report",
        "archive",
        "announcement",
        "invoice",
        "form",
        "receipt",
        "upload",
        "uploaded",
        "a",
        "file",
        "delete",
        "clear",
        "completed",
        "todos",
        "planet",
        ".",
        "\n",
    ]);
    let word = prop_oneof![3 => word.prop_map(str::to_owned), 1 => ".{0,10}"];
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

fn any_request() -> impl Strategy<Value = ModelRequest> {
    let kinds = prop::sample::subsequence(AskKind::ALL.to_vec(), 0..=AskKind::ALL.len());
    (any_user_text(), kinds, any::<bool>(), prop::sample::select(Surface::ALL)).prop_map(
        |(text, kinds, with_tool, surface)| {
            let mut request = ModelRequest { surface, ..request(&text) };
            request.tools.retain(|tool| with_tool && tool.name == DELETE_COMPLETED_TODOS);
            let kinds = kinds.into_iter().filter(|kind| surface.offers(*kind));
            offer(&mut request, &kinds.map(AskKind::tool_name).collect::<Vec<_>>());
            request
        },
    )
}

/// What an ask made of a call's arguments; `None` when the call is not an ask.
fn ask_of(next: &Move, surface: Surface) -> Option<Result<Ask, String>> {
    let Move::Call { tool, args } = next else { return None };
    let kind = AskKind::from_tool_name(tool)?;
    Some(Ask::parse(kind, args, surface).map_err(|errors| format!("{errors:?}")))
}

proptest! {
    #[test]
    fn every_turn_says_something_or_calls_what_is_offered_validly(request in any_request(), asks_enabled: bool) {
        let next = model(asks_enabled).next_move(&request);
        match &next {
            Move::Say(text) => prop_assert!(!text.trim().is_empty()),
            Move::Call { tool, .. } => {
                prop_assert!(asks_enabled);
                prop_assert!(request.tools.iter().any(|offered| offered.name == *tool), "{} is not offered", tool);
            }
        }
        if let Some(ask) = ask_of(&next, request.surface) {
            prop_assert!(ask.is_ok(), "{:?}", ask);
        }
    }

    #[test]
    fn every_button_of_an_ask_is_answered_and_ends_the_turn(request in any_request()) {
        if let Some(Ok(ask)) = ask_of(&next_move(&request), request.surface) {
            for button in SimpleCard::of(&ask, "call_1").buttons {
                let text = said(&after(request.clone(), ToolOutput::Json(button.response)));
                prop_assert!(!text.contains("did not reach you") && !text.contains("ask me again"), "{}", text);
                if request.surface == Surface::Compact {
                    assert_fits_a_watch(&text);
                }
            }
        }
    }

    #[test]
    fn any_outcome_of_a_call_ends_the_turn_with_words(request in any_request(), value in any_outcome()) {
        if matches!(next_move(&request), Move::Call { .. }) {
            prop_assert!(!said(&after(request, value)).is_empty());
        }
    }
}

fn any_outcome() -> impl Strategy<Value = ToolOutput> {
    let content = prop::sample::select(vec![
        json!(null),
        json!({}),
        json!({"selected": []}),
        json!({"selected": ["gold"], "other": "\u{1F680}"}),
        json!({"confirmed": "yes"}),
        json!({"markdown": "", "changed": true}),
        json!({"values": {"seats": 1e300, "region": "moon", "notify": [], "notes": ["a"]}}),
        json!({"files": [{}]}),
        json!({"files": []}),
    ]);
    let action = prop::sample::select(vec!["accept", "decline", "cancel", "shrug"]);
    prop_oneof![
        (action, content.clone()).prop_map(|(action, content)| json!({"action": action, "content": content})),
        content,
    ]
    .prop_flat_map(|value| {
        prop::sample::select(vec![
            ToolOutput::Json(value.clone()),
            ToolOutput::Error(value),
            ToolOutput::ExecutionDenied { reason: "user_denied".to_owned() },
        ])
    })
}

#[test]
fn the_plan_of_a_small_screen_is_a_card_of_three_buttons_with_the_suggestion_first() {
    let Some(Ok(ask)) = ask_of(&next_move(&compact("Help me pick a plan")), Surface::Compact) else {
        panic!("no plan")
    };
    let card = SimpleCard::of(&ask, "call_1");
    let ids: Vec<&str> = card.buttons.iter().map(|button| button.id.as_str()).collect();
    assert_eq!(ids, ["option:team", "option:starter", "option:enterprise"]);
    assert!(!card.handoff);
}
