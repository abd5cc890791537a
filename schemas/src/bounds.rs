//! How many of something an ask wants.

/// The fewest and the most something may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The fewest.
    pub min: usize,
    /// The most.
    pub max: usize,
}

impl Bounds {
    /// Whether the count is within the bounds, both included.
    pub fn contains(self, count: usize) -> bool {
        (self.min..=self.max).contains(&count)
    }
}
