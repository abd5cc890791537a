//! Typed ids: a conversation's id cannot be passed where a task's is meant.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::Timestamp;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $new:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id.
            #[expect(clippy::new_without_default, reason = "an id is made on purpose, never by default")]
            pub fn new() -> Self {
                Self($new)
            }

            /// The id as a plain UUID, for the rows.
            pub fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            /// Reads the hyphenated form only, so that an id has one spelling on the wire.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse::<uuid::fmt::Hyphenated>().map(|id| Self(id.into_uuid()))
            }
        }
    };
}

id!(
    /// A user.
    UserId,
    Uuid::now_v7()
);
id!(
    /// A conversation, which the wire calls a history.
    ConversationId,
    Uuid::now_v7()
);
id!(
    /// A durable unit of work; a turn is one.
    TaskId,
    Uuid::now_v7()
);
id!(
    /// One prompt, answer or cancel of a client, stored with every row it writes.
    CommandId,
    Uuid::now_v7()
);
id!(
    /// A typed question that pauses a turn.
    AskId,
    Uuid::now_v7()
);
id!(
    /// An upload.
    FileId,
    Uuid::now_v7()
);
id!(
    /// One incarnation of a running server process.
    NodeId,
    Uuid::now_v7()
);
id!(
    /// The random fence of one acquisition of a task.
    LeaseToken,
    Uuid::new_v4()
);

impl CommandId {
    /// When it was made.
    pub fn made(self) -> Timestamp {
        let (seconds, nanos) = self.0.get_timestamp().map_or((0, 0), |at| at.to_unix());
        Timestamp::from_millis(0).plus(Duration::new(seconds, nanos))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_id_is_read_back_from_what_it_prints() {
        let id = ConversationId::new();
        assert_eq!(id.to_string().parse::<ConversationId>().unwrap(), id);
    }

    #[test]
    fn a_command_id_tells_when_it_was_made() {
        let before = crate::clock::Clock::System.now();
        let made = CommandId::new().made();
        assert!(before <= made && made <= crate::clock::Clock::System.now());
    }

    #[test]
    fn other_spellings_of_an_id_are_refused() {
        let id = ConversationId::new().uuid();
        for text in [id.simple().to_string(), id.urn().to_string(), id.braced().to_string(), String::new()] {
            assert!(text.parse::<ConversationId>().is_err(), "{text}");
        }
    }
}
