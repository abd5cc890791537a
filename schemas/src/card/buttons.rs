//! Which buttons the card of an ask has, and whether they say everything the ask offers.

use std::borrow::Cow;

use super::{ButtonStyle, SimpleCardButton};
use crate::ask::Ask;
use crate::choice::{ChoiceAnswer, ChoiceAsk, ChoiceOption, SelectMode};
use crate::confirm::ConfirmAsk;
use crate::form::{FormAsk, FormValue};
use crate::limits::LIMITS;
use crate::markdown::{MarkdownAnswer, MarkdownAsk};
use crate::response::{Answer, AskResponse};
use crate::text::{cut, trim, utf16_length};

/// What `Use "<label>"` adds to the label.
const USE_LABEL_FRAME: &str = "Use \"\"";

/// The buttons of an ask's card, and whether the card hands off to the full app.
pub(super) fn of(ask: &Ask) -> (Vec<SimpleCardButton>, bool) {
    let allows_decline = ask.allows_decline();
    match ask {
        Ask::Choice(choice) => match choice.select {
            SelectMode::One => one_of(choice, allows_decline),
            SelectMode::Many => (many_of(choice, allows_decline), true),
        },
        Ask::Confirm(confirm) => (approve_and_deny(confirm), false),
        Ask::Markdown(markdown) => (approve_draft(markdown, allows_decline), true),
        Ask::Form(form) => (submit_defaults(form, allows_decline), true),
        Ask::Files(_) => (skip(allows_decline).into_iter().collect(), true),
    }
}

/// A button per option where they fit and can be told apart; else the default, where it can be told apart from
/// the other options; else only Skip.
fn one_of(ask: &ChoiceAsk, allows_decline: bool) -> (Vec<SimpleCardButton>, bool) {
    let limits = &LIMITS.simple_card;
    let default = ask.default.iter().flatten().next();
    let is_default = |option: &ChoiceOption| default == Some(&option.id);
    if ask.options.len() <= limits.buttons_max {
        let labels: Vec<_> = ask
            .options
            .iter()
            .map(|option| button_label(&option.label, limits.button_label_max_length))
            .collect();
        if has_repeats(&labels) {
            return (skip(allows_decline).into_iter().collect(), true);
        }
        let mut buttons: Vec<_> = ask
            .options
            .iter()
            .zip(labels)
            .map(|(option, label)| option_button(option, label.into_owned(), is_default(option)))
            .collect();
        // A stable sort: the default first, the others in option order.
        buttons.sort_by_key(|button| button.style != ButtonStyle::Primary);
        if buttons.len() < limits.buttons_max {
            buttons.extend(skip(allows_decline));
        }
        return (buttons, false);
    }
    let max = limits.button_label_max_length.saturating_sub(USE_LABEL_FRAME.len());
    let suggested = ask.options.iter().find(|option| is_default(option)).and_then(|option| {
        let label = button_label(&option.label, max);
        let is_unique =
            ask.options.iter().all(|other| other.id == option.id || button_label(&other.label, max) != label);
        is_unique.then(|| {
            let selected = vec![option.id.clone()];
            button("use-default", format!("Use \"{label}\""), ButtonStyle::Primary, &select(selected))
        })
    });
    (suggested.into_iter().chain(skip(allows_decline)).collect(), true)
}

/// The suggested set, where it is an answer by itself.
fn many_of(ask: &ChoiceAsk, allows_decline: bool) -> Vec<SimpleCardButton> {
    let default = ask.default.as_deref().unwrap_or_default();
    let is_answer = !default.is_empty() && ask.selection_bounds().contains(default.len());
    let suggested = is_answer.then(|| {
        let label = "Use suggested".to_owned();
        button("use-default", label, ButtonStyle::Primary, &select(default.to_vec()))
    });
    suggested.into_iter().chain(skip(allows_decline)).collect()
}

/// No Skip, even where it is allowed: deny is the negative answer. A destructive approve is no primary button,
/// so that a gesture that presses the first other button can only deny.
fn approve_and_deny(ask: &ConfirmAsk) -> Vec<SimpleCardButton> {
    let max = LIMITS.simple_card.button_label_max_length;
    let style = if ask.destructive == Some(true) { ButtonStyle::Destructive } else { ButtonStyle::Primary };
    let confirmed = |confirmed| AskResponse::Accept(Answer::Confirm { confirmed });
    let label = |label| button_label(label, max).into_owned();
    vec![
        button("approve", label(ask.approve_label()), style, &confirmed(true)),
        button("deny", label(ask.deny_label()), ButtonStyle::Cancel, &confirmed(false)),
    ]
}

/// The draft as it is, where it is within the ask's own bounds.
fn approve_draft(ask: &MarkdownAsk, allows_decline: bool) -> Vec<SimpleCardButton> {
    let bounds = ask.length_bounds();
    let draft = ask.draft();
    let fits = utf16_length(draft) <= bounds.max && utf16_length(trim(draft)) >= bounds.min;
    let approve = fits.then(|| {
        let answer = MarkdownAnswer { markdown: draft.to_owned(), changed: false };
        let response = AskResponse::Accept(Answer::Markdown(answer));
        button("approve", "Approve draft".to_owned(), ButtonStyle::Primary, &response)
    });
    approve.into_iter().chain(cancel(allows_decline)).collect()
}

/// The defaults, where there are any and they fill in every required field.
fn submit_defaults(ask: &FormAsk, allows_decline: bool) -> Vec<SimpleCardButton> {
    let values = ask.default_values();
    let are_answer = !values.is_empty()
        && ask
            .fields
            .iter()
            .filter(|field| field.is_required())
            .all(|field| values.get(&field.id).is_some_and(FormValue::is_answered));
    let submit = are_answer.then(|| {
        let response = AskResponse::Accept(Answer::Form { values });
        button("submit-defaults", "Submit defaults".to_owned(), ButtonStyle::Primary, &response)
    });
    submit.into_iter().chain(cancel(allows_decline)).collect()
}

fn option_button(option: &ChoiceOption, label: String, is_default: bool) -> SimpleCardButton {
    let style = if is_default { ButtonStyle::Primary } else { ButtonStyle::Default };
    let id = format!("option:{}", option.id);
    button(&id, label, style, &select(vec![option.id.clone()]))
}

fn skip(allows_decline: bool) -> Option<SimpleCardButton> {
    decline_button("skip", "Skip", allows_decline)
}

fn cancel(allows_decline: bool) -> Option<SimpleCardButton> {
    decline_button("cancel", "Cancel", allows_decline)
}

fn decline_button(id: &str, label: &str, allows_decline: bool) -> Option<SimpleCardButton> {
    allows_decline.then(|| button(id, label.to_owned(), ButtonStyle::Cancel, &AskResponse::Decline))
}

fn button(id: &str, label: String, style: ButtonStyle, response: &AskResponse) -> SimpleCardButton {
    SimpleCardButton { id: id.to_owned(), label, style, response: response.to_json() }
}

fn select(selected: Vec<String>) -> AskResponse {
    AskResponse::Accept(Answer::Choice(ChoiceAnswer { selected, other: None }))
}

/// A label as a button shows it: trimmed, then cut.
fn button_label(label: &str, max: usize) -> Cow<'_, str> {
    cut(trim(label), max)
}

fn has_repeats(labels: &[Cow<'_, str>]) -> bool {
    labels.iter().enumerate().any(|(index, label)| labels.iter().take(index).any(|earlier| earlier == label))
}
