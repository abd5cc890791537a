//! The record: one JSON line for each model request and each tool run, so that anyone can count both
//! (DESIGN section 10).
//!
//! A line is written before what it tells of starts, and what cannot be recorded does not run: a record that
//! misses a run would make its reader believe that nothing ran.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use serde::Serialize;
use serde_json::Value;
use turnwright_actors::ports::{
    Approval, LanguageModel, ModelError, ModelPart, ModelRequest, Replay, Tool, ToolCall, ToolError, ToolSpec,
};

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be opened: {source}", file.display())]
pub(super) struct RecordError {
    file: PathBuf,
    source: io::Error,
}

/// A file of JSON lines that only grows. Each line is one write, so several nodes may share the file.
pub(super) struct Record(Mutex<File>);

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Line<'a> {
    Request { request: &'a ModelRequest },
    Tool { tool: &'a str, tool_call_id: &'a str },
}

impl Record {
    /// Opens the file, or makes it.
    pub(super) fn open(path: &Path) -> Result<Self, RecordError> {
        let opened = OpenOptions::new().create(true).append(true).open(path);
        opened
            .map(|file| Self(Mutex::new(file)))
            .map_err(|source| RecordError { file: path.to_owned(), source })
    }

    fn append(&self, line: &Line<'_>) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(&text)
    }
}

/// A model whose requests are recorded.
pub(super) struct RecordedModel {
    pub(super) model: Arc<dyn LanguageModel>,
    pub(super) record: Arc<Record>,
}

impl LanguageModel for RecordedModel {
    fn calls_tools(&self) -> bool {
        self.model.calls_tools()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelPart, ModelError>> {
        match self.record.append(&Line::Request { request: &request }) {
            Ok(()) => self.model.stream(request),
            Err(error) => {
                let message = format!("The demo record cannot be written: {error}");
                stream::iter([Err(ModelError { message, status: None })]).boxed()
            }
        }
    }
}

/// A tool whose runs are recorded.
pub(super) struct RecordedTool {
    pub(super) tool: Arc<dyn Tool>,
    pub(super) record: Arc<Record>,
}

impl Tool for RecordedTool {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn replay(&self) -> Replay {
        self.tool.replay()
    }

    fn approval(&self) -> Option<&dyn Approval> {
        self.tool.approval()
    }

    fn deadline(&self) -> Duration {
        self.tool.deadline()
    }

    fn run(&self, call: ToolCall) -> BoxFuture<'_, Result<Value, ToolError>> {
        let line = Line::Tool { tool: &self.spec().name, tool_call_id: &call.tool_call_id };
        match self.record.append(&line) {
            Ok(()) => self.tool.run(call),
            Err(error) => {
                let failure = ToolError(format!("The demo record cannot be written: {error}"));
                Box::pin(async move { Err(failure) })
            }
        }
    }
}
