//! The demo agent's tool: it deletes the caller's completed todos, once the user approved it.

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use turnwright_actors::ports::{Approval, Tool, ToolCall, ToolError, ToolSpec};

use super::todos::Todos;

/// The tool's name.
pub(super) const DELETE_COMPLETED_TODOS: &str = "deleteCompletedTodos";

/// What the tool tells the model.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Deleted {
    /// How many todos were deleted.
    pub(super) deleted: usize,
    /// Their titles, oldest first.
    pub(super) titles: Vec<String>,
}

/// The tool over all users' todos; a run touches only those of the user it is for.
pub(super) struct DeleteCompletedTodos {
    spec: ToolSpec,
    todos: Todos,
}

impl DeleteCompletedTodos {
    pub(super) fn new(todos: Todos) -> Self {
        let spec = ToolSpec {
            name: DELETE_COMPLETED_TODOS.to_owned(),
            description: "Deletes all completed todos of the signed-in user. It cannot be undone.".to_owned(),
            input_schema: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        };
        Self { spec, todos }
    }
}

impl Tool for DeleteCompletedTodos {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn approval(&self) -> Option<&dyn Approval> {
        Some(self)
    }

    fn run(&self, call: ToolCall) -> BoxFuture<'_, Result<Value, ToolError>> {
        Box::pin(async move {
            let titles = self
                .todos
                .delete_completed(call.user_id)
                .await
                .map_err(|error| ToolError(format!("The todos could not be deleted: {error}")))?;
            Ok(json!(Deleted { deleted: titles.len(), titles }))
        })
    }
}

impl Approval for DeleteCompletedTodos {
    fn confirm_input(&self, _args: &Value) -> Option<Result<Value, ToolError>> {
        Some(Ok(json!({
            "title": "Delete completed todos",
            "prompt": "Delete all of your completed todos? You can't undo this.",
            "confirmLabel": "Delete",
            "denyLabel": "Keep them",
            "destructive": true,
        })))
    }
}
