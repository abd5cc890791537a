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
    ChangedMismatch "CHANGED_MISMATCH" "A markdown answer's changed flag does not match whether its text differs from the draft.";
    DeclineNotAllowed "DECLINE_NOT_ALLOWED" "The answer skips an ask that does not allow skipping.";
    DefaultNotInOptions "DEFAULT_NOT_IN_OPTIONS" "A default names an option id that the ask does not offer.";
    DuplicateId "DUPLICATE_ID" "An id appears twice where ids must be unique: options, default, accept, or an answer.";
    DuplicateLabel "DUPLICATE_LABEL" "Two buttons would share a label: options of a compact ask, or a confirm's approve and deny.";
    FieldTypeMismatch "FIELD_TYPE_MISMATCH" "A form value or default does not fit its field's type: the wrong JSON type, not a whole number, or not a valid email, URL, or phone number.";
    FileCount "FILE_COUNT" "A files answer has fewer files than minFiles or more than maxFiles.";
    FileNotOwned "FILE_NOT_OWNED" "A files answer names a fileId that is not an upload of the caller, or the host has no file storage.";
    FileTooLarge "FILE_TOO_LARGE" "A file is larger than the host's per-file upload cap.";
    FileTypeNotAccepted "FILE_TYPE_NOT_ACCEPTED" "A file's declared type is not one the ask's accept list allows.";
    InvalidDate "INVALID_DATE" "A form date, time, or datetime value or default is not a real ISO 8601 value in the field's format.";
    InvalidEnum "INVALID_ENUM" "A value is not one of the allowed values.";
    InvalidFormat "INVALID_FORMAT" "A string does not match its required format.";
    InvalidType "INVALID_TYPE" "A value has the wrong type.";
    MimeMismatch "MIME_MISMATCH" "A file's bytes, or its data URL's media type, do not match the type the answer declares.";
    MissingRequired "MISSING_REQUIRED" "A required field is missing.";
    OptionNotOffered "OPTION_NOT_OFFERED" "The answer selects an option id that the ask did not offer.";
    OtherNotAllowed "OTHER_NOT_ALLOWED" "An ask or an answer uses Other where the ask does not allow it.";
    OutOfRange "OUT_OF_RANGE" "A form number value or default is below the field's min or above its max.";
    RangeInvalid "RANGE_INVALID" "A count or length bound is out of range: below its minimum, above what the ask offers, or a minimum above its maximum.";
    RequiredField "REQUIRED_FIELD" "A form answer leaves a required field missing or blank.";
    SelectionCount "SELECTION_COUNT" "A default or an answer selects the wrong number of options.";
    TooFew "TOO_FEW" "A list has fewer items than allowed.";
    TooLong "TOO_LONG" "A string is longer than allowed.";
    TooMany "TOO_MANY" "A list has more items than allowed.";
    TooShort "TOO_SHORT" "A string is empty, only whitespace, or shorter than its minimum.";
    UnknownButton "UNKNOWN_BUTTON" "The pressed button is not on the pending ask's simple card.";
    UnknownKey "UNKNOWN_KEY" "An object has a field that its schema does not define.";
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
