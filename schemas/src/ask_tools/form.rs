//! The JSON Schema of a `form`'s input.

use super::inputs::{id, labelled_submit, shared};
use crate::json_schema::{JsonSchema, Property, optional, required};
use crate::limits::Limits;

/// `form`
pub(super) fn form(limits: &Limits) -> JsonSchema {
    let form = &limits.form;
    let fields = JsonSchema::list_of(form.fields_min, form.fields_max, field(limits));
    JsonSchema::object(shared(limits).into_iter().chain(labelled_submit(limits)).chain([required(
        "fields",
        fields.described("In display order. Each id is used once; it keys the field's value in the answer."),
    )]))
}

/// One field: which other keys it takes depends on its type.
fn field(limits: &Limits) -> JsonSchema {
    let text_max = limits.form.text_max_length;
    let of_type = |types: &[&'static str], keys: Vec<Property>| {
        let helper_text = JsonSchema::text(limits.form.helper_text_max_length);
        let known = [
            required("type", JsonSchema::one_word_of(types.iter().copied())),
            required("id", id(limits)),
            required("label", JsonSchema::text(limits.form.label_max_length)),
            optional("helperText", helper_text.described("A line under the field.")),
            optional("required", JsonSchema::boolean().described("Whether it must be filled in.")),
        ];
        JsonSchema::object(known.into_iter().chain(keys))
    };
    JsonSchema::any_of([
        of_type(&["text"], text_keys(text_max)).described("One line of text."),
        of_type(&["textarea"], text_keys(limits.form.textarea_max_length))
            .described("Several lines of text."),
        of_type(&["email", "url", "phone"], vec![starting_with(JsonSchema::text(text_max))])
            .described("An email address, an http or https URL, or a phone number."),
        of_type(&["number"], number_keys()).described("A number."),
        of_type(&["date"], vec![starting_with(JsonSchema::matching("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))])
            .described("A calendar date, YYYY-MM-DD."),
        of_type(&["time"], vec![starting_with(JsonSchema::matching("^[0-9]{2}:[0-9]{2}$"))])
            .described("A 24-hour time, HH:mm."),
        of_type(&["datetime"], vec![starting_with(JsonSchema::nonempty())])
            .described("An ISO 8601 date and time with Z or an offset, such as 2026-10-01T09:30Z."),
        of_type(&["boolean"], vec![starting_with(JsonSchema::boolean())]).described("On or off."),
        of_type(&["select"], vec![options(limits), starting_with(id(limits))])
            .described("One of a list of options; the value is its id."),
        of_type(&["multiselect"], vec![options(limits), starting_with(several_ids(limits))])
            .described("Any of a list of options; the value is a list of ids."),
    ])
}

fn starting_with(value: JsonSchema) -> Property {
    optional("default", value.described("The value the field starts with. It must be one the field accepts."))
}

fn text_keys(max: usize) -> Vec<Property> {
    vec![
        optional("minLength", JsonSchema::whole(0, max).described("Not above maxLength.")),
        optional("maxLength", JsonSchema::whole(1, max)),
        starting_with(JsonSchema::text(max)),
    ]
}

fn number_keys() -> Vec<Property> {
    vec![
        optional("min", JsonSchema::number().described("Not above max.")),
        optional("max", JsonSchema::number()),
        optional("integer", JsonSchema::boolean().described("Whether only whole numbers fit.")),
        starting_with(JsonSchema::number()),
    ]
}

fn options(limits: &Limits) -> Property {
    let choice = &limits.choice;
    let option = JsonSchema::object([
        required("id", id(limits)),
        required("label", JsonSchema::text(choice.option_label_max_length)),
    ]);
    let options = JsonSchema::list_of(choice.options_min, choice.options_max, option);
    required("options", options.described("In display order. Each id is used once."))
}

fn several_ids(limits: &Limits) -> JsonSchema {
    JsonSchema::list_up_to(limits.choice.options_max, id(limits)).distinct()
}
