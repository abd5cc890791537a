//! The phase `tools`: run the step's calls side by side and commit their results.

use std::sync::Arc;

use super::classify::find;
use super::request_phase::questions;
use super::runner::{Next, Runner};
use super::tool_runs::{ToolRun, ToolRuns};
use crate::error::EngineError;
use crate::machine::Phase;
use crate::ports::{Prepared, Replay, ToolCall, ToolOutput};
use crate::transition::pause::Pause;
use crate::transition::results::CallResult;
use crate::transition::turn::TurnWrite;
use crate::turn_state::Step;

impl Runner<'_> {
    pub(super) async fn run_tools(&mut self, prepared: &Prepared) -> Result<Next, EngineError> {
        let (runs, mut unsaved) = self.tool_runs(prepared);
        self.interrupted = false;
        let mut runs = ToolRuns::start(runs);
        while let Some((result, replay)) = runs.next().await {
            unsaved.push(result);
            // A result that cannot be had again is saved before the others are waited for.
            if replay == Replay::Never && !runs.is_empty() {
                let results = std::mem::take(&mut unsaved);
                if let Next::Rests(next) =
                    self.commit(TurnWrite::SaveResults(self.state.clone(), results)).await?
                {
                    return Ok(Next::Rests(next));
                }
            }
        }
        let state = self.state.clone();
        if state.step.as_ref().is_some_and(Step::must_pause) {
            let questions = questions(state.step.as_ref(), prepared)?;
            let pause = Pause { results: unsaved, questions, from: Phase::Tools };
            self.commit(TurnWrite::Pause(state, pause)).await
        } else {
            self.commit(TurnWrite::Results(state, unsaved)).await
        }
    }

    /// The calls to run, and the results of those whose tool is gone since the model called it.
    fn tool_runs(&self, prepared: &Prepared) -> (Vec<ToolRun>, Vec<CallResult>) {
        let (mut runs, mut gone) = (Vec::new(), Vec::new());
        let request = self.state.requests.saturating_sub(1);
        for call in self.state.step.iter().flat_map(Step::running) {
            let tool_call_id = call.call.id.clone();
            match find(prepared, &call.call.name) {
                // It may have run, and must not run twice.
                Some(tool) if self.interrupted && tool.replay() == Replay::Never => {
                    gone.push(CallResult { tool_call_id, output: ToolOutput::interrupted() });
                }
                Some(tool) => runs.push(ToolRun {
                    tool: Arc::clone(tool),
                    call: ToolCall {
                        task_id: self.author.task_id,
                        request,
                        tool_call_id,
                        args: call.call.args.clone(),
                        user_id: self.conversation.user_id,
                    },
                }),
                None => gone.push(CallResult { tool_call_id, output: ToolOutput::interrupted() }),
            }
        }
        (runs, gone)
    }
}
