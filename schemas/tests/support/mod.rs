//! What several tests of this crate need.

#![allow(dead_code, reason = "each test uses its part")]

pub mod asks;
pub mod mutation;
pub mod shared;
pub mod strategy;
