#![allow(clippy::unwrap_used)]

use std::fmt::Write;

use super::*;

const INPUTS: [Input; 14] = [
    Input::Prompt,
    Input::PromptWithoutAsks,
    Input::Answer,
    Input::StaleAnswer,
    Input::Delete,
    Input::Retract,
    Input::Calls,
    Input::ToolResult,
    Input::Results,
    Input::Pause,
    Input::Finish,
    Input::Fail,
    Input::Undo,
    Input::Abort,
];

fn states() -> Vec<State> {
    let mut states = vec![State::Gone, State::Resting { asking: false }, State::Resting { asking: true }];
    for phase in [Phase::Request, Phase::Tools] {
        for fate in [Fate::Going, Fate::Deleted] {
            for slot in [Slot::Free, Slot::Pending, Slot::Claimed] {
                for queue in [Queue::Empty, Queue::Waiting, Queue::Full] {
                    states.push(State::Running { phase, fate, slot, queue });
                }
            }
        }
    }
    states
}

#[test]
fn every_pair_of_state_and_input_has_the_row_that_was_reviewed() {
    let mut table = String::new();
    for state in states() {
        writeln!(table, "{state:?}").unwrap();
        for input in INPUTS {
            writeln!(table, "    {input:?} -> {:?}", decide(state, input)).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_prompt_is_never_refused_because_of_an_ask() {
    for state in states() {
        for prompt in [Input::Prompt, Input::PromptWithoutAsks] {
            let refused = matches!(decide(state, prompt), Decision::NotPending | Decision::LeaseLost);
            assert!(!refused, "{state:?}");
        }
    }
}

#[test]
fn with_asks_off_a_prompt_leaves_the_slot_alone() {
    for state in states() {
        let ends_ask = matches!(
            decide(state, Input::PromptWithoutAsks),
            Decision::Begin { cancels_ask: true } | Decision::Enqueue { claims_ask: true }
        );
        assert!(!ends_ask, "{state:?}");
    }
}

#[test]
fn an_answer_goes_through_only_while_its_ask_is_pending_and_unclaimed() {
    for state in states() {
        let taken = matches!(decide(state, Input::Answer), Decision::Resume | Decision::Enqueue { .. });
        let pending = matches!(
            state,
            State::Resting { asking: true } | State::Running { fate: Fate::Going, slot: Slot::Pending, .. }
        );
        assert_eq!(taken, pending, "{state:?}");
        assert!(!matches!(decide(state, Input::StaleAnswer), Decision::Resume | Decision::Enqueue { .. }));
    }
}

#[test]
fn a_turn_never_puts_a_second_ask_into_the_slot() {
    for state in states() {
        if let State::Running { slot: Slot::Pending | Slot::Claimed, .. } = state {
            assert_ne!(decide(state, Input::Pause), Decision::Commit, "{state:?}");
        }
    }
}

#[test]
fn only_who_holds_a_running_turn_commits_for_it() {
    for state in [State::Gone, State::Resting { asking: false }, State::Resting { asking: true }] {
        for input in &INPUTS[5..] {
            assert_eq!(decide(state, *input), Decision::LeaseLost, "{state:?} {input:?}");
        }
    }
}
