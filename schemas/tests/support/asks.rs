//! Asks for property tests: valid inputs of every kind, and inputs that a model might get wrong.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};
use turnwright_schemas::{AskKind, LIMITS};

use super::strategy::any_json;

/// Text with something visible, at most `max` characters: words, white space of every sort, emoji, marks.
fn text(max: usize) -> BoxedStrategy<String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,12}".boxed(),
        2 => select(vec![" ", "  ", "\n", "\t", "\u{a0}", "\u{3000}", "\u{feff}"]).prop_map(str::to_owned).boxed(),
        1 => select(vec!["🎉", "👩‍👩‍👧", "🇫🇷", "é", "漢", "\u{200b}", "…"]).prop_map(str::to_owned).boxed(),
        1 => "\\PC{1,8}".boxed(),
    ];
    ("[a-zA-Z🎉]", vec(piece, 0..=max / 4))
        .prop_map(move |(first, pieces)| {
            let whole = first + &pieces.concat();
            whole.chars().take(max).collect()
        })
        .boxed()
}

/// A label that fits a button uncut, told apart by its number.
fn short_label(index: usize) -> BoxedStrategy<String> {
    select(vec!["Go", " Go ", "🎉", "Option", "\u{a0}x"])
        .prop_map(move |word| format!("{word} {index}"))
        .boxed()
}

fn object(fields: Vec<(&str, Option<Value>)>) -> Value {
    let fields: Map<_, _> =
        fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
    Value::Object(fields)
}

fn merged(parts: impl IntoIterator<Item = Value>) -> Value {
    let fields: Map<_, _> = parts
        .into_iter()
        .filter_map(|part| match part {
            Value::Object(fields) => Some(fields),
            _ => None,
        })
        .flatten()
        .collect();
    Value::Object(fields)
}

fn head() -> BoxedStrategy<Value> {
    (
        text(LIMITS.shared.prompt_max_length),
        option::of(text(LIMITS.shared.title_max_length)),
        option::of(any::<bool>()),
    )
        .prop_map(|(prompt, title, allow_decline)| {
            object(vec![
                ("prompt", Some(json!(prompt))),
                ("title", title.map(Value::from)),
                ("allowDecline", allow_decline.map(Value::from)),
            ])
        })
        .boxed()
}

fn submit_label() -> BoxedStrategy<Value> {
    option::of(text(LIMITS.shared.submit_label_max_length))
        .prop_map(|label| object(vec![("submitLabel", label.map(Value::from))]))
        .boxed()
}

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("o{index}")).collect()
}

fn options(labels: Vec<String>) -> Value {
    labels
        .into_iter()
        .enumerate()
        .map(|(index, label)| json!({"id": format!("o{index}"), "label": label}))
        .collect()
}

fn choice_one(labels: BoxedStrategy<Vec<String>>) -> BoxedStrategy<Value> {
    labels
        .prop_flat_map(|labels| {
            let default = option::of(subsequence(ids(labels.len()), 0..=1));
            (Just(labels), default, head(), submit_label())
        })
        .prop_map(|(labels, default, head, submit)| {
            let own = object(vec![
                ("select", Some(json!("one"))),
                ("options", Some(options(labels))),
                ("default", default.map(Value::from)),
            ]);
            merged([head, submit, own])
        })
        .boxed()
}

fn choice_many() -> BoxedStrategy<Value> {
    let labels = vec(text(LIMITS.choice.option_label_max_length), 2..8);
    (labels, any::<bool>())
        .prop_flat_map(|(labels, other)| {
            let offered = labels.len() + usize::from(other);
            (Just((labels, other)), 1..=offered)
        })
        .prop_flat_map(|((labels, other), max)| {
            let most = max.min(labels.len());
            let default = option::of(subsequence(ids(labels.len()), 0..=most));
            (Just((labels, other, max)), 0..=max, default, any::<bool>(), head(), submit_label())
        })
        .prop_map(|((labels, other, max), min, default, bounded, head, submit)| {
            let own = object(vec![
                ("select", Some(json!("many"))),
                ("options", Some(options(labels))),
                ("default", default.map(Value::from)),
                ("minSelected", bounded.then(|| json!(min))),
                ("maxSelected", Some(json!(max))),
                ("allowOther", Some(json!(other))),
                ("otherLabel", other.then(|| json!("Another"))),
            ]);
            merged([head, submit, own])
        })
        .boxed()
}

fn compact_choice() -> BoxedStrategy<Value> {
    let labels = (2..=LIMITS.simple_card.buttons_max)
        .prop_flat_map(|count| (0..count).map(short_label).collect::<Vec<_>>())
        .boxed();
    choice_one(labels)
}

fn confirm() -> BoxedStrategy<Value> {
    let labels = option::of((short_label(0), short_label(1)));
    (head(), labels, option::of(any::<bool>()))
        .prop_map(|(head, labels, destructive)| {
            let (approve, deny) = labels.unzip();
            let own = object(vec![
                ("confirmLabel", approve.map(Value::from)),
                ("denyLabel", deny.map(Value::from)),
                ("destructive", destructive.map(Value::from)),
            ]);
            merged([head, own])
        })
        .boxed()
}

fn markdown() -> BoxedStrategy<Value> {
    (1..200_usize)
        .prop_flat_map(|max| {
            let initial = option::of(prop_oneof![text(300), Just(String::new()), Just("  ".to_owned())]);
            (Just(max), 0..=max, initial, option::of(text(120)), any::<bool>(), head(), submit_label())
        })
        .prop_map(|(max, min, initial, placeholder, bounded, head, submit)| {
            let own = object(vec![
                ("initial", initial.map(Value::from)),
                ("placeholder", placeholder.map(Value::from)),
                ("minLength", bounded.then(|| json!(min))),
                ("maxLength", bounded.then(|| json!(max))),
            ]);
            merged([head, submit, own])
        })
        .boxed()
}

/// The keys of one field beside its id, label and `required`.
fn field_input() -> BoxedStrategy<Value> {
    let number = (-100..100_i32, 0..100_i32, any::<bool>()).prop_map(|(min, span, defaulted)| {
        object(vec![
            ("type", Some(json!("number"))),
            ("min", Some(json!(min))),
            ("max", Some(json!(min + span))),
            ("integer", Some(json!(true))),
            ("default", defaulted.then(|| json!(f64::from(min + span)))),
        ])
    });
    let typed = select(vec![
        ("text", json!("  padded  ")),
        ("textarea", json!("two\nlines")),
        ("email", json!("o'r.b+c@ex-ample.co")),
        ("url", json!(" https://☃.net/x ")),
        ("phone", json!("+1 (415) 555-2671")),
        ("date", json!("2024-02-29")),
        ("time", json!("23:59")),
        ("datetime", json!("2026-10-01T09:30:15.5-00:00")),
        ("boolean", json!(false)),
    ]);
    let typed = (typed, any::<bool>()).prop_map(|((kind, default), defaulted)| {
        object(vec![("type", Some(json!(kind))), ("default", defaulted.then_some(default))])
    });
    let select_one = option::of(select(ids(3))).prop_map(|default| {
        let labels = vec!["A".to_owned(), "B".to_owned(), "C".to_owned()];
        object(vec![
            ("type", Some(json!("select"))),
            ("options", Some(options(labels))),
            ("default", default.map(Value::from)),
        ])
    });
    let multiselect = option::of(subsequence(ids(3), 0..=3)).prop_map(|default| {
        let labels = vec!["A".to_owned(), "B".to_owned(), "C".to_owned()];
        object(vec![
            ("type", Some(json!("multiselect"))),
            ("options", Some(options(labels))),
            ("default", default.map(Value::from)),
        ])
    });
    prop_oneof![3 => typed, 1 => number, 1 => select_one, 1 => multiselect].boxed()
}

fn form() -> BoxedStrategy<Value> {
    let field = (field_input(), text(LIMITS.form.label_max_length), option::of(any::<bool>()));
    (vec(field, 1..=LIMITS.form.fields_max), head(), submit_label())
        .prop_map(|(fields, head, submit)| {
            let fields: Value = fields
                .into_iter()
                .enumerate()
                .map(|(index, (input, label, required))| {
                    let own = object(vec![
                        ("id", Some(json!(format!("f{index}")))),
                        ("label", Some(json!(label))),
                        ("required", required.map(Value::from)),
                    ]);
                    merged([own, input])
                })
                .collect();
            merged([head, submit, json!({"fields": fields})])
        })
        .boxed()
}

fn files() -> BoxedStrategy<Value> {
    let accept = subsequence(vec!["image", "pdf", "text", "csv", "json"], 1..=5);
    (accept, 1..=10_usize, 1..=10_usize, head(), submit_label())
        .prop_map(|(accept, a, b, head, submit)| {
            let own = json!({"accept": accept, "minFiles": a.min(b), "maxFiles": a.max(b)});
            merged([head, submit, own])
        })
        .boxed()
}

/// The input of a valid ask.
pub fn valid() -> BoxedStrategy<(AskKind, Value)> {
    let labels = vec(text(LIMITS.choice.option_label_max_length), 2..7).boxed();
    prop_oneof![
        choice_one(labels).prop_map(|input| (AskKind::Choice, input)),
        choice_many().prop_map(|input| (AskKind::Choice, input)),
        compact().boxed(),
        markdown().prop_map(|input| (AskKind::Markdown, input)),
        form().prop_map(|input| (AskKind::Form, input)),
        files().prop_map(|input| (AskKind::Files, input)),
    ]
    .boxed()
}

/// The input of an ask that is valid on a small screen.
pub fn compact() -> BoxedStrategy<(AskKind, Value)> {
    prop_oneof![
        compact_choice().prop_map(|input| (AskKind::Choice, input)),
        confirm().prop_map(|input| (AskKind::Confirm, input)),
    ]
    .boxed()
}

/// An ask with some of its fields, at any depth, replaced by anything.
pub fn broken() -> BoxedStrategy<(AskKind, Value)> {
    (valid(), vec((any::<prop::sample::Index>(), any_json()), 1..4))
        .prop_map(|((kind, mut input), changes)| {
            for (place, value) in changes {
                let places = count(&input);
                replace(&mut input, place.index(places), value);
            }
            (kind, input)
        })
        .boxed()
}

fn count(value: &Value) -> usize {
    1 + children(value).map(count).sum::<usize>()
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(fields) => Box::new(fields.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Puts `new` in place of the value at `place` in depth-first order.
fn replace(value: &mut Value, place: usize, new: Value) {
    let mut left = place;
    if left == 0 {
        *value = new;
        return;
    }
    left -= 1;
    let children: Box<dyn Iterator<Item = &mut Value>> = match value {
        Value::Array(items) => Box::new(items.iter_mut()),
        Value::Object(fields) => Box::new(fields.values_mut()),
        _ => return,
    };
    for child in children {
        let size = count(child);
        if left < size {
            return replace(child, left, new);
        }
        left -= size;
    }
}
