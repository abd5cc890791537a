//! What a turn asks: the model's own ask, or the approval of a host call.

use turnwright_schemas::Ask;
use turnwright_schemas::events::AskOrigin;

use crate::ids::AskId;

/// A question as the user gets it.
#[derive(Debug, Clone)]
pub struct Question {
    /// The id an answer names: the call's own, or the approval's.
    pub tool_call_id: String,
    /// What is asked.
    pub ask: Ask,
    /// The host call it would allow, when it is an approval.
    pub approves: Option<HostCall>,
}

/// A host call that waits for an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCall {
    /// The tool.
    pub tool_name: String,
    /// The call's own id.
    pub tool_call_id: String,
}

/// A question of a step that was not put to the user yet.
#[derive(Debug, Clone)]
pub struct NewQuestion {
    /// The id of its row.
    pub ask_id: AskId,
    /// The call of the step it stands for.
    pub call_id: String,
    /// The question.
    pub question: Question,
}

impl Question {
    /// The tool name its rows carry: the ask's own, or the host tool's for an approval.
    pub fn row_tool_name(&self) -> &str {
        match &self.approves {
            Some(call) => &call.tool_name,
            None => self.ask.kind().tool_name(),
        }
    }

    /// `approval`, when the server asks.
    pub fn origin(&self) -> Option<AskOrigin> {
        self.approves.as_ref().map(|_| AskOrigin::Approval)
    }

    /// The host tool an approval is about.
    pub fn approved_tool(&self) -> Option<String> {
        self.approves.as_ref().map(|call| call.tool_name.clone())
    }
}
