//! Wording the approval a host call needs (spec "Approval asks").

use serde_json::{Value, json};
use turnwright_schemas::{Ask, AskKind, LIMITS, Surface};

use crate::error::EngineError;
use crate::ports::Tool;

/// The `confirm` a call's approval asks: the host's wording, or the default where it has none, fails or is invalid.
///
/// # Errors
/// Never for a tool whose name has visible characters.
pub fn confirm(tool: &dyn Tool, args: &Value) -> Result<Ask, EngineError> {
    let spec = tool.spec();
    let worded = tool.approval().and_then(|approval| approval.confirm_input(args));
    match worded {
        Some(Ok(input)) => match Ask::parse(AskKind::Confirm, &input, Surface::Full) {
            Ok(ask) => return Ok(ask),
            Err(errors) => {
                // Where and what, but not the words: they may quote what the user wrote.
                let errors: Vec<_> = errors.iter().map(|error| (&error.path, error.code)).collect();
                tracing::warn!(tool = spec.name, ?errors, "the approval wording of a tool is invalid");
            }
        },
        Some(Err(error)) => tracing::warn!(tool = spec.name, %error, "the approval wording of a tool failed"),
        None => {}
    }
    let input = json!({
        "prompt": cut(format!("Allow {}? {}", spec.name, spec.description).trim_end(), LIMITS.shared.prompt_max_length),
        "confirmLabel": "Allow",
        "denyLabel": "Deny",
    });
    Ask::parse(AskKind::Confirm, &input, Surface::Full)
        .map_err(|_| EngineError::Invariant("the default approval is a valid confirm"))
}

/// The longest start of `text` of at most `max` UTF-16 code units.
fn cut(text: &str, max: usize) -> &str {
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > max {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_cut_counts_utf16_units_and_splits_no_character() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("ab😀", 3), "ab");
        assert_eq!(cut("ab😀", 4), "ab😀");
    }
}
