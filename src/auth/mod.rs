//! Sign-in: users, their passwords and sessions (DESIGN section 8).

mod accounts;
mod email;
mod entity;
mod password;
mod rate;
mod seed;
mod signed_in;
mod token;

pub use accounts::{Accounts, Session, SignUp, User};
pub use email::{Email, NotAnEmail};
pub use password::Password;
pub use seed::seed;
pub use signed_in::{BearerToken, SignedIn};
pub use token::Token;
