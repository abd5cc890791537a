//! The phase `request`: call the model once, and commit what it said or called.

use std::time::Duration;

use tokio::time::Instant;
use turnwright_schemas::{Ask, AskKind};

use super::approval;
use super::classify::{classify, find};
use super::deltas::Deltas;
use super::model_step::{self, ModelStep, StepEnd};
use super::runner::{Next, Runner};
use crate::error::EngineError;
use crate::ids::AskId;
use crate::machine::Phase;
use crate::ports::{FilePart, ModelCall, ModelMessage, ModelRequest, Prepared};
use crate::question::{HostCall, NewQuestion, Question};
use crate::transition::pause::Pause;
use crate::transition::turn::TurnWrite;
use crate::turn_state::{CallState, Step, StepCall};

impl Runner<'_> {
    pub(super) async fn request(&mut self, prepared: &Prepared) -> Result<Next, EngineError> {
        let max_steps = self.services.settings.max_steps;
        if self.state.steps >= max_steps {
            let sentence = format!("The agent stopped after {max_steps} steps.");
            return self.fail(sentence, String::new(), Vec::new()).await;
        }
        if Instant::now() >= self.deadline {
            let seconds = self.services.settings.run_deadline.as_secs();
            return self
                .fail(format!("The turn took longer than {seconds} seconds."), String::new(), Vec::new())
                .await;
        }
        let request = self.model_request(prepared);
        let number = request.request;
        self.state.count_request();
        let step = self.read_model(prepared, request).await;
        match step.end {
            StepEnd::Cancelled => self.commit(TurnWrite::Abort(self.state.clone(), step.said())).await,
            StepEnd::Failed(ref error) => {
                tracing::warn!(
                    task_id = %self.author.task_id,
                    conversation_id = %self.conversation.id,
                    request = number,
                    status = error.status,
                    %error,
                    "a model request failed"
                );
                let asks = self.asks_of(&step.calls);
                self.fail(error.message.clone(), step.said(), asks).await
            }
            StepEnd::Whole if step.calls.is_empty() => self.commit(TurnWrite::Finish(step.text)).await,
            StepEnd::Whole => self.enter_step(step, prepared).await,
        }
    }

    fn model_request(&self, prepared: &Prepared) -> ModelRequest {
        let offer = &self.services.offer;
        let surface = self.state.surface;
        let mut messages = self.history.clone();
        messages.extend(self.state.messages.iter().cloned());
        messages.extend(self.state.step.iter().cloned().flat_map(Step::into_messages));
        if let Some(answered) = &self.state.answered_files {
            attach_files(&mut messages, &answered.tool_call_id, &self.files);
        }
        ModelRequest {
            task_id: self.author.task_id,
            request: self.state.requests,
            surface,
            system: offer.system_prompt(prepared, surface),
            messages,
            tools: offer.tools(prepared, surface),
        }
    }

    async fn read_model(&mut self, prepared: &Prepared, request: ModelRequest) -> ModelStep {
        let longest: Duration = self.services.settings.request_deadline;
        let deadline = self.deadline.min(Instant::now() + longest);
        let bus = self.services.bus.as_ref();
        let mut deltas = Deltas::new(bus, self.conversation.id, self.author.command_id, self.after_seq);
        let step =
            model_step::read(prepared.model.as_ref(), request, deadline, &self.cancel, &mut deltas).await;
        self.published_text |= deltas.any_published();
        step
    }

    /// The valid asks among the calls of a step that failed.
    fn asks_of(&self, calls: &[ModelCall]) -> Vec<NewQuestion> {
        let surface = self.state.surface;
        let asks = calls.iter().filter_map(|call| {
            let kind = AskKind::from_tool_name(&call.name)?;
            let offered = self.services.offer.offers(kind, surface);
            let ask = Ask::parse(kind, &call.args, surface).ok().filter(|_| offered)?;
            Some(question(call, ask))
        });
        asks.collect()
    }

    /// The step before it becomes the newest: the one before it closes.
    async fn enter_step(&mut self, step: ModelStep, prepared: &Prepared) -> Result<Next, EngineError> {
        let surface = self.state.surface;
        let offer = &self.services.offer;
        let calls: Vec<StepCall> =
            step.calls.into_iter().map(|call| classify(call, offer, prepared, surface)).collect();
        let mut state = self.state.clone();
        state.close_step();
        state.step = Some(Step { text: step.text, provider: step.provider, calls });
        let runs = state.step.as_ref().is_some_and(|step| step.running().next().is_some());
        let pauses = state.step.as_ref().is_some_and(Step::must_pause);
        if runs {
            self.commit(TurnWrite::Calls(state)).await
        } else if pauses {
            let questions = questions(state.step.as_ref(), prepared)?;
            let pause = Pause { results: Vec::new(), questions, from: Phase::Request };
            self.commit(TurnWrite::Pause(state, pause)).await
        } else {
            self.commit(TurnWrite::Results(state, Vec::new())).await
        }
    }
}

impl ModelStep {
    /// What was said of a step that did not end well: text beside a call is no reply.
    fn said(&self) -> String {
        if self.calls.is_empty() { self.text.clone() } else { String::new() }
    }
}

/// Gives the newest result of a call its files.
fn attach_files(messages: &mut [ModelMessage], tool_call_id: &str, files: &[FilePart]) {
    let newest_result = messages.iter_mut().rev().find_map(|message| match message {
        ModelMessage::Tool { results } => results.iter_mut().find(|result| result.id == tool_call_id),
        ModelMessage::User { .. } | ModelMessage::Assistant { .. } => None,
    });
    if let Some(result) = newest_result {
        result.files = files.to_vec();
    }
}

/// The asks and approvals of a step, in the model's order.
///
/// # Errors
/// When a call that was classified so reads otherwise now.
pub(super) fn questions(step: Option<&Step>, prepared: &Prepared) -> Result<Vec<NewQuestion>, EngineError> {
    let mut questions = Vec::new();
    for StepCall { call, state } in step.iter().flat_map(|step| &step.calls) {
        match state {
            CallState::Asks => {
                let kind = AskKind::from_tool_name(&call.name);
                let ask = kind
                    .and_then(|kind| Ask::parse(kind, &call.args, turnwright_schemas::Surface::Full).ok())
                    .ok_or(EngineError::Invariant("an ask that was valid stays valid"))?;
                questions.push(question(call, ask));
            }
            CallState::NeedsApproval => {
                let tool = find(prepared, &call.name)
                    .ok_or(EngineError::Invariant("a tool stays while its step runs"))?;
                questions.push(NewQuestion {
                    ask_id: AskId::new(),
                    call_id: call.id.clone(),
                    question: Question {
                        tool_call_id: format!("approval_{}", uuid::Uuid::now_v7().simple()),
                        ask: approval::confirm(tool.as_ref(), &call.args)?,
                        approves: Some(HostCall {
                            tool_name: call.name.clone(),
                            tool_call_id: call.id.clone(),
                        }),
                    },
                });
            }
            CallState::Running
            | CallState::Asking
            | CallState::AwaitingApproval
            | CallState::Denied
            | CallState::Done { .. } => {}
        }
    }
    Ok(questions)
}

fn question(call: &ModelCall, ask: Ask) -> NewQuestion {
    NewQuestion {
        ask_id: AskId::new(),
        call_id: call.id.clone(),
        question: Question { tool_call_id: call.id.clone(), ask, approves: None },
    }
}
