//! One thing wrong with an ask or an answer, and where it is (spec, "Validation").

use serde::{Deserialize, Serialize};

use crate::codes::ErrorCode;

/// One thing wrong with an ask or an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskError {
    /// Where the error is, such as `options[2].id` or `content.selected[0]`; the root is `""`.
    pub path: String,
    /// What kind of error it is.
    pub code: ErrorCode,
    /// What is wrong, in one sentence.
    pub message: String,
    /// One instruction that mends it.
    pub fix: String,
}
