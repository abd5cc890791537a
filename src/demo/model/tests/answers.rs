//! What the demo agent says to an answer, and to what became of its tool call.

use turnwright_actors::ports::{FileContent, FilePart};

use super::*;

#[test]
fn an_answer_is_replied_to_with_the_plan_picked() {
    for (id, label) in [("starter", "Starter"), ("team", "Team"), ("enterprise", "Enterprise")] {
        let expected = format!("You picked the {label} plan. A real agent would set it up now.");
        assert_eq!(said(&answered(request("pick a plan"), json!({"selected": [id]}))), expected);
        assert_eq!(said(&answered(compact("pick a plan"), json!({"selected": [id]}))), expected);
    }
}

#[test]
fn every_topping_picked_is_named_and_the_typed_one_too() {
    let content = json!({"selected": ["cheese", "olives"], "other": "Basil"});
    let mut request = answered(request("pick toppings"), content);
    assert!(said(&request).contains("Extra cheese, Olives and Basil"));
    request.surface = Surface::Compact;
    assert!(said(&request).contains("Extra cheese, Olives and Basil"));
    assert_fits_a_watch(&said(&request));
}

#[test]
fn a_confirmed_report_would_be_sent_and_a_denied_one_would_not() {
    let report = || request("send the weekly report");
    assert!(said(&answered(report(), json!({"confirmed": true}))).contains("would send the weekly report"));
    assert!(
        said(&answered(report(), json!({"confirmed": false}))).contains("would not send the weekly report")
    );
}

#[test]
fn a_confirmed_archive_would_be_made_and_a_denied_one_keeps_the_chats() {
    let archive = || request("archive old chats");
    assert!(said(&answered(archive(), json!({"confirmed": true}))).contains("would archive the 12 chats"));
    assert!(said(&answered(archive(), json!({"confirmed": false}))).contains("kept your chats"));
}

#[test]
fn an_edited_draft_is_quoted_and_an_unedited_one_was_approved_as_is() {
    let announcement = || request("draft an announcement");
    let text = "# Ours\n\nThis is the text that the user made of the draft.";
    let mut edited = answered(announcement(), json!({"markdown": text, "changed": true}));
    assert!(said(&edited).contains(text));
    edited.surface = Surface::Compact;
    assert_fits_a_watch(&said(&edited));
    let approved = answered(announcement(), json!({"markdown": "draft", "changed": false}));
    assert!(said(&approved).contains("approved the draft as is"));
}

#[test]
fn the_details_sent_are_listed_by_label_without_those_left_blank() {
    let values = json!({"company": "Initech", "email": "pay@initech.test", "seats": 12, "region": "eu",
        "notify": false, "notes": "  ", "start": "2026-10-01"});
    let mut request = answered(request("invoice details"), json!({"values": values}));
    assert!(
        said(&request).ends_with(
            "\n\n- Company name: Initech\n- Billing email: pay@initech.test\n- Seats: 12\n- Start date: 2026-10-01\
             \n- Region: European Union\n- Email me the invoice: No"
        ),
        "{}",
        said(&request)
    );
    request.surface = Surface::Compact;
    assert!(said(&request).contains("Initech"));
}

#[test]
fn files_are_named_with_type_and_size_and_the_first_line_of_text() {
    let stored = |filename: &str, mime_type: &str, size: u64| json!({"filename": filename, "mimeType": mime_type, "size": size});
    let files = [
        (stored("receipt.png", "image/png", 48213), FileContent::Image(bytes::Bytes::from_static(b"png"))),
        (
            stored("notes.txt", "text/plain", 27),
            FileContent::Text("Coffee, 3.50\r\nCake, 4.20\r\n".to_owned()),
        ),
        (stored("empty.csv", "text/csv", 0), FileContent::Text(String::new())),
    ];
    let content: Vec<&Value> = files.iter().map(|(stored, _)| stored).collect();
    let mut request = answered(request("upload a receipt"), json!({"files": content}));
    let Some(ModelMessage::Tool { results }) = request.messages.last_mut() else { panic!("no result") };
    results[0].files = files
        .into_iter()
        .map(|(_, content)| FilePart { caption: String::new(), mime_type: String::new(), content })
        .collect();
    assert_eq!(
        said(&request),
        "You sent 3 files:\n\n- receipt.png (image/png, 48213 bytes)\n- notes.txt (text/plain, 27 bytes). Its first \
         line: Coffee, 3.50\n- empty.csv (text/csv, 0 bytes). Its first line is empty."
    );
    request.surface = Surface::Compact;
    assert!(said(&request).starts_with("You sent receipt.png, notes.txt and empty.csv."));
}

#[test]
fn files_whose_bytes_are_gone_are_still_named() {
    let file = json!({"filename": "notes.txt", "mimeType": "text/plain", "size": 5});
    let reply = said(&answered(request("upload a receipt"), json!({"files": [file]})));
    assert_eq!(reply, "You sent 1 file:\n\n- notes.txt (text/plain, 5 bytes)");
}

#[test]
fn a_skipped_question_is_said_to_be_skipped() {
    for text in OPENINGS {
        let mut request = skipped(request(text));
        assert!(said(&request).starts_with("You skipped the question, so I did not "), "{text}");
        request.surface = Surface::Compact;
        assert_fits_a_watch(&said(&request));
    }
}

#[test]
fn a_cancelled_question_is_said_to_be_closed() {
    for text in OPENINGS {
        assert!(
            said(&dropped(request(text))).starts_with("You closed the question, so I did not "),
            "{text}"
        );
    }
}

#[test]
fn a_question_refused_as_invalid_is_not_asked_again() {
    for text in OPENINGS {
        let reply = said(&after(request(text), ToolOutput::Error(json!("invalid"))));
        assert!(reply.starts_with("My question did not reach you"), "{reply}");
    }
}

#[test]
fn deleted_todos_are_named() {
    let output = |titles: &[&str]| ToolOutput::Json(json!({"deleted": titles.len(), "titles": titles}));
    let delete = || request("delete my completed todos");
    let reply = said(&after(delete(), output(&["Buy milk", "Call Bob"])));
    assert_eq!(reply, "I deleted 2 completed todos: Buy milk and Call Bob.");
    let reply = said(&after(delete(), output(&["Buy milk"])));
    assert_eq!(reply, "I deleted 1 completed todo: Buy milk.");
    assert!(said(&after(delete(), output(&[]))).contains("nothing to delete"));
    let reply = said(&after(compact("delete my completed todos"), output(&["a", "b", "c", "d"])));
    assert_eq!(reply, "I deleted 4 completed todos: a, b, c and 1 more.");
}

#[test]
fn todos_are_said_to_be_kept_however_the_approval_was_refused() {
    for reason in ["user_denied", "user_declined", "user_cancelled", "one_ask_at_a_time"] {
        let reply = said(&denied(request("delete my completed todos"), reason));
        assert!(reply.contains("kept your completed todos"), "{reply}");
    }
}

#[test]
fn a_failed_deletion_is_not_said_to_have_been_done() {
    let reply = said(&after(request("delete my completed todos"), ToolOutput::Error(json!("interrupted"))));
    assert!(reply.contains("could not be deleted"), "{reply}");
}

#[test]
fn an_answer_to_a_question_it_did_not_ask_is_not_guessed_at() {
    let mut request = answered(request("pick a plan"), json!({"selected": ["team"]}));
    request.messages[0] = ModelMessage::User { text: "hello".to_owned() };
    assert!(said(&request).contains("ask me again"));
}
