//! The actor of one conversation: where a node puts its commands in order.
//!
//! It caches nothing: the database is the authority, the mailbox is order and back-pressure. Each command is
//! awaited to its commit before the next is looked at; turns run beside it, on the runtime that does all I/O.

use std::sync::Arc;

use actix::{Actor, ActorContext, AsyncContext, Context, Handler, Message, WrapFuture};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, oneshot};

use crate::commit::RunningTask;
use crate::error::{EngineError, Refusal};
use crate::ids::{CommandId, ConversationId, TaskId, UserId};
use crate::ports::Prepared;
use crate::registry::Presence;
use crate::store::{Submit, Viewer, Waiting};
use crate::turn::{ConversationRef, Run, TurnServices};

/// How many commands may wait for a conversation before further ones are refused.
const MAILBOX: usize = 128;

/// One conversation on this node.
pub struct ConversationActor {
    id: ConversationId,
    services: Arc<TurnServices>,
    runtime: Handle,
    gate: Arc<Mutex<()>>,
}

/// A prompt or an answer, checked.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Command {
    /// What to store.
    pub submit: Submit,
    /// What its turn runs with.
    pub prepared: Prepared,
    /// Keeps the actor alive, and then the turn's.
    pub presence: Presence,
    /// Where the outcome goes; the turn it began, resumed or will.
    pub reply: oneshot::Sender<Result<TaskId, Refusal>>,
}

/// The owner or an admin deletes the conversation.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Delete {
    /// Who.
    pub viewer: Viewer,
    /// The id of the command, for the rows it writes.
    pub command_id: CommandId,
    /// Keeps the actor alive.
    pub presence: Presence,
    /// Where the outcome goes.
    pub reply: oneshot::Sender<Result<(), Refusal>>,
}

/// A turn was taken over and is to run here.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Adopt {
    /// The turn.
    pub task: RunningTask,
    /// The conversation's owner.
    pub user_id: UserId,
    /// Keeps the actor alive while it runs.
    pub presence: Presence,
}

/// Nobody needs the actor any more.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct Stop;

impl ConversationActor {
    /// The actor of a conversation.
    pub fn new(
        id: ConversationId,
        services: Arc<TurnServices>,
        runtime: Handle,
        context: &mut Context<Self>,
    ) -> Self {
        context.set_mailbox_capacity(MAILBOX);
        Self { id, services, runtime, gate: Arc::default() }
    }

    /// Does `work` on the I/O runtime; nothing else is handled until it is done.
    fn await_on_runtime(&self, work: impl Future<Output = ()> + Send + 'static, context: &mut Context<Self>) {
        let done = self.runtime.spawn(work);
        context.wait(
            async move {
                if let Err(stopped) = done.await {
                    tracing::error!(panicked = stopped.is_panic(), "a command was dropped");
                }
            }
            .into_actor(self),
        );
    }
}

impl Actor for ConversationActor {
    type Context = Context<Self>;
}

impl Handler<Command> for ConversationActor {
    type Result = ();

    fn handle(&mut self, command: Command, context: &mut Context<Self>) {
        let (services, gate) = (Arc::clone(&self.services), Arc::clone(&self.gate));
        let work = store_and_run(services, gate, command);
        self.await_on_runtime(work, context);
    }
}

async fn store_and_run(services: Arc<TurnServices>, gate: Arc<Mutex<()>>, command: Command) {
    let Command { submit, prepared, presence, reply } = command;
    let conversation =
        ConversationRef { id: submit.conversation_id, user_id: submit.user_id, gate: Arc::clone(&gate) };
    let held = gate.lock().await;
    let outcome = match services.store.submit(submit).await {
        Ok(outcome) => outcome,
        Err(error) => Err(Refusal::Engine(error)),
    };
    let outcome = outcome.map(|submitted| {
        services.publish(conversation.id, submitted.published);
        if let Waiting::No(task) = submitted.waiting {
            services.cancels.announce(task.fence.task_id);
            let run = Run { conversation, task: *task, prepared: Some(prepared) };
            supervise(Arc::clone(&services), run, presence);
        }
        submitted.task_id
    });
    drop(held);
    // A client that went away meanwhile stops nothing (rule 5).
    let _ = reply.send(outcome);
}

/// Runs a turn on its own, whatever becomes of the request that began it. A turn that panics is failed, so that its
/// conversation can go on.
fn supervise(services: Arc<TurnServices>, run: Run, presence: Presence) {
    let conversation = run.conversation.clone();
    tokio::spawn(async move {
        let turn = {
            let services = Arc::clone(&services);
            tokio::spawn(async move { run.to_rest(&services).await })
        };
        if let Err(stopped) = turn.await
            && stopped.is_panic()
        {
            tracing::error!(conversation_id = %conversation.id, "a turn panicked");
            crate::turn::fail_running(&services, &conversation).await;
        }
        drop(presence);
    });
}

impl Handler<Adopt> for ConversationActor {
    type Result = ();

    fn handle(&mut self, adopt: Adopt, _: &mut Context<Self>) {
        let Adopt { task, user_id, presence } = adopt;
        let conversation = ConversationRef { id: self.id, user_id, gate: Arc::clone(&self.gate) };
        let run = Run { conversation, task, prepared: None };
        let _entered = self.runtime.enter();
        supervise(Arc::clone(&self.services), run, presence);
    }
}

impl Handler<Delete> for ConversationActor {
    type Result = ();

    fn handle(&mut self, delete: Delete, context: &mut Context<Self>) {
        let (id, services, gate) = (self.id, Arc::clone(&self.services), Arc::clone(&self.gate));
        let work = async move {
            let Delete { viewer, command_id, presence, reply } = delete;
            let held = gate.lock().await;
            let outcome = match services.store.delete(id, viewer, command_id).await {
                Ok(Ok(deleted)) => {
                    services.publish(id, deleted.published);
                    match deleted.aborts {
                        Some(task_id) => services.cancels.cancel(task_id),
                        None => services.close(id),
                    }
                    Ok(())
                }
                Ok(Err(refusal)) => Err(refusal),
                Err(error) => Err(Refusal::Engine(error)),
            };
            drop(held);
            drop(presence);
            // The conversation is deleted whether or not somebody still waits to hear it.
            let _ = reply.send(outcome);
        };
        self.await_on_runtime(work, context);
    }
}

impl Handler<Stop> for ConversationActor {
    type Result = ();

    fn handle(&mut self, _: Stop, context: &mut Context<Self>) {
        context.stop();
    }
}

impl From<oneshot::error::RecvError> for Refusal {
    fn from(_: oneshot::error::RecvError) -> Self {
        Self::Engine(EngineError::Stopping)
    }
}
