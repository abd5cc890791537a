//! What a scripted node recorded: the requests its model got, and the tools that ran.

use std::path::Path;

use serde_json::Value;

/// The record of a node, each part in order.
#[derive(Debug, Default)]
pub struct Record {
    /// What each model request was given.
    pub requests: Vec<Value>,
    /// Each tool run.
    pub tools: Vec<ToolRun>,
}

/// One run of a tool.
#[derive(Debug, PartialEq, Eq)]
pub struct ToolRun {
    /// The tool.
    pub tool: String,
    /// The call it ran for.
    pub tool_call_id: String,
}

impl Record {
    /// The call ids a tool ran for.
    pub fn runs_of(&self, tool: &str) -> Vec<&str> {
        self.tools.iter().filter(|run| run.tool == tool).map(|run| run.tool_call_id.as_str()).collect()
    }
}

/// Reads the file of `demo.record`. One that is not there yet is empty.
pub fn read_record(path: &Path) -> Record {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut record = Record::default();
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        match line.get_mut("request") {
            Some(request) => record.requests.push(request.take()),
            None => record.tools.push(ToolRun {
                tool: line["tool"].as_str().unwrap().to_owned(),
                tool_call_id: line["toolCallId"].as_str().unwrap().to_owned(),
            }),
        }
    }
    record
}
