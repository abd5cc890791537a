//! How an answer is judged: the envelope alone, then the content alone, then the content against the ask.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};
use turnwright_schemas::{
    Action, Answer, Ask, AskKind, AskResponse, CancelReason, FileMimeType, FileSource, LIMITS, Surface,
};

fn ask(kind: AskKind, input: Value) -> Ask {
    Ask::parse(kind, &input, Surface::Full).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn colours() -> Ask {
    let options = json!([{"id": "red", "label": "Red"}, {"id": "blue", "label": "Blue"}]);
    let input = json!({"prompt": "Which?", "select": "many", "options": options, "maxSelected": 2, "allowOther": true});
    ask(AskKind::Choice, input)
}

fn draft() -> Ask {
    ask(AskKind::Markdown, json!({"prompt": "Edit.", "initial": "Hi", "minLength": 2, "maxLength": 6}))
}

fn details(fields: Value) -> Ask {
    ask(AskKind::Form, json!({"prompt": "Details.", "fields": fields}))
}

fn upload() -> Ask {
    ask(AskKind::Files, json!({"prompt": "Send.", "accept": ["text", "image"], "maxFiles": 2}))
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// The paths and codes of what is wrong with an answer, as "path CODE".
fn wrong(ask: &Ask, response: Value) -> Vec<String> {
    let checked = ask.check_response(&response, 10);
    checked.err().into_iter().flatten().map(|error| format!("{} {}", error.path, error.code)).collect()
}

#[test]
fn an_unknown_action_is_judged_alone() {
    assert_eq!(wrong(&colours(), json!({"action": "agree", "extra": 1})), ["action INVALID_ENUM"]);
    assert_eq!(wrong(&colours(), json!({"action": null})), ["action INVALID_ENUM"]);
    assert_eq!(wrong(&colours(), json!({"extra": 1})), ["action MISSING_REQUIRED"]);
    assert_eq!(wrong(&colours(), json!("accept")), [" INVALID_TYPE"]);
}

#[test]
fn an_envelope_error_stands_alone() {
    let response = json!({"action": "accept", "content": {"selected": ["green"]}, "reason": "x"});
    assert_eq!(wrong(&colours(), response), ["reason UNKNOWN_KEY"]);
    let response = json!({"action": "accept", "content": [], "reason": "x"});
    assert_eq!(wrong(&colours(), response), ["content INVALID_TYPE", "reason UNKNOWN_KEY"]);
    let response = json!({"action": "cancel", "reason": "x".repeat(201)});
    assert_eq!(wrong(&colours(), response), ["reason TOO_LONG"]);
}

#[test]
fn a_content_error_is_not_held_against_the_ask() {
    let response = accept(json!({"selected": ["green"], "other": " "}));
    assert_eq!(wrong(&colours(), response), ["content.other TOO_SHORT"]);
    let response = accept(json!({"markdown": "much too long", "changed": "yes"}));
    assert_eq!(wrong(&draft(), response), ["content.changed INVALID_TYPE"]);
}

#[test]
fn only_an_ask_that_allows_it_is_skipped() {
    let decline = json!({"action": "decline"});
    assert_eq!(colours().check_response(&decline, 10), Ok(AskResponse::Decline));
    let confirm = ask(AskKind::Confirm, json!({"prompt": "Go?"}));
    assert_eq!(wrong(&confirm, decline), ["action DECLINE_NOT_ALLOWED"]);
}

#[test]
fn every_ask_can_be_cancelled() {
    let response = AskResponse::cancelled(CancelReason::UserSentMessage);
    assert_eq!(response.to_json(), json!({"action": "cancel", "reason": "user_sent_message"}));
    assert_eq!(response.action(), Action::Cancel);
    let confirm = ask(AskKind::Confirm, json!({"prompt": "Go?"}));
    assert_eq!(confirm.check_response(&response.to_json(), 10), Ok(response));
}

#[test]
fn other_counts_as_one_choice() {
    assert_eq!(wrong(&colours(), accept(json!({"selected": ["red"], "other": "Green"}))), [""; 0]);
    assert_eq!(
        wrong(&colours(), accept(json!({"selected": ["red", "blue"], "other": "Green"}))),
        ["content.selected SELECTION_COUNT"]
    );
    assert_eq!(wrong(&colours(), accept(json!({"selected": []}))), ["content.selected SELECTION_COUNT"]);
}

#[test]
fn an_id_is_offered_and_selected_once() {
    assert_eq!(
        wrong(&colours(), accept(json!({"selected": ["green", "red", "red"]}))),
        [
            "content.selected SELECTION_COUNT",
            "content.selected[0] OPTION_NOT_OFFERED",
            "content.selected[2] DUPLICATE_ID",
        ]
    );
}

#[test]
fn changed_says_whether_the_text_differs_from_the_draft() {
    assert_eq!(wrong(&draft(), accept(json!({"markdown": "Hi", "changed": false}))), [""; 0]);
    assert_eq!(wrong(&draft(), accept(json!({"markdown": "Hi!", "changed": true}))), [""; 0]);
    assert_eq!(
        wrong(&draft(), accept(json!({"markdown": "Hi", "changed": true}))),
        ["content.changed CHANGED_MISMATCH"]
    );
}

#[test]
fn markdown_counts_code_units_and_its_minimum_ignores_white_space_at_the_ends() {
    assert_eq!(wrong(&draft(), accept(json!({"markdown": "🎉🎉🎉", "changed": true}))), [""; 0]);
    assert_eq!(
        wrong(&draft(), accept(json!({"markdown": "🎉🎉🎉!", "changed": true}))),
        ["content.markdown TOO_LONG"]
    );
    assert_eq!(
        wrong(&draft(), accept(json!({"markdown": "  a  ", "changed": true}))),
        ["content.markdown TOO_SHORT"]
    );
}

#[test]
fn a_blank_value_counts_as_unanswered_whatever_the_type() {
    let optional = details(json!([
        {"id": "n", "type": "number", "label": "N"},
        {"id": "t", "type": "time", "label": "T"},
    ]));
    let values = json!({"values": {"n": " ", "t": []}});
    let answer = optional.check_response(&accept(values.clone()), 10).unwrap();
    assert_eq!(answer.to_json(), accept(values.clone()));
    let required = details(json!([
        {"id": "n", "type": "number", "label": "N", "required": true},
        {"id": "t", "type": "time", "label": "T", "required": true},
    ]));
    let missing = ["content.values.n REQUIRED_FIELD", "content.values.t REQUIRED_FIELD"];
    assert_eq!(wrong(&required, accept(values)), missing);
    assert_eq!(wrong(&required, accept(json!({"values": {}}))), missing);
}

#[test]
fn null_answers_no_field() {
    let optional = details(json!([{"id": "t", "type": "text", "label": "T"}]));
    assert_eq!(
        wrong(&optional, accept(json!({"values": {"t": null, "u": 1}}))),
        ["content.values.t FIELD_TYPE_MISMATCH", "content.values.u UNKNOWN_KEY"]
    );
}

#[test]
fn a_whole_number_may_be_written_with_a_fraction_of_zero() {
    let seats =
        details(json!([{"id": "n", "type": "number", "label": "N", "integer": true, "min": 0, "max": 9}]));
    let number = |number: f64| accept(json!({"values": {"n": number}}));
    let answer = seats.check_response(&number(5.0), 10).unwrap();
    assert_eq!(answer.to_json(), accept(json!({"values": {"n": 5}})));
    assert_eq!(wrong(&seats, number(-0.0)), [""; 0]);
    assert_eq!(wrong(&seats, number(0.5)), ["content.values.n FIELD_TYPE_MISMATCH"]);
    assert_eq!(wrong(&seats, number(10.0)), ["content.values.n OUT_OF_RANGE"]);
}

#[test]
fn a_form_error_calls_the_field_by_its_label() {
    let seats = details(json!([{"id": "n", "type": "number", "label": "Seats", "max": 9}]));
    let errors = seats.check_response(&accept(json!({"values": {"n": 10}})), 10).unwrap_err();
    assert_eq!(errors[0].message, "\"Seats\" is 10, but it must be at most 9.");
    assert_eq!(errors[0].path, "content.values.n");
}

#[test]
fn a_file_has_one_source() {
    let file = |source: Value| {
        let mut file = json!({"filename": "a.txt", "mimeType": "text/plain", "size": 5});
        file.as_object_mut().unwrap().extend(source.as_object().unwrap().clone());
        accept(json!({"files": [file]}))
    };
    let url = "data:text/plain;base64,aGVsbG8=";
    assert_eq!(wrong(&upload(), file(json!({"fileId": "f1"}))), [""; 0]);
    assert_eq!(wrong(&upload(), file(json!({"url": url}))), [""; 0]);
    assert_eq!(wrong(&upload(), file(json!({}))), ["content.files[0] MISSING_REQUIRED"]);
    let both = json!({"fileId": "f1", "url": url});
    assert_eq!(wrong(&upload(), file(both)), ["content.files[0].url INVALID_FORMAT"]);
    let remote = json!({"url": "https://example.com/a.txt"});
    assert_eq!(wrong(&upload(), file(remote)), ["content.files[0].url INVALID_FORMAT"]);
}

#[test]
fn a_source_is_judged_only_where_every_field_has_its_type() {
    let broken = json!({"filename": "", "mimeType": "text/plain", "size": 1.5});
    let bare = json!({"filename": "", "mimeType": "text/plain", "size": -1});
    assert_eq!(
        wrong(&upload(), accept(json!({"files": [broken, bare]}))),
        [
            "content.files[0].filename TOO_SHORT",
            "content.files[0].size INVALID_TYPE",
            "content.files[1] MISSING_REQUIRED",
            "content.files[1].filename TOO_SHORT",
            "content.files[1].size RANGE_INVALID",
        ]
    );
}

#[test]
fn a_file_is_held_against_the_ask_and_the_cap() {
    let file = |mime_type: &str, url: &str, size: u64| json!({"url": url, "filename": "a", "mimeType": mime_type, "size": size});
    let text = "data:text/plain;base64,aGVsbG8=";
    let long = "data:text/plain;base64,aGVsbG8gaGVsbG8=";
    assert_eq!(wrong(&upload(), accept(json!({"files": []}))), ["content.files FILE_COUNT"]);
    assert_eq!(
        wrong(
            &upload(),
            accept(json!({"files": [
                file("text/csv", "data:text/csv;base64,aGVsbG8=", 5),
                file("image/png", text, 11),
                file("text/plain", long, 5),
            ]}))
        ),
        [
            "content.files FILE_COUNT",
            "content.files[0].mimeType FILE_TYPE_NOT_ACCEPTED",
            "content.files[1].mimeType MIME_MISMATCH",
            "content.files[1].size FILE_TOO_LARGE",
            "content.files[2].size FILE_TOO_LARGE",
        ]
    );
}

#[test]
fn a_files_answer_is_stored_without_its_bytes() {
    let url = "data:text/plain;base64,aGVsbG8=";
    let response = accept(json!({"files": [
        {"url": url, "filename": "a.txt", "mimeType": "text/plain", "size": 4},
        {"fileId": "f1", "filename": "b.png", "mimeType": "image/png", "size": 9},
    ]}));
    let answer = upload().check_response(&response, LIMITS.files.default_max_file_size_bytes).unwrap();
    assert_eq!(answer.to_json(), response);
    let AskResponse::Accept(Answer::Files { files }) = &answer else { panic!("{answer:?}") };
    assert_eq!(files[1].mime_type, FileMimeType::Png);
    let FileSource::DataUrl(data) = &files[0].source else { panic!("{:?}", files[0]) };
    let sizes = [data.decode().unwrap().len() as u64, 12];
    let stored: Vec<_> = files.iter().zip(sizes).map(|(file, size)| file.stored(size)).collect();
    assert_eq!(
        answer.to_stored_json(&stored),
        accept(json!({"files": [
            {"filename": "a.txt", "mimeType": "text/plain", "size": 5},
            {"fileId": "f1", "filename": "b.png", "mimeType": "image/png", "size": 12},
        ]}))
    );
    assert!(!format!("{answer:?}").contains("aGVsbG8"));
}
