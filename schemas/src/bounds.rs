//! How many of something an ask wants.

use crate::report::counted;

/// The fewest and the most something may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The fewest.
    pub min: usize,
    /// The most.
    pub max: usize,
}

/// A count as an ask spells it; a negative one, which is an error by itself, counts as 0.
pub(crate) fn count(whole: i64) -> usize {
    usize::try_from(whole).unwrap_or(0)
}

/// A count as it compares with what an ask spells.
pub(crate) fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Bounds {
    /// Whether the count is within the bounds, both included.
    pub fn contains(self, count: usize) -> bool {
        (self.min..=self.max).contains(&count)
    }

    /// The bounds as a sentence says them: "exactly 1 file", "1 to 3 files".
    pub(crate) fn of(self, noun: &str) -> String {
        let Self { min, max } = self;
        let most = counted(max, noun);
        if min == max { format!("exactly {most}") } else { format!("{min} to {most}") }
    }
}
