//! The event streams clients hold open: how many in all, and how many of each user.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus::IntGauge;
use turnwright_actors::ids::UserId;

use super::error::ApiError;

/// When a user whose streams are all taken is to come again.
const LATER: Duration = Duration::from_secs(5);

/// The open streams of a node; clones share them.
#[derive(Debug, Clone)]
pub struct Streams {
    open: Arc<Mutex<HashMap<UserId, usize>>>,
    gauge: IntGauge,
    per_user: usize,
}

impl Streams {
    /// No streams yet, at most `per_user` for each user, shown by `gauge`.
    pub fn new(per_user: usize, gauge: IntGauge) -> Self {
        Self { open: Arc::default(), gauge, per_user }
    }

    /// Counts one more stream of a user, until the place is dropped.
    ///
    /// # Errors
    /// 429 when the user has too many.
    pub fn open(&self, user: UserId) -> Result<StreamPlace, ApiError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(user).or_default();
        if *count >= self.per_user {
            return Err(ApiError::TooManyRequests {
                what: format!("A user may hold {} streams open (http.streams_per_user).", self.per_user),
                retry_after: LATER,
            });
        }
        *count += 1;
        self.gauge.inc();
        Ok(StreamPlace { streams: self.clone(), user })
    }

    fn close(&self, user: UserId) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut count) = open.entry(user) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        self.gauge.dec();
    }
}

/// The place of one open stream. The response's body owns it, so that it goes when the body goes.
#[derive(Debug)]
pub struct StreamPlace {
    streams: Streams,
    user: UserId,
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.streams.close(self.user);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_user_holds_so_many_streams_and_no_more() {
        let gauge = IntGauge::new("open", "open").unwrap();
        let streams = Streams::new(2, gauge.clone());
        let (user, other) = (UserId::new(), UserId::new());
        let places = [streams.open(user).unwrap(), streams.open(user).unwrap()];
        assert!(matches!(streams.open(user), Err(ApiError::TooManyRequests { .. })));
        let _other = streams.open(other).unwrap();
        assert_eq!(gauge.get(), 3);
        drop(places);
        assert_eq!(gauge.get(), 1);
        assert!(streams.open(user).is_ok());
    }
}
