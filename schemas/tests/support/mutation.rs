//! Small changes to a JSON document, so that a test can try every way of being slightly wrong.

use serde_json::{Map, Value, json};

/// One change at one place.
#[derive(Debug, Clone)]
pub struct Mutation {
    place: Vec<Step>,
    change: Change,
}

#[derive(Debug, Clone)]
enum Step {
    Key(String),
    Index(usize),
}

#[derive(Debug, Clone)]
enum Change {
    Replace(Value),
    Remove(String),
    Add(&'static str),
    /// The list's first item, this many times.
    Repeat(usize),
}

/// Values to put in place of others: every JSON type, and strings around each of the lengths given.
pub fn replacements(lengths: &[usize]) -> Vec<Value> {
    let mut values = vec![
        Value::Null,
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(""),
        json!(" "),
        json!("x"),
        json!("accept"),
        json!("decline"),
        json!("cancel"),
        json!("choice"),
        json!("compact"),
        json!([]),
        json!(["x"]),
        json!({}),
        json!({"a": 1}),
    ];
    for length in lengths {
        for text in ["x", "é", "😀"] {
            values.extend((length - 1..=length + 1).map(|length| json!(text.repeat(length))));
        }
    }
    values
}

/// Every change of a document: each value replaced by each replacement, each property removed, an unknown or a
/// misplaced property added to each object, each list emptied, shortened and lengthened.
pub fn mutations(document: &Value, replacements: &[Value]) -> Vec<Mutation> {
    let mut found = Vec::new();
    walk(document, &mut Vec::new(), replacements, &mut found);
    found
}

fn walk(value: &Value, place: &mut Vec<Step>, replacements: &[Value], found: &mut Vec<Mutation>) {
    let mut note = |place: &[Step], change| found.push(Mutation { place: place.to_vec(), change });
    for replacement in replacements {
        note(place, Change::Replace(replacement.clone()));
    }
    match value {
        Value::Object(fields) => {
            for name in ["extra", "reason", "content", "title", "prompt", "toolCallId", "requestId"] {
                note(place, Change::Add(name));
            }
            for name in fields.keys() {
                note(place, Change::Remove(name.clone()));
            }
            for (name, value) in fields {
                place.push(Step::Key(name.clone()));
                walk(value, place, replacements, found);
                place.pop();
            }
        }
        Value::Array(items) => {
            for count in 0..=5 {
                note(place, Change::Repeat(count));
            }
            for (index, item) in items.iter().enumerate() {
                place.push(Step::Index(index));
                walk(item, place, replacements, found);
                place.pop();
            }
        }
        _ => {}
    }
}

impl Mutation {
    /// The document with this change made.
    pub fn apply(&self, document: &Value) -> Value {
        let mut changed = document.clone();
        let mut target = &mut changed;
        for step in &self.place {
            target = match step {
                Step::Key(name) => &mut target[name],
                Step::Index(index) => &mut target[index],
            };
        }
        match (&self.change, target) {
            (Change::Replace(value), target) => *target = value.clone(),
            (Change::Remove(name), Value::Object(fields)) => drop(fields.remove(name)),
            (Change::Add(name), Value::Object(fields)) => add(fields, name),
            (Change::Repeat(count), Value::Array(items)) => {
                let item = items.first().cloned().unwrap_or(Value::Null);
                *items = vec![item; *count];
            }
            (change, target) => unreachable!("{change:?} of {target}"),
        }
        changed
    }
}

fn add(fields: &mut Map<String, Value>, name: &str) {
    fields.entry(name).or_insert_with(|| json!("added"));
}
