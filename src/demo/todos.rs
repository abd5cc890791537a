//! The to-do list of each user that the demo agent works on.

use std::fmt;
use std::str::FromStr;

use sea_orm::sea_query::Query;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, IntoActiveModel,
    ModelTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Set,
};
use turnwright_actors::clock::{Clock, Timestamp};
use turnwright_actors::error::EngineError;
use turnwright_actors::ids::UserId;
use turnwright_actors::store::Database;
use uuid::Uuid;

use row::Entity;

/// The rows of table `demo_todos`.
mod row {
    use sea_orm::entity::prelude::*;

    #[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "demo_todos")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub user_id: Uuid,
        /// A JSON string, because Postgres refuses some characters in a plain one.
        pub title: String,
        pub completed: bool,
        pub created: i64,
        pub updated: i64,
    }

    #[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// The id of a todo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TodoId(Uuid);

/// What a todo says: 1 to 200 characters, some of them visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoTitle(String);

/// Why a text is no title, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TitleError {
    /// It is empty or only white space.
    #[error("A todo's title must contain visible characters.")]
    Blank,
    /// It is too long.
    #[error("A todo's title holds at most {longest} characters.", longest = TodoTitle::LONGEST)]
    TooLong,
}

/// One todo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// Its id.
    pub id: TodoId,
    /// What is to be done.
    pub title: String,
    /// Whether it is done.
    pub completed: bool,
    /// When it was added.
    pub created: Timestamp,
    /// When it was last changed.
    pub updated: Timestamp,
}

/// What to change of a todo; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct TodoChange {
    /// The new title.
    pub title: Option<TodoTitle>,
    /// Whether it is done now.
    pub completed: Option<bool>,
}

/// Every user's todos. Each operation touches only those of the user it names.
#[derive(Clone)]
pub struct Todos {
    database: Database,
    clock: Clock,
}

impl Todos {
    /// The todos in `database`.
    pub fn new(database: Database, clock: Clock) -> Self {
        Self { database, clock }
    }

    /// Up to `limit` of the user's todos after the first `skipped`, oldest first, and how many there are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(
        &self,
        user: UserId,
        skipped: u64,
        limit: u64,
    ) -> Result<(Vec<Todo>, u64), EngineError> {
        let all = Entity::find().filter(row::Column::UserId.eq(user.uuid()));
        let total = all.clone().count(self.database.reader()).await?;
        let page = all
            .order_by_asc(row::Column::Created)
            .order_by_asc(row::Column::Id)
            .offset(skipped)
            .limit(limit)
            .all(self.database.reader())
            .await?;
        Ok((page.into_iter().map(Todo::try_from).collect::<Result<_, _>>()?, total))
    }

    /// Adds a todo that is not completed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn add(&self, user: UserId, title: TodoTitle) -> Result<Todo, EngineError> {
        let now = self.clock.now();
        let todo =
            Todo { id: TodoId(Uuid::now_v7()), title: title.0, completed: false, created: now, updated: now };
        let row = row::Model {
            id: todo.id.0,
            user_id: user.uuid(),
            title: stored_title(&todo.title)?,
            completed: todo.completed,
            created: now.millis(),
            updated: now.millis(),
        };
        self.database
            .transaction(move |transaction| {
                Box::pin(async move {
                    Entity::insert(row.into_active_model()).exec_without_returning(transaction).await?;
                    Ok(())
                })
            })
            .await?;
        Ok(todo)
    }

    /// Changes one of the user's todos and returns it; `None` when the user has none with that id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn change(
        &self,
        user: UserId,
        id: TodoId,
        change: TodoChange,
    ) -> Result<Option<Todo>, EngineError> {
        let title = change.title.map(|title| stored_title(&title.0)).transpose()?;
        let now = self.clock.now();
        self.database
            .transaction(move |transaction| {
                Box::pin(async move {
                    let Some(found) = owned(user, id).lock_exclusive().one(transaction).await? else {
                        return Ok(None);
                    };
                    let mut row = found.into_active_model();
                    if let Some(title) = title {
                        row.title = Set(title);
                    }
                    if let Some(completed) = change.completed {
                        row.completed = Set(completed);
                    }
                    row.updated = Set(now.millis());
                    Todo::try_from(row.update(transaction).await?).map(Some)
                })
            })
            .await
    }

    /// Deletes one of the user's todos; `false` when the user has none with that id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete(&self, user: UserId, id: TodoId) -> Result<bool, EngineError> {
        self.database
            .transaction(move |transaction| {
                Box::pin(async move {
                    match owned(user, id).one(transaction).await? {
                        Some(found) => Ok(found.delete(transaction).await?.rows_affected > 0),
                        None => Ok(false),
                    }
                })
            })
            .await
    }

    /// Deletes the user's completed todos and returns their titles, oldest first.
    ///
    /// # Errors
    /// When the database fails; then none is deleted.
    pub async fn delete_completed(&self, user: UserId) -> Result<Vec<String>, EngineError> {
        // One statement, so that what it returns is exactly what it deleted.
        let delete = Query::delete()
            .from_table(Entity)
            .and_where(row::Column::UserId.eq(user.uuid()))
            .and_where(row::Column::Completed.eq(true))
            .returning_all()
            .to_owned();
        let mut deleted = self
            .database
            .transaction(move |transaction| {
                Box::pin(async move {
                    let rows = transaction.query_all(&delete).await?;
                    rows.iter()
                        .map(|row| Todo::try_from(row::Model::from_query_result(row, "")?))
                        .collect::<Result<Vec<_>, _>>()
                })
            })
            .await?;
        deleted.sort_by_key(|todo| (todo.created, todo.id.0));
        Ok(deleted.into_iter().map(|todo| todo.title).collect())
    }
}

fn owned(user: UserId, id: TodoId) -> sea_orm::Select<Entity> {
    Entity::find_by_id(id.0).filter(row::Column::UserId.eq(user.uuid()))
}

fn stored_title(title: &str) -> Result<String, EngineError> {
    serde_json::to_string(title).map_err(corrupt_title)
}

fn corrupt_title(source: serde_json::Error) -> EngineError {
    EngineError::Corrupt { what: "todo title", source }
}

impl TodoTitle {
    /// The most characters of a title.
    pub const LONGEST: usize = 200;

    /// Takes a text as a title.
    ///
    /// # Errors
    /// When it is blank or too long.
    pub fn parse(text: String) -> Result<Self, TitleError> {
        if text.trim().is_empty() {
            Err(TitleError::Blank)
        } else if text.chars().count() > Self::LONGEST {
            Err(TitleError::TooLong)
        } else {
            Ok(Self(text))
        }
    }
}

impl TryFrom<row::Model> for Todo {
    type Error = EngineError;

    fn try_from(row: row::Model) -> Result<Self, EngineError> {
        Ok(Self {
            id: TodoId(row.id),
            title: serde_json::from_str(&row.title).map_err(corrupt_title)?,
            completed: row.completed,
            created: Timestamp::from_millis(row.created),
            updated: Timestamp::from_millis(row.updated),
        })
    }
}

impl fmt::Display for TodoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for TodoId {
    type Err = uuid::Error;

    /// Reads the hyphenated form only, so that an id has one spelling on the wire.
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse::<uuid::fmt::Hyphenated>().map(|id| Self(id.into_uuid()))
    }
}

#[cfg(test)]
pub(super) mod tests;
