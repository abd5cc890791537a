//! Text as the contract measures it.
//!
//! Most limits count characters, Unicode code points. Where a limit says UTF-16 code units, it counts what
//! `length` of a JavaScript string counts. White space is what `String.prototype.trim` of JavaScript removes.

use std::borrow::Cow;

const ELLIPSIS: char = '…';

/// How the length of a text is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Unicode code points.
    Characters,
    /// UTF-16 code units.
    CodeUnits,
}

impl Unit {
    /// The length of a text.
    pub(crate) fn length(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::CodeUnits => utf16_length(text),
        }
    }

    /// Whether the text is longer than `max`, without counting when its bytes alone rule that out.
    pub(crate) fn exceeds(self, text: &str, max: usize) -> bool {
        text.len() > max && self.length(text) > max
    }

    /// One of the unit, as a message calls it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Characters => "character",
            Self::CodeUnits => "UTF-16 code unit",
        }
    }
}

/// The length of a text in UTF-16 code units.
pub(crate) fn utf16_length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Whether JavaScript counts the character as white space: its white space and line terminators.
fn is_js_space(character: char) -> bool {
    matches!(
        character,
        '\u{9}'..='\u{d}'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

/// The text without white space at either end.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// The text, cut to at most `max` UTF-16 code units, the last of them "…" when something was cut.
///
/// The cut falls on the last white space when that is in the second half of what would be kept, and never
/// splits a surrogate pair.
pub(crate) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if !Unit::CodeUnits.exceeds(text, max) {
        return Cow::Borrowed(text);
    }
    let budget = max.saturating_sub(ELLIPSIS.len_utf16());
    let mut kept_units = 0;
    let mut kept_bytes = 0;
    let mut boundary = None;
    for character in text.chars() {
        // White space right after the kept text is a boundary too.
        if is_js_space(character) {
            boundary = Some((kept_units, kept_bytes));
        }
        if kept_units + character.len_utf16() > budget {
            break;
        }
        kept_units += character.len_utf16();
        kept_bytes += character.len_utf8();
    }
    let end = match boundary {
        Some((units, bytes)) if units * 2 >= kept_units => bytes,
        _ => kept_bytes,
    };
    let kept = text.get(..end).unwrap_or(text).trim_end_matches(is_js_space);
    Cow::Owned(format!("{kept}{ELLIPSIS}"))
}

/// Whether nothing is left of the text after trimming.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_js_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_code_points_and_code_units_are_utf16() {
        assert_eq!(Unit::Characters.length("a🎉漢"), 3);
        assert_eq!(Unit::CodeUnits.length("a🎉漢"), 4);
        assert!(!Unit::Characters.exceeds("🎉🎉", 2));
        assert!(Unit::CodeUnits.exceeds("🎉🎉", 2));
    }

    #[test]
    fn white_space_is_what_javascript_trims() {
        assert_eq!(trim("\u{feff}\u{a0} Go\t\u{2028}"), "Go");
        assert!(is_blank("\u{3000}\u{b}"));
        assert!(is_blank(""));
        // Rust trims the first, JavaScript does not; neither trims the second.
        assert!(!is_blank("\u{85}"));
        assert!(!is_blank("\u{200b}"));
    }

    #[test]
    fn a_text_that_fits_is_not_cut() {
        assert_eq!(cut("four", 4), "four");
        assert_eq!(cut(" Go ", 4), " Go ");
    }

    #[test]
    fn a_cut_falls_on_a_word_boundary_in_the_second_half() {
        assert_eq!(cut("one two three", 10), "one two…");
        assert_eq!(cut("one twothreefour", 10), "one twoth…");
        assert_eq!(cut("one two  three", 9), "one two…");
    }

    #[test]
    fn white_space_right_after_the_kept_text_is_a_boundary() {
        assert_eq!(cut("abcd efgh", 5), "abcd…");
        assert_eq!(cut("a bcd\nefgh", 6), "a bcd…");
    }

    #[test]
    fn a_cut_never_splits_a_surrogate_pair() {
        assert_eq!(cut("🎉🎉🎉", 4), "🎉…");
        assert_eq!(cut("a🎉🎉", 4), "a🎉…");
    }
}
