//! Validating an answer: first the envelope, then what the kind of the ask says about its content.

use serde_json::Value;

use super::{Action, Answer, AskResponse};
use crate::ask::Ask;
use crate::choice;
use crate::codes::ErrorCode;
use crate::confirm;
use crate::error::{AskError, Path};
use crate::files;
use crate::form;
use crate::limits::LIMITS;
use crate::markdown;
use crate::object::{Object, WireName};
use crate::report::Report;

const ACCEPT_KEYS: &[&str] = &["action", "content"];
const DECLINE_KEYS: &[&str] = &["action"];
const CANCEL_KEYS: &[&str] = &["action", "reason"];

impl WireName for Action {
    const VALUES: &'static [Self] = Self::ALL;

    fn wire_name(self) -> &'static str {
        self.as_str()
    }
}

/// A well-formed envelope, its content still to be held against the ask.
enum Envelope<'a> {
    Accept(&'a Value),
    Decline,
    Cancel(Option<String>),
}

/// Reads an answer to `ask`, or says everything that is wrong with it.
///
/// An error of the envelope stands alone: neither the ask's rules nor its content are judged next to it. An
/// unknown action stands alone even in the envelope, since it decides the other fields.
pub(crate) fn parse(
    ask: &Ask,
    response: &Value,
    max_file_size_bytes: u64,
) -> Result<AskResponse, Vec<AskError>> {
    let mut report = Report::default();
    let root = Path::Root("the answer");
    let envelope = Object::read(response, &root, &mut report)
        .and_then(|object| read_envelope(&object, &mut report))
        .filter(|_| report.is_clean());
    let answer = envelope.and_then(|envelope| match envelope {
        Envelope::Accept(content) => {
            let path = root.key("content");
            read_content(ask, content, max_file_size_bytes, &path, &mut report).map(AskResponse::Accept)
        }
        Envelope::Decline => {
            check_decline(ask, &root, &mut report);
            Some(AskResponse::Decline)
        }
        Envelope::Cancel(reason) => Some(AskResponse::Cancel { reason }),
    });
    report.finish(answer)
}

fn read_envelope<'a>(object: &Object<'a>, report: &mut Report) -> Option<Envelope<'a>> {
    let action = object.required_name("action", "\"accept\", \"decline\" or \"cancel\"", report)?;
    match action {
        Action::Accept => {
            object.refuse_unknown_keys(ACCEPT_KEYS, report);
            let content = object.require("content", "an object with the answer", report)?;
            Object::read(content, &object.path().key("content"), report)?;
            Some(Envelope::Accept(content))
        }
        Action::Decline => {
            object.refuse_unknown_keys(DECLINE_KEYS, report);
            Some(Envelope::Decline)
        }
        Action::Cancel => {
            object.refuse_unknown_keys(CANCEL_KEYS, report);
            let reason = object.text("reason", LIMITS.shared.cancel_reason_max_length, report);
            Some(Envelope::Cancel(reason))
        }
    }
}

fn check_decline(ask: &Ask, root: &Path<'_>, report: &mut Report) {
    if !ask.allows_decline() {
        report.add(
            &root.key("action"),
            ErrorCode::DeclineNotAllowed,
            "The answer skips the ask, but the ask does not allow skipping.".to_owned(),
            "Answer with action \"accept\".".to_owned(),
        );
    }
}

fn read_content(
    ask: &Ask,
    content: &Value,
    max_file_size_bytes: u64,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<Answer> {
    match ask {
        Ask::Choice(ask) => choice::answer::parse(ask, content, path, report).map(Answer::Choice),
        Ask::Confirm(_) => {
            confirm::answer::parse(content, path, report).map(|confirmed| Answer::Confirm { confirmed })
        }
        Ask::Markdown(ask) => markdown::answer::parse(ask, content, path, report).map(Answer::Markdown),
        Ask::Form(ask) => {
            form::answer::parse(ask, content, path, report).map(|values| Answer::Form { values })
        }
        Ask::Files(ask) => files::answer::parse(ask, content, max_file_size_bytes, path, report)
            .map(|files| Answer::Files { files }),
    }
}
