//! The ids models give their calls, as far as a row can keep them.

/// The most characters of an id that are kept: an index on Postgres takes no row longer than 2,704 bytes.
const LONGEST: usize = 256;

/// What is kept of a model's id: a text column takes no NUL on Postgres.
pub fn kept(id: &str) -> String {
    id.chars().filter(|character| !character.is_control()).take(LONGEST).collect()
}

/// Whether a call may have this id. No query need look for any other, and Postgres would refuse to.
pub fn may_be_kept(id: &str) -> bool {
    !id.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_id_is_kept_as_it_is() {
        assert_eq!(kept("call_8f2c1"), "call_8f2c1");
        assert!(may_be_kept("call_8f2c1"));
    }

    #[test]
    fn what_a_row_cannot_keep_of_an_id_is_left_out() {
        assert_eq!(kept("a\0b\n"), "ab");
        assert_eq!(kept(&"é".repeat(1_000)), "é".repeat(LONGEST));
        assert!(!may_be_kept("a\0b"));
    }
}
