//! Statements of a transaction whose outcomes nobody waits for one by one.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, QueryTrait, Statement};

/// Statements that run one after another; the first that fails is the last.
#[derive(Debug)]
pub struct Statements {
    backend: DbBackend,
    statements: Vec<Statement>,
}

impl Statements {
    /// None yet.
    pub fn new(backend: DbBackend) -> Self {
        Self { backend, statements: Vec::new() }
    }

    /// Adds one.
    pub fn add(&mut self, query: &impl QueryTrait) {
        self.statements.push(query.build(self.backend));
    }

    /// Runs them. SQLite takes them all in one text: the way to the thread of its connection and back costs more than
    /// what most of them do. Postgres takes parameters for one statement only.
    ///
    /// # Errors
    /// When one of them fails; the transaction must then be rolled back.
    pub async fn run(self, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        let statements = match self.backend {
            DbBackend::Sqlite => joined(self.statements).into_iter().collect(),
            _ => self.statements,
        };
        for statement in statements {
            tx.execute_raw(statement).await?;
        }
        Ok(())
    }
}

/// One text with the parameters of all, in their order: SQLite's parameters are not numbered.
fn joined(statements: Vec<Statement>) -> Option<Statement> {
    statements.into_iter().reduce(|mut all, next| {
        all.sql.push_str("; ");
        all.sql.push_str(&next.sql);
        all.values = match (all.values, next.values) {
            (Some(mut values), Some(more)) => {
                values.0.extend(more.0);
                Some(values)
            }
            (values, more) => values.or(more),
        };
        all
    })
}

#[cfg(test)]
mod tests {
    use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
    use uuid::Uuid;

    use super::*;
    use crate::store::entity::{event, inbox};

    #[test]
    fn sqlite_gets_one_text_with_every_parameter_in_order() {
        let mut statements = Statements::new(DbBackend::Sqlite);
        let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
        statements.add(&inbox::Entity::delete_many().filter(inbox::Column::ConversationId.eq(first)));
        statements.add(&inbox::Entity::delete_many());
        statements.add(
            &event::Entity::delete_many()
                .filter(event::Column::ConversationId.eq(second))
                .filter(event::Column::Seq.eq(7_i64)),
        );
        let one = joined(statements.statements).map(|one| (one.sql, one.values.map(|values| values.0)));
        let sql = "DELETE FROM \"inbox\" WHERE \"inbox\".\"conversation_id\" = ?; DELETE FROM \"inbox\"; \
                   DELETE FROM \"events\" WHERE \"events\".\"conversation_id\" = ? AND \"events\".\"seq\" = ?";
        assert_eq!(one, Some((sql.to_owned(), Some(vec![first.into(), second.into(), 7_i64.into()]))));
    }
}
