//! Two actions to confirm, one of which cannot be undone.

use serde::Deserialize;
use serde_json::{Value, json};
use turnwright_actors::ports::ModelResult;
use turnwright_schemas::AskKind;

use super::reply::Reply;
use super::{Play, Scenario};

pub(super) const WEEKLY_REPORT: Scenario = Scenario {
    trigger: r"\bweekly\s+report",
    play: Play::Ask {
        kind: AskKind::Confirm,
        input: weekly_report_input,
        compact_fallback: None,
        reply: weekly_report_reply,
    },
};

pub(super) const ARCHIVE: Scenario = Scenario {
    trigger: r"\barchive\b",
    play: Play::Ask {
        kind: AskKind::Confirm,
        input: archive_input,
        compact_fallback: None,
        reply: archive_reply,
    },
};

#[derive(Deserialize)]
struct Decided {
    confirmed: bool,
}

fn weekly_report_input() -> Value {
    json!({
        "title": "Weekly report",
        "prompt": "Send the weekly report to the team now? It goes to 8 people.",
        "confirmLabel": "Send report",
        "denyLabel": "Not now",
    })
}

fn weekly_report_reply(result: &ModelResult) -> Reply {
    Reply::to_answer(result, "send the weekly report", |decided: Decided| {
        Reply::short(if decided.confirmed {
            "You said yes, so I would send the weekly report to 8 people now. This demo sends nothing."
        } else {
            "You said not now, so I would not send the weekly report."
        })
    })
}

fn archive_input() -> Value {
    json!({
        "title": "Archive old chats",
        "prompt": "Archive the 12 chats older than 90 days? You can't undo this.",
        "confirmLabel": "Archive 12 chats",
        "denyLabel": "Keep them",
        "destructive": true,
    })
}

fn archive_reply(result: &ModelResult) -> Reply {
    Reply::to_answer(result, "archive your chats", |decided: Decided| {
        Reply::short(if decided.confirmed {
            "You said yes, so I would archive the 12 chats now. This demo archives nothing."
        } else {
            "I kept your chats. None of them would be archived."
        })
    })
}
