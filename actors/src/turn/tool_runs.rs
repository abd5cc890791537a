//! Running the tools of a step side by side.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::json;
use tokio::time::timeout;

use crate::ports::{Replay, Tool, ToolCall, ToolError, ToolOutput};
use crate::transition::results::CallResult;

/// A call that is to run, with its tool.
pub struct ToolRun {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// The call.
    pub call: ToolCall,
}

/// Calls that run, and those whose results are still to come.
pub struct ToolRuns {
    running: FuturesUnordered<futures_util::future::BoxFuture<'static, (CallResult, Replay)>>,
}

impl ToolRuns {
    /// Starts every call.
    pub fn start(runs: Vec<ToolRun>) -> Self {
        let running = FuturesUnordered::new();
        for run in runs {
            running.push(Box::pin(run_one(run)) as futures_util::future::BoxFuture<'static, _>);
        }
        Self { running }
    }

    /// The next result, as it arrives. Cancel safe.
    pub async fn next(&mut self) -> Option<(CallResult, Replay)> {
        self.running.next().await
    }

    /// Whether every call has given its result.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }
}

/// A tool that fails, panics or takes too long gives the model an error; the turn goes on.
async fn run_one(ToolRun { tool, call }: ToolRun) -> (CallResult, Replay) {
    let replay = tool.replay();
    let tool_call_id = call.tool_call_id.clone();
    let name = tool.spec().name.clone();
    // A task of its own: what a tool does to the thread it runs on stays there.
    let run = tokio::spawn(async move {
        let deadline = tool.deadline();
        timeout(deadline, tool.run(call)).await.unwrap_or_else(|_| {
            Err(ToolError(format!("The tool took longer than {} seconds.", deadline.as_secs_f32())))
        })
    });
    let output = match run.await {
        Ok(Ok(value)) => ToolOutput::Json(value),
        Ok(Err(ToolError(sentence))) => ToolOutput::Error(json!({"error": sentence})),
        Err(stopped) => {
            tracing::error!(tool = name, panicked = stopped.is_panic(), "a tool stopped without a result");
            ToolOutput::Error(json!({"error": "The tool failed unexpectedly. It may have run."}))
        }
    };
    (CallResult { tool_call_id, output }, replay)
}
