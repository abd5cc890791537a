//! The rows: SeaORM on SQLite or Postgres, and every transaction of the engine.

mod database;
pub mod entity;

pub use database::Database;
