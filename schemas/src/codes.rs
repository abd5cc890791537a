//! The error codes of the contract and what they mean, in one table (reference, "Error codes").

use std::fmt;

use serde::{Deserialize, Serialize};

/// Declares the codes; the enum, the names on the wire and the meanings come from the same lines.
macro_rules! error_codes {
    ( $( $variant:ident $name:literal $meaning:literal; )* ) => {
        /// What is wrong with an ask or an answer. Codes order by their name on the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $( #[doc = $meaning] #[serde(rename = $name)] $variant, )*
        }

        impl ErrorCode {
            /// Every code, ordered by name.
            pub const ALL: &[Self] = &[ $( Self::$variant, )* ];

            /// The code's name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// What the code means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $( Self::$variant => $meaning, )* }
            }
        }
    };
}

error_codes! {
    ChangedMismatch "CHANGED_MISMATCH" "A markdown answer's changed says the opposite of what comparing its text with the draft shows.";
    DeclineNotAllowed "DECLINE_NOT_ALLOWED" "The answer skips, and this ask must be answered.";
    DefaultNotInOptions "DEFAULT_NOT_IN_OPTIONS" "A default holds an id that none of the options has.";
    DuplicateId "DUPLICATE_ID" "An id stands twice in a list whose entries must differ.";
    DuplicateLabel "DUPLICATE_LABEL" "Two buttons of the card would read the same.";
    FieldTypeMismatch "FIELD_TYPE_MISMATCH" "What a form field holds, by answer or by default, is of another type than the field: a fraction where whole numbers are wanted, say, or a text that is no email address.";
    FileCount "FILE_COUNT" "The answer holds too few files, or too many.";
    FileNotOwned "FILE_NOT_OWNED" "A fileId names no upload of whoever answers, or one whose bytes cannot be read.";
    FileTooLarge "FILE_TOO_LARGE" "A file has more bytes than this server takes.";
    FileTypeNotAccepted "FILE_TYPE_NOT_ACCEPTED" "A file declares a type that the ask does not accept.";
    InvalidDate "INVALID_DATE" "A date, time or datetime of a form does not exist, or is not written as its field wants it.";
    InvalidEnum "INVALID_ENUM" "A word stands where only certain others may.";
    InvalidFormat "INVALID_FORMAT" "A text is not written in the form that is wanted here.";
    InvalidType "INVALID_TYPE" "A value is of another JSON type than is wanted here.";
    MimeMismatch "MIME_MISMATCH" "A file is of another type than it declares: its bytes, or its data URL, show it.";
    MissingRequired "MISSING_REQUIRED" "Something that must be there is left out.";
    OptionNotOffered "OPTION_NOT_OFFERED" "The answer picks an id that is none of the ask's options.";
    OtherNotAllowed "OTHER_NOT_ALLOWED" "Other is used, and the ask does not offer it.";
    OutOfRange "OUT_OF_RANGE" "A number of a form lies below its field's min or above its max.";
    RangeInvalid "RANGE_INVALID" "A number or a bound lies outside of what it may be, or two bounds contradict each other.";
    RequiredField "REQUIRED_FIELD" "A form field that must be filled in is left out or blank.";
    SelectionCount "SELECTION_COUNT" "Too few options are picked, or too many.";
    TooFew "TOO_FEW" "A list is shorter than it may be.";
    TooLong "TOO_LONG" "A text is longer than it may be.";
    TooMany "TOO_MANY" "A list is longer than it may be.";
    TooShort "TOO_SHORT" "A text is shorter than it may be, or has nothing visible in it.";
    UnknownButton "UNKNOWN_BUTTON" "The pending ask's card has no button with this id.";
    UnknownKey "UNKNOWN_KEY" "An object has a key that means nothing there.";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_twenty_eight_codes_in_name_order() {
        assert_eq!(ErrorCode::ALL.len(), 28);
        assert!(ErrorCode::ALL.windows(2).all(|pair| pair[0].as_str() < pair[1].as_str()));
        assert!(ErrorCode::ALL.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
