//! Wall-clock instants, injected so that tests choose them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use time::OffsetDateTime;
use time::macros::format_description;

/// Milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant that many milliseconds after the epoch.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch, as the rows hold it.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// The instant `by` later.
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }

    /// `YYYY-MM-DDTHH:MM:SS.mmmZ`, the form of every timestamp on the wire (DESIGN section 8).
    pub fn iso(self) -> String {
        let format =
            format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .ok()
            .and_then(|instant| instant.format(&format).ok())
            .unwrap_or_else(|| "1970-01-01T00:00:00.000Z".to_owned())
    }
}

/// Where the time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A clock that stands until a test moves it.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A standing clock at `start`.
    pub fn manual(start: Timestamp) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(start.0)))
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => {
                let nanos = OffsetDateTime::now_utc().unix_timestamp_nanos();
                Timestamp(i64::try_from(nanos / 1_000_000).unwrap_or(i64::MAX))
            }
            Self::Manual(millis) => Timestamp(millis.load(Ordering::SeqCst)),
        }
    }

    /// Moves a standing clock on; the machine's clock cannot be moved.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(millis) = self {
            millis.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_shown_with_milliseconds_and_z() {
        assert_eq!(Timestamp::from_millis(1_793_000_000_007).iso(), "2026-10-26T07:33:20.007Z");
    }

    #[test]
    fn a_standing_clock_moves_when_told() {
        let clock = Clock::manual(Timestamp::from_millis(5));
        clock.advance(Duration::from_millis(7));
        assert_eq!(clock.now(), Timestamp::from_millis(12));
    }
}
