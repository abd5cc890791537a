#![allow(clippy::unwrap_used, clippy::panic)]
use tempfile::TempDir;

use super::*;
use crate::database;
use crate::settings::{DatabaseLocation, Settings, Sources};

const HOUR: Duration = Duration::from_secs(60 * 60);
const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const AWAY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

struct Fixture {
    accounts: Accounts,
    clock: Clock,
    _folder: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut AuthSettings)) -> Self {
        let folder = TempDir::new().unwrap();
        let location = DatabaseLocation::Sqlite(folder.path().join("t.db"));
        let database = database::open(&location, std::time::Duration::from_secs(15)).await.unwrap();
        database::migrate(&database).await.unwrap();
        let clock = Clock::manual(Timestamp::from_millis(1_800_000_000_000));
        let mut settings = Settings::load(&Sources::default()).unwrap().auth;
        change(&mut settings);
        Self { accounts: Accounts::new(database, clock.clone(), settings), clock, _folder: folder }
    }

    async fn sign_up(&self, email: &str, address: IpAddr) -> Result<(Token, User), ApiError> {
        let form = SignUp {
            email: email.parse().unwrap(),
            password: Password::new("correct horse".to_owned()).unwrap(),
            name: "Ada".to_owned(),
            admin: false,
        };
        self.accounts.sign_up(form, address).await
    }

    async fn sign_in(&self, email: &str, password: &str) -> Result<(Token, User), ApiError> {
        let password = Password::tried(password.to_owned());
        self.accounts.sign_in(email.parse().unwrap(), password, HOME).await
    }
}

fn too_many<T>(result: Result<T, ApiError>) -> bool {
    matches!(result, Err(ApiError::TooManyRequests { .. }))
}

fn wrong<T>(result: Result<T, ApiError>) -> bool {
    matches!(result, Err(ApiError::WrongPassword))
}

#[tokio::test]
async fn a_user_signs_in_with_the_password_it_chose_and_no_other() {
    let fixture = Fixture::new().await;
    let (_, user) = fixture.sign_up("Ada@example.com", HOME).await.unwrap();
    let (_, again) = fixture.sign_in("ada@EXAMPLE.com", "correct horse").await.unwrap();
    assert_eq!(again, user);
    assert!(wrong(fixture.sign_in("ada@example.com", "battery staple").await));
    assert!(wrong(fixture.sign_in("nobody@example.com", "correct horse").await));
}

#[tokio::test]
async fn an_address_has_one_user_however_many_sign_up_at_once() {
    let fixture = Fixture::new().await;
    let (one, other) =
        tokio::join!(fixture.sign_up("ada@example.com", HOME), fixture.sign_up("ada@example.com", HOME));
    let taken = |result: &Result<_, ApiError>| matches!(result, Err(ApiError::EmailTaken));
    assert_eq!([&one, &other].into_iter().filter(|result| taken(result)).count(), 1);
}

#[tokio::test]
async fn a_session_that_is_used_lives_on_and_one_that_is_not_ends() {
    let fixture = Fixture::new().await;
    let (used, user) = fixture.sign_up("ada@example.com", HOME).await.unwrap();
    let (unused, _) = fixture.sign_in("ada@example.com", "correct horse").await.unwrap();
    for _ in 0..31 {
        fixture.clock.advance(24 * HOUR);
        let session = fixture.accounts.session(&used).await.unwrap().unwrap();
        assert_eq!(session.user, user);
    }
    assert_eq!(fixture.accounts.session(&unused).await.unwrap(), None);
    fixture.clock.advance(31 * 24 * HOUR);
    assert_eq!(fixture.accounts.session(&used).await.unwrap(), None);
}

#[tokio::test]
async fn a_session_that_was_signed_out_has_ended() {
    let fixture = Fixture::new().await;
    let (token, _) = fixture.sign_up("ada@example.com", HOME).await.unwrap();
    let (other, _) = fixture.sign_in("ada@example.com", "correct horse").await.unwrap();
    fixture.accounts.sign_out(&token).await.unwrap();
    assert_eq!(fixture.accounts.session(&token).await.unwrap(), None);
    assert!(fixture.accounts.session(&other).await.unwrap().is_some());
}

#[tokio::test]
async fn a_made_up_token_is_no_session() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.accounts.session(&Token::presented("guess")).await.unwrap(), None);
}

#[tokio::test]
async fn after_so_many_failures_an_account_is_closed_until_the_window_ends() {
    let fixture = Fixture::with(|settings| settings.failures_per_account = 3).await;
    fixture.sign_up("ada@example.com", HOME).await.unwrap();
    for _ in 0..3 {
        assert!(wrong(fixture.sign_in("ada@example.com", "battery staple").await));
    }
    let Err(ApiError::TooManyRequests { what, retry_after }) =
        fixture.sign_in("ada@example.com", "correct horse").await
    else {
        panic!("the fourth was let in")
    };
    assert!(what.contains("auth.sign_in_failures_per_account"), "{what}");
    assert_eq!(retry_after, Duration::from_secs(15 * 60));
    fixture.clock.advance(retry_after);
    assert!(fixture.sign_in("ada@example.com", "correct horse").await.is_ok());
}

#[tokio::test]
async fn failures_at_the_same_time_do_not_slip_past_the_limit() {
    let fixture = Fixture::with(|settings| settings.failures_per_account = 3).await;
    let tries = (0..8).map(|_| fixture.sign_in("ada@example.com", "battery staple"));
    let outcomes = futures_util::future::join_all(tries).await;
    assert_eq!(
        outcomes.into_iter().filter(|outcome| matches!(outcome, Err(ApiError::WrongPassword))).count(),
        3
    );
}

#[tokio::test]
async fn failures_for_many_accounts_count_for_the_address() {
    let fixture = Fixture::with(|settings| settings.failures_per_address = 2).await;
    assert!(wrong(fixture.sign_in("a@example.com", "battery staple").await));
    assert!(wrong(fixture.sign_in("b@example.com", "battery staple").await));
    assert!(too_many(fixture.sign_in("c@example.com", "battery staple").await));
}

#[tokio::test]
async fn signing_in_well_counts_for_nothing() {
    let fixture = Fixture::with(|settings| settings.failures_per_account = 2).await;
    fixture.sign_up("ada@example.com", HOME).await.unwrap();
    for _ in 0..4 {
        assert!(fixture.sign_in("ada@example.com", "correct horse").await.is_ok());
    }
}

#[tokio::test]
async fn sign_ups_from_one_address_are_limited_except_on_this_machine() {
    let fixture = Fixture::with(|settings| settings.sign_ups_per_minute = 1).await;
    assert!(fixture.sign_up("a@example.com", AWAY).await.is_ok());
    assert!(too_many(fixture.sign_up("b@example.com", AWAY).await));
    for email in ["c@example.com", "d@example.com"] {
        assert!(fixture.sign_up(email, HOME).await.is_ok());
    }
    fixture.clock.advance(MINUTE);
    assert!(fixture.sign_up("b@example.com", AWAY).await.is_ok());
}

#[tokio::test]
async fn sweeping_removes_what_has_ended_and_nothing_else() {
    let fixture = Fixture::with(|settings| settings.failures_per_account = 1).await;
    let (token, _) = fixture.sign_up("ada@example.com", HOME).await.unwrap();
    assert!(wrong(fixture.sign_in("ada@example.com", "battery staple").await));
    fixture.accounts.sweep().await.unwrap();
    assert!(fixture.accounts.session(&token).await.unwrap().is_some());
    assert!(too_many(fixture.sign_in("ada@example.com", "correct horse").await));
    fixture.clock.advance(31 * 24 * HOUR);
    fixture.accounts.sweep().await.unwrap();
    let rows = session::Entity::find().all(fixture.accounts.database.reader()).await.unwrap();
    assert!(rows.is_empty());
}

#[tokio::test]
async fn seeding_twice_makes_the_two_users_once() {
    let fixture = Fixture::new().await;
    let (one, other) =
        tokio::join!(crate::auth::seed(&fixture.accounts), crate::auth::seed(&fixture.accounts));
    one.and(other).unwrap();
    let (_, user) = fixture.sign_in("test@example.com", "testpassword123").await.unwrap();
    let (_, admin) = fixture.sign_in("admin@example.com", "adminpassword123").await.unwrap();
    assert!(!user.admin && admin.admin);
    assert_eq!(user::Entity::find().all(fixture.accounts.database.reader()).await.unwrap().len(), 2);
}
