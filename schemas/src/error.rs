//! One thing wrong with an ask or an answer, and where it is (reference, "Validation").

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::codes::ErrorCode;
use crate::text::trim;

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

/// A place in a JSON document, built on the stack while walking down and rendered only for an error.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The whole document, with the noun messages call it by.
    Root(&'static str),
    Key(&'a Path<'a>, &'a str),
    /// A key that messages call by a label, since people read them beside the field of that label.
    Labeled(&'a Path<'a>, &'a str, &'a str),
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Path::Key(self, key)
    }

    pub(crate) fn labeled(&'a self, key: &'a str, label: &'a str) -> Self {
        Path::Labeled(self, key, label)
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        Path::Index(self, index)
    }

    /// What a message calls the place.
    pub(crate) fn subject(&self) -> String {
        match self {
            Path::Root(noun) => (*noun).to_owned(),
            Path::Labeled(_, _, label) => format!("\"{}\"", trim(label)),
            Path::Key(..) | Path::Index(..) => self.render(),
        }
    }

    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Path::Root(_) => {}
            Path::Key(parent, key) | Path::Labeled(parent, key, _) => {
                parent.write(text);
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            Path::Index(parent, index) => {
                parent.write(text);
                // Writing to a String cannot fail.
                let _ = write!(text, "[{index}]");
            }
        }
    }
}

/// Sorts errors by path, array indexes as numbers, then by code.
pub(crate) fn sort_errors(errors: &mut [AskError]) {
    errors.sort_by(|a, b| path_tokens(&a.path).cmp(path_tokens(&b.path)).then_with(|| a.code.cmp(&b.code)));
}

/// A piece of a rendered path. The order of the variants is the order of paths: a parent before its children,
/// its children before a sibling whose name only continues the parent's.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum PathToken {
    Dot,
    Index(usize),
    CodeUnit(u16),
}

/// Names compare by UTF-16 code unit, as clients written in JavaScript sort them.
fn path_tokens(path: &str) -> impl Iterator<Item = PathToken> {
    let mut units = path.encode_utf16();
    std::iter::from_fn(move || {
        let unit = units.next()?;
        if unit == u16::from(b'.') {
            return Some(PathToken::Dot);
        }
        if unit == u16::from(b'[')
            && let Some((index, rest)) = leading_index(units.clone())
        {
            units = rest;
            return Some(PathToken::Index(index));
        }
        Some(PathToken::CodeUnit(unit))
    })
}

/// The number before a `]`, and what follows the bracket.
fn leading_index<I: Iterator<Item = u16>>(mut units: I) -> Option<(usize, I)> {
    let mut index: Option<usize> = None;
    loop {
        let digit = match char::from_u32(units.next()?.into())? {
            ']' => return Some((index?, units)),
            other => other.to_digit(10)? as usize,
        };
        index = Some(index.unwrap_or(0).checked_mul(10)?.checked_add(digit)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(path: &str, code: ErrorCode) -> AskError {
        AskError { path: path.to_owned(), code, message: String::new(), fix: String::new() }
    }

    fn sorted(paths: &[&str]) -> Vec<String> {
        let mut errors: Vec<_> = paths.iter().map(|path| error(path, ErrorCode::TooLong)).collect();
        sort_errors(&mut errors);
        errors.into_iter().map(|error| error.path).collect()
    }

    #[test]
    fn indexes_sort_as_numbers() {
        assert_eq!(
            sorted(&["options[10].id", "options[2].id", "options", "options[2]"]),
            ["options", "options[2]", "options[2].id", "options[10].id"]
        );
    }

    #[test]
    fn digits_in_names_sort_as_text() {
        assert_eq!(sorted(&["f2", "f10"]), ["f10", "f2"]);
    }

    #[test]
    fn capitals_sort_before_small_letters() {
        assert_eq!(sorted(&["options", "Prompt", ""]), ["", "Prompt", "options"]);
    }

    #[test]
    fn children_sort_before_a_longer_sibling() {
        assert_eq!(
            sorted(&["values.a-b", "values.a[0]", "values.a"]),
            ["values.a", "values.a[0]", "values.a-b"]
        );
    }

    #[test]
    fn errors_at_one_place_sort_by_code() {
        let mut errors = [error("a", ErrorCode::TooShort), error("a", ErrorCode::TooLong)];
        sort_errors(&mut errors);
        assert_eq!(errors[0].code, ErrorCode::TooLong);
    }

    #[test]
    fn a_path_renders_keys_and_indexes() {
        let root = Path::Root("the answer");
        let content = root.key("content");
        let files = content.key("files");
        let first = files.index(0);
        assert_eq!(first.key("url").render(), "content.files[0].url");
        assert_eq!(root.render(), "");
        assert_eq!(root.subject(), "the answer");
    }
}
