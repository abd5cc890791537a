//! Users and sessions in the database.

use std::net::IpAddr;
use std::time::Duration;

use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use turnwright_actors::clock::{Clock, Timestamp};
use turnwright_actors::error::EngineError;
use turnwright_actors::ids::UserId;
use turnwright_actors::store::Database;
use uuid::Uuid;

use super::email::Email;
use super::entity::{session, user};
use super::password::{Password, Passwords};
use super::rate::{self, Counted, Limit, Reservation};
use super::token::Token;
use crate::http::error::ApiError;
use crate::settings::AuthSettings;

/// A session is prolonged at most once in this time, so that reading it rarely writes.
const PROLONG_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
const MINUTE: Duration = Duration::from_secs(60);
/// Longer than any window of a rate counter.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A user, as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// The address it signs in with.
    pub email: String,
    /// What it is called.
    pub name: String,
    /// Whether it may read and delete the conversations of others.
    pub admin: bool,
    /// When it was made.
    pub created: Timestamp,
    /// When it was changed last.
    pub updated: Timestamp,
}

/// A session that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// When it ends unless it is used.
    pub expires: Timestamp,
    /// Whose it is.
    pub user: User,
}

/// What a new user gives.
#[derive(Debug)]
pub struct SignUp {
    /// The address to sign in with.
    pub email: Email,
    /// The password.
    pub password: Password,
    /// What the user is called.
    pub name: String,
    /// Whether it may read and delete the conversations of others. No client can ask for it.
    pub admin: bool,
}

/// Users and sessions; clones share it. Its functions must be awaited on the I/O runtime.
#[derive(Clone)]
pub struct Accounts {
    database: Database,
    passwords: Passwords,
    clock: Clock,
    settings: AuthSettings,
}

impl Accounts {
    /// The accounts in `database`.
    pub fn new(database: Database, clock: Clock, settings: AuthSettings) -> Self {
        Self { database, passwords: Passwords::new(), clock, settings }
    }

    /// Makes a user and signs it in.
    ///
    /// # Errors
    /// When the address has a user, or too many signed up from `address` in this minute.
    pub async fn sign_up(&self, form: SignUp, address: IpAddr) -> Result<(Token, User), ApiError> {
        if !address.is_loopback() {
            let most = self.settings.sign_ups_per_minute;
            self.count(vec![Limit {
                scope: format!("sign-up:{address}"),
                most,
                window: MINUTE,
                refusal: format!("An address may sign up {most} times a minute (auth.sign_ups_per_minute)."),
            }])
            .await?;
        }
        let user = self.add(form).await?.ok_or(ApiError::EmailTaken)?;
        Ok((self.begin_session(user.id).await?, user))
    }

    /// Signs a user in.
    ///
    /// # Errors
    /// When the password is wrong, or too many were before.
    pub async fn sign_in(
        &self,
        email: Email,
        password: Password,
        address: IpAddr,
    ) -> Result<(Token, User), ApiError> {
        // Counted as a failure until it is none, so that tries at the same time do not slip past the limit.
        let failure = self.count(self.failure_limits(&email, address)).await?;
        let row = self.find(&email).await?;
        let hash = row.as_ref().map(|row| row.password_hash.clone());
        let verified = self.passwords.verify(password, hash).await?;
        let Some(user) = row.filter(|_| verified).map(User::from) else {
            return Err(ApiError::WrongPassword);
        };
        rate::give_back(&self.database, failure).await?;
        Ok((self.begin_session(user.id).await?, user))
    }

    /// Ends a session. One that is unknown has ended already.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_out(&self, token: &Token) -> Result<(), EngineError> {
        let hash = token.hash().to_vec();
        self.database
            .transaction(move |transaction| {
                Box::pin(async move {
                    session::Entity::delete_by_id(hash).exec(transaction).await?;
                    Ok(())
                })
            })
            .await
    }

    /// The session of a token, prolonged because it is used, or `None` when there is none any more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn session(&self, token: &Token) -> Result<Option<Session>, EngineError> {
        let now = self.clock.now();
        let found = session::Entity::find_by_id(token.hash().to_vec())
            .filter(session::Column::Expires.gt(now.millis()))
            .find_also_related(user::Entity)
            .one(self.database.reader())
            .await?;
        let Some((row, Some(user))) = found else { return Ok(None) };
        let mut expires = Timestamp::from_millis(row.expires);
        let prolonged = now.plus(self.settings.session);
        if prolonged > expires.plus(PROLONG_EVERY) {
            self.prolong(row.token_hash, prolonged).await?;
            expires = prolonged;
        }
        Ok(Some(Session { expires, user: user.into() }))
    }

    /// Adds a user, or `None` when its address has one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn add(&self, form: SignUp) -> Result<Option<User>, EngineError> {
        if self.find(&form.email).await?.is_some() {
            return Ok(None);
        }
        let now = self.clock.now().millis();
        let row = user::Model {
            id: Uuid::now_v7(),
            email: form.email.to_string(),
            name: form.name,
            password_hash: self.passwords.hash(form.password).await?,
            admin: form.admin,
            created: now,
            updated: now,
        };
        let insert = user::ActiveModel::from(row.clone());
        let inserted = self
            .database
            .transaction(move |transaction| {
                Box::pin(async move {
                    let once = OnConflict::column(user::Column::Email).do_nothing().to_owned();
                    Ok(user::Entity::insert(insert)
                        .on_conflict(once)
                        .exec_without_returning(transaction)
                        .await?)
                })
            })
            .await?;
        Ok((inserted > 0).then(|| row.into()))
    }

    /// Forgets sessions that ended and counters that no longer count.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep(&self) -> Result<(), EngineError> {
        let now = self.clock.now();
        self.database
            .transaction(move |transaction| {
                Box::pin(async move {
                    session::Entity::delete_many()
                        .filter(session::Column::Expires.lte(now.millis()))
                        .exec(transaction)
                        .await?;
                    Ok(())
                })
            })
            .await?;
        let long_ago = Timestamp::from_millis(now.millis() - DAY.as_millis() as i64);
        rate::forget(&self.database, long_ago).await
    }

    async fn find(&self, email: &Email) -> Result<Option<user::Model>, EngineError> {
        let users = user::Entity::find().filter(user::Column::Email.eq(email.as_str()));
        Ok(users.one(self.database.reader()).await?)
    }

    async fn begin_session(&self, user: UserId) -> Result<Token, EngineError> {
        let token = Token::random()?;
        let now = self.clock.now();
        let row = session::ActiveModel {
            token_hash: Set(token.hash().to_vec()),
            user_id: Set(user.uuid()),
            created: Set(now.millis()),
            expires: Set(now.plus(self.settings.session).millis()),
        };
        self.database
            .transaction(move |transaction| {
                Box::pin(async move {
                    session::Entity::insert(row).exec_without_returning(transaction).await?;
                    Ok(())
                })
            })
            .await?;
        Ok(token)
    }

    async fn prolong(&self, token_hash: Vec<u8>, until: Timestamp) -> Result<(), EngineError> {
        self.database
            .transaction(move |transaction| {
                Box::pin(async move {
                    session::Entity::update_many()
                        .col_expr(session::Column::Expires, until.millis().into())
                        .filter(session::Column::TokenHash.eq(token_hash))
                        .exec(transaction)
                        .await?;
                    Ok(())
                })
            })
            .await
    }

    async fn count(&self, limits: Vec<Limit>) -> Result<Reservation, ApiError> {
        match rate::count(&self.database, self.clock.now(), limits).await? {
            Counted::Allowed(reservation) => Ok(reservation),
            Counted::Refused { what, retry_after } => Err(ApiError::TooManyRequests { what, retry_after }),
        }
    }

    fn failure_limits(&self, email: &Email, address: IpAddr) -> Vec<Limit> {
        let window = self.settings.sign_in_window;
        let minutes = window.as_secs() / 60;
        let limit = |scope: String, most: u32, who: &str, setting: &str| Limit {
            scope,
            most,
            window,
            refusal: format!("{who} may fail to sign in {most} times in {minutes} minutes (auth.{setting})."),
        };
        vec![
            limit(
                format!("sign-in:account:{email}"),
                self.settings.failures_per_account,
                "An account",
                "sign_in_failures_per_account",
            ),
            limit(
                format!("sign-in:address:{address}"),
                self.settings.failures_per_address,
                "An address",
                "sign_in_failures_per_address",
            ),
        ]
    }
}

impl From<user::Model> for User {
    fn from(row: user::Model) -> Self {
        Self {
            id: row.id.into(),
            email: row.email,
            name: row.name,
            admin: row.admin,
            created: Timestamp::from_millis(row.created),
            updated: Timestamp::from_millis(row.updated),
        }
    }
}

#[cfg(test)]
mod tests;
