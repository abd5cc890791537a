//! The demo agent's tool: it deletes the caller's completed todos, once the user approved it.

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

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
    spec: Arc<ToolSpec>,
    todos: Todos,
}

impl DeleteCompletedTodos {
    pub(super) fn new(todos: Todos) -> Self {
        let spec = Arc::new(ToolSpec {
            name: DELETE_COMPLETED_TODOS.to_owned(),
            description: "Deletes all completed todos of the signed-in user. It cannot be undone.".to_owned(),
            input_schema: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        });
        Self { spec, todos }
    }
}

impl Tool for DeleteCompletedTodos {
    fn spec(&self) -> &Arc<ToolSpec> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use turnwright_actors::ids::{TaskId, UserId};
    use turnwright_actors::ports::Replay;

    use super::*;
    use crate::demo::todos::tests::Fixture;

    fn call(user_id: UserId) -> ToolCall {
        let tool_call_id = "call_1".to_owned();
        ToolCall { task_id: TaskId::new(), request: 0, tool_call_id, args: json!({}), user_id }
    }

    #[tokio::test]
    async fn a_run_deletes_the_completed_todos_of_the_user_it_is_for_and_names_them() {
        let fixture = Fixture::new().await;
        fixture.complete(fixture.ann, "done").await;
        fixture.add(fixture.ann, "open").await;
        fixture.complete(fixture.bob, "not yours").await;
        let tool = DeleteCompletedTodos::new(fixture.todos.clone());
        let result = tool.run(call(fixture.ann)).await.unwrap();
        assert_eq!(result, json!({"deleted": 1, "titles": ["done"]}));
        assert_eq!(fixture.titles(fixture.ann).await, ["open"]);
        assert_eq!(fixture.titles(fixture.bob).await, ["not yours"]);
    }

    #[tokio::test]
    async fn a_run_needs_approval_and_never_runs_twice() {
        let tool = DeleteCompletedTodos::new(Fixture::new().await.todos);
        assert_eq!(tool.replay(), Replay::Never);
        let input = tool.approval().unwrap().confirm_input(&json!({})).unwrap().unwrap();
        assert_eq!(
            input,
            json!({
                "title": "Delete completed todos",
                "prompt": "Delete all of your completed todos? You can't undo this.",
                "confirmLabel": "Delete",
                "denyLabel": "Keep them",
                "destructive": true,
            })
        );
    }
}
