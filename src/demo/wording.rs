//! How the demo agent puts lists, counts and quotes into words.

/// Joins names as prose does: `a, b and c`.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// The first few names as prose, each cut to a few words, and how many more there are: for a small screen.
pub(super) fn briefly_listed<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 3;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| brief(name.as_ref())).collect();
    if names.len() > SHOWN {
        shown.push(format!("{} more", names.len() - SHOWN));
    }
    listed(&shown)
}

/// `1 file`, `2 files`.
pub(super) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// The text on one line, cut to what a small screen shows beside other words.
pub(super) fn brief(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, LONGEST)
}

/// The text's first characters, with an ellipsis where some are left out.
pub(super) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_as_prose_joins_them() {
        assert_eq!(listed::<&str>(&[]), "");
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b"]), "a and b");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn a_small_screen_shows_three_names_and_how_many_more() {
        assert_eq!(briefly_listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(briefly_listed(&["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(brief("two\n  lines"), "two lines");
        assert_eq!(brief(&"é".repeat(50)), format!("{}…", "é".repeat(40)));
        assert_eq!(cut("exactly", 7), "exactly");
    }

    #[test]
    fn one_thing_has_no_plural() {
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(0, "file"), "0 files");
    }
}
