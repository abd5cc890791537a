//! What the model is told: the texts, and that every number in them is the table's.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use turnwright_schemas::prompts::{
    ask_prompt_section, asks_system_prompt, compact_surface_prompt, system_prompt,
};
use turnwright_schemas::{AskKind, LIMITS, Limits, Surface};

/// The lists of kinds a host might enable: none, all, and each alone.
fn enabled_kinds() -> Vec<(String, Vec<AskKind>)> {
    let alone = AskKind::ALL.iter().map(|kind| (kind.to_string(), vec![*kind]));
    [("none".to_owned(), vec![]), ("all".to_owned(), AskKind::ALL.to_vec())]
        .into_iter()
        .chain(alone)
        .collect()
}

#[test]
fn the_texts_for_every_kind_and_surface() {
    insta::assert_snapshot!("asks", asks_system_prompt());
    for (name, kinds) in enabled_kinds() {
        for surface in Surface::ALL {
            let section = ask_prompt_section(&LIMITS, &kinds, *surface);
            insta::assert_snapshot!(format!("section-{name}-{surface}"), section);
        }
    }
}

#[test]
fn the_compact_line_is_the_reference_s() {
    let quoted = "The user is on a small screen, such as a watch. Keep each reply to at most two short sentences, and \
                  ask only yes-or-no questions or questions with up to three short options.";
    assert_eq!(compact_surface_prompt(&LIMITS), quoted);
}

#[test]
fn the_compact_line_is_there_with_asks_off_and_comes_last() {
    let line = compact_surface_prompt(&LIMITS);
    assert_eq!(system_prompt("Be brief.", &LIMITS, &[], Surface::Compact), format!("Be brief.\n\n{line}"));
    let with_asks = system_prompt("Be brief.", &LIMITS, AskKind::ALL, Surface::Compact);
    assert!(with_asks.starts_with("Be brief.\n\n# Asking the user\n\n"));
    assert!(with_asks.ends_with(&format!("\n\n{line}")));
}

#[test]
fn a_full_turn_with_asks_off_has_the_host_s_prompt_alone() {
    assert_eq!(system_prompt("Be brief.\n", &LIMITS, &[], Surface::Full), "Be brief.");
    assert_eq!(system_prompt("", &LIMITS, &[], Surface::Full), "");
}

#[test]
fn kinds_the_surface_does_not_offer_are_not_mentioned() {
    let kinds = [AskKind::Form, AskKind::Files];
    assert_eq!(ask_prompt_section(&LIMITS, &kinds, Surface::Compact), "");
    let section = ask_prompt_section(&LIMITS, AskKind::ALL, Surface::Compact);
    for kind in AskKind::ALL {
        assert_eq!(section.contains(kind.tool_name()), Surface::Compact.offers(*kind), "{kind}");
    }
}

#[test]
fn the_model_is_told_never_to_ask_for_secrets() {
    let text = asks_system_prompt();
    assert!(text.contains("Never ask for secrets"));
    for secret in ["passwords", "payment card numbers", "API keys"] {
        assert!(text.contains(secret), "{secret}");
    }
}

#[test]
fn the_model_is_told_to_confirm_what_deletes_sends_spends_or_cannot_be_undone() {
    for text in
        [asks_system_prompt().to_owned(), ask_prompt_section(&LIMITS, &[AskKind::Confirm], Surface::Full)]
    {
        for danger in ["deletes", "sends", "spends", "cannot be undone"] {
            assert!(text.contains(danger), "{danger} in {text}");
        }
    }
}

/// The table with one limit set to a number that no text holds otherwise.
type Change = fn(&mut Limits);

#[test]
fn a_changed_limit_shows_in_the_texts() {
    const MARK: usize = 7_777;
    let full: &[Change] = &[
        |limits| limits.shared.prompt_max_length = MARK,
        |limits| limits.shared.title_max_length = MARK,
        |limits| limits.shared.submit_label_max_length = MARK,
        |limits| limits.choice.option_id_max_length = MARK,
        |limits| limits.choice.option_label_max_length = MARK,
        |limits| limits.choice.option_description_max_length = MARK,
        |limits| limits.choice.options_min = MARK,
        |limits| limits.choice.options_max = MARK,
        |limits| limits.confirm.label_max_length = MARK,
        |limits| limits.markdown.max_length = MARK,
        |limits| limits.markdown.placeholder_max_length = MARK,
        |limits| limits.form.fields_min = MARK,
        |limits| limits.form.fields_max = MARK,
        |limits| limits.form.label_max_length = MARK,
        |limits| limits.form.helper_text_max_length = MARK,
        |limits| limits.form.text_max_length = MARK,
        |limits| limits.form.textarea_max_length = MARK,
        |limits| limits.form.phone_digits_min = MARK,
        |limits| limits.form.phone_digits_max = MARK,
        |limits| limits.files.min_files = MARK,
        |limits| limits.files.max_files = MARK,
        |limits| limits.files.text_max_bytes = MARK,
        |limits| limits.simple_card.buttons_max = MARK,
    ];
    let compact: &[Change] = &[
        |limits| limits.choice.options_min = MARK,
        |limits| limits.simple_card.buttons_max = MARK,
        |limits| limits.simple_card.button_label_max_length = MARK,
    ];
    for (surface, changes) in [(Surface::Full, full), (Surface::Compact, compact)] {
        for (number, change) in changes.iter().enumerate() {
            let mut limits = LIMITS.clone();
            change(&mut limits);
            let section = ask_prompt_section(&limits, AskKind::ALL, surface);
            assert!(section.contains("7777"), "change {number} on {surface}");
        }
    }
}

#[test]
fn the_texts_hold_no_number_that_is_not_a_limit() {
    let limits: Vec<String> = LIMITS.rows().into_iter().map(|(_, value)| value).collect();
    // Parts of names: ISO 8601 and UTF-16.
    let others = ["8601", "16"];
    for (_, kinds) in enabled_kinds() {
        for surface in Surface::ALL {
            let text = system_prompt("", &LIMITS, &kinds, *surface);
            let numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|run| !run.is_empty());
            for number in numbers {
                let known = others.contains(&number) || limits.iter().any(|limit| limit == number);
                assert!(known, "{number} is no limit");
            }
        }
    }
}
