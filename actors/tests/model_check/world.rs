//! The rows of one conversation in memory, and the rules they must keep after every commit.

use std::collections::BTreeMap;

use turnwright_actors::clock::Timestamp;
use turnwright_actors::command::{ClientCommand, Queued};
use turnwright_actors::commit::{AskWrite, Author, Commit, Fence, NewAsk, TaskWrite};
use turnwright_actors::error::EngineError;
use turnwright_actors::ids::{AskId, CommandId, ConversationId, LeaseToken, TaskId, UserId};
use turnwright_actors::machine::{Input, Phase, decide};
use turnwright_actors::message::MessageBody;
use turnwright_actors::question::{HostCall, Question};
use turnwright_actors::snapshot::{Conversation, Inbox, PendingAsk, Snapshot, WaitingTask};
use turnwright_actors::transition::client::{ClientOutcome, client};
use turnwright_actors::transition::delete;
use turnwright_actors::transition::turn::{Extra, TurnCommitted, TurnWrite, turn};
use turnwright_actors::transition::undo::AnsweredAsk;
use turnwright_actors::turn_state::TurnState;
use turnwright_schemas::events::AskEvent;
use turnwright_schemas::{Ask, AskKind, AskStatus, Surface};

pub const QUEUE_LIMIT: u32 = 3;

struct AskRow {
    new: NewAsk,
    claimed_by: Option<CommandId>,
    winners: u32,
}

struct TaskRow {
    fence: Fence,
    status: &'static str,
    state: TurnState,
}

struct MessageRow {
    index: Option<u32>,
    body: MessageBody,
    ask_status: Option<AskStatus>,
    task_id: TaskId,
}

pub struct World {
    pub conversation: Conversation,
    asks: BTreeMap<AskId, AskRow>,
    tasks: BTreeMap<TaskId, TaskRow>,
    messages: BTreeMap<i64, MessageRow>,
    events: Vec<i64>,
    inbox: Vec<Queued>,
    cancel: Option<TaskId>,
    outbox: u32,
}

impl World {
    pub fn new() -> Self {
        let conversation = Conversation {
            id: ConversationId::new(),
            user_id: UserId::new(),
            title: String::new(),
            message_count: 0,
            event_seq: 0,
            active_task: None,
            pending_ask: None,
            deleted: false,
        };
        Self {
            conversation,
            asks: BTreeMap::new(),
            tasks: BTreeMap::new(),
            messages: BTreeMap::new(),
            events: Vec::new(),
            inbox: Vec::new(),
            cancel: None,
            outbox: 0,
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        let prompts = self.inbox.iter().filter(|queued| queued.command.kind() == "prompt").count();
        Snapshot {
            conversation: self.conversation.clone(),
            ask: self.pending(),
            inbox: Inbox {
                count: u32::try_from(self.inbox.len()).unwrap(),
                prompts: u32::try_from(prompts).unwrap(),
                head: self.inbox.first().cloned(),
                last_seq: self.inbox.last().map_or(0, |queued| queued.seq),
            },
        }
    }

    pub fn pending(&self) -> Option<PendingAsk> {
        let row = self.asks.get(&self.conversation.pending_ask?)?;
        let task = &self.tasks[&row.new.task_id];
        Some(PendingAsk {
            id: row.new.id,
            question: Question {
                tool_call_id: row.new.tool_call_id.clone(),
                ask: Ask::parse(row.new.kind, &row.new.input, Surface::Full).unwrap(),
                approves: row.new.approves.clone(),
            },
            simple: row.new.simple.clone(),
            claimed_by: row.claimed_by,
            message_seq: row.new.message_seq,
            created: Timestamp::from_millis(0),
            task: WaitingTask {
                id: task.fence.task_id,
                token: task.fence.token,
                checkpoint: task.fence.checkpoint,
                state: task.state.clone(),
            },
        })
    }

    pub fn submit(&mut self, command: ClientCommand) -> ClientOutcome {
        let snapshot = self.snapshot();
        let (input, task_id) = command.input(&snapshot);
        let author = Author { command_id: CommandId::new(), task_id };
        let mut commit = self.commit(&snapshot, author);
        let decision = decide(snapshot.state(Phase::Request, QUEUE_LIMIT), input);
        let outcome = client(decision, command, &snapshot, LeaseToken::new(), &mut commit).unwrap();
        if matches!(outcome, ClientOutcome::Runs(_) | ClientOutcome::Waits) {
            self.apply(&commit).unwrap();
        }
        outcome
    }

    pub fn delete(&mut self) {
        use turnwright_actors::machine::Decision;
        let snapshot = self.snapshot();
        let author = Author { command_id: CommandId::new(), task_id: TaskId::new() };
        let mut commit = self.commit(&snapshot, author);
        match decide(snapshot.state(Phase::Request, QUEUE_LIMIT), Input::Delete) {
            Decision::Remove { .. } => delete::remove(&snapshot, &mut commit),
            Decision::RemoveAndCancel => delete::remove_and_cancel(&snapshot, &mut commit),
            Decision::NotFound => return,
            other => panic!("{other:?}"),
        }
        self.apply(&commit).unwrap();
    }

    pub fn turn(
        &mut self,
        phase: Phase,
        fence: Fence,
        author: Author,
        write: TurnWrite,
    ) -> Result<TurnCommitted, EngineError> {
        let snapshot = self.snapshot();
        if snapshot.conversation.active_task != Some(fence.task_id) {
            return Err(EngineError::LeaseLost);
        }
        let decision = decide(snapshot.state(phase, QUEUE_LIMIT), write.input());
        let extra = Extra {
            answered: write.reopens().map(|id| self.answered(id)),
            slot: self.pending(),
            waiting: self.inbox.clone(),
        };
        let mut commit = self.commit(&snapshot, author);
        let outcome = turn(decision, write, fence, &snapshot, extra, LeaseToken::new(), &mut commit)?;
        if !matches!(outcome, TurnCommitted::MustAbort) {
            self.apply(&commit)?;
        }
        Ok(outcome)
    }

    fn answered(&self, id: AskId) -> AnsweredAsk {
        let row = &self.asks[&id];
        AnsweredAsk {
            id,
            event: AskEvent {
                tool_call_id: row.new.tool_call_id.clone(),
                kind: row.new.kind,
                input: row.new.input.clone(),
                simple: row.new.simple.clone(),
                origin: None,
                tool_name: row.new.approves.as_ref().map(|call: &HostCall| call.tool_name.clone()),
            },
            message_seq: row.new.message_seq,
            created: Timestamp::from_millis(0),
        }
    }

    fn commit(&self, snapshot: &Snapshot, author: Author) -> Commit {
        Commit::new(&snapshot.conversation, snapshot.inbox.count, author, Timestamp::from_millis(1))
    }

    fn apply(&mut self, commit: &Commit) -> Result<(), EngineError> {
        for write in &commit.tasks {
            self.apply_task(write)?;
        }
        for (id, write) in &commit.ask_changes {
            let row = self.asks.get_mut(id).unwrap();
            match write {
                AskWrite::Claimed(by) => {
                    assert_eq!(row.claimed_by, None, "an ask is claimed once");
                    row.claimed_by = Some(*by);
                }
                AskWrite::Ended { by, action } => {
                    // A deletion drops the claimer, and ends the ask itself.
                    let claimed = row.claimed_by.is_none_or(|claimer| claimer == *by);
                    assert!(claimed || self.conversation.deleted, "the claimer ends the ask");
                    assert_eq!(row.new.status, AskStatus::Pending, "an ask ends once");
                    row.claimed_by = Some(*by);
                    row.winners += 1;
                    row.new.status = turnwright_actors::transition::slot::status_after(*action);
                }
                AskWrite::Reopened => {
                    row.claimed_by = None;
                    row.winners -= 1;
                    row.new.status = AskStatus::Pending;
                }
            }
        }
        for ask in &commit.asks {
            let row = AskRow { new: ask.clone(), claimed_by: None, winners: 0 };
            assert!(self.asks.insert(ask.id, row).is_none());
        }
        if let Some(seq) = commit.removed_message {
            self.messages.get_mut(&seq).unwrap().index = None;
        }
        for (seq, status) in &commit.row_statuses {
            self.messages.get_mut(seq).unwrap().ask_status = Some(*status);
        }
        for new in &commit.messages {
            let row = MessageRow {
                index: Some(new.index),
                body: new.body.clone(),
                ask_status: new.ask_status,
                task_id: new.author.task_id,
            };
            assert!(self.messages.insert(new.seq, row).is_none());
        }
        self.events.extend(commit.events.iter().map(|event| event.seq));
        if commit.inbox_cleared {
            self.inbox.clear();
        }
        if let Some(seq) = commit.dequeued {
            assert_eq!(self.inbox.remove(0).seq, seq, "the oldest command goes first");
        }
        self.inbox.extend(commit.enqueued.clone());
        self.outbox += u32::try_from(commit.outbox.len()).unwrap();
        let after = &commit.conversation;
        self.conversation = Conversation {
            title: after.title.clone(),
            message_count: after.message_count,
            event_seq: after.event_seq,
            active_task: after.active_task,
            pending_ask: after.pending_ask,
            deleted: after.deleted,
            ..self.conversation.clone()
        };
        assert_eq!(after.inbox_count as usize, self.inbox.len());
        self.check();
        Ok(())
    }

    fn apply_task(&mut self, write: &TaskWrite) -> Result<(), EngineError> {
        let (fence, from, to, state, next) = match write {
            TaskWrite::Begin(task) => {
                let row = TaskRow { fence: task.fence, status: "running", state: task.state.clone() };
                assert!(self.tasks.insert(task.fence.task_id, row).is_none());
                return Ok(());
            }
            TaskWrite::Cancel(task_id) => {
                self.cancel = Some(*task_id);
                return Ok(());
            }
            TaskWrite::Resume { fence, task } => (fence, "waiting", "running", Some(&task.state), task.fence),
            TaskWrite::Advance { fence, state, despite_cancel, .. } => {
                if self.cancel == Some(fence.task_id) && !despite_cancel {
                    return Err(EngineError::LeaseLost);
                }
                (fence, "running", "running", Some(state), fence.next())
            }
            TaskWrite::Wait { fence, state } => (fence, "running", "waiting", Some(state), fence.next()),
            TaskWrite::End { fence, .. } => {
                let from = self.tasks[&fence.task_id].status;
                (fence, from, "ended", None, fence.next())
            }
        };
        let row = self.tasks.get_mut(&fence.task_id).ok_or(EngineError::LeaseLost)?;
        if row.fence != *fence || row.status != from || from == "ended" {
            return Err(EngineError::LeaseLost);
        }
        row.fence = next;
        row.status = to;
        if let Some(state) = state {
            row.state = state.clone();
        }
        Ok(())
    }

    /// The invariants by name.
    fn check(&self) {
        let pending: Vec<_> = self.asks.values().filter(|row| row.new.status == AskStatus::Pending).collect();
        assert!(pending.len() <= 1, "one slot");
        assert_eq!(pending.first().map(|row| row.new.id), self.conversation.pending_ask, "the slot's ask");
        assert!(self.asks.values().all(|row| row.winners <= 1), "one winner");
        assert!(
            self.inbox.is_empty() || self.conversation.active_task.is_some(),
            "a non-empty inbox implies a running turn"
        );
        let running: Vec<_> = self.tasks.values().filter(|row| row.status == "running").collect();
        assert!(running.len() <= 1, "turns run one after another");
        assert_eq!(running.first().map(|row| row.fence.task_id), self.conversation.active_task);
        let waiting: Vec<_> = self.tasks.values().filter(|row| row.status == "waiting").collect();
        assert_eq!(waiting.len(), pending.len(), "a turn waits exactly while its ask is pending");
        if let [ask] = pending.as_slice() {
            assert_eq!(waiting[0].fence.task_id, ask.new.task_id);
            assert!(self.messages[&ask.new.message_seq].index.is_some(), "a pending ask has its row");
            let claimer = ask.claimed_by;
            let queued = self.inbox.iter().any(|queued| Some(queued.command_id) == claimer);
            assert_eq!(claimer.is_some(), queued, "a claim is a stored command");
        }
        self.check_numbers();
        self.check_calls();
    }

    fn check_numbers(&self) {
        let mut seqs: Vec<i64> = self.messages.keys().chain(&self.events).copied().collect();
        seqs.sort_unstable();
        let whole: Vec<i64> = (1..=self.conversation.event_seq).collect();
        assert_eq!(seqs, whole, "every seq once");
        let indexes: Vec<u32> = self.messages.values().filter_map(|row| row.index).collect();
        let whole: Vec<u32> = (0..self.conversation.message_count).collect();
        assert_eq!(indexes, whole, "indexes without gaps, in the order of seq");
    }

    /// At rest every call has a result, but the one ask that is pending and the call it approves.
    fn check_calls(&self) {
        let mut open: BTreeMap<(TaskId, &str), &MessageRow> = BTreeMap::new();
        for row in self.messages.values().filter(|row| row.index.is_some()) {
            match &row.body {
                MessageBody::ToolCall { tool_call_id, .. } => {
                    assert!(
                        open.insert((row.task_id, tool_call_id), row).is_none(),
                        "a call's id is its own"
                    );
                }
                MessageBody::ToolResult { tool_call_id, .. } => {
                    let call = open.remove(&(row.task_id, tool_call_id.as_str()));
                    assert!(call.is_some(), "a result follows its call, once: {tool_call_id}");
                }
                MessageBody::User { .. } | MessageBody::Assistant { .. } => {}
            }
        }
        let pending = self.pending();
        let running = self.conversation.active_task;
        for ((task_id, tool_call_id), row) in open {
            let asked = pending.as_ref().is_some_and(|ask| ask.task.id == task_id);
            assert!(asked || running == Some(task_id), "a call without a result: {tool_call_id}");
            if row.ask_status.is_some() && asked {
                assert_eq!(
                    pending.as_ref().map(|ask| ask.question.tool_call_id.as_str()),
                    Some(tool_call_id)
                );
            }
        }
        for row in self.asks.values() {
            let shown = self.messages[&row.new.message_seq].ask_status;
            let claimed = row.claimed_by.is_some() && row.new.status == AskStatus::Pending;
            assert!(claimed || shown == Some(row.new.status), "a row shows how its ask stands");
        }
    }
}

pub fn confirm() -> Ask {
    Ask::parse(
        AskKind::Confirm,
        &serde_json::json!({"prompt": "Go on?", "allowDecline": true}),
        Surface::Full,
    )
    .unwrap()
}
