//! The JSON Schemas of the inputs of every kind but `form`.

use crate::file_type::FileAccept;
use crate::json_schema::{JsonSchema, Property, optional, required};
use crate::limits::Limits;

/// `choice`
pub(super) fn choice(limits: &Limits) -> JsonSchema {
    let choice = &limits.choice;
    // Other counts as one choice more than the options.
    let most_choices = choice.options_max + 1;
    let option = JsonSchema::object([
        required("id", id(limits)),
        required("label", JsonSchema::text(choice.option_label_max_length)),
        optional("description", JsonSchema::text(choice.option_description_max_length)),
    ]);
    JsonSchema::object(shared(limits).into_iter().chain(labelled_submit(limits)).chain([
        required(
            "select",
            JsonSchema::one_word_of(["one", "many"])
                .described("one: the user picks exactly one option. many: several, within the bounds."),
        ),
        required(
            "options",
            JsonSchema::list_of(choice.options_min, choice.options_max, option)
                .described("In display order. Each id is used once."),
        ),
        optional(
            "default",
            JsonSchema::list_up_to(choice.options_max, id(limits)).distinct().described(
                "Ids selected from the start: with one at most one, with many at most maxSelected. Set it to \
                 what you would suggest.",
            ),
        ),
        optional(
            "minSelected",
            JsonSchema::whole(0, most_choices)
                .described("Only with many: the fewest choices, 1 unless set. Not above maxSelected."),
        ),
        optional(
            "maxSelected",
            JsonSchema::whole(1, most_choices)
                .described("Only with many: the most choices. Not above the number of choices offered."),
        ),
        optional(
            "allowOther",
            JsonSchema::boolean().described(
                "Only with many: adds a field for an answer of the user's own, which counts as one choice. For \
                 one option or an answer of the user's own, use many with maxSelected 1.",
            ),
        ),
        optional(
            "otherLabel",
            JsonSchema::text(choice.option_label_max_length)
                .described("The label of that field, only with allowOther true."),
        ),
    ]))
}

/// `choice` on a small screen: one button for each option, so the label must fit it.
pub(super) fn compact_choice(limits: &Limits) -> JsonSchema {
    let label_max = limits.simple_card.button_label_max_length;
    let option = JsonSchema::object([
        required("id", id(limits)),
        required(
            "label",
            JsonSchema::text(label_max).described(format!(
                "At most {label_max} UTF-16 code units; most emoji count as 2 or more. Different from the other \
                 labels."
            )),
        ),
        optional("description", JsonSchema::text(limits.choice.option_description_max_length)),
    ]);
    let options = JsonSchema::list_of(limits.choice.options_min, limits.simple_card.buttons_max, option);
    JsonSchema::object(shared(limits).into_iter().chain(labelled_submit(limits)).chain([
        required("select", JsonSchema::one_word_of(["one"])),
        required("options", options.described("In display order. Each id is used once.")),
        optional(
            "default",
            JsonSchema::list_up_to(1, id(limits)).described("The id of the option you would suggest."),
        ),
    ]))
}

/// `confirm`
pub(super) fn confirm(limits: &Limits) -> JsonSchema {
    let label = |role: &str, default: &str| {
        let max = limits.confirm.label_max_length;
        JsonSchema::text(max).described(format!(
            "The {role} button, at most {max} UTF-16 code units; \"{default}\" unless set. Name what the button \
             does. The two labels differ."
        ))
    };
    JsonSchema::object(shared(limits).into_iter().chain([
        optional("confirmLabel", label("approve", "Confirm")),
        optional("denyLabel", label("deny", "Cancel")),
        optional(
            "destructive",
            JsonSchema::boolean().described("true when the action deletes data or cannot be undone."),
        ),
    ]))
}

/// `markdown`
pub(super) fn markdown(limits: &Limits) -> JsonSchema {
    let max = limits.markdown.max_length;
    JsonSchema::object(
        shared(limits).into_iter().chain(labelled_submit(limits)).chain([
            optional(
                "initial",
                JsonSchema::text_or_empty(max)
                    .described("The draft. Left out, the user writes from scratch."),
            ),
            optional(
                "placeholder",
                JsonSchema::text(limits.markdown.placeholder_max_length)
                    .described("A hint shown while the editor is empty."),
            ),
            optional(
                "minLength",
                JsonSchema::whole(0, max)
                    .described("The fewest characters of the answer. Not above maxLength."),
            ),
            optional("maxLength", JsonSchema::whole(1, max).described("The most characters of the answer.")),
        ]),
    )
}

/// `files`
pub(super) fn files(limits: &Limits) -> JsonSchema {
    let accepted = FileAccept::ALL.iter().map(|accept| accept.as_str());
    let count = || JsonSchema::whole(limits.files.min_files, limits.files.max_files);
    JsonSchema::object(
        shared(limits).into_iter().chain(labelled_submit(limits)).chain([
            required(
                "accept",
                JsonSchema::list_of(1, FileAccept::ALL.len(), JsonSchema::one_word_of(accepted))
                    .distinct()
                    .described("The types of file that help you, each once."),
            ),
            optional(
                "minFiles",
                count().described(format!(
                    "The fewest files, {} unless set. Not above maxFiles.",
                    limits.files.min_files
                )),
            ),
            optional(
                "maxFiles",
                count().described(format!("The most files, {} unless set.", limits.files.max_files)),
            ),
        ]),
    )
}

/// The fields every kind has.
pub(super) fn shared(limits: &Limits) -> [Property; 3] {
    [
        required(
            "prompt",
            JsonSchema::text(limits.shared.prompt_max_length)
                .described("The whole question, in plain text without markdown or links."),
        ),
        optional("title", JsonSchema::text(limits.shared.title_max_length).described("A short heading.")),
        optional("allowDecline", JsonSchema::boolean().described("Whether the user may skip the question.")),
    ]
}

/// The field every kind but `confirm` has.
pub(super) fn labelled_submit(limits: &Limits) -> [Property; 1] {
    let label = JsonSchema::text(limits.shared.submit_label_max_length);
    [optional("submitLabel", label.described("The label of the submit button."))]
}

/// The id of an option or a field.
pub(super) fn id(limits: &Limits) -> JsonSchema {
    JsonSchema::matching(limits.choice.option_id_pattern)
}
