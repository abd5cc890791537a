//! The state machine of a conversation's slot, queue and task: what each command does in each state.
//!
//! A pure table. Every state names what was read under the conversation's lock, every input what a client or the
//! holder of the running turn wants; [`decide`] has a row for every pair, and a new variant does not compile
//! without its rows. The `transition` modules turn a decision into rows.

/// A conversation, as far as a decision needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Deleted, with no turn left.
    Gone,
    /// No turn runs.
    Resting {
        /// Whether it waits on an ask. No claim can stand here: a claim is a stored command.
        asking: bool,
    },
    /// A turn runs.
    Running {
        /// What the turn does.
        phase: Phase,
        /// Whether it may go on.
        fate: Fate,
        /// The slot, held by an earlier turn's ask when it is not free.
        slot: Slot,
        /// The commands that wait.
        queue: Queue,
    },
}

/// The working phases of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Calling the model.
    Request,
    /// Running tools.
    Tools,
}

/// Whether a running turn may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It may.
    Going,
    /// Its conversation was deleted: `cancel_at` is set, and its next commit is the abort.
    Deleted,
}

/// The one place for a pending ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// No ask is pending.
    Free,
    /// An ask is pending and nothing stored would end it.
    Pending,
    /// A queued command will end the ask.
    Claimed,
}

/// The inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// Nothing waits.
    Empty,
    /// Something waits, and there is room for a prompt.
    Waiting,
    /// As many prompts wait as may.
    Full,
}

/// What is wanted of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Input {
    /// A user's message.
    Prompt,
    /// A user's message on a node whose asks are off: whatever the slot holds stays there.
    PromptWithoutAsks,
    /// An answer that names the ask in the slot.
    Answer,
    /// An answer that names another ask, or one that never was.
    StaleAnswer,
    /// The owner or an admin deletes the conversation.
    Delete,
    /// A new holder opens its attempt: what the step had said before is void.
    Retract,
    /// The model made calls; some of them run now.
    Calls,
    /// A call that may not run twice has its result.
    ToolResult,
    /// Every call of the step has its result.
    Results,
    /// The step holds an ask.
    Pause,
    /// The model replied.
    Finish,
    /// The turn cannot go on.
    Fail,
    /// The continuation of an answer failed before anything was published, and the answer should be undone.
    Undo,
    /// A turn whose `cancel_at` is set ends.
    Abort,
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// A new turn begins.
    Begin {
        /// The pending ask is cancelled first (rule 3).
        cancels_ask: bool,
    },
    /// The command waits in the inbox (rule 4).
    Enqueue {
        /// It will end the pending ask, which takes no other answer from now on (rule 2).
        claims_ask: bool,
    },
    /// The waiting turn goes on with the answer.
    Resume,
    /// The conversation is marked deleted at once.
    Remove {
        /// The pending ask is cancelled.
        cancels_ask: bool,
    },
    /// The conversation is marked deleted, and the running turn is told to abort.
    RemoveAndCancel,
    /// The turn's commit is written as it was asked for.
    Commit,
    /// The slot is taken: the new ask is cancelled and the turn finishes (rule 1).
    CancelNewAsk,
    /// The answer cannot be undone any more: it is kept and the turn fails (rule 6).
    Keep,
    /// `cancel_at` is set: only the abort may be written.
    MustAbort,
    /// Refused: no such conversation.
    NotFound,
    /// Refused: the ask is not pending (rule 2).
    NotPending,
    /// Refused: the inbox is full (rule 4).
    QueueFull,
    /// Refused: nothing of the kind runs; another holder moved the turn on.
    LeaseLost,
}

/// The row of the table for a state and an input.
pub fn decide(state: State, input: Input) -> Decision {
    match state {
        State::Gone => gone(input),
        State::Resting { asking } => resting(asking, input),
        State::Running { phase, fate: Fate::Going, slot, queue } => running(phase, slot, queue, input),
        State::Running { phase, fate: Fate::Deleted, slot: _, queue: _ } => deleting(phase, input),
    }
}

fn gone(input: Input) -> Decision {
    match input {
        Input::Prompt | Input::PromptWithoutAsks | Input::Answer | Input::StaleAnswer | Input::Delete => {
            Decision::NotFound
        }
        Input::Retract
        | Input::Calls
        | Input::ToolResult
        | Input::Results
        | Input::Pause
        | Input::Finish
        | Input::Fail
        | Input::Undo
        | Input::Abort => Decision::LeaseLost,
    }
}

fn resting(asking: bool, input: Input) -> Decision {
    match (input, asking) {
        (Input::Prompt, cancels_ask) => Decision::Begin { cancels_ask },
        (Input::PromptWithoutAsks, _) => Decision::Begin { cancels_ask: false },
        (Input::Answer, true) => Decision::Resume,
        (Input::Answer, false) | (Input::StaleAnswer, _) => Decision::NotPending,
        (Input::Delete, cancels_ask) => Decision::Remove { cancels_ask },
        (
            Input::Retract
            | Input::Calls
            | Input::ToolResult
            | Input::Results
            | Input::Pause
            | Input::Finish
            | Input::Fail
            | Input::Undo
            | Input::Abort,
            _,
        ) => Decision::LeaseLost,
    }
}

fn running(phase: Phase, slot: Slot, queue: Queue, input: Input) -> Decision {
    match (input, phase, slot, queue) {
        (Input::Prompt | Input::PromptWithoutAsks, _, _, Queue::Full) => Decision::QueueFull,
        (Input::Prompt, _, Slot::Pending, Queue::Empty | Queue::Waiting) => {
            Decision::Enqueue { claims_ask: true }
        }
        (Input::Prompt, _, Slot::Free | Slot::Claimed, Queue::Empty | Queue::Waiting)
        | (Input::PromptWithoutAsks, _, _, Queue::Empty | Queue::Waiting) => {
            Decision::Enqueue { claims_ask: false }
        }
        // An answer counts in no limit: the inbox being full does not refuse it.
        (Input::Answer, _, Slot::Pending, _) => Decision::Enqueue { claims_ask: true },
        (Input::Answer, _, Slot::Free | Slot::Claimed, _) | (Input::StaleAnswer, ..) => Decision::NotPending,
        (Input::Delete, ..) => Decision::RemoveAndCancel,
        (Input::Retract | Input::Calls, Phase::Request, ..) | (Input::ToolResult, Phase::Tools, ..) => {
            Decision::Commit
        }
        // From `request`, when every call was invalid and none ran.
        (Input::Results, Phase::Request | Phase::Tools, ..) => Decision::Commit,
        (Input::Pause, Phase::Request | Phase::Tools, Slot::Free, _) => Decision::Commit,
        (Input::Pause, Phase::Request | Phase::Tools, Slot::Pending | Slot::Claimed, _) => {
            Decision::CancelNewAsk
        }
        (Input::Finish, Phase::Request, ..) => Decision::Commit,
        (Input::Fail, Phase::Request | Phase::Tools, ..) => Decision::Commit,
        (Input::Undo, Phase::Request, Slot::Free, Queue::Empty) => Decision::Commit,
        (Input::Undo, ..) => Decision::Keep,
        (Input::Retract | Input::Calls | Input::Finish, Phase::Tools, ..)
        | (Input::ToolResult, Phase::Request, ..)
        | (Input::Abort, ..) => Decision::LeaseLost,
    }
}

fn deleting(phase: Phase, input: Input) -> Decision {
    match (input, phase) {
        (
            Input::Prompt | Input::PromptWithoutAsks | Input::Answer | Input::StaleAnswer | Input::Delete,
            _,
        ) => Decision::NotFound,
        // What a call that may not run twice did is recorded whatever becomes of the turn (rule 14).
        (Input::ToolResult, Phase::Tools) | (Input::Abort, Phase::Request | Phase::Tools) => Decision::Commit,
        (Input::ToolResult, Phase::Request) => Decision::LeaseLost,
        (
            Input::Retract
            | Input::Calls
            | Input::Results
            | Input::Pause
            | Input::Finish
            | Input::Fail
            | Input::Undo,
            Phase::Request | Phase::Tools,
        ) => Decision::MustAbort,
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
