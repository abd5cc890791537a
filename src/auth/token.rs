//! Session tokens: random words that only the client keeps.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use turnwright_actors::error::EngineError;

const RANDOM_BYTES: usize = 32;

/// A session's token. It is not printed by `Debug`, so that it reaches no log.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new token of 256 random bits.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn random() -> Result<Self, EngineError> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|_| EngineError::Invariant("the system gives no random numbers"))?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// A token as a client sent it; whether it is one of ours shows when it is looked up.
    pub fn presented(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// What the database keeps of it: whoever reads the table cannot sign in with it.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The token itself, for the client that owns it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tokens_differ_and_are_long() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!(one.reveal().len(), 43);
    }

    #[test]
    fn a_token_is_not_printed() {
        let token = Token::random().unwrap();
        assert!(!format!("{token:?}").contains(token.reveal()));
    }
}
