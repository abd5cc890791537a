//! Email addresses, as users sign in with them.

use std::fmt;
use std::str::FromStr;

/// The longest address mail is delivered to.
const LONGEST: usize = 254;
const LONGEST_LOCAL_PART: usize = 64;
const LONGEST_LABEL: usize = 63;

/// An email address in small letters: one spelling for each account. ASCII only, so that two addresses that look
/// alike are the same; a domain of other letters has an ASCII spelling.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is no email address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("email must be an email address, such as ada@example.com.")]
pub struct NotAnEmail;

impl FromStr for Email {
    type Err = NotAnEmail;

    fn from_str(text: &str) -> Result<Self, NotAnEmail> {
        let (local, domain) = text.rsplit_once('@').ok_or(NotAnEmail)?;
        let fits = text.len() <= LONGEST && (1..=LONGEST_LOCAL_PART).contains(&local.len());
        let dots_are_inside = !local.starts_with('.') && !local.ends_with('.') && !local.contains("..");
        if fits && dots_are_inside && local.chars().all(may_stand_in_a_name) && is_domain(domain) {
            Ok(Self(text.to_lowercase()))
        } else {
            Err(NotAnEmail)
        }
    }
}

fn may_stand_in_a_name(character: char) -> bool {
    character.is_ascii_graphic() && !"@\"(),:;<>[\\]".contains(character)
}

fn is_domain(domain: &str) -> bool {
    domain.contains('.')
        && domain.split('.').all(|label| {
            (1..=LONGEST_LABEL).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|character| character.is_ascii_alphanumeric() || character == '-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_in_small_letters() {
        let email = "Ada.Lovelace+test@Example.COM".parse::<Email>();
        assert_eq!(email.map(|email| email.to_string()), Ok("ada.lovelace+test@example.com".to_owned()));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "ada",
            "ada@",
            "@example.com",
            "ada@example",
            "ada@@example.com",
            "a da@example.com",
            "ada@exa mple.com",
            "ada@-example.com",
            "ada@example..com",
            ".ada@example.com",
            "a..b@example.com",
            "ada@example.com\0",
            "ada\u{200b}@example.com",
            "\u{430}da@example.com",
            "ada@ex\u{e4}mple.com",
            "<ada@example.com>",
            "ada@example.com.",
        ] {
            assert_eq!(text.parse::<Email>(), Err(NotAnEmail), "{text:?}");
        }
    }
}
