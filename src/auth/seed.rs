//! The users of a development machine. Their passwords are public.

use turnwright_actors::error::EngineError;

use super::accounts::{Accounts, SignUp};
use super::email::Email;
use super::password::Password;

const USERS: [(&str, &str, &str, bool); 2] = [
    ("test@example.com", "testpassword123", "Test User", false),
    ("admin@example.com", "adminpassword123", "Admin User", true),
];

/// Makes the users that are missing. Safe to run from several processes at once.
///
/// # Errors
/// When the database fails.
pub async fn seed(accounts: &Accounts) -> Result<(), EngineError> {
    const WRONG: EngineError = EngineError::Invariant("a development user cannot be made");
    for (email, password, name, admin) in USERS {
        let email: Email = email.parse().map_err(|_| WRONG)?;
        let password = Password::new(password.to_owned()).map_err(|_| WRONG)?;
        accounts.add(SignUp { email, password, name: name.to_owned(), admin }).await?;
    }
    Ok(())
}
