//! A launch announcement: a `markdown` draft to edit.

use serde::Deserialize;
use serde_json::{Value, json};
use turnwright_actors::ports::ModelResult;
use turnwright_schemas::AskKind;

use super::reply::Reply;
use super::{Play, Scenario};
use crate::demo::wording::counted;

pub(super) const SCENARIO: Scenario = Scenario {
    trigger: r"\bannouncement\b",
    play: Play::Ask {
        kind: AskKind::Markdown,
        input,
        compact_fallback: Some("Editing a draft needs a bigger screen. Open this chat on your phone."),
        reply,
    },
};

const DRAFT: &str = "\
# Questions in the chat

From today our assistant can **stop and ask** before it goes on:

- pick an option, or several
- approve what cannot be undone
- edit a draft, fill in a form, send a file

Your answer goes straight back to the assistant, from your desk or from your watch.";

fn input() -> Value {
    json!({
        "title": "Launch announcement",
        "prompt": "This is a draft of the launch announcement. Change what you like before I post it.",
        "initial": DRAFT,
        "minLength": 40,
        "maxLength": 2000,
        "submitLabel": "Post it",
    })
}

#[derive(Deserialize)]
struct Edited {
    markdown: String,
    changed: bool,
}

fn reply(result: &ModelResult) -> Reply {
    Reply::to_answer(result, "post the announcement", |edited: Edited| {
        if !edited.changed {
            return Reply::short("You approved the draft as is. A real agent would post it now.");
        }
        let length = counted(edited.markdown.chars().count(), "character");
        Reply::new(
            format!("You edited the draft. A real agent would post this now:\n\n{}", edited.markdown),
            format!("You edited the draft ({length}). A real agent would post it now."),
        )
    })
}
