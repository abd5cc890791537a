//! What the model is told about asks (reference, "Enable asks" and "Compact surface").
//!
//! Every number comes from the limits table, so that the model is never told another rule than the one its call
//! is checked by.

use crate::kind::{AskKind, Surface};
use crate::limits::Limits;

/// The system prompt of a turn: the host's own, then what asks add for the kinds and the surface.
///
/// `kinds` are the enabled ones, none when asks are off. The compact line is added even then. Parts are set apart
/// by an empty line; an empty host prompt adds none.
pub fn system_prompt(host: &str, limits: &Limits, kinds: &[AskKind], surface: Surface) -> String {
    let mut parts = vec![host.trim_end().to_owned()];
    let section = ask_prompt_section(limits, kinds, surface);
    if !section.is_empty() {
        parts.push(asks_system_prompt().to_owned());
        parts.push(section);
    }
    if surface == Surface::Compact {
        parts.push(compact_surface_prompt(limits));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// How to ask, whatever the kind.
pub fn asks_system_prompt() -> &'static str {
    "# Asking the user

You can stop in the middle of your work and ask the user a question with the tools whose names start with ask_. \
The user sees the question as a card and answers it there. The answer comes back as the result of your call, and \
you go on from it in the same turn.

When to ask:
- Ask when the answer changes what you do next and you cannot find it out yourself. Do not ask what the user has \
already told you or what you can look up. When a sensible assumption is cheap to undo, make it and say so.
- Before you call a tool that deletes something, sends something on the user's behalf, spends money or does \
anything that cannot be undone, have the user confirm exactly that action. A general wish is not a confirmation.
- Never ask for secrets: no passwords, one-time codes, payment card numbers, bank logins, API keys or private \
keys, in any kind of ask. If a task needs one, say where the user can enter it themselves.

How to ask:
- Make only one ask call in a step, and wait for its answer. A further ask in the same step is cancelled with the \
reason one_ask_at_a_time.
- Put the whole question into prompt. What you write beside the call is not shown to the user.
- Ask in the user's language, and name what will happen: amounts, recipients, what is lost.
- Give the most likely answer as the default where the kind has one.

What comes back:
- {\"action\": \"accept\", \"content\": ...}: the answer. Use it as it is.
- {\"action\": \"decline\"}: the user skipped the question. Go on without the answer, and do not ask again.
- {\"action\": \"cancel\"}: the question was dropped. With the reason user_sent_message the user wrote something \
else instead: answer that.
- An error lists everything that was wrong with your call, each with a fix. Mend all of it and call again."
}

/// What each of the kinds the surface offers takes, one paragraph each. Empty when it offers none.
pub fn ask_prompt_section(limits: &Limits, kinds: &[AskKind], surface: Surface) -> String {
    let mut paragraphs: Vec<String> = kinds
        .iter()
        .filter(|kind| surface.offers(**kind))
        .map(|kind| match (kind, surface) {
            (AskKind::Choice, Surface::Full) => choice(limits),
            (AskKind::Choice, Surface::Compact) => compact_choice(limits),
            (AskKind::Confirm, _) => confirm(limits),
            (AskKind::Markdown, _) => markdown(limits),
            (AskKind::Form, _) => form(limits),
            (AskKind::Files, _) => files(limits),
        })
        .collect();
    if paragraphs.is_empty() {
        return String::new();
    }
    paragraphs.insert(0, every_kind(limits));
    paragraphs.join("\n\n")
}

/// The line a turn from a small screen adds, asks on or off.
pub fn compact_surface_prompt(limits: &Limits) -> String {
    format!(
        "The user is on a small screen, such as a watch. Keep each reply to at most two short sentences, and ask \
         only yes-or-no questions or questions with up to {} short options.",
        in_words(limits.simple_card.buttons_max)
    )
}

fn every_kind(limits: &Limits) -> String {
    let shared = &limits.shared;
    format!(
        "# The kinds of ask

Every ask takes prompt (required: the question in plain text, no markdown, no links, 1 to {prompt} characters), \
title (a heading, at most {title} characters) and allowDecline (false takes Skip away; a confirm has Skip only with \
true). Every kind but confirm takes submitLabel (at most {submit} characters). Leave out what you do not need; a field that a kind does not know \
is an error. Ids are lower-case letters, digits, - and _, start with a letter or digit and have at most {id} \
characters.",
        prompt = shared.prompt_max_length,
        title = shared.title_max_length,
        submit = shared.submit_label_max_length,
        id = limits.choice.option_id_max_length,
    )
}

fn choice(limits: &Limits) -> String {
    let choice = &limits.choice;
    format!(
        "ask_choice: the user picks from a list. select is \"one\" or \"many\". options holds {min} to {max} items \
         {{id, label, description?}} in display order, each id once; a label has at most {label} characters, a \
         description at most {description}. default lists the ids selected from the start. Only with \"many\": \
         minSelected and maxSelected bound how many are picked, allowOther adds a field for an answer of the user's \
         own, which counts as one, and otherLabel names that field. For one option or an answer of the user's own, \
         use \"many\" with maxSelected 1. Up to {buttons} options with short labels are the quickest to answer. The \
         answer is {{\"selected\": [ids], \"other\"?: text}}.",
        min = choice.options_min,
        max = choice.options_max,
        label = choice.option_label_max_length,
        description = choice.option_description_max_length,
        buttons = limits.simple_card.buttons_max,
    )
}

fn compact_choice(limits: &Limits) -> String {
    format!(
        "ask_choice: the user picks one of a few buttons. select is always \"one\". options holds {min} to {max} \
         items {{id, label}} in display order, each id once; a label has at most {label} UTF-16 code units (most \
         emoji count as 2 or more) and differs from the other labels. default may hold the id of the option you \
         would suggest. The answer is {{\"selected\": [id]}}. If a question needs more options or free text, say \
         that it can be answered on a larger screen.",
        min = limits.choice.options_min,
        max = limits.simple_card.buttons_max,
        label = limits.simple_card.button_label_max_length,
    )
}

fn confirm(limits: &Limits) -> String {
    format!(
        "ask_confirm: the user approves or denies one action. Call it before a tool that deletes data, sends \
         something on the user's behalf, spends money or cannot be undone, and say in prompt exactly what will \
         happen. confirmLabel and denyLabel name the two buttons, such as \"Delete 3 files\" and \"Keep them\": at \
         most {label} UTF-16 code units each, and different from each other. Set destructive to true when data is \
         deleted or the action cannot be undone. The answer is {{\"confirmed\": true}} or {{\"confirmed\": false}}. \
         Act only after {{\"confirmed\": true}}; anything else means no.",
        label = limits.confirm.label_max_length,
    )
}

fn markdown(limits: &Limits) -> String {
    format!(
        "ask_markdown: the user edits a markdown draft of yours, such as an email or an announcement, and sends it \
         back. initial is the draft, at most {max} UTF-16 code units; without it the user writes from scratch. \
         placeholder is a hint for the empty editor, at most {placeholder} characters. minLength and maxLength \
         bound the answer, up to {max}. The answer is {{\"markdown\": text, \"changed\": boolean}}; changed false \
         means that the user approved the draft as it was. Use the text you got back, not your draft.",
        max = limits.markdown.max_length,
        placeholder = limits.markdown.placeholder_max_length,
    )
}

fn form(limits: &Limits) -> String {
    let form = &limits.form;
    format!(
        "ask_form: the user fills in several values at once. fields holds {min} to {max} items {{id, type, label, \
         helperText?, required?, default?}}, each id once; a label has at most {label} characters, a helperText at \
         most {helper}. type is text or textarea (minLength, maxLength; at most {text} and {textarea} UTF-16 code \
         units), email, url, phone ({phone_min} to {phone_max} digits), number (min, max, integer), date \
         (YYYY-MM-DD), time (24-hour HH:mm), datetime (ISO 8601 with Z or an offset), boolean, select or \
         multiselect (options: {options_min} to {options_max} items {{id, label}}). A field takes only the keys of \
         its type, and its default must be a value it accepts. Ask only for what you need; give defaults you know. \
         The answer is {{\"values\": {{field id: value}}}}, without optional fields the user left blank.",
        min = form.fields_min,
        max = form.fields_max,
        label = form.label_max_length,
        helper = form.helper_text_max_length,
        text = form.text_max_length,
        textarea = form.textarea_max_length,
        phone_min = form.phone_digits_min,
        phone_max = form.phone_digits_max,
        options_min = limits.choice.options_min,
        options_max = limits.choice.options_max,
    )
}

fn files(limits: &Limits) -> String {
    let files = &limits.files;
    format!(
        "ask_files: the user uploads files for you to read. accept lists the types that help you, each once: \
         image, pdf, text, csv, json. minFiles and maxFiles bound how many, {min} to {max}. The answer names each \
         file, followed by its content; text, CSV and JSON are cut after {text} bytes. You see the files only in \
         this turn, so note in your reply what you need from them later.",
        min = files.min_files,
        max = files.max_files,
        text = files.text_max_bytes,
    )
}

/// A small number as a word, the way a sentence has it.
fn in_words(number: usize) -> String {
    const WORDS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    WORDS.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}
