//! The parts of a script for the scripted model (`demo.script`), and the answers its asks get.

use serde_json::{Value, json};

/// A script: rules by the newest user text.
pub fn script<const N: usize>(rules: [Value; N]) -> Value {
    json!({"rules": rules.as_slice()})
}

/// As [`script`], with tools the model may call.
pub fn script_with_tools<const N: usize, const M: usize>(rules: [Value; N], tools: [Value; M]) -> Value {
    json!({"rules": rules.as_slice(), "tools": tools.as_slice()})
}

/// What the model does in a turn whose user text matches: the parts of each of its requests.
pub fn rule<const N: usize>(when: &str, requests: [Vec<Value>; N]) -> Value {
    json!({"when": when, "requests": requests.as_slice()})
}

/// A piece of a reply.
pub fn text(text: &str) -> Value {
    json!({"text": text})
}

/// Silence, in milliseconds.
pub fn wait(millis: u64) -> Value {
    json!({"waitMs": millis})
}

/// The request fails here.
pub fn fail(message: &str) -> Value {
    json!({"fail": {"status": 500, "message": message}})
}

/// A tool call.
pub fn call(id: &str, tool: &str, args: Value) -> Value {
    json!({"call": {"id": id, "name": tool, "args": args}})
}

/// A call that asks for a yes or no.
pub fn ask(id: &str, prompt: &str) -> Value {
    call(id, "ask_confirm", json!({"prompt": prompt}))
}

/// A call that asks for a colour.
pub fn ask_colour(id: &str) -> Value {
    call(id, "ask_choice", colours())
}

/// The ask for a colour.
pub fn colours() -> Value {
    json!({
        "prompt": "Which colour?",
        "select": "one",
        "options": [{"id": "red", "label": "Red"}, {"id": "green", "label": "Green"}],
    })
}

/// An answer with content.
pub fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// The answer of the button that approves.
pub fn yes() -> Value {
    accept(json!({"confirmed": true}))
}

/// The answer of the button that denies.
pub fn no() -> Value {
    accept(json!({"confirmed": false}))
}

/// The answer that skips.
pub fn decline() -> Value {
    json!({"action": "decline"})
}

/// The answer that drops the ask.
pub fn cancel() -> Value {
    json!({"action": "cancel"})
}

/// As [`cancel`], and says why.
pub fn cancel_because(reason: &str) -> Value {
    json!({"action": "cancel", "reason": reason})
}
