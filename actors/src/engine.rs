//! The engine: everything a server asks of conversations goes through here.

use std::sync::Arc;
use std::time::Duration;

use actix::Arbiter;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use turnwright_schemas::Surface;
use turnwright_schemas::events::TurnEvent;
use turnwright_schemas::history::History;
use turnwright_schemas::row::Rating;
use turnwright_schemas::turn_body::{PendingAskListItem, PendingAskSummary, TurnResult};

use crate::answers;
use crate::bus::{EventBus, Fact};
use crate::clock::Clock;
use crate::command::{ClientCommand, Prompt};
use crate::conversation_actor::{Adopt, Command, Delete};
use crate::error::{EngineError, Refusal};
use crate::files::FileStore;
use crate::files::sweep::sweep;
use crate::ids::{CommandId, ConversationId, NodeId, TaskId, UserId};
use crate::ports::{Agent, Prepared, TurnContext};
use crate::registry::Registry;
use crate::settings::EngineSettings;
use crate::store::{Database, HistoryPage, Store, Submit, Viewer};
use crate::streams::{CommandStream, ConversationStream, Position};
use crate::turn::cancel::CancelSignals;
use crate::turn::offer::AskOffer;
use crate::turn::{self, TurnServices};

/// What an engine is built from.
pub struct EngineParts {
    /// How it behaves.
    pub settings: EngineSettings,
    /// Where its rows are.
    pub database: Database,
    /// Where its files are.
    pub files: FileStore,
    /// Who answers.
    pub agent: Arc<dyn Agent>,
    /// Who hears of it.
    pub bus: Arc<dyn EventBus>,
    /// What time it is.
    pub clock: Clock,
    /// The runtime of all its I/O; it outlives the engine.
    pub runtime: Handle,
}

/// A handle on the engine; clones share it. Every method may be called from any runtime: the work is done on the
/// engine's own, and goes on when the caller goes away.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    services: Arc<TurnServices>,
    registry: Registry,
    runtime: Handle,
}

/// A client's command.
#[derive(Debug, Clone)]
pub struct Submission {
    /// Who sends it.
    pub user_id: UserId,
    /// Its conversation; `None` begins a new chat, which only a prompt can.
    pub conversation_id: Option<ConversationId>,
    /// The screen it is sent from.
    pub surface: Surface,
    /// What it wants.
    pub command: CommandBody,
}

/// What a client's command wants.
#[derive(Debug, Clone)]
pub enum CommandBody {
    /// To say something.
    Prompt {
        /// What.
        text: String,
    },
    /// To answer an ask.
    Answer {
        /// The ask.
        tool_call_id: String,
        /// The answer envelope, not checked yet.
        response: Value,
    },
    /// To press a button of an ask's card.
    Button {
        /// The ask.
        tool_call_id: String,
        /// The button.
        button_id: String,
    },
}

/// A command that was stored.
pub struct Accepted {
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The turn it began, resumed, or will.
    pub task_id: TaskId,
    /// Its events, to its `done`.
    pub events: CommandStream,
    command_id: CommandId,
    engine: Engine,
}

impl Engine {
    /// Starts an engine. Must be called inside an actix system, whose arbiters its actors live on.
    pub fn start(parts: EngineParts) -> Self {
        let EngineParts { settings, database, files, agent, bus, clock, runtime } = parts;
        let store = Store::new(database, clock, NodeId::new(), settings.queue_limit);
        let services = Arc::new(TurnServices {
            store,
            bus,
            files,
            agent,
            offer: AskOffer::new(&settings.asks),
            settings,
            cancels: CancelSignals::default(),
        });
        let arbiter = Arbiter::new().handle();
        let registry = Registry::new(arbiter, Arc::clone(&services), runtime.clone());
        Self { inner: Arc::new(Inner { services, registry, runtime }) }
    }

    /// Takes over every turn that an earlier node left running, and lets it go on from its last commit. Only for a
    /// node that has proof that no other one lives, such as the lock on a SQLite database.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn recover(&self) -> Result<usize, EngineError> {
        let engine = self.clone();
        self.on_runtime(async move {
            let store = &engine.inner.services.store;
            let mut taken = 0;
            for held in store.held_tasks().await? {
                if let Some(task) = store.take_over(held).await? {
                    let (actor, presence) = engine.inner.registry.enter(held.conversation_id);
                    actor.do_send(Adopt { task, user_id: held.user_id, presence });
                    taken += 1;
                }
            }
            Ok(taken)
        })
        .await?
    }

    /// Removes the files of answers given at least `age` ago that neither wait nor run (DESIGN section 4). An answer
    /// is stored after its files: `age` must be longer than that takes, or nobody may be answering.
    ///
    /// # Errors
    /// When the file store or the database fails.
    pub async fn sweep_answer_files(&self, age: Duration) -> Result<usize, EngineError> {
        let services = Arc::clone(&self.inner.services);
        self.on_runtime(async move { sweep(&services.files, &services.store, age).await }).await?
    }

    /// Stores a command and gives its events, or refuses it.
    ///
    /// # Errors
    /// A [`Refusal`]; nothing was written then.
    pub async fn submit(&self, submission: Submission) -> Result<Accepted, Refusal> {
        let engine = self.clone();
        self.on_runtime(async move { engine.store_command(submission).await }).await?
    }

    async fn store_command(self, submission: Submission) -> Result<Accepted, Refusal> {
        let Submission { user_id, conversation_id, surface, command } = submission;
        let command_id = CommandId::new();
        let context = TurnContext { user_id, conversation_id, surface };
        let (id, command, prepared) = match (conversation_id, command) {
            (conversation_id, CommandBody::Prompt { text }) => {
                let prepared = self.prepare_prompt(&context).await?;
                let prompt = Prompt { text, surface };
                let ends_ask = self.inner.services.settings.asks.enabled;
                let command = ClientCommand::Prompt { task_id: TaskId::new(), prompt, ends_ask };
                (conversation_id.unwrap_or_else(ConversationId::new), command, prepared)
            }
            (Some(id), CommandBody::Answer { tool_call_id, response }) => {
                let ask = self.inner.services.store.answerable(id, user_id, &tool_call_id).await?;
                let ready = self.check(&response, &ask, user_id).await?;
                let prepared = self.prepare(&context).await?;
                let answer = ready.store_files(command_id, surface, &self.inner.services.files).await?;
                (id, ClientCommand::Answer { tool_call_id, answer }, prepared)
            }
            (Some(id), CommandBody::Button { tool_call_id, button_id }) => {
                let ask = self.inner.services.store.answerable(id, user_id, &tool_call_id).await?;
                let button = ask.simple.resolve_button(&button_id).map_err(Refusal::UnknownButton)?;
                let ready = self.check(&button.response, &ask, user_id).await?;
                let prepared = self.prepare(&context).await?;
                let answer = ready.store_files(command_id, surface, &self.inner.services.files).await?;
                (id, ClientCommand::Answer { tool_call_id, answer }, prepared)
            }
            (None, CommandBody::Answer { .. } | CommandBody::Button { .. }) => return Err(Refusal::NotFound),
        };
        let with_files = matches!(&command, ClientCommand::Answer { answer, .. } if !answer.files.is_empty());
        let submit = Submit {
            conversation_id: id,
            user_id,
            new_conversation: conversation_id.is_none(),
            command_id,
            command,
        };
        let sent = self.clone().send(submit, prepared).await;
        if sent.is_err() && with_files {
            self.inner.services.files.delete_answer_files(command_id).await;
        }
        sent
    }

    async fn send(self, submit: Submit, prepared: Prepared) -> Result<Accepted, Refusal> {
        let (conversation_id, command_id) = (submit.conversation_id, submit.command_id);
        let listener = self.inner.services.bus.listen(conversation_id);
        let (actor, presence) = self.inner.registry.enter(conversation_id);
        let (reply, stored) = oneshot::channel();
        let command = Command { submit, prepared, presence: presence.clone(), reply };
        actor.try_send(command).map_err(|_| Refusal::MailboxFull)?;
        let task_id = stored.await??;
        Ok(Accepted {
            conversation_id,
            task_id,
            events: CommandStream::new(listener, command_id, presence),
            command_id,
            engine: self,
        })
    }

    async fn check(
        &self,
        response: &Value,
        ask: &crate::snapshot::PendingAsk,
        user_id: UserId,
    ) -> Result<answers::ReadyAnswer, Refusal> {
        let services = &self.inner.services;
        answers::check(response, ask, user_id, &services.files, services.settings.asks.max_file_size_bytes)
            .await
    }

    /// Prepares a prompt's turn. Who may not speak in the conversation is told that, not that preparing failed.
    async fn prepare_prompt(&self, context: &TurnContext) -> Result<Prepared, Refusal> {
        match (self.prepare(context).await, context.conversation_id) {
            (Err(failed), Some(id)) => {
                let owner = self.inner.services.store.owner(id).await?;
                Err(if owner == context.user_id { failed } else { Refusal::NotOwner })
            }
            (outcome, _) => outcome,
        }
    }

    async fn prepare(&self, context: &TurnContext) -> Result<Prepared, Refusal> {
        let services = &self.inner.services;
        turn::prepare(services.agent.as_ref(), &services.offer, context)
            .await
            .map_err(|error| Refusal::NotPrepared(error.to_string()))
    }

    /// Everything the owner's conversation says, from a position on; from now on without one.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] and [`Refusal::NotOwner`], or when the database fails.
    pub async fn listen(
        &self,
        id: ConversationId,
        user_id: UserId,
        after: Option<Position>,
    ) -> Result<ConversationStream, Refusal> {
        let engine = self.clone();
        self.on_runtime(async move {
            let services = &engine.inner.services;
            let (_, presence) = engine.inner.registry.enter(id);
            let listener = services.bus.listen(id);
            let (owner, newest) = services.store.owner_and_seq(id).await?;
            if owner != user_id {
                return Err(Refusal::NotOwner);
            }
            // A position that is not reached yet is none of this conversation: it would hide what comes.
            let now = Position { seq: newest, offset: 0 };
            let at = after.filter(|after| after.seq <= newest).unwrap_or(now);
            let (store, runtime) = (services.store.clone(), engine.inner.runtime.clone());
            Ok(ConversationStream::open(listener, store, runtime, id, at, presence).await?)
        })
        .await?
    }

    /// Makes an empty conversation.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create(&self, owner: UserId, title: String) -> Result<History, Refusal> {
        let store = self.inner.services.store.clone();
        Ok(self.on_runtime(async move { store.create(owner, title).await }).await??)
    }

    /// One page of a user's conversations, after the first `offset`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self, owner: UserId, offset: u64, limit: u64) -> Result<HistoryPage, Refusal> {
        let store = self.inner.services.store.clone();
        Ok(self.on_runtime(async move { store.list(owner, offset, limit).await }).await??)
    }

    /// A conversation, for its owner or an admin.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] and [`Refusal::NotOwner`], or when the database fails.
    pub async fn read(&self, id: ConversationId, viewer: Viewer) -> Result<History, Refusal> {
        let store = self.inner.services.store.clone();
        self.on_runtime(async move { store.read(id, viewer).await }).await?
    }

    /// Whose conversation it is.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], or when the database fails.
    pub async fn owner(&self, id: ConversationId) -> Result<UserId, Refusal> {
        let store = self.inner.services.store.clone();
        self.on_runtime(async move { store.owner(id).await }).await?
    }

    /// Sets the title of one's own conversation, when one is given.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] and [`Refusal::NotOwner`], or when the database fails.
    pub async fn change(
        &self,
        id: ConversationId,
        owner: UserId,
        title: Option<String>,
    ) -> Result<(), Refusal> {
        let store = self.inner.services.store.clone();
        self.on_runtime(async move { store.change(id, owner, title).await }).await?
    }

    /// Rates one of the agent's replies. False when no reply has that index.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] and [`Refusal::NotOwner`], or when the database fails.
    pub async fn rate(
        &self,
        id: ConversationId,
        owner: UserId,
        index: u32,
        rating: Option<Rating>,
    ) -> Result<bool, Refusal> {
        let store = self.inner.services.store.clone();
        self.on_runtime(async move { store.rate(id, owner, index, rating).await }).await?
    }

    /// The asks that wait on a user, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn pending_asks(&self, owner: UserId) -> Result<Vec<PendingAskListItem>, Refusal> {
        let store = self.inner.services.store.clone();
        Ok(self.on_runtime(async move { store.pending_asks(owner).await }).await??)
    }

    /// Deletes a conversation, for its owner or an admin. A running turn is aborted.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] and [`Refusal::NotOwner`], or when the database fails.
    pub async fn delete(&self, id: ConversationId, viewer: Viewer) -> Result<(), Refusal> {
        let engine = self.clone();
        self.on_runtime(async move {
            let (actor, presence) = engine.inner.registry.enter(id);
            let (reply, deleted) = oneshot::channel();
            actor
                .try_send(Delete { viewer, command_id: CommandId::new(), presence, reply })
                .map_err(|_| Refusal::MailboxFull)?;
            deleted.await?
        })
        .await?
    }

    /// How many conversation actors live here.
    pub fn actors(&self) -> usize {
        self.inner.registry.actor_count()
    }

    /// How many turns run here.
    pub fn running_turns(&self) -> usize {
        self.inner.services.cancels.running_count()
    }

    /// Does work on the engine's runtime. It goes on when the caller goes away.
    async fn on_runtime<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.inner.runtime.spawn(work).await.map_err(|stopped| {
            if stopped.is_panic() {
                EngineError::Invariant("work on the engine's runtime ends without a panic")
            } else {
                EngineError::Stopping
            }
        })
    }
}

impl Accepted {
    /// Waits for the command's `done`, and reads from what is stored what it led to (spec "Headless endpoints").
    ///
    /// # Errors
    /// When the database fails, or the conversation went away meanwhile.
    pub async fn into_result(self) -> Result<TurnResult, EngineError> {
        let Self { conversation_id, command_id, events, engine, .. } = self;
        let (first, last) = events.to_end().await;
        let store = engine.inner.services.store.clone();
        let facts = engine
            .on_runtime(async move { store.facts(conversation_id, first - 1, Some(last)).await })
            .await??;
        let mut result = TurnResult {
            history_id: conversation_id.to_string(),
            text: String::new(),
            title: None,
            pending_ask: None,
            error: None,
        };
        let mut asked = None;
        for fact in facts.into_iter().filter(|fact| fact.command_id == command_id) {
            match fact.fact {
                Fact::Message { body: crate::message::MessageBody::Assistant { text }, .. } => {
                    result.text.push_str(&text);
                }
                Fact::Event(TurnEvent::Error { error }) => result.error = Some(error),
                Fact::Event(TurnEvent::Ask { ask, .. }) => asked = Some(ask),
                Fact::Event(TurnEvent::Done(done)) => {
                    if done.cancelled {
                        result.error.get_or_insert_with(|| "The turn was cancelled.".to_owned());
                    }
                    result.title = done.title;
                    result.pending_ask =
                        asked.take().filter(|_| done.pending_ask.is_some()).map(|ask| PendingAskSummary {
                            tool_call_id: ask.tool_call_id,
                            kind: ask.kind,
                            simple: ask.simple,
                        });
                }
                Fact::Message { .. } | Fact::Event(_) => {}
            }
        }
        Ok(result)
    }
}
