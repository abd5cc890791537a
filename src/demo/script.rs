//! The format of a scripted model: what it says and calls, and the tools it may call (DESIGN section 10).
//!
//! Read strictly. A key nobody reads, a wrong type or a pattern that does not compile is an error that names
//! its place, because a script that half applies makes a test lie.

mod object;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use turnwright_actors::ports::{ModelCall, Replay, ToolSpec};

pub(super) use object::Object;

/// Why a script cannot be used, in one sentence.
#[derive(Debug, thiserror::Error)]
pub(super) enum ScriptError {
    /// The file is absent or may not be read.
    #[error("{} cannot be read: {source}", file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    /// The file holds something else than a script. The reason begins with the place.
    #[error("{} is not a valid script: {reason}", file.display())]
    Invalid { file: PathBuf, reason: String },
}

impl ScriptError {
    pub(super) fn unreadable(file: &Path, source: io::Error) -> Self {
        Self::Unreadable { file: file.to_owned(), source }
    }
}

/// A whole script.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// What the model does, by the newest user text; the first match plays.
    #[serde(default)]
    rules: Vec<Object<Rule>>,
    /// What the model may call besides asks.
    #[serde(default)]
    tools: Vec<ScriptedToolEntry>,
}

/// What the model does in a turn whose user text matches.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    when: Pattern,
    #[serde(default)]
    requests: Vec<Vec<ScriptedPart>>,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Pattern(Regex);

/// One part of what the model streams.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum ScriptedPart {
    /// A piece of the reply.
    Text(String),
    /// Milliseconds of silence.
    WaitMs(u64),
    /// A tool call.
    Call(Object<ScriptedCall>),
    /// The request fails here.
    Fail(Object<ScriptedFailure>),
}

/// A tool call, its arguments whatever the script wants the engine to meet.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedCall {
    id: String,
    name: String,
    args: Value,
}

impl From<ScriptedCall> for ModelCall {
    fn from(call: ScriptedCall) -> Self {
        Self { id: call.id, name: call.name, args: call.args }
    }
}

/// How a model request fails.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedFailure {
    pub(super) status: Option<u16>,
    pub(super) message: String,
}

/// A tool of the script.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Object<WrittenTool>")]
pub(super) struct ScriptedToolEntry {
    pub(super) spec: Arc<ToolSpec>,
    pub(super) replay: Replay,
    /// Set when a call needs approval before it runs.
    pub(super) approval: Option<ApprovalWording>,
    pub(super) wait: Duration,
    /// What a run gives: a result, or the sentence it fails with.
    pub(super) outcome: Result<Value, String>,
}

/// How the card of a tool's approval is worded.
#[derive(Debug, Clone)]
pub(super) enum ApprovalWording {
    /// The default words.
    Default,
    /// This `confirm` input, valid or not.
    Input(Value),
    /// Wording it fails.
    Fails,
}

/// A tool as a script writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenTool {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default = "any_arguments")]
    input_schema: Map<String, Value>,
    #[serde(default)]
    replay: WrittenReplay,
    #[serde(default)]
    needs_approval: bool,
    approval: Option<Value>,
    #[serde(default)]
    approval_fails: bool,
    #[serde(default)]
    wait_ms: u64,
    #[serde(default)]
    result: Value,
    fail: Option<Object<WrittenFailure>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenReplay {
    #[default]
    Never,
    Safe,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFailure {
    message: String,
}

fn any_arguments() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!("object"))])
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(pattern: String) -> Result<Self, String> {
        Regex::new(&pattern).map(Self).map_err(|error| {
            // The crate draws the pattern over several lines; the last one says what is wrong.
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default();
            format!("{pattern:?} is not a regular expression ({})", reason.trim_start_matches("error: "))
        })
    }
}

impl TryFrom<Object<WrittenTool>> for ScriptedToolEntry {
    type Error = &'static str;

    fn try_from(Object(tool): Object<WrittenTool>) -> Result<Self, Self::Error> {
        if tool.name.is_empty() {
            return Err("a tool needs a name");
        }
        let approval = match (tool.needs_approval, tool.approval, tool.approval_fails) {
            (true, None, false) => Some(ApprovalWording::Default),
            (true, Some(input), false) => Some(ApprovalWording::Input(input)),
            (true, None, true) => Some(ApprovalWording::Fails),
            (_, Some(_), true) => return Err("give either `approval` or `approvalFails`, not both"),
            (false, None, false) => None,
            (false, ..) => return Err("`approval` and `approvalFails` need `needsApproval: true`"),
        };
        Ok(Self {
            spec: Arc::new(ToolSpec {
                name: tool.name,
                description: tool.description,
                input_schema: Value::Object(tool.input_schema),
            }),
            replay: match tool.replay {
                WrittenReplay::Never => Replay::Never,
                WrittenReplay::Safe => Replay::Safe,
            },
            approval,
            wait: Duration::from_millis(tool.wait_ms),
            outcome: match tool.fail {
                Some(Object(fail)) => Err(fail.message),
                None => Ok(tool.result),
            },
        })
    }
}

impl Script {
    /// Reads a script from the text of `file`.
    ///
    /// # Errors
    /// When the text is not JSON, or not a script; the error says where.
    pub(super) fn parse(file: &Path, text: &[u8]) -> Result<Self, ScriptError> {
        Self::read(text).map_err(|reason| ScriptError::Invalid { file: file.to_owned(), reason })
    }

    fn read(text: &[u8]) -> Result<Self, String> {
        // By way of a document, so that what is wrong is told by its path rather than by line and column.
        let document: Value = serde_json::from_slice(text).map_err(located)?;
        let Object(script): Object<Self> = serde_path_to_error::deserialize(document).map_err(|error| {
            match error.path().to_string().as_str() {
                "." => format!("its top level: {}", error.inner()),
                path => format!("{path}: {}", error.inner()),
            }
        })?;
        let mut names = HashSet::new();
        for (index, tool) in script.tools.iter().enumerate() {
            if !names.insert(&tool.spec.name) {
                return Err(format!("tools[{index}].name: another tool is named {:?} too", tool.spec.name));
            }
        }
        Ok(script)
    }

    /// What the model streams in the nth request, counted from 0, of a turn whose newest user text this is;
    /// `None` where the script says nothing.
    pub(super) fn parts(&self, user_text: &str, request: u32) -> Option<&[ScriptedPart]> {
        let rule = self.rules.iter().map(|Object(rule)| rule).find(|rule| rule.when.0.is_match(user_text))?;
        rule.requests.get(usize::try_from(request).ok()?).map(Vec::as_slice)
    }

    /// The script's tools.
    pub(super) fn tools(&self) -> &[ScriptedToolEntry] {
        &self.tools
    }
}

/// The place of a syntax error first, as with every other error.
fn located(error: serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = text.strip_suffix(&place).unwrap_or(&text);
    format!("line {} column {}: {reason}", error.line(), error.column())
}

#[cfg(test)]
mod tests;
