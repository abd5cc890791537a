//! What a client's command writes, or why it is refused.

use super::{begin, enqueue, resume};
use crate::command::{ClientCommand, QueuedCommand};
use crate::commit::{Commit, RunningTask};
use crate::error::EngineError;
use crate::ids::{LeaseToken, TaskId};
use crate::machine::{Decision, Input};
use crate::snapshot::Snapshot;

/// What came of a client's command.
#[derive(Debug)]
pub enum ClientOutcome {
    /// Its turn runs now.
    Runs(Box<RunningTask>),
    /// It waits in the inbox.
    Waits,
    /// No such conversation.
    NotFound,
    /// The ask is not pending.
    NotPending,
    /// The inbox is full.
    QueueFull,
}

impl ClientCommand {
    /// The input the state machine decides on, and the turn the command would begin or resume.
    pub fn input(&self, snapshot: &Snapshot) -> (Input, TaskId) {
        match (self, &snapshot.ask) {
            (Self::Prompt { task_id, ends_ask: true, .. }, _) => (Input::Prompt, *task_id),
            (Self::Prompt { task_id, ends_ask: false, .. }, _) => (Input::PromptWithoutAsks, *task_id),
            (Self::Answer { answer, .. }, Some(ask)) if ask.id == answer.ask_id => {
                (Input::Answer, ask.task.id)
            }
            (Self::Answer { .. }, _) => (Input::StaleAnswer, TaskId::new()),
        }
    }
}

/// Writes what a command wants as the state machine decided. The commit's author is the command.
///
/// # Errors
/// An invariant that does not hold.
pub fn client(
    decision: Decision,
    command: ClientCommand,
    snapshot: &Snapshot,
    token: LeaseToken,
    commit: &mut Commit,
) -> Result<ClientOutcome, EngineError> {
    let author = commit.author();
    let in_slot = |wanted: bool| snapshot.ask.as_ref().filter(|_| wanted);
    Ok(match (decision, command) {
        (Decision::Begin { cancels_ask }, ClientCommand::Prompt { prompt, .. }) => {
            let task = begin::begin(prompt, in_slot(cancels_ask), author, token, commit);
            ClientOutcome::Runs(Box::new(task))
        }
        (Decision::Resume, ClientCommand::Answer { answer, .. }) => {
            let ask = in_slot(true).ok_or(EngineError::Invariant("an answered ask is in the slot"))?;
            ClientOutcome::Runs(Box::new(resume::resume(answer, ask, author, token, commit)?))
        }
        (Decision::Enqueue { claims_ask }, ClientCommand::Prompt { prompt, .. }) => {
            let claims = in_slot(claims_ask);
            let command = QueuedCommand::Prompt { prompt, cancels: claims.map(|ask| ask.id) };
            enqueue::enqueue(command, claims, snapshot, commit);
            ClientOutcome::Waits
        }
        (Decision::Enqueue { claims_ask }, ClientCommand::Answer { answer, .. }) => {
            enqueue::enqueue(QueuedCommand::Answer { answer }, in_slot(claims_ask), snapshot, commit);
            ClientOutcome::Waits
        }
        (Decision::NotFound, _) => ClientOutcome::NotFound,
        (Decision::NotPending, ClientCommand::Answer { .. }) => ClientOutcome::NotPending,
        (Decision::QueueFull, ClientCommand::Prompt { .. }) => ClientOutcome::QueueFull,
        (
            Decision::Begin { .. }
            | Decision::Resume
            | Decision::NotPending
            | Decision::QueueFull
            | Decision::Remove { .. }
            | Decision::RemoveAndCancel
            | Decision::Commit
            | Decision::CancelNewAsk
            | Decision::Keep
            | Decision::MustAbort
            | Decision::LeaseLost,
            _,
        ) => return Err(EngineError::Invariant("a command begins, resumes, waits or is refused")),
    })
}
