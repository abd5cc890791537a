//! Deleting completed todos: a real tool that runs only once the user approved it.

use serde::Deserialize;
use turnwright_actors::ports::{ModelResult, ToolOutput};

use super::reply::Reply;
use super::{Play, Scenario};
use crate::demo::todo_tool::{DELETE_COMPLETED_TODOS, Deleted};
use crate::demo::wording::{briefly_listed, counted, listed};

pub(super) const SCENARIO: Scenario = Scenario {
    trigger: r"\b(?:delete|clear|remove)\b[^.!?\n]*\bcompleted\b",
    play: Play::Approved { tool: DELETE_COMPLETED_TODOS, reply },
};

fn reply(result: &ModelResult) -> Reply {
    let deleted = match &result.output {
        ToolOutput::ExecutionDenied { .. } => {
            return Reply::short("I kept your completed todos. Nothing was deleted.");
        }
        ToolOutput::Json(output) => Deleted::deserialize(output).ok(),
        ToolOutput::Error(_) => None,
    };
    match deleted {
        Some(deleted) if deleted.titles.is_empty() => {
            Reply::short("You have no completed todos, so there was nothing to delete.")
        }
        Some(Deleted { deleted, titles }) => {
            let todos = counted(deleted, "completed todo");
            Reply::new(
                format!("I deleted {todos}: {}.", listed(&titles)),
                format!("I deleted {todos}: {}.", briefly_listed(&titles)),
            )
        }
        // The tool failed, or its run was cut off: then it may have deleted them or not.
        None => Reply::short("Your todos could not be deleted. Look at the list before you try again."),
    }
}
