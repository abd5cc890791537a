//! A transcript as a test reads it: one line for each row.

use serde_json::Value;

/// The rows of a conversation as `GET /gpt/histories/:id` gives it:
///
/// ```text
/// user: Paint the door
/// ask ask_choice call_1 (choice, pending)
/// call paint call_2 {"colour":"red"}
/// result paint call_2 {"ok":true}
/// assistant: Done.
/// ```
///
/// # Panics
/// When a row lacks what its type promises, or its index is not its place.
pub fn transcript(history: &Value) -> Vec<String> {
    let rows = history["prompts"].as_array().unwrap();
    rows.iter().enumerate().map(|(at, row)| line(at, row)).collect()
}

fn line(at: usize, row: &Value) -> String {
    let field = |name: &str| row[name].as_str().unwrap_or_else(|| panic!("no {name}: {row:#}"));
    assert_eq!(row["index"], at, "{row:#}");
    match field("type") {
        kind @ ("user" | "assistant") => format!("{kind}: {}", field("text")),
        "tool-call" => {
            let (tool, id) = (field("toolName"), field("toolCallId"));
            assert_eq!(field("text"), format!("Tool call: {tool}"));
            match row.get("ask") {
                None => format!("call {tool} {id} {}", row["args"]),
                Some(ask) => {
                    let (kind, status) = (ask["kind"].as_str().unwrap(), ask["status"].as_str().unwrap());
                    let origin = ask.get("origin").map_or("ask", |origin| origin.as_str().unwrap());
                    format!("{origin} {tool} {id} ({kind}, {status})")
                }
            }
        }
        "tool-result" => {
            let (tool, id) = (field("toolName"), field("toolCallId"));
            assert_eq!(field("text"), format!("Tool result: {tool}"));
            format!("result {tool} {id} {}", row["result"])
        }
        other => panic!("no row is of type {other}"),
    }
}
