//! Everything one transaction writes, gathered before a row is touched.
//!
//! Messages and events take the conversation's next `seq` here, in the order they are added. What is written is
//! also what is published, once it is stored.

use serde_json::Value;
use turnwright_schemas::cloud_event::AskChange;
use turnwright_schemas::events::TurnEvent;
use turnwright_schemas::row::AskStatus;
use turnwright_schemas::{Action, AskKind, SimpleCard};

use crate::bus::{Fact, Published};
use crate::clock::Timestamp;
use crate::command::Queued;
use crate::ids::{AskId, CommandId, ConversationId, LeaseToken, TaskId};
use crate::machine::Phase;
use crate::message::MessageBody;
use crate::question::HostCall;
use crate::snapshot::Conversation;
use crate::turn_state::TurnState;

/// The writes of one transaction.
#[derive(Debug)]
pub struct Commit {
    /// Whose rows they are.
    pub conversation_id: ConversationId,
    /// When.
    pub now: Timestamp,
    /// The command on whose behalf rows are added now.
    author: Author,
    /// The conversation's row after the commit.
    pub conversation: ConversationAfter,
    /// New transcript rows.
    pub messages: Vec<NewMessage>,
    /// The row an undo removes, by `seq`.
    pub removed_message: Option<i64>,
    /// Ask rows whose shown status changes, by `seq`.
    pub row_statuses: Vec<(i64, AskStatus)>,
    /// New durable events.
    pub events: Vec<NewEvent>,
    /// New asks.
    pub asks: Vec<NewAsk>,
    /// What becomes of asks that exist.
    pub ask_changes: Vec<(AskId, AskWrite)>,
    /// What becomes of tasks.
    pub tasks: Vec<TaskWrite>,
    /// A command that waits from now on.
    pub enqueued: Option<Queued>,
    /// A command that waits no more.
    pub dequeued: Option<i64>,
    /// Every waiting command is dropped.
    pub inbox_cleared: bool,
    /// What subscribers will hear.
    pub outbox: Vec<AskChange>,
    /// What listeners hear once it is stored.
    pub published: Vec<Published>,
}

/// On whose behalf rows are written.
#[derive(Debug, Clone, Copy)]
pub struct Author {
    /// The command.
    pub command_id: CommandId,
    /// Its turn.
    pub task_id: TaskId,
}

/// A conversation's row after a commit.
#[derive(Debug, Clone)]
pub struct ConversationAfter {
    /// How many messages.
    pub message_count: u32,
    /// The last `seq`.
    pub event_seq: i64,
    /// The running turn.
    pub active_task: Option<TaskId>,
    /// The ask in the slot.
    pub pending_ask: Option<AskId>,
    /// How many commands wait.
    pub inbox_count: u32,
    /// The title.
    pub title: String,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// A transcript row to write.
#[derive(Debug, Clone)]
pub struct NewMessage {
    /// Its place among all facts.
    pub seq: i64,
    /// Its place in the transcript.
    pub index: u32,
    /// On whose behalf.
    pub author: Author,
    /// What it says.
    pub body: MessageBody,
    /// Its status, when it is an ask.
    pub ask_status: Option<AskStatus>,
}

/// A durable event to write.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// Its place among all facts.
    pub seq: i64,
    /// On whose behalf.
    pub command_id: CommandId,
    /// The event.
    pub event: TurnEvent,
}

/// An ask to write.
#[derive(Debug, Clone)]
pub struct NewAsk {
    /// Its id.
    pub id: AskId,
    /// The turn that asks.
    pub task_id: TaskId,
    /// The call an answer names.
    pub tool_call_id: String,
    /// Its kind.
    pub kind: AskKind,
    /// Its input.
    pub input: Value,
    /// Its card.
    pub simple: SimpleCard,
    /// The host call it would allow, when it is an approval.
    pub approves: Option<HostCall>,
    /// `Pending`, or `Cancelled` when it never reached the slot.
    pub status: AskStatus,
    /// The `seq` of its row.
    pub message_seq: i64,
}

/// What becomes of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskWrite {
    /// A stored command will end it.
    Claimed(CommandId),
    /// It ended.
    Ended {
        /// The command that ended it.
        by: CommandId,
        /// How.
        action: Action,
    },
    /// The answer was undone: it is pending again.
    Reopened,
}

/// What becomes of a task.
#[derive(Debug, Clone)]
pub enum TaskWrite {
    /// It begins.
    Begin(RunningTask),
    /// It goes on after an answer. Fenced by the pair it rested with.
    Resume {
        /// The pair it rested with.
        fence: Fence,
        /// The task as it goes on.
        task: RunningTask,
    },
    /// Its holder moves it on. Fenced; refused while `cancel_at` is set unless the commit may pass it.
    Advance {
        /// The holder's pair.
        fence: Fence,
        /// What it does next.
        phase: Phase,
        /// What it remembers.
        state: TurnState,
        /// A `never` call's result is stored even when the turn is to be cancelled.
        despite_cancel: bool,
        /// Whether the turn has come further, so that the attempts that were lost before count no more (rule 9).
        progress: bool,
    },
    /// It waits for an answer.
    Wait {
        /// The holder's pair.
        fence: Fence,
        /// What it remembers.
        state: TurnState,
    },
    /// It is over.
    End {
        /// The holder's pair, or the pair it rested with.
        fence: Fence,
        /// How.
        end: TaskEnd,
    },
    /// It is to be aborted by its holder.
    Cancel(TaskId),
}

/// How a task ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskEnd {
    /// With a reply, or with nothing more to say.
    Completed,
    /// With an error.
    Failed,
    /// It was cancelled, or its ask was.
    Cancelled,
}

/// Proof of the right to write for a task: the token of the acquisition and the number of commits (law 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// The task.
    pub task_id: TaskId,
    /// The acquisition.
    pub token: LeaseToken,
    /// The commits so far.
    pub checkpoint: i64,
}

impl Fence {
    /// The pair after one more commit.
    pub fn next(self) -> Self {
        Self { checkpoint: self.checkpoint + 1, ..self }
    }
}

/// A task that somebody runs.
#[derive(Debug, Clone)]
pub struct RunningTask {
    /// The pair its next commit needs.
    pub fence: Fence,
    /// The command it runs for.
    pub command_id: CommandId,
    /// What it does.
    pub phase: Phase,
    /// What it remembers.
    pub state: TurnState,
    /// The conversation's last `seq` when it begins to run.
    pub after_seq: i64,
    /// How many holders in a row lost it; 0 when it begins or resumes here.
    pub losses: u32,
}

impl Commit {
    /// An empty commit on a conversation as it was read.
    pub fn new(conversation: &Conversation, inbox_count: u32, author: Author, now: Timestamp) -> Self {
        Self {
            conversation_id: conversation.id,
            now,
            author,
            conversation: ConversationAfter {
                message_count: conversation.message_count,
                event_seq: conversation.event_seq,
                active_task: conversation.active_task,
                pending_ask: conversation.pending_ask,
                inbox_count,
                title: conversation.title.clone(),
                deleted: conversation.deleted,
            },
            messages: Vec::new(),
            removed_message: None,
            row_statuses: Vec::new(),
            events: Vec::new(),
            asks: Vec::new(),
            ask_changes: Vec::new(),
            tasks: Vec::new(),
            enqueued: None,
            dequeued: None,
            inbox_cleared: false,
            outbox: Vec::new(),
            published: Vec::new(),
        }
    }

    /// Writes what follows on behalf of another command.
    pub fn on_behalf_of(&mut self, author: Author) {
        self.author = author;
    }

    /// On whose behalf rows are written now.
    pub fn author(&self) -> Author {
        self.author
    }

    fn next_seq(&mut self) -> i64 {
        self.conversation.event_seq += 1;
        self.conversation.event_seq
    }

    /// The `seq` the next message or event will get.
    pub fn upcoming_seq(&self) -> i64 {
        self.conversation.event_seq + 1
    }

    /// Adds a message; its `seq`.
    pub fn message(&mut self, body: MessageBody) -> i64 {
        self.message_with(body, None)
    }

    /// Adds an ask's row; its `seq`.
    pub fn ask_message(&mut self, body: MessageBody, status: AskStatus) -> i64 {
        self.message_with(body, Some(status))
    }

    fn message_with(&mut self, body: MessageBody, ask_status: Option<AskStatus>) -> i64 {
        let seq = self.next_seq();
        let index = self.conversation.message_count;
        self.conversation.message_count += 1;
        self.published.push(Published {
            seq,
            command_id: self.author.command_id,
            fact: Fact::Message {
                body: body.clone(),
                row: body.clone().into_row(index, ask_status, None, self.now),
            },
        });
        self.messages.push(NewMessage { seq, index, author: self.author, body, ask_status });
        seq
    }

    /// Adds a durable event.
    pub fn event(&mut self, event: TurnEvent) {
        let seq = self.next_seq();
        let command_id = self.author.command_id;
        self.published.push(Published { seq, command_id, fact: Fact::Event(event.clone()) });
        self.events.push(NewEvent { seq, command_id, event });
    }
}
