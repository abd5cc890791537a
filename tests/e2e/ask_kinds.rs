//! Every kind of ask is asked, refused while the answer does not fit, and answered: over the stream and headless.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::play::{accept, call, cancel, decline, rule, script, text};
use crate::support::transcript::transcript;
use crate::support::{Node, Setup};

/// A kind, an ask of it, an answer that fits and one that does not.
struct Kind {
    name: &'static str,
    input: Value,
    /// The content of an answer that fits.
    right: Value,
    /// The content of an answer that does not fit, and what is wrong with it.
    wrong: Value,
    errors: &'static [(&'static str, &'static str)],
    /// A button of its card, and the answer it stands for.
    button: (&'static str, Value),
    declines: bool,
}

fn kinds() -> Vec<Kind> {
    let option = |id: &str, label: &str| json!({"id": id, "label": label});
    vec![
        Kind {
            name: "choice",
            input: json!({"prompt": "Which colour?", "select": "one",
                "options": [option("red", "Red"), option("green", "Green")]}),
            right: json!({"selected": ["green"]}),
            wrong: json!({"selected": ["blue"]}),
            errors: &[("content.selected[0]", "OPTION_NOT_OFFERED")],
            button: ("option:red", accept(json!({"selected": ["red"]}))),
            declines: true,
        },
        Kind {
            name: "choice",
            input: json!({"prompt": "Which toppings?", "select": "many", "maxSelected": 2, "allowOther": true,
                "options": [option("a", "A"), option("b", "B"), option("c", "C"), option("d", "D")],
                "default": ["a", "b"]}),
            right: json!({"selected": ["c"], "other": "Basil"}),
            wrong: json!({"selected": ["a", "b", "b"], "other": "Basil"}),
            errors: &[("content.selected", "SELECTION_COUNT"), ("content.selected[2]", "DUPLICATE_ID")],
            button: ("use-default", accept(json!({"selected": ["a", "b"]}))),
            declines: true,
        },
        Kind {
            name: "confirm",
            input: json!({"prompt": "Send it?"}),
            right: json!({"confirmed": true}),
            wrong: json!({"confirmed": "yes", "sure": true}),
            errors: &[("content.confirmed", "INVALID_TYPE"), ("content.sure", "UNKNOWN_KEY")],
            button: ("deny", accept(json!({"confirmed": false}))),
            declines: false,
        },
        Kind {
            name: "markdown",
            input: json!({"prompt": "Edit it.", "initial": "A draft.", "minLength": 5, "maxLength": 20}),
            right: json!({"markdown": "A better draft.", "changed": true}),
            wrong: json!({"markdown": "A draft.", "changed": true}),
            errors: &[("content.changed", "CHANGED_MISMATCH")],
            button: ("approve", accept(json!({"markdown": "A draft.", "changed": false}))),
            declines: true,
        },
        Kind {
            name: "form",
            input: json!({"prompt": "Details, please.", "fields": [
                {"id": "company", "type": "text", "label": "Company", "required": true, "default": "Acme"},
                {"id": "seats", "type": "number", "label": "Seats", "min": 1, "max": 5, "integer": true},
                {"id": "start", "type": "date", "label": "Start"},
            ]}),
            right: json!({"values": {"company": "Initech", "seats": 3, "start": "2026-10-01"}}),
            wrong: json!({"values": {"company": " ", "seats": 6, "start": "2026-02-30"}}),
            errors: &[
                ("content.values.company", "REQUIRED_FIELD"),
                ("content.values.seats", "OUT_OF_RANGE"),
                ("content.values.start", "INVALID_DATE"),
            ],
            button: ("submit-defaults", accept(json!({"values": {"company": "Acme"}}))),
            declines: true,
        },
        Kind {
            name: "files",
            input: json!({"prompt": "The receipt?", "accept": ["text"]}),
            right: json!({"files": [
                {"url": "data:text/plain;base64,aGVsbG8=", "filename": "a.txt", "mimeType": "text/plain", "size": 5}
            ]}),
            wrong: json!({"files": []}),
            errors: &[("content.files", "FILE_COUNT")],
            button: ("skip", decline()),
            declines: true,
        },
    ]
}

/// The answer as it is kept: of a file only its name, type and size.
fn kept(kind: &Kind) -> Value {
    match kind.name {
        "files" => accept(json!({"files": [{"filename": "a.txt", "mimeType": "text/plain", "size": 5}]})),
        _ => accept(kind.right.clone()),
    }
}

impl Kind {
    fn tool(&self) -> String {
        format!("ask_{}", self.name)
    }

    /// A node whose model asks this, and then is done.
    async fn node(&self) -> Node {
        let asks = vec![call("call_1", &self.tool(), self.input.clone())];
        Node::scripted(script([rule("", [asks, vec![text("Done.")]])])).await
    }

    /// How many errors of the answer that does not fit are listed, each with its path, code and two sentences.
    fn assert_listed(&self, listed: &Value) {
        let listed = listed.as_array().unwrap();
        let found: Vec<(&str, &str)> = listed
            .iter()
            .map(|error| (error["path"].as_str().unwrap(), error["code"].as_str().unwrap()))
            .collect();
        assert_eq!(found, self.errors, "{listed:#?}");
        assert!(listed.iter().all(|error| error["message"] != "" && error["fix"] != ""), "{listed:#?}");
    }
}

/// Lets the agent ask in an empty conversation.
async fn asked(ada: &Client) -> String {
    let history = ada.new_history().await;
    let turn = ada.turn(&history, json!({"prompt": "Go on"})).await.expect(200);
    assert_eq!(turn.data()["pendingAsk"]["toolCallId"], "call_1");
    history
}

#[tokio::test]
async fn each_kind_is_asked_over_the_stream() {
    for (number, kind) in kinds().iter().enumerate() {
        let node = kind.node().await;
        let ada = node.user("ada").await;
        let turn = ada.says("Go on").await;
        let history = turn.history_id();
        assert_eq!(turn.kinds(), ["ask", "done"]);
        assert_eq!(turn.ask()["toolCallId"], "call_1");
        assert_eq!((&turn.ask()["kind"], &turn.ask()["input"]), (&json!(kind.name), &kind.input));
        assert_eq!(turn.events[0].data["historyId"], history);
        assert_eq!(turn.done()["pendingAsk"], json!({"toolCallId": "call_1"}));

        let kept = ada.history(&history).await;
        for field in ["toolCallId", "kind", "input", "simple"] {
            assert_eq!(kept["pendingAsk"][field], turn.ask()[field], "{field}");
        }
        let row = format!("ask {} call_1 ({}, pending)", kind.tool(), kind.name);
        assert_eq!(transcript(&kept), ["user: Go on", &row]);
        assert_eq!(kept["prompts"][1]["args"], kind.input);
        insta::assert_json_snapshot!(format!("card_{number}_{}", kind.name), turn.ask()["simple"]);
    }
}

#[tokio::test]
async fn each_kind_is_answered_over_the_stream() {
    for kind in kinds() {
        let node = kind.node().await;
        let ada = node.user("ada").await;
        let history = asked(&ada).await;
        let turn = ada.answer(&history, "call_1", accept(kind.right.clone())).await.rest().await;
        assert_eq!(turn.kinds(), ["askResolved", "text", "done"]);
        assert_eq!(turn.one("askResolved"), &json!({"toolCallId": "call_1", "action": "accept"}));
        assert_eq!(turn.text(), "Done.");
        assert_eq!(turn.done().get("pendingAsk"), None);

        let read = ada.history(&history).await;
        let call = format!("ask {} call_1 ({}, answered)", kind.tool(), kind.name);
        let result = format!("result {} call_1 {}", kind.tool(), kept(&kind));
        assert_eq!(transcript(&read), ["user: Go on", &call, &result, "assistant: Done."]);
        assert_eq!(read.get("pendingAsk"), None);
    }
}

#[tokio::test]
async fn each_kind_is_asked_and_answered_headless() {
    for kind in kinds() {
        let node = kind.node().await;
        let ada = node.user("ada").await;
        let history = ada.new_history().await;
        let asked = ada.turn(&history, json!({"prompt": "Go on"})).await.expect(200).data();
        assert_eq!((&asked["historyId"], &asked["text"]), (&json!(history), &json!("")));
        assert_eq!(asked["pendingAsk"]["kind"], kind.name);
        assert_eq!(asked["pendingAsk"]["simple"], ada.history(&history).await["pendingAsk"]["simple"]);
        assert_eq!(asked["pendingAsk"].as_object().unwrap().len(), 3);

        let mut answer = accept(kind.right.clone());
        answer["toolCallId"] = json!("call_1");
        let answered = ada.turn(&history, json!({"askResponse": answer})).await.expect(200).data();
        assert_eq!(answered, json!({"historyId": history, "text": "Done.", "title": "Go on"}));
        assert_eq!(ada.history(&history).await["prompts"][2]["result"], kept(&kind));
    }
}

#[tokio::test]
async fn each_kind_is_answered_by_a_button_of_its_card() {
    for kind in kinds() {
        let node = kind.node().await;
        let ada = node.user("ada").await;
        let history = asked(&ada).await;
        let (button, response) = &kind.button;
        let press = json!({"toolCallId": "call_1", "buttonId": button});
        let answered = ada.turn(&history, press).await.expect(200).data();
        assert_eq!(answered["text"], "Done.");
        assert_eq!(&ada.history(&history).await["prompts"][2]["result"], response);
        let seen = node.record().requests[1]["messages"][2].clone();
        assert_eq!(&seen["results"][0]["output"]["value"], response);
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_refused_with_every_error_and_the_ask_stays_pending() {
    for kind in kinds() {
        let node = kind.node().await;
        let ada = node.user("ada").await;
        let history = asked(&ada).await;
        let before = ada.history(&history).await;

        let refused = ada.answer_refused(&history, "call_1", accept(kind.wrong.clone())).await;
        let refused = refused.expect_problem(400, "Invalid askResponse").json();
        assert_eq!(refused["detail"], "The answer does not match the ask. See fields.");
        kind.assert_listed(&refused["fields"]);
        let mut answer = accept(kind.wrong.clone());
        answer["toolCallId"] = json!("call_1");
        let refused = ada.turn(&history, json!({"askResponse": answer})).await;
        kind.assert_listed(&refused.expect_problem(400, "Invalid askResponse").json()["meta"]["fields"]);

        assert_eq!(node.record().requests.len(), 1, "the model was called");
        assert_eq!(ada.history(&history).await, before);
        assert_eq!(ada.pending_asks().await.len(), 1);
        let turn = ada.answer(&history, "call_1", accept(kind.right.clone())).await.rest().await;
        assert_eq!(turn.text(), "Done.");
    }
}

#[tokio::test]
async fn an_ask_is_skipped_only_where_it_may_be() {
    for kind in kinds() {
        let node = kind.node().await;
        let ada = node.user("ada").await;
        let history = asked(&ada).await;
        if !kind.declines {
            let refused = ada.answer_refused(&history, "call_1", decline()).await;
            let refused = refused.expect_problem(400, "Invalid askResponse").json();
            assert_eq!(refused["fields"][0]["code"], "DECLINE_NOT_ALLOWED");
            assert_eq!(ada.pending_asks().await.len(), 1);
            continue;
        }
        let turn = ada.answer(&history, "call_1", decline()).await.rest().await;
        assert_eq!(turn.one("askResolved"), &json!({"toolCallId": "call_1", "action": "decline"}));
        let read = ada.history(&history).await;
        assert_eq!(read["prompts"][1]["ask"]["status"], "answered");
        assert_eq!(read["prompts"][2]["result"], decline());
    }
}

#[tokio::test]
async fn an_ask_of_any_kind_may_be_cancelled() {
    for kind in kinds() {
        let node = kind.node().await;
        let ada = node.user("ada").await;
        let history = asked(&ada).await;
        let reason = json!({"action": "cancel", "reason": "r".repeat(200)});
        let turn = ada.answer(&history, "call_1", reason.clone()).await.rest().await;
        assert_eq!(turn.one("askResolved"), &json!({"toolCallId": "call_1", "action": "cancel"}));
        assert_eq!(turn.text(), "Done.");
        let read = ada.history(&history).await;
        assert_eq!(read["prompts"][1]["ask"]["status"], "cancelled");
        assert_eq!(read["prompts"][2]["result"], reason);
    }
}

#[tokio::test]
async fn an_answer_is_one_of_three_envelopes() {
    let node = kinds()[0].node().await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    for (answer, path, code) in [
        (json!({}), "action", "MISSING_REQUIRED"),
        (json!({"action": "agree"}), "action", "INVALID_ENUM"),
        (json!({"action": "accept"}), "content", "MISSING_REQUIRED"),
        (json!({"action": "accept", "content": {"selected": ["red"]}, "note": 1}), "note", "UNKNOWN_KEY"),
        (json!({"action": "decline", "content": {}}), "content", "UNKNOWN_KEY"),
        (json!({"action": "cancel", "reason": "r".repeat(201)}), "reason", "TOO_LONG"),
        (
            json!({"action": "accept", "content": {"selected": ["red"]}, "approvalId": "x"}),
            "approvalId",
            "UNKNOWN_KEY",
        ),
    ] {
        let refused = ada.answer_refused(&history, "call_1", answer.clone()).await;
        let refused = refused.expect_problem(400, "Invalid askResponse").json();
        let first = &refused["fields"][0];
        assert_eq!((&first["path"], &first["code"]), (&json!(path), &json!(code)), "{answer}");
    }
    assert_eq!(ada.history(&history).await["pendingAsk"]["toolCallId"], "call_1");
}

#[tokio::test]
async fn an_ask_of_a_kind_that_is_turned_off_goes_back_to_the_model() {
    let asks = vec![call("call_1", "ask_confirm", json!({"prompt": "Sure?"}))];
    let play = script([rule("", [asks, vec![text("Then not.")]])]);
    let node = Setup::new().scripted(&play).set("asks.kinds", "choice,form").start().await;
    let ada = node.user("ada").await;
    let turn = ada.says("Go on").await;
    assert_eq!(turn.kinds(), ["text", "done"]);
    assert_eq!(transcript(&ada.history(&turn.history_id()).await), ["user: Go on", "assistant: Then not."]);
    let requests = node.record().requests;
    assert_eq!(requests[1]["messages"][2]["results"][0]["output"]["type"], "error");
}

#[tokio::test]
async fn cancelling_needs_no_reason() {
    let node = kinds()[0].node().await;
    let ada = node.user("ada").await;
    let history = asked(&ada).await;
    ada.answer(&history, "call_1", cancel()).await.rest().await;
    assert_eq!(ada.history(&history).await["prompts"][2]["result"], cancel());
}
