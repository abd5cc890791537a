//! Ids of options and form fields (reference, `choice.optionIdPattern`).

use std::collections::HashSet;

use crate::codes::ErrorCode;
use crate::limits::LIMITS;
use crate::object::Object;
use crate::report::{Report, quote};

/// The `id` of an object, which must match the id pattern.
pub(crate) fn id(object: &Object<'_>, report: &mut Report) -> Option<String> {
    object.require("id", "a string", report)?;
    let id = object.string("id", report)?;
    if !matches_pattern(id) {
        let path = object.path().key("id");
        let name = path.subject();
        let pattern = LIMITS.choice.option_id_pattern;
        report.add(
            &path,
            ErrorCode::InvalidFormat,
            format!("{name} is {}, which is not a valid id.", quote(id)),
            format!("Write {name} in small letters, digits, - and _ so that it matches {pattern}."),
        );
    }
    Some(id.to_owned())
}

/// Whether the id is a small letter or a digit, then small letters, digits, `_` and `-`, 64 in all.
fn matches_pattern(id: &str) -> bool {
    let is_alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let Some((first, rest)) = id.as_bytes().split_first() else {
        return false;
    };
    is_alphanumeric(first)
        && id.len() <= LIMITS.choice.option_id_max_length
        && rest.iter().all(|byte| is_alphanumeric(byte) || matches!(byte, b'_' | b'-'))
}

/// Finds strings that were seen before.
#[derive(Default)]
pub(crate) struct Repeats<'a> {
    seen: HashSet<&'a str>,
}

impl<'a> Repeats<'a> {
    /// Whether the string was passed before.
    pub(crate) fn is_repeated(&mut self, text: &'a str) -> bool {
        !self.seen.insert(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn published_pattern() -> Result<regex::Regex, regex::Error> {
        regex::Regex::new(LIMITS.choice.option_id_pattern)
    }

    proptest! {
        #[test]
        fn an_id_is_valid_exactly_when_it_matches_the_published_pattern(id in "[a-zA-Z0-9_\\-é ]{0,66}") {
            let expected = published_pattern().map(|pattern| pattern.is_match(&id));
            prop_assert_eq!(expected, Ok(matches_pattern(&id)));
        }
    }
}
