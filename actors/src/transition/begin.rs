//! A prompt begins a turn.

use turnwright_schemas::CancelReason;

use super::slot;
use crate::command::Prompt;
use crate::commit::{Author, Commit, Fence, RunningTask, TaskWrite};
use crate::ids::LeaseToken;
use crate::machine::Phase;
use crate::message::MessageBody;
use crate::snapshot::PendingAsk;
use crate::title::title_of;
use crate::turn_state::TurnState;

/// Begins a turn with `prompt`, after cancelling the ask it supersedes (rule 3).
pub fn begin(
    prompt: Prompt,
    cancels: Option<&PendingAsk>,
    author: Author,
    token: LeaseToken,
    commit: &mut Commit,
) -> RunningTask {
    commit.on_behalf_of(author);
    if let Some(ask) = cancels {
        slot::cancel(ask, CancelReason::UserSentMessage, commit);
    }
    if commit.conversation.title.is_empty() {
        commit.conversation.title = title_of(&prompt.text);
    }
    let prompt_index = commit.conversation.message_count;
    commit.message(MessageBody::User { text: prompt.text });
    let task = RunningTask {
        fence: Fence { task_id: author.task_id, token, checkpoint: 0 },
        command_id: author.command_id,
        phase: Phase::Request,
        state: TurnState::new(prompt.surface, prompt_index),
        after_seq: commit.conversation.event_seq,
        losses: 0,
    };
    commit.tasks.push(TaskWrite::Begin(task.clone()));
    commit.conversation.active_task = Some(author.task_id);
    task
}
