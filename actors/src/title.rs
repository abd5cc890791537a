//! A conversation's title from its first message.

/// The most characters a title taken from a message has.
const LENGTH: usize = 60;

/// The first visible line of a message, cut to 60 characters at a word boundary. Empty when nothing is visible.
pub fn title_of(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    let Some((cut, _)) = line.char_indices().nth(LENGTH) else { return line };
    let (head, rest) = line.split_at(cut);
    if rest.starts_with(char::is_whitespace) {
        return head.trim_end().to_owned();
    }
    match head.rfind(char::is_whitespace) {
        Some(space) => head[..space].trim_end().to_owned(),
        None => head.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::title_of;

    #[test]
    fn a_short_first_line_is_the_title() {
        assert_eq!(title_of("\n  Help me pick a plan \nplease"), "Help me pick a plan");
    }

    #[test]
    fn a_long_line_is_cut_between_words() {
        let text = "word ".repeat(30);
        let title = title_of(&text);
        assert_eq!(title, "word ".repeat(12).trim_end());
        assert!(title.chars().count() <= 60);
    }

    #[test]
    fn a_word_that_ends_at_the_limit_is_kept() {
        let text = format!("{} {} more", "a".repeat(29), "b".repeat(30));
        assert_eq!(title_of(&text), format!("{} {}", "a".repeat(29), "b".repeat(30)));
    }

    #[test]
    fn one_long_word_is_cut_at_the_limit() {
        assert_eq!(title_of(&"😀".repeat(100)), "😀".repeat(60));
    }

    #[test]
    fn control_characters_never_reach_a_title() {
        assert_eq!(title_of("a\u{0}b\u{7}c"), "abc");
    }
}
