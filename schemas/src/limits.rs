//! Every number the contract promises, in one table (reference, "Limits").
//!
//! Validators, cards, prompts, JSON Schemas and docs read [`LIMITS`]; nothing else spells these numbers. What
//! renders text takes `&Limits`, so that a test can change one number and see it.

/// A limit as the reference prints it.
trait Printed {
    fn printed(&self) -> String;
}

impl Printed for usize {
    fn printed(&self) -> String {
        self.to_string()
    }
}

impl Printed for u64 {
    fn printed(&self) -> String {
        self.to_string()
    }
}

impl Printed for &'static str {
    fn printed(&self) -> String {
        (*self).to_owned()
    }
}

/// Declares a group of limits: the struct, its values and its rows come from the same lines.
macro_rules! limit_group {
    (
        $(#[$group_doc:meta])*
        $group:ident {
            $( $(#[$doc:meta])* $field:ident $key:literal: $type:ty = $value:expr; )*
        }
    ) => {
        $(#[$group_doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $group {
            $( $(#[$doc])* pub $field: $type, )*
        }

        impl $group {
            const STANDARD: Self = Self { $( $field: $value, )* };

            fn push_rows(&self, rows: &mut Vec<(&'static str, String)>) {
                $( rows.push(($key, self.$field.printed())); )*
            }
        }
    };
}

limit_group! {
    /// Limits that every kind shares. Lengths of text are in characters (Unicode code points).
    SharedLimits {
        /// `reason` of a `cancel` answer.
        cancel_reason_max_length "cancelReasonMaxLength": usize = 200;
        /// Asks one conversation can wait on at a time.
        pending_asks_per_history "pendingAsksPerHistory": usize = 1;
        /// `prompt` of every ask.
        prompt_max_length "promptMaxLength": usize = 500;
        /// `submitLabel` of every ask but `confirm`.
        submit_label_max_length "submitLabelMaxLength": usize = 24;
        /// `title` of every ask.
        title_max_length "titleMaxLength": usize = 80;
    }
}

limit_group! {
    /// Limits of a `choice` ask and of the option lists of a form.
    ChoiceLimits {
        /// `options[].description`.
        option_description_max_length "choice.optionDescriptionMaxLength": usize = 280;
        /// Ids of options and of form fields.
        option_id_max_length "choice.optionIdMaxLength": usize = 64;
        /// The regular expression ids of options and of form fields match.
        option_id_pattern "choice.optionIdPattern": &'static str = "^[a-z0-9][a-z0-9_-]{0,63}$";
        /// `options[].label`, also in a form.
        option_label_max_length "choice.optionLabelMaxLength": usize = 120;
        /// Most entries of `options`, `default` and `selected`, and of a form's options and `multiselect` value.
        options_max "choice.optionsMax": usize = 50;
        /// Fewest entries of `options`.
        options_min "choice.optionsMin": usize = 2;
        /// `content.other`.
        other_max_length "choice.otherMaxLength": usize = 500;
    }
}

limit_group! {
    /// Limits of a `confirm` ask.
    ConfirmLimits {
        /// `confirmLabel` and `denyLabel`, in UTF-16 code units.
        label_max_length "confirm.labelMaxLength": usize = 20;
    }
}

limit_group! {
    /// Limits of a `files` ask.
    FilesLimits {
        /// Bytes of one file when the host sets no cap of its own.
        default_max_file_size_bytes "files.defaultMaxFileSizeBytes": u64 = 10_485_760;
        /// `content.files[].filename`.
        filename_max_length "files.filenameMaxLength": usize = 255;
        /// Highest `minFiles` and `maxFiles`, and the default of `maxFiles`.
        max_files "files.maxFiles": usize = 10;
        /// Lowest `minFiles` and `maxFiles`, and the default of `minFiles`.
        min_files "files.minFiles": usize = 1;
        /// Bytes of a text, CSV or JSON file that the model sees.
        text_max_bytes "files.textMaxBytes": usize = 100_000;
    }
}

limit_group! {
    /// Limits of a `form` ask.
    FormLimits {
        /// Most `fields`.
        fields_max "form.fieldsMax": usize = 8;
        /// Fewest `fields`.
        fields_min "form.fieldsMin": usize = 1;
        /// `fields[].helperText`.
        helper_text_max_length "form.helperTextMaxLength": usize = 280;
        /// `fields[].label`.
        label_max_length "form.labelMaxLength": usize = 120;
        /// Most digits of a `phone` value.
        phone_digits_max "form.phoneDigitsMax": usize = 15;
        /// Fewest digits of a `phone` value.
        phone_digits_min "form.phoneDigitsMin": usize = 7;
        /// A `text`, `email`, `url` or `phone` value, in UTF-16 code units.
        text_max_length "form.textMaxLength": usize = 2_000;
        /// A `textarea` value, in UTF-16 code units.
        textarea_max_length "form.textareaMaxLength": usize = 10_000;
    }
}

limit_group! {
    /// Limits of a `markdown` ask.
    MarkdownLimits {
        /// `initial`, `maxLength` and the answer, in UTF-16 code units.
        max_length "markdown.maxLength": usize = 20_000;
        /// `placeholder`.
        placeholder_max_length "markdown.placeholderMaxLength": usize = 120;
    }
}

limit_group! {
    /// Limits of a simple card, in UTF-16 code units.
    SimpleCardLimits {
        /// `buttons[].label`.
        button_label_max_length "simpleCard.buttonLabelMaxLength": usize = 20;
        /// Most `buttons`.
        buttons_max "simpleCard.buttonsMax": usize = 3;
        /// `text`.
        text_max_length "simpleCard.textMaxLength": usize = 140;
        /// `title`.
        title_max_length "simpleCard.titleMaxLength": usize = 40;
    }
}

/// The whole table, grouped as its keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Limits that every kind shares; their keys have no prefix.
    pub shared: SharedLimits,
    /// `choice.*`
    pub choice: ChoiceLimits,
    /// `confirm.*`
    pub confirm: ConfirmLimits,
    /// `files.*`
    pub files: FilesLimits,
    /// `form.*`
    pub form: FormLimits,
    /// `markdown.*`
    pub markdown: MarkdownLimits,
    /// `simpleCard.*`
    pub simple_card: SimpleCardLimits,
}

/// The limits of this build.
pub static LIMITS: Limits = Limits {
    shared: SharedLimits::STANDARD,
    choice: ChoiceLimits::STANDARD,
    confirm: ConfirmLimits::STANDARD,
    files: FilesLimits::STANDARD,
    form: FormLimits::STANDARD,
    markdown: MarkdownLimits::STANDARD,
    simple_card: SimpleCardLimits::STANDARD,
};

impl Limits {
    /// Every limit as `(key, value)`, sorted by key, as the reference's table prints them.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let Self { shared, choice, confirm, files, form, markdown, simple_card } = self;
        let mut rows = Vec::new();
        shared.push_rows(&mut rows);
        choice.push_rows(&mut rows);
        confirm.push_rows(&mut rows);
        files.push_rows(&mut rows);
        form.push_rows(&mut rows);
        markdown.push_rows(&mut rows);
        simple_card.push_rows(&mut rows);
        rows.sort_unstable_by_key(|(key, _)| *key);
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_names_one_limit() {
        let rows = LIMITS.rows();
        let mut keys: Vec<_> = rows.iter().map(|(key, _)| *key).collect();
        keys.dedup();
        assert_eq!(keys.len(), rows.len());
    }

    #[test]
    fn the_id_pattern_spells_the_same_length_as_the_id_limit() {
        let longest_tail = LIMITS.choice.option_id_max_length - 1;
        let tail = format!("{{0,{longest_tail}}}$");
        assert!(LIMITS.choice.option_id_pattern.ends_with(&tail));
    }

    #[test]
    fn a_changed_limit_shows_in_its_row() {
        let mut limits = LIMITS.clone();
        limits.choice.options_max = 7;
        assert!(limits.rows().contains(&("choice.optionsMax", "7".to_owned())));
    }
}
