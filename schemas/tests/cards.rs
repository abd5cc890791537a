//! Which card an ask gets, one test per rule of the reference's card tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};
use turnwright_schemas::{Ask, AskKind, ButtonStyle, SimpleCard, Surface};

fn card(kind: AskKind, input: Value) -> SimpleCard {
    let ask = Ask::parse(kind, &input, Surface::Full).unwrap_or_else(|errors| panic!("{errors:?}"));
    SimpleCard::of(&ask, "call_1")
}

fn choice(labels: &[&str], more: Value) -> SimpleCard {
    let options: Vec<_> = labels
        .iter()
        .enumerate()
        .map(|(index, label)| json!({"id": format!("o{index}"), "label": label}))
        .collect();
    let mut input = json!({"prompt": "Which?", "select": "one", "options": options});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    card(AskKind::Choice, input)
}

/// The buttons as "id label", in order.
fn buttons(card: &SimpleCard) -> Vec<String> {
    card.buttons.iter().map(|button| format!("{} {}", button.id, button.label)).collect()
}

#[test]
fn two_or_three_options_get_a_button_each_the_default_first() {
    let card = choice(&["A", " B "], json!({"default": ["o1"]}));
    assert_eq!(buttons(&card), ["option:o1 B", "option:o0 A", "skip Skip"]);
    assert_eq!(card.buttons[0].style, ButtonStyle::Primary);
    assert_eq!(card.buttons[1].style, ButtonStyle::Default);
    assert!(!card.handoff);
}

#[test]
fn skip_makes_room_for_a_third_option() {
    let card = choice(&["A", "B", "C"], json!({}));
    assert_eq!(buttons(&card), ["option:o0 A", "option:o1 B", "option:o2 C"]);
    assert!(!card.handoff);
}

#[test]
fn skip_is_left_out_where_the_ask_forbids_it() {
    assert_eq!(buttons(&choice(&["A", "B"], json!({"allowDecline": false}))), ["option:o0 A", "option:o1 B"]);
}

#[test]
fn more_than_three_options_offer_their_default_and_hand_off() {
    let labels = ["A very long label", "B", "C", "D"];
    let with_default = choice(&labels, json!({"default": ["o0"]}));
    assert_eq!(buttons(&with_default), ["use-default Use \"A very long…\"", "skip Skip"]);
    assert_eq!(with_default.buttons[0].response["content"], json!({"selected": ["o0"]}));
    assert!(with_default.handoff);
    assert_eq!(buttons(&choice(&labels, json!({}))), ["skip Skip"]);
}

#[test]
fn options_that_look_alike_once_cut_get_no_button() {
    let few = choice(&["A summary for managers", "A summary for makers"], json!({"default": ["o0"]}));
    assert_eq!(buttons(&few), ["option:o0 A summary for…", "option:o1 A summary for makers", "skip Skip"]);
    let alike = choice(&["A summary for all managers", "A summary for all engineers"], json!({}));
    assert_eq!(buttons(&alike), ["skip Skip"]);
    assert!(alike.handoff);
    let many = choice(&["Weekly email one", "Weekly email two", "C", "D"], json!({"default": ["o1"]}));
    assert_eq!(buttons(&many), ["skip Skip"]);
}

#[test]
fn several_picks_offer_the_suggested_set_only_where_it_is_an_answer() {
    let many = |more: Value| {
        let mut input = json!({"select": "many", "default": ["o0", "o2"]});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        choice(&["A", "B", "C"], input)
    };
    assert_eq!(buttons(&many(json!({}))), ["use-default Use suggested", "skip Skip"]);
    assert_eq!(buttons(&many(json!({"minSelected": 3}))), ["skip Skip"]);
    assert_eq!(buttons(&many(json!({"default": []}))), ["skip Skip"]);
    assert!(many(json!({})).handoff);
}

#[test]
fn a_confirm_approves_first_and_never_skips() {
    let plain = card(AskKind::Confirm, json!({"prompt": "Go?", "allowDecline": true}));
    assert_eq!(buttons(&plain), ["approve Confirm", "deny Cancel"]);
    assert_eq!(plain.buttons[0].style, ButtonStyle::Primary);
    assert!(!plain.handoff);
    let destructive = card(AskKind::Confirm, json!({"prompt": "Go?", "destructive": true}));
    assert_eq!(destructive.buttons[0].style, ButtonStyle::Destructive);
    assert_eq!(destructive.buttons[1].style, ButtonStyle::Cancel);
}

#[test]
fn a_draft_is_approved_only_within_its_bounds() {
    let markdown = |initial: &str| {
        let input = json!({"prompt": "Edit.", "initial": initial, "minLength": 2, "maxLength": 4});
        buttons(&card(AskKind::Markdown, input))
    };
    assert_eq!(markdown("Hey"), ["approve Approve draft", "cancel Cancel"]);
    assert_eq!(markdown(" H "), ["cancel Cancel"]);
    assert_eq!(markdown("Hello"), ["cancel Cancel"]);
    let bare = json!({"prompt": "Write.", "allowDecline": false});
    assert_eq!(buttons(&card(AskKind::Markdown, bare)), ["approve Approve draft"]);
}

#[test]
fn a_form_submits_its_defaults_only_where_they_fill_every_required_field() {
    let form = |first: Value, second: Value| {
        let mut fields = [json!({"id": "a", "label": "A"}), json!({"id": "b", "label": "B"})];
        for (field, more) in fields.iter_mut().zip([first, second]) {
            field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        }
        card(AskKind::Form, json!({"prompt": "Fill in.", "fields": fields}))
    };
    let text = json!({"type": "text", "default": "x", "required": true});
    let filled = form(text.clone(), json!({"type": "date"}));
    assert_eq!(buttons(&filled), ["submit-defaults Submit defaults", "cancel Cancel"]);
    assert_eq!(filled.buttons[0].response["content"], json!({"values": {"a": "x"}}));
    assert!(filled.handoff);
    assert_eq!(buttons(&form(text, json!({"type": "date", "required": true}))), ["cancel Cancel"]);
    assert_eq!(buttons(&form(json!({"type": "text"}), json!({"type": "date"}))), ["cancel Cancel"]);
}

#[test]
fn files_can_only_be_skipped() {
    let files = |allow: bool| {
        card(AskKind::Files, json!({"prompt": "Send.", "accept": ["pdf"], "allowDecline": allow}))
    };
    assert_eq!(buttons(&files(true)), ["skip Skip"]);
    assert!(files(true).handoff);
    assert!(files(false).buttons.is_empty());
}

#[test]
fn title_and_text_are_cut_to_the_card() {
    let card = card(AskKind::Confirm, json!({"prompt": "word ".repeat(40), "title": "t".repeat(60)}));
    assert_eq!(card.text.encode_utf16().count(), 140);
    assert!(card.text.ends_with("word…"));
    assert_eq!(card.title, Some("t".repeat(39) + "…"));
}
