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
    fn spec(&self) -> &Arc<ToolSpec> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use serde_json::json;
    use turnwright_actors::ids::{TaskId, UserId};
    use turnwright_actors::ports::{FileContent, FilePart, ModelMessage, ModelResult, ToolOutput};
    use turnwright_schemas::Surface;

    use super::*;

    struct Echo(Arc<ToolSpec>);

    impl LanguageModel for Echo {
        fn stream(&self, _: ModelRequest) -> BoxStream<'static, Result<ModelPart, ModelError>> {
            stream::iter([Ok(ModelPart::Text("hi".to_owned()))]).boxed()
        }
    }

    impl Tool for Echo {
        fn spec(&self) -> &Arc<ToolSpec> {
            &self.0
        }

        fn run(&self, call: ToolCall) -> BoxFuture<'_, Result<Value, ToolError>> {
            Box::pin(async { Ok(call.args) })
        }
    }

    fn echo() -> Arc<Echo> {
        Arc::new(Echo(Arc::new(ToolSpec {
            name: "echo".to_owned(),
            description: String::new(),
            input_schema: json!({}),
        })))
    }

    fn request(messages: Vec<ModelMessage>) -> ModelRequest {
        let (system, tools) = ("Be brief.".to_owned(), vec![echo().0.clone()]);
        ModelRequest { task_id: TaskId::new(), request: 0, surface: Surface::Full, system, messages, tools }
    }

    fn call(id: &str) -> ToolCall {
        let (tool_call_id, args) = (id.to_owned(), json!({"secret": 1}));
        ToolCall { task_id: TaskId::new(), request: 0, tool_call_id, args, user_id: UserId::new() }
    }

    fn lines(path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[tokio::test]
    async fn each_request_and_each_run_is_one_line_in_order_and_written_before_it_starts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        let record = Arc::new(Record::open(&path).unwrap());
        let model = RecordedModel { model: echo(), record: Arc::clone(&record) };
        let tool = RecordedTool { tool: echo(), record };
        let said = ModelMessage::User { text: "line\nbreak".to_owned() };
        let request = request(vec![said]);
        let stream = model.stream(request.clone());
        assert_eq!(lines(&path), [json!({"request": request})]);
        assert_eq!(stream.count().await, 1);
        let run = tool.run(call("call_7"));
        assert_eq!(lines(&path)[1..], [json!({"tool": "echo", "toolCallId": "call_7"})]);
        assert_eq!(run.await.unwrap(), json!({"secret": 1}));
        drop(model.stream(request));
        assert_eq!(lines(&path).len(), 3);
    }

    #[test]
    fn a_record_goes_on_where_another_process_left_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        let [first, second] = [Record::open(&path).unwrap(), Record::open(&path).unwrap()];
        for record in [&first, &second, &first] {
            record.append(&Line::Tool { tool: "echo", tool_call_id: "call_1" }).unwrap();
        }
        assert_eq!(lines(&path).len(), 3);
    }

    #[test]
    fn the_bytes_of_a_file_are_not_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        let record = Arc::new(Record::open(&path).unwrap());
        let content = FileContent::Text("the-bytes".to_owned());
        let caption = "File 1 of 1: a.txt (text/plain, 9 bytes)".to_owned();
        let file = FilePart { caption, mime_type: "text/plain".to_owned(), content };
        let (id, name) = ("call_1".to_owned(), "ask_files".to_owned());
        let result = ModelResult { id, name, output: ToolOutput::Json(json!({})), files: vec![file] };
        drop(
            RecordedModel { model: echo(), record }
                .stream(request(vec![ModelMessage::Tool { results: vec![result] }])),
        );
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("a.txt") && !text.contains("the-bytes"), "{text}");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_cannot_be_recorded_does_not_run() {
        let record = Arc::new(Record::open(Path::new("/dev/full")).unwrap());
        let model = RecordedModel { model: echo(), record: Arc::clone(&record) };
        assert!(matches!(
            model.stream(request(Vec::new())).next().await,
            Some(Err(ModelError { status: None, .. }))
        ));
        let tool = RecordedTool { tool: echo(), record };
        let error = tool.run(call("call_1")).await.unwrap_err();
        assert!(error.0.starts_with("The demo record cannot be written"), "{error}");
    }

    #[test]
    fn a_record_that_cannot_be_opened_is_named() {
        let error = Record::open(Path::new("/nowhere/record.jsonl")).err().unwrap().to_string();
        assert!(error.starts_with("/nowhere/record.jsonl cannot be opened: "), "{error}");
    }
}
