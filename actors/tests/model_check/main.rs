//! Random walks over the state machine and its transitions, without a server: whatever clients do and however turns
//! go, the rows keep every rule.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod world;

use proptest::prelude::*;
use serde_json::{Value, json};
use turnwright_actors::command::{CheckedAnswer, ClientCommand, Prompt};
use turnwright_actors::commit::{Author, RunningTask};
use turnwright_actors::error::EngineError;
use turnwright_actors::ids::{AskId, TaskId};
use turnwright_actors::machine::Phase;
use turnwright_actors::ports::{ModelCall, ToolOutput};
use turnwright_actors::question::{HostCall, NewQuestion, Question};
use turnwright_actors::transition::client::ClientOutcome;
use turnwright_actors::transition::fail::Failure;
use turnwright_actors::transition::pause::Pause;
use turnwright_actors::transition::results::CallResult;
use turnwright_actors::transition::turn::{TurnCommitted, TurnWrite};
use turnwright_actors::turn_state::{CallState, Step, StepCall};
use turnwright_schemas::{Action, Surface};

use world::{World, confirm};

#[derive(Debug, Clone)]
enum Move {
    Prompt,
    Answer {
        action: Action,
        denies: bool,
    },
    StaleAnswer,
    Delete,
    /// The model replies.
    Finish,
    /// The model makes calls: host tools, invalid calls, asks and approvals, in that order of counts.
    Call {
        tools: u8,
        invalid: u8,
        asks: u8,
        approvals: u8,
    },
    /// A tool gives its result before the others.
    Result,
    /// The remaining tools give theirs.
    Results,
    /// The turn fails; its asks were in the failing step.
    Fail {
        undo: bool,
        asks: u8,
    },
}

fn moves() -> impl Strategy<Value = Move> {
    prop_oneof![
        4 => Just(Move::Prompt),
        4 => (prop_oneof![Just(Action::Accept), Just(Action::Decline), Just(Action::Cancel)], any::<bool>())
            .prop_map(|(action, denies)| Move::Answer { action, denies }),
        1 => Just(Move::StaleAnswer),
        1 => Just(Move::Delete),
        3 => Just(Move::Finish),
        6 => (0..3_u8, 0..2_u8, 0..3_u8, 0..3_u8)
            .prop_map(|(tools, invalid, asks, approvals)| Move::Call { tools, invalid, asks, approvals }),
        2 => Just(Move::Result),
        4 => Just(Move::Results),
        2 => (any::<bool>(), 0..2_u8).prop_map(|(undo, asks)| Move::Fail { undo, asks }),
    ]
}

/// Plays the part of the runner.
struct Walk {
    world: World,
    running: Option<RunningTask>,
    calls_made: u32,
    /// Whether the running turn goes on with an answer of which nothing was published.
    undoable: bool,
}

impl Walk {
    fn step(&mut self, next: Move) {
        match next {
            Move::Prompt => {
                let prompt = Prompt { text: "hello".to_owned(), surface: Surface::Full };
                self.submit(ClientCommand::Prompt { task_id: TaskId::new(), prompt, ends_ask: true });
            }
            Move::Answer { action, denies } => {
                let Some(ask) = self.world.pending() else { return };
                let denial = (ask.question.approves.is_some() && (denies || action != Action::Accept))
                    .then(|| "user_denied".to_owned());
                self.answer(ask.id, action, denial);
            }
            Move::StaleAnswer => self.answer(AskId::new(), Action::Accept, None),
            Move::Delete => self.world.delete(),
            Move::Finish => self.in_request(|_| TurnWrite::Finish("Done.".to_owned())),
            Move::Call { tools, invalid, asks, approvals } => self.call(tools, invalid, asks, approvals),
            Move::Result => self.result(),
            Move::Results => self.results(),
            Move::Fail { undo, asks } => self.fail(undo, asks),
        }
    }

    fn answer(&mut self, ask_id: AskId, action: Action, denial: Option<String>) {
        let answer = CheckedAnswer {
            ask_id,
            action,
            denial,
            envelope: json!({"action": action}),
            files: Vec::new(),
            surface: Surface::Full,
        };
        self.submit(ClientCommand::Answer { tool_call_id: "call".to_owned(), answer });
    }

    fn submit(&mut self, command: ClientCommand) {
        let queued = self.world.snapshot().inbox.prompts >= world::QUEUE_LIMIT;
        let is_prompt = matches!(command, ClientCommand::Prompt { .. });
        match self.world.submit(command) {
            ClientOutcome::Runs(task) => {
                assert!(self.running.is_none());
                self.run(*task);
            }
            ClientOutcome::Waits => assert!(self.running.is_some()),
            ClientOutcome::NotFound => assert!(self.world.conversation.deleted),
            ClientOutcome::QueueFull => assert!(is_prompt && queued),
            ClientOutcome::NotPending => assert!(!is_prompt),
        }
    }

    fn run(&mut self, task: RunningTask) {
        self.undoable = task.state.resumed.is_some();
        self.running = Some(task);
    }

    fn commit(&mut self, write: TurnWrite) {
        let Some(task) = self.running.take() else { return };
        let author = Author { command_id: task.command_id, task_id: task.fence.task_id };
        match self.world.turn(task.phase, task.fence, author, write) {
            Ok(TurnCommitted::Goes { state, phase }) => {
                self.running = Some(RunningTask { fence: task.fence.next(), phase, state, ..task });
            }
            Ok(TurnCommitted::Rests { next, gone }) => {
                assert_eq!(gone, self.world.conversation.deleted);
                if let Some(next) = next {
                    self.run(next);
                }
            }
            Ok(TurnCommitted::MustAbort) => {
                let state = task.state.clone();
                self.running = Some(task);
                self.commit(TurnWrite::Abort(state, String::new()));
            }
            Err(EngineError::LeaseLost) => panic!("nobody else holds the turn"),
            Err(error) => panic!("{error}"),
        }
    }

    fn in_request(&mut self, write: impl FnOnce(&RunningTask) -> TurnWrite) {
        if let Some(task) = self.running.as_ref().filter(|task| task.phase == Phase::Request) {
            let write = write(task);
            self.commit(write);
        }
    }

    fn call(&mut self, tools: u8, invalid: u8, asks: u8, approvals: u8) {
        let Some(task) = self.running.as_ref().filter(|task| task.phase == Phase::Request) else { return };
        let mut state = task.state.clone();
        let mut calls = Vec::new();
        let mut add = |count: u8, name: &str, state: CallState| {
            for _ in 0..count {
                self.calls_made += 1;
                let call = ModelCall {
                    id: format!("call_{}", self.calls_made),
                    name: name.to_owned(),
                    args: Value::Null,
                };
                calls.push(StepCall { call, state: state.clone() });
            }
        };
        let error = CallState::Done { output: ToolOutput::Error(json!({})) };
        add(asks, "ask_confirm", CallState::Asks);
        add(tools, "tool", CallState::Running);
        add(invalid, "ask_confirm", error);
        add(approvals, "careful", CallState::NeedsApproval);
        if calls.is_empty() {
            return;
        }
        state.close_step();
        state.step = Some(Step { text: String::new(), provider: None, calls });
        if tools > 0 {
            self.undoable = false;
            self.commit(TurnWrite::Calls(state));
        } else if asks + approvals > 0 {
            let pause = Pause { results: Vec::new(), questions: questions(&state), from: Phase::Request };
            self.commit(TurnWrite::Pause(state, pause));
        } else {
            self.commit(TurnWrite::Results(state, Vec::new()));
        }
    }

    fn result(&mut self) {
        let Some(task) = self.running.as_ref().filter(|task| task.phase == Phase::Tools) else { return };
        let running = running_calls(task);
        if let [first, _, ..] = running.as_slice() {
            let write = TurnWrite::SaveResults(task.state.clone(), vec![first.clone()]);
            self.commit(write);
        }
    }

    fn results(&mut self) {
        let Some(task) = self.running.as_ref().filter(|task| task.phase == Phase::Tools) else { return };
        let (state, results) = (task.state.clone(), running_calls(task));
        if state.step.as_ref().is_some_and(Step::must_pause) {
            let pause = Pause { results, questions: questions(&state), from: Phase::Tools };
            self.commit(TurnWrite::Pause(state, pause));
        } else {
            self.commit(TurnWrite::Results(state, results));
        }
    }

    fn fail(&mut self, undo: bool, asks: u8) {
        let Some(task) = self.running.as_ref() else { return };
        let state = task.state.clone();
        let undo = undo && self.undoable && asks == 0 && state.resumed.is_some();
        let asks = (0..asks)
            .map(|_| {
                self.calls_made += 1;
                question(format!("call_{}", self.calls_made), None)
            })
            .collect();
        let failure = Failure { said: "So far".to_owned(), error: "It failed.".to_owned(), asks };
        self.commit(TurnWrite::Fail { state, failure, undo });
    }
}

fn running_calls(task: &RunningTask) -> Vec<CallResult> {
    let running = task.state.step.iter().flat_map(Step::running);
    running
        .map(|call| CallResult {
            tool_call_id: call.call.id.clone(),
            output: ToolOutput::Json(json!({"ok": true})),
        })
        .collect()
}

fn questions(state: &turnwright_actors::turn_state::TurnState) -> Vec<NewQuestion> {
    let calls = state.step.iter().flat_map(|step| &step.calls);
    calls
        .filter_map(|call| match call.state {
            CallState::Asks => Some(question(call.call.id.clone(), None)),
            CallState::NeedsApproval => Some(question(
                call.call.id.clone(),
                Some(HostCall { tool_name: call.call.name.clone(), tool_call_id: call.call.id.clone() }),
            )),
            _ => None,
        })
        .collect()
}

fn question(call_id: String, approves: Option<HostCall>) -> NewQuestion {
    let tool_call_id = if approves.is_some() { format!("approval_{call_id}") } else { call_id.clone() };
    let question = Question { tool_call_id, ask: confirm(), approves };
    NewQuestion { ask_id: AskId::new(), call_id, question }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_clients_and_turns_do_the_rows_keep_every_rule(moves in prop::collection::vec(moves(), 1..60)) {
        let mut walk = Walk { world: World::new(), running: None, calls_made: 0, undoable: false };
        for next in moves {
            walk.step(next);
        }
    }
}
