//! Todos on a real database.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use proptest::prelude::*;
use sea_orm::sea_query::Alias;
use tempfile::TempDir;
use turnwright_migrations::{Migrator, MigratorTrait};

use super::*;

/// Todos in a database of their own, and two users.
pub(in crate::demo) struct Fixture {
    pub(in crate::demo) database: Database,
    pub(in crate::demo) todos: Todos,
    pub(in crate::demo) ann: UserId,
    pub(in crate::demo) bob: UserId,
    pub(in crate::demo) clock: Clock,
    _folder: TempDir,
}

impl Fixture {
    pub(in crate::demo) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}?mode=rwc", folder.path().join("test.db").display());
        Migrator::up(&sea_orm::Database::connect(&url).await.unwrap(), None).await.unwrap();
        let database = Database::open(&url, std::time::Duration::from_secs(15)).await.unwrap();
        let clock = Clock::manual(Timestamp::from_millis(1_000));
        let (ann, bob) = (user(&database, "ann").await, user(&database, "bob").await);
        let todos = Todos::new(database.clone(), clock.clone());
        Self { database, todos, ann, bob, clock, _folder: folder }
    }

    pub(in crate::demo) async fn add(&self, user: UserId, title: &str) -> Todo {
        self.todos.add(user, TodoTitle::parse(title.to_owned()).unwrap()).await.unwrap()
    }

    pub(in crate::demo) async fn complete(&self, user: UserId, title: &str) -> Todo {
        let added = self.add(user, title).await;
        let done = TodoChange { completed: Some(true), ..TodoChange::default() };
        self.todos.change(user, added.id, done).await.unwrap().unwrap()
    }

    pub(in crate::demo) async fn titles(&self, user: UserId) -> Vec<String> {
        let (todos, _) = self.todos.list(user, 0, 100).await.unwrap();
        todos.into_iter().map(|todo| todo.title).collect()
    }
}

async fn user(database: &Database, name: &'static str) -> UserId {
    let id = UserId::new();
    let insert = Query::insert()
        .into_table(Alias::new("users"))
        .columns(["id", "email", "name", "password_hash", "admin", "created", "updated"].map(Alias::new))
        .values_panic([
            id.uuid().into(),
            name.into(),
            name.into(),
            "".into(),
            false.into(),
            0i64.into(),
            0i64.into(),
        ])
        .to_owned();
    database
        .transaction(move |transaction| {
            Box::pin(async move {
                transaction.execute(&insert).await?;
                Ok(())
            })
        })
        .await
        .unwrap();
    id
}

#[tokio::test]
async fn a_todo_is_added_open_and_listed_oldest_first() {
    let fixture = Fixture::new().await;
    let first = fixture.add(fixture.ann, "first").await;
    fixture.clock.advance(Duration::from_millis(5));
    let second = fixture.add(fixture.ann, "second").await;
    assert!(!first.completed);
    assert_eq!((second.created.millis(), second.updated.millis()), (1_005, 1_005));
    assert_eq!(
        fixture.todos.list(fixture.ann, 0, 10).await.unwrap(),
        (vec![first.clone(), second.clone()], 2)
    );
    assert_eq!(fixture.todos.list(fixture.ann, 1, 10).await.unwrap(), (vec![second], 2));
    assert_eq!(fixture.todos.list(fixture.ann, 0, 1).await.unwrap(), (vec![first], 2));
}

#[tokio::test]
async fn a_change_touches_what_it_names_and_the_time() {
    let fixture = Fixture::new().await;
    let added = fixture.add(fixture.ann, "draft").await;
    fixture.clock.advance(Duration::from_millis(7));
    let title = TodoTitle::parse("final".to_owned()).unwrap();
    let change = TodoChange { title: Some(title), completed: None };
    let changed = fixture.todos.change(fixture.ann, added.id, change).await.unwrap().unwrap();
    let expected = Todo { title: "final".to_owned(), updated: Timestamp::from_millis(1_007), ..added };
    assert_eq!(changed, expected);
    assert_eq!(fixture.todos.list(fixture.ann, 0, 10).await.unwrap().0, [expected]);
}

#[tokio::test]
async fn nobody_sees_changes_or_deletes_the_todos_of_another() {
    let fixture = Fixture::new().await;
    let todo = fixture.complete(fixture.ann, "mine").await;
    assert!(fixture.titles(fixture.bob).await.is_empty());
    assert_eq!(fixture.todos.change(fixture.bob, todo.id, TodoChange::default()).await.unwrap(), None);
    assert!(!fixture.todos.delete(fixture.bob, todo.id).await.unwrap());
    assert!(fixture.todos.delete_completed(fixture.bob).await.unwrap().is_empty());
    assert_eq!(fixture.titles(fixture.ann).await, ["mine"]);
}

#[tokio::test]
async fn a_deleted_todo_is_gone() {
    let fixture = Fixture::new().await;
    let todo = fixture.add(fixture.ann, "once").await;
    assert!(fixture.todos.delete(fixture.ann, todo.id).await.unwrap());
    assert!(!fixture.todos.delete(fixture.ann, todo.id).await.unwrap());
    assert_eq!(fixture.todos.change(fixture.ann, todo.id, TodoChange::default()).await.unwrap(), None);
}

#[tokio::test]
async fn completed_todos_are_deleted_and_named_oldest_first() {
    let fixture = Fixture::new().await;
    for title in ["one", "two", "three"] {
        fixture.complete(fixture.ann, title).await;
        fixture.clock.advance(Duration::from_millis(1));
    }
    fixture.add(fixture.ann, "open").await;
    assert_eq!(fixture.todos.delete_completed(fixture.ann).await.unwrap(), ["one", "two", "three"]);
    assert_eq!(fixture.titles(fixture.ann).await, ["open"]);
    assert!(fixture.todos.delete_completed(fixture.ann).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_title_is_kept_to_the_character() {
    let fixture = Fixture::new().await;
    let title = " \"quoted\" \\ \u{0} \u{1F680} é ";
    fixture.add(fixture.ann, title).await;
    assert_eq!(fixture.titles(fixture.ann).await, [title]);
}

#[test]
fn a_title_has_1_to_200_characters_some_of_them_visible() {
    let parse = |text: &str| TodoTitle::parse(text.to_owned());
    assert!(parse("x").is_ok());
    assert!(parse(&"\u{1F680}".repeat(200)).is_ok());
    assert_eq!(parse(&"x".repeat(201)), Err(TitleError::TooLong));
    assert_eq!(parse(""), Err(TitleError::Blank));
    assert_eq!(parse(" \n\t"), Err(TitleError::Blank));
    assert_eq!(TitleError::TooLong.to_string(), "A todo's title holds at most 200 characters.");
}

proptest! {
    #[test]
    fn an_id_is_read_from_its_one_spelling_only(text in ".{0,40}") {
        let id = TodoId(Uuid::now_v7());
        prop_assert_eq!(id.to_string().parse::<TodoId>(), Ok(id));
        prop_assert!(id.0.simple().to_string().parse::<TodoId>().is_err());
        let _ = text.parse::<TodoId>();
    }
}
