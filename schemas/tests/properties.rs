//! What holds for every ask, answer and card.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::asks::{broken, compact, valid};
use support::strategy::{any_json, kind};
use turnwright_schemas::{
    Ask, AskError, AskKind, LIMITS, SimpleCard, Surface, check_file_bytes, check_line, sniff,
};

const CAP: u64 = 1_000;

fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A path as the contract orders it: names as text, indexes as numbers.
fn segments(path: &str) -> Vec<(String, usize)> {
    path.split(['.', '['])
        .map(|part| match part.strip_suffix(']').map(str::parse) {
            Some(Ok(index)) => (String::new(), index),
            _ => (part.to_owned(), 0),
        })
        .collect()
}

fn assert_well_told(errors: &[AskError]) {
    let order = |error: &AskError| (segments(&error.path), error.code.as_str());
    assert!(errors.is_sorted_by(|a, b| order(a) < order(b)), "{errors:?}");
    for error in errors {
        assert!(error.message.ends_with('.') && error.fix.ends_with('.'), "{error:?}");
        assert!(error.message.chars().count() < 400, "{error:?}");
    }
}

fn parsed(kind: AskKind, input: &Value, surface: Surface) -> Ask {
    Ask::parse(kind, input, surface).unwrap_or_else(|errors| panic!("{input}: {errors:?}"))
}

proptest! {
    #[test]
    fn any_json_is_judged_without_a_panic(kind in kind(), input in any_json(), line in any::<String>()) {
        for surface in Surface::ALL {
            if let Err(errors) = Ask::parse(kind, &input, *surface) {
                prop_assert!(!errors.is_empty());
                assert_well_told(&errors);
            }
        }
        let _ = check_line(&line);
        let _ = check_line(&json!({"op": "simpleCard", "kind": kind, "input": input, "toolCallId": line}).to_string());
    }

    #[test]
    fn a_slightly_wrong_ask_gets_its_errors_in_order((kind, input) in broken()) {
        for surface in Surface::ALL {
            if let Err(errors) = Ask::parse(kind, &input, *surface) {
                prop_assert!(!errors.is_empty());
                assert_well_told(&errors);
            }
        }
    }

    #[test]
    fn any_answer_to_any_ask_is_judged_without_a_panic((kind, input) in valid(), response in any_json()) {
        let ask = parsed(kind, &input, Surface::Full);
        let wrapped = json!({"action": "accept", "content": response});
        for response in [&response, &wrapped] {
            if let Err(errors) = ask.check_response(response, CAP) {
                prop_assert!(!errors.is_empty());
                assert_well_told(&errors);
            }
        }
    }

    #[test]
    fn any_bytes_are_sniffed_without_a_panic(bytes in any::<Vec<u8>>(), mime_type in any::<String>()) {
        let _ = sniff(&bytes);
        assert_well_told(&check_file_bytes(&bytes, 3, &mime_type, 8));
    }

    #[test]
    fn an_ask_is_exactly_its_input_also_from_storage((kind, input) in valid()) {
        let ask = parsed(kind, &input, Surface::Full);
        // Numbers compare by value: 5.0 is written as 5.
        prop_assert_eq!(&parsed(kind, &ask.input(), Surface::Full), &ask);
        let stored = serde_json::to_string(&ask).unwrap();
        prop_assert_eq!(serde_json::from_str::<Ask>(&stored).unwrap(), ask);
    }

    #[test]
    fn every_button_answers_its_own_ask((kind, input) in valid()) {
        let ask = parsed(kind, &input, Surface::Full);
        for button in SimpleCard::of(&ask, "call_1").buttons {
            let answer = ask.check_response(&button.response, CAP);
            prop_assert!(answer.is_ok(), "{} of {}: {:?}", button.id, input, answer);
            prop_assert_eq!(answer.unwrap().to_json(), button.response);
        }
    }

    #[test]
    fn every_card_keeps_its_limits((kind, input) in valid()) {
        let card = SimpleCard::of(&parsed(kind, &input, Surface::Full), "call_1");
        let limits = &LIMITS.simple_card;
        prop_assert!(card.title.iter().all(|title| utf16_length(title) <= limits.title_max_length));
        prop_assert!(utf16_length(&card.text) <= limits.text_max_length);
        prop_assert!(card.buttons.len() <= limits.buttons_max);
        let fits = |label: &str| (1..=limits.button_label_max_length).contains(&utf16_length(label));
        prop_assert!(card.buttons.iter().all(|button| fits(&button.label)));
        let ids: HashSet<_> = card.buttons.iter().map(|button| &button.id).collect();
        prop_assert_eq!(ids.len(), card.buttons.len());
        let labels: HashSet<_> = card.buttons.iter().map(|button| &button.label).collect();
        prop_assert_eq!(labels.len(), card.buttons.len());
    }

    #[test]
    fn a_button_is_found_by_its_id_and_no_other_id((kind, input) in valid()) {
        let card = SimpleCard::of(&parsed(kind, &input, Surface::Full), "call_1");
        for button in &card.buttons {
            prop_assert_eq!(card.resolve_button(&button.id), Ok(button));
        }
        let error = card.resolve_button("no such button").unwrap_err();
        let is_listed = |id: &str| error.fix.contains(&json!(id).to_string());
        prop_assert!(card.buttons.iter().all(|button| is_listed(&button.id)));
    }

    #[test]
    fn a_compact_ask_is_a_full_ask_that_hands_nothing_off((kind, input) in compact()) {
        let ask = parsed(kind, &input, Surface::Compact);
        prop_assert_eq!(&parsed(kind, &input, Surface::Full), &ask);
        prop_assert!(!SimpleCard::of(&ask, "call_1").handoff);
    }

    #[test]
    fn what_the_compact_surface_takes_the_full_one_takes((kind, input) in broken()) {
        if let Ok(ask) = Ask::parse(kind, &input, Surface::Compact) {
            prop_assert_eq!(Ask::parse(kind, &input, Surface::Full), Ok(ask));
        }
    }
}
