//! Passwords: hashed with argon2id, away from whoever serves requests, a few at a time.

use std::sync::Arc;
use std::thread::available_parallelism;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use turnwright_actors::error::EngineError;

const SALT_BYTES: usize = 16;
/// 7 MiB in five passes, which OWASP holds as strong as the library's 19 MiB in two. An idle node stays small: the
/// allocator keeps for each thread what it once used.
const MEMORY_KIB: u32 = 7 * 1024;
const PASSES: u32 = 5;
const LANES: u32 = 1;

/// A hash of a password nobody knows, verified when there is no user, so that both take the same time.
const NOBODY: &str = "$argon2id$v=19$m=7168,t=5,p=1\
    $5vwT42Ng4VA4WFmVfKgZnQ$nUpwBx2Y4IHJWC9f3HZaBoGRqG98w/spoTzSe0Nyz7g";

/// A password that may be used, 8 to 128 characters. It is not printed by `Debug`.
#[derive(Clone)]
pub struct Password(String);

impl Password {
    /// The fewest characters of a new password.
    pub const SHORTEST: usize = 8;
    /// The most characters of a new password.
    pub const LONGEST: usize = 128;

    /// A new password.
    ///
    /// # Errors
    /// A sentence, when it is too short or too long.
    pub fn new(text: String) -> Result<Self, String> {
        match text.chars().count() {
            Self::SHORTEST..=Self::LONGEST => Ok(Self(text)),
            _ => Err(format!("password must have {} to {} characters.", Self::SHORTEST, Self::LONGEST)),
        }
    }

    /// A password somebody tries. One that could never have been set is as wrong as any other.
    pub fn tried(text: String) -> Self {
        Self(text)
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Hashes and verifies passwords. Clones share the bound on how many are worked on at once.
#[derive(Clone)]
pub struct Passwords {
    places: Arc<Semaphore>,
}

impl Passwords {
    /// As many at once as the machine has cores.
    pub fn new() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self { places: Arc::new(Semaphore::new(cores)) }
    }

    /// The hash to store for a password, with a new salt.
    ///
    /// # Errors
    /// When the system has no randomness to give, or stops.
    pub async fn hash(&self, password: Password) -> Result<String, EngineError> {
        self.away(move || {
            let mut salt = [0; SALT_BYTES];
            getrandom::fill(&mut salt).map_err(|_| UNHASHABLE)?;
            let hash: PasswordHash =
                argon2()?.hash_password_with_salt(password.0.as_bytes(), &salt).map_err(|_| UNHASHABLE)?;
            Ok(hash.to_string())
        })
        .await
    }

    /// Whether the password is the one that was hashed. Without a hash it takes as long, and is not.
    ///
    /// # Errors
    /// When a stored hash cannot be read, or the system stops.
    pub async fn verify(&self, password: Password, hash: Option<String>) -> Result<bool, EngineError> {
        self.away(move || {
            let known = hash.is_some();
            let hash = hash.unwrap_or_else(|| NOBODY.to_owned());
            let hash = PasswordHash::new(&hash)
                .map_err(|_| EngineError::Invariant("a stored password hash cannot be read"))?;
            let verified = argon2()?.verify_password(password.0.as_bytes(), &hash).is_ok();
            Ok(known && verified)
        })
        .await
    }

    async fn away<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let place = self.places.clone().acquire_owned().await.map_err(|_| EngineError::Stopping)?;
        let worked = spawn_blocking(move || {
            // Kept until the work is done, also when nobody waits for it any more.
            let _place = place;
            work()
        });
        worked.await.map_err(|_| EngineError::Stopping)?
    }
}

fn argon2() -> Result<Argon2<'static>, EngineError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|_| UNHASHABLE)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

const UNHASHABLE: EngineError = EngineError::Invariant("a password cannot be hashed");

impl Default for Passwords {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn password(text: &str) -> Password {
        Password::new(text.to_owned()).unwrap()
    }

    #[tokio::test]
    async fn a_password_verifies_against_its_own_hash_only() {
        let passwords = Passwords::new();
        let hash = passwords.hash(password("correct horse")).await.unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert!(passwords.verify(password("correct horse"), Some(hash.clone())).await.unwrap());
        assert!(!passwords.verify(password("battery staple"), Some(hash)).await.unwrap());
    }

    #[tokio::test]
    async fn equal_passwords_have_different_hashes() {
        let passwords = Passwords::new();
        let one = passwords.hash(password("correct horse")).await.unwrap();
        let other = passwords.hash(password("correct horse")).await.unwrap();
        assert_ne!(one, other);
    }

    #[tokio::test]
    async fn nobody_has_no_password() {
        assert!(!Passwords::new().verify(password("correct horse"), None).await.unwrap());
    }

    #[tokio::test]
    async fn verifying_nobody_costs_what_verifying_a_user_costs() {
        let user = Passwords::new().hash(password("correct horse")).await.unwrap();
        let params = |hash: &str| Params::try_from(&PasswordHash::new(hash).unwrap()).unwrap();
        assert_eq!(params(NOBODY), params(&user));
    }

    #[test]
    fn a_new_password_has_8_to_128_characters() {
        for (length, taken) in [(7, false), (8, true), (128, true), (129, false)] {
            assert_eq!(Password::new("ä".repeat(length)).is_ok(), taken, "{length}");
        }
    }
}
