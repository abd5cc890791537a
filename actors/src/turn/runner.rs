//! One run of a turn: from where its state stands to its next rest.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::cancel::CancelSignal;
use super::history::model_messages;
use super::{ConversationRef, TurnServices};
use crate::commit::{Author, Fence, RunningTask};
use crate::error::EngineError;
use crate::machine::Phase;
use crate::ports::{FilePart, ModelMessage, Prepared, TurnContext};
use crate::question::NewQuestion;
use crate::store::{Holder, TurnCommit};
use crate::transition::fail::Failure;
use crate::transition::turn::{TurnCommitted, TurnWrite};
use crate::turn_state::TurnState;

/// The first wait before something that failed is tried again; it doubles up to [`RETRY_MAX`].
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(2);
/// How many holders may lose a turn in a row before it ends (rule 9).
const MAX_LOSSES: u32 = 3;

/// A turn that is about to run.
pub struct Run {
    /// Its conversation.
    pub conversation: ConversationRef,
    /// Where it stands.
    pub task: RunningTask,
    /// What was prepared for it, when its command did not have to wait.
    pub prepared: Option<Prepared>,
}

/// What a phase led to.
pub(super) enum Next {
    /// Another phase.
    Goes,
    /// The turn rests; the command whose turn it is now, if one waited.
    Rests(Option<Box<RunningTask>>),
}

/// A turn while it runs.
pub(super) struct Runner<'a> {
    pub(super) services: &'a TurnServices,
    pub(super) conversation: &'a ConversationRef,
    pub(super) author: Author,
    fence: Fence,
    pub(super) phase: Phase,
    pub(super) state: TurnState,
    pub(super) cancel: CancelSignal,
    pub(super) deadline: Instant,
    /// The conversation's last durable `seq`.
    pub(super) after_seq: i64,
    /// Whether the step's calls were entered by a holder that is gone.
    pub(super) interrupted: bool,
    /// Whether a preview of text went out: an answer is then not undone (rule 6).
    pub(super) published_text: bool,
    /// The transcript before the turn's own messages.
    pub(super) history: Vec<ModelMessage>,
    /// The files of the answer this run goes on with.
    pub(super) files: Vec<FilePart>,
}

impl Run {
    /// Runs the turn to its next rest, and then whatever waited in the inbox, until nothing does.
    pub async fn to_rest(self, services: &Arc<TurnServices>) {
        let Run { conversation, task, mut prepared } = self;
        let mut next = Some(Box::new(task));
        while let Some(task) = next.take() {
            let task_id = task.fence.task_id;
            match run_once(services, &conversation, *task, prepared.take()).await {
                Ok(waiting) => next = waiting,
                Err(EngineError::LeaseLost) => {
                    tracing::warn!(%task_id, "a turn was dropped: another holder moved it on");
                }
                Err(error) => tracing::error!(%task_id, %error, "a turn was dropped"),
            }
        }
    }
}

/// Fails the turn that holds a conversation, after its run stopped without an end.
pub async fn fail_running(services: &Arc<TurnServices>, conversation: &ConversationRef) {
    let store = &services.store;
    let ended = match retried(|| store.running_task(conversation.id)).await {
        Ok(Some(task)) => {
            let mut runner = Runner::new(services, conversation, task);
            let sentence = "The turn failed unexpectedly.".to_owned();
            runner.fail(sentence, String::new(), Vec::new()).await
        }
        Ok(None) => return,
        Err(error) => Err(error),
    };
    match ended {
        Ok(Next::Rests(Some(task))) => {
            let run = Run { conversation: conversation.clone(), task: *task, prepared: None };
            run.to_rest(services).await;
        }
        Ok(Next::Rests(None) | Next::Goes) => {}
        Err(error) => tracing::error!(%error, "a turn that panicked could not be failed"),
    }
}

async fn run_once(
    services: &TurnServices,
    conversation: &ConversationRef,
    task: RunningTask,
    prepared: Option<Prepared>,
) -> Result<Option<Box<RunningTask>>, EngineError> {
    let (answered, losses) = (task.state.answered_files.clone(), task.losses);
    let mut runner = Runner::new(services, conversation, task);
    if let Some(next) = runner.reopen(losses).await? {
        return Ok(next);
    }
    let next = match runner.prepare(prepared).await? {
        Ok(prepared) => runner.run(&prepared).await,
        Err(sentence) => match runner.fail(sentence, String::new(), Vec::new()).await? {
            Next::Rests(next) => Ok(next),
            Next::Goes => Err(EngineError::Invariant("a turn that fails rests")),
        },
    };
    // Whoever took the turn over reads the files again.
    if let (Ok(_), Some(file)) = (&next, answered.iter().flat_map(|answered| &answered.files).next()) {
        services.files.delete_answer_files(file.command_id).await;
    }
    next
}

impl<'a> Runner<'a> {
    fn new(services: &'a TurnServices, conversation: &'a ConversationRef, task: RunningTask) -> Self {
        Self {
            services,
            conversation,
            author: Author { command_id: task.command_id, task_id: task.fence.task_id },
            fence: task.fence,
            phase: task.phase,
            cancel: services.cancels.register(task.fence.task_id),
            deadline: Instant::now() + services.settings.run_deadline,
            after_seq: task.after_seq,
            interrupted: false,
            published_text: false,
            history: Vec::new(),
            files: Vec::new(),
            state: task.state,
        }
    }

    /// Opens an attempt after a takeover. Ends the turn when attempts were lost too often (rule 9), or when it was to
    /// be cancelled.
    async fn reopen(&mut self, losses: u32) -> Result<Option<Option<Box<RunningTask>>>, EngineError> {
        if losses == 0 {
            return Ok(None);
        }
        self.state.resumed = None;
        let next = if losses >= MAX_LOSSES {
            let sentence = "The turn was interrupted too often.".to_owned();
            self.fail(sentence, String::new(), Vec::new()).await?
        } else if self.phase == Phase::Request {
            self.commit(TurnWrite::Retract(self.state.clone())).await?
        } else {
            self.interrupted = true;
            Next::Goes
        };
        Ok(match next {
            Next::Goes => None,
            Next::Rests(next) => Some(next),
        })
    }

    /// What the turn runs with; the sentence of a failing model call when the agent cannot be prepared (rule 4).
    async fn prepare(&mut self, prepared: Option<Prepared>) -> Result<Result<Prepared, String>, EngineError> {
        let prepared = match prepared {
            Some(prepared) => prepared,
            None => {
                let context = TurnContext {
                    user_id: self.conversation.user_id,
                    conversation_id: Some(self.conversation.id),
                    surface: self.state.surface,
                };
                match super::prepare(self.services.agent.as_ref(), &self.services.offer, &context).await {
                    Ok(prepared) => prepared,
                    Err(error) => {
                        tracing::error!(%error, "a turn that waited could not be prepared");
                        return Ok(Err("The agent could not be prepared.".to_owned()));
                    }
                }
            }
        };
        let (store, id, index) = (&self.services.store, self.conversation.id, self.state.prompt_index);
        self.history = model_messages(retried(|| store.transcript(id, index)).await?);
        if let Some(answered) = &self.state.answered_files {
            let files = &self.services.files;
            self.files = retried(|| super::answer_files::load(files, &answered.files)).await?;
        }
        Ok(Ok(prepared))
    }

    async fn run(&mut self, prepared: &Prepared) -> Result<Option<Box<RunningTask>>, EngineError> {
        loop {
            let next = match self.phase {
                Phase::Request => self.request(prepared).await?,
                Phase::Tools => self.run_tools(prepared).await?,
            };
            if let Next::Rests(waiting) = next {
                return Ok(waiting);
            }
        }
    }

    /// Commits, publishes what became durable, and keeps the pair for the next commit. A database that fails is
    /// asked again until it answers or the lease is gone.
    pub(super) async fn commit(&mut self, write: TurnWrite) -> Result<Next, EngineError> {
        let outcome = self.try_commit(&write).await?;
        if !matches!(outcome, TurnCommitted::MustAbort) {
            return self.follow(outcome);
        }
        // What tools did and what was said is saved whatever becomes of the turn.
        let (results, said) = write.into_remains();
        if !results.is_empty() {
            let saved = self.try_commit(&TurnWrite::SaveResults(self.state.clone(), results)).await?;
            self.follow(saved)?;
        }
        let outcome = self.try_commit(&TurnWrite::Abort(self.state.clone(), said)).await?;
        self.follow(outcome)
    }

    async fn try_commit(&mut self, write: &TurnWrite) -> Result<TurnCommitted, EngineError> {
        let holder = Holder {
            conversation_id: self.conversation.id,
            fence: self.fence,
            author: self.author,
            phase: self.phase,
        };
        let gate = self.conversation.gate.lock().await;
        let store = &self.services.store;
        let TurnCommit { outcome, published, event_seq } =
            retried(|| store.commit_turn(holder, write.clone())).await?;
        self.services.publish(self.conversation.id, published);
        if let TurnCommitted::Rests { next: Some(next), .. } = &outcome {
            self.services.cancels.announce(next.fence.task_id);
        }
        drop(gate);
        self.after_seq = event_seq;
        Ok(outcome)
    }

    fn follow(&mut self, outcome: TurnCommitted) -> Result<Next, EngineError> {
        match outcome {
            TurnCommitted::Goes { state, phase } => {
                self.fence = self.fence.next();
                self.state = state;
                self.phase = phase;
                Ok(Next::Goes)
            }
            TurnCommitted::Rests { next, gone } => {
                if gone {
                    self.services.close(self.conversation.id);
                }
                Ok(Next::Rests(next.map(Box::new)))
            }
            TurnCommitted::MustAbort => Err(EngineError::Invariant("an abort is always taken")),
        }
    }

    /// Ends the turn with an error; the answer it goes on with is undone while it can be (rules 6 and 7).
    pub(super) async fn fail(
        &mut self,
        error: String,
        said: String,
        asks: Vec<NewQuestion>,
    ) -> Result<Next, EngineError> {
        let undo = self.state.resumed.is_some() && !self.published_text && asks.is_empty();
        let failure = Failure { said, error, asks };
        let state = self.state.clone();
        self.commit(TurnWrite::Fail { state, failure, undo }).await
    }
}

/// Tries again while the infrastructure fails; what is wrong for good is returned.
async fn retried<T, F>(mut attempt: impl FnMut() -> F) -> Result<T, EngineError>
where
    F: Future<Output = Result<T, EngineError>>,
{
    let mut wait = RETRY_FIRST;
    loop {
        match attempt().await {
            Err(error @ (EngineError::Database(_) | EngineError::Files(_))) => {
                tracing::warn!(%error, "will try again");
                sleep(wait).await;
                wait = (wait * 2).min(RETRY_MAX);
            }
            outcome => return outcome,
        }
    }
}
