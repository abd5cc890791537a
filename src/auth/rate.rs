//! How often something may be tried. The counters are rows, so they hold over nodes and restarts (DESIGN section 8).

use std::time::Duration;

use sea_orm::{ConnectionTrait, DatabaseTransaction, Statement, Value};
use turnwright_actors::clock::Timestamp;
use turnwright_actors::error::EngineError;
use turnwright_actors::store::Database;

/// One counter and what it allows.
#[derive(Debug, Clone)]
pub struct Limit {
    /// What is counted, such as `sign-up:192.0.2.1`.
    pub scope: String,
    /// How often in a window.
    pub most: u32,
    /// How long a window is.
    pub window: Duration,
    /// The sentence for who comes too often; it names the limit.
    pub refusal: String,
}

/// The outcome of counting: whether one more is allowed.
#[derive(Debug)]
pub enum Counted {
    /// One more was counted. Giving it back takes it off again.
    Allowed(Reservation),
    /// The limit is reached; nothing was counted.
    Refused {
        /// The limit's sentence.
        what: String,
        /// When its window ends.
        retry_after: Duration,
    },
}

/// What was counted, and in which windows.
#[derive(Debug)]
pub struct Reservation(Vec<(String, i64)>);

/// Counts one more under every limit, or under none when one of them is reached.
///
/// # Errors
/// When the database fails.
pub async fn count(database: &Database, now: Timestamp, limits: Vec<Limit>) -> Result<Counted, EngineError> {
    database
        .transaction(move |transaction| Box::pin(async move { count_all(transaction, now, limits).await }))
        .await
}

async fn count_all(
    transaction: &DatabaseTransaction,
    now: Timestamp,
    limits: Vec<Limit>,
) -> Result<Counted, EngineError> {
    let mut counted = Vec::with_capacity(limits.len());
    for limit in limits {
        match count_one(transaction, now, &limit).await? {
            Some(window) => counted.push((limit.scope, window)),
            None => {
                let retry_after = window_left(transaction, now, &limit).await?;
                take_off(transaction, &counted).await?;
                return Ok(Counted::Refused { what: limit.refusal, retry_after });
            }
        }
    }
    Ok(Counted::Allowed(Reservation(counted)))
}

/// Takes what was counted off again: it did not fail after all.
///
/// # Errors
/// When the database fails.
pub async fn give_back(database: &Database, reservation: Reservation) -> Result<(), EngineError> {
    database
        .transaction(move |transaction| Box::pin(async move { take_off(transaction, &reservation.0).await }))
        .await
}

/// Forgets counters whose window has long ended.
///
/// # Errors
/// When the database fails.
pub async fn forget(database: &Database, before: Timestamp) -> Result<(), EngineError> {
    database
        .transaction(move |transaction| {
            Box::pin(async move {
                let sql = "DELETE FROM rate_counters WHERE window_start < $1";
                transaction.execute_raw(statement(transaction, sql, [before.millis().into()])).await?;
                Ok(())
            })
        })
        .await
}

/// Adds one and gives the start of the window it was counted in, or `None` when the limit is reached.
async fn count_one(
    transaction: &DatabaseTransaction,
    now: Timestamp,
    limit: &Limit,
) -> Result<Option<i64>, EngineError> {
    const SQL: &str = "INSERT INTO rate_counters (scope, window_start, count) VALUES ($1, $2, 1)
        ON CONFLICT (scope) DO UPDATE SET
            count = CASE WHEN rate_counters.window_start <= $3 THEN 1 ELSE rate_counters.count + 1 END,
            window_start =
                CASE WHEN rate_counters.window_start <= $3 THEN $2 ELSE rate_counters.window_start END
        WHERE rate_counters.window_start <= $3 OR rate_counters.count < $4
        RETURNING window_start";
    let ended = now.millis().saturating_sub(millis(limit.window));
    let most = i32::try_from(limit.most).unwrap_or(i32::MAX);
    let values = [limit.scope.clone().into(), now.millis().into(), ended.into(), most.into()];
    let row = transaction.query_one_raw(statement(transaction, SQL, values)).await?;
    Ok(row.map(|row| row.try_get_by_index(0)).transpose()?)
}

async fn window_left(
    transaction: &DatabaseTransaction,
    now: Timestamp,
    limit: &Limit,
) -> Result<Duration, EngineError> {
    const SQL: &str = "SELECT window_start FROM rate_counters WHERE scope = $1";
    let row = transaction.query_one_raw(statement(transaction, SQL, [limit.scope.clone().into()])).await?;
    let start: i64 = row.map(|row| row.try_get_by_index(0)).transpose()?.unwrap_or(now.millis());
    let left = start.saturating_add(millis(limit.window)).saturating_sub(now.millis());
    Ok(Duration::from_millis(u64::try_from(left).unwrap_or_default()))
}

async fn take_off(transaction: &DatabaseTransaction, counted: &[(String, i64)]) -> Result<(), EngineError> {
    const SQL: &str =
        "UPDATE rate_counters SET count = count - 1 WHERE scope = $1 AND window_start = $2 AND count > 0";
    for (scope, window) in counted {
        let values = [scope.clone().into(), (*window).into()];
        transaction.execute_raw(statement(transaction, SQL, values)).await?;
    }
    Ok(())
}

fn statement(
    transaction: &DatabaseTransaction,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Statement {
    Statement::from_sql_and_values(transaction.get_database_backend(), sql, values)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
