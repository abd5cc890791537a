//! The rows: SeaORM on SQLite or Postgres, and every transaction of the engine.

mod database;

pub use database::Database;
