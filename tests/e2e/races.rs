//! Commands that race over separate sockets: whatever the order, one wins, nothing is lost and nothing is doubled.
//!
//! No time is asserted. The slowest answers are printed: `cargo test --test e2e races -- --nocapture`.

mod answers;
mod arena;
mod claims;
mod mixed;
mod others;
mod prompts;

/// A race on each database: a function of a `Setup`.
macro_rules! on_each_database {
    ($($(#[$about:meta])* $race:ident;)*) => {$(
        $(#[$about])*
        mod $race {
            use crate::support::Setup;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                super::$race(Setup::new()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                if let Some(setup) = Setup::new().on_postgres() {
                    super::$race(setup).await;
                }
            }
        }
    )*};
}
pub(crate) use on_each_database;
