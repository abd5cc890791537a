//! What a script may say, and how it is refused.

#![allow(clippy::unwrap_used, clippy::panic)]
use proptest::prelude::*;

use super::*;

fn parse(document: &Value) -> Result<Script, String> {
    Script::read(document.to_string().as_bytes())
}

fn rule(part: &Value) -> Value {
    json!({"rules": [{"when": "hello", "requests": [[{"text": "first"}], [part]]}]})
}

fn tool(fields: Value) -> Value {
    let mut tool = json!({"name": "charge"});
    tool.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"tools": [tool]})
}

#[test]
fn the_script_of_the_design_is_read() {
    let script = parse(&json!({
        "rules": [{"when": "regex on the newest user text", "requests": [
            [{"text": "chunk"}, {"waitMs": 50}, {"call": {"id": "call_1", "name": "ask_choice", "args": {}}}],
            [{"fail": {"status": 500, "message": "down"}}],
            [{"text": "Done."}],
        ]}],
        "tools": [{"name": "charge", "replay": "never", "needsApproval": false, "waitMs": 20,
                   "result": {"ok": true}}],
    }))
    .unwrap();
    let text = "a regex on the newest user text indeed";
    assert_eq!(script.parts(text, 0).map(<[_]>::len), Some(3));
    assert!(matches!(
        script.parts(text, 1),
        Some([ScriptedPart::Fail(Object(ScriptedFailure { status: Some(500), .. }))])
    ));
    assert!(matches!(script.parts(text, 2), Some([ScriptedPart::Text(done)]) if done == "Done."));
    assert!(script.parts(text, 3).is_none());
    assert!(script.parts("something else", 0).is_none());
    let [tool] = script.tools() else { panic!("one tool") };
    assert_eq!(tool.outcome, Ok(json!({"ok": true})));
    assert_eq!(tool.wait, Duration::from_millis(20));
    assert!(tool.approval.is_none());
}

#[test]
fn the_first_matching_rule_plays() {
    let script = parse(&json!({"rules": [
        {"when": "^pay", "requests": [[{"text": "one"}]]},
        {"when": "pay", "requests": [[{"text": "two"}]]},
    ]}))
    .unwrap();
    let said = |text| match script.parts(text, 0) {
        Some([ScriptedPart::Text(said)]) => said.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(said("pay now"), "one");
    assert_eq!(said("I pay now"), "two");
}

#[test]
fn a_tool_is_never_replayed_and_needs_no_approval_unless_it_says_so() {
    let script = parse(&tool(json!({}))).unwrap();
    assert_eq!(script.tools()[0].replay, Replay::Never);
    assert!(script.tools()[0].approval.is_none());
    assert_eq!(script.tools()[0].outcome, Ok(Value::Null));
}

#[test]
fn the_approval_of_a_tool_is_worded_as_the_script_says() {
    let wording = |fields| parse(&tool(fields)).unwrap().tools()[0].approval.clone();
    assert!(matches!(wording(json!({"needsApproval": true})), Some(ApprovalWording::Default)));
    assert!(matches!(
        wording(json!({"needsApproval": true, "approval": "not even an object"})),
        Some(ApprovalWording::Input(Value::String(_)))
    ));
    assert!(matches!(
        wording(json!({"needsApproval": true, "approvalFails": true})),
        Some(ApprovalWording::Fails)
    ));
}

#[test]
fn what_is_wrong_is_told_with_its_path() {
    let call = |call| rule(&json!({"call": call}));
    for (script, path) in [
        (json!([]), "its top level: invalid type"),
        (json!({"rule": []}), "rule: unknown field"),
        (json!({"rules": [{"requests": []}]}), "rules[0]: missing field `when`"),
        (
            json!({"rules": [{"when": "(", "requests": []}]}),
            "rules[0].when: \"(\" is not a regular expression",
        ),
        (json!({"rules": [{"when": 1}]}), "rules[0].when: invalid type"),
        (json!({"rules": [{"when": "a", "then": []}]}), "rules[0].then: unknown field"),
        (
            json!({"rules": [{"when": "a", "requests": [{"text": "flat"}]}]}),
            "rules[0].requests[0]: invalid type",
        ),
        (rule(&json!({"say": "x"})), "rules[0].requests[1][0]"),
        (rule(&json!({"text": "x", "waitMs": 1})), "rules[0].requests[1][0]"),
        (rule(&json!({})), "rules[0].requests[1][0]"),
        (rule(&json!({"text": 5})), "rules[0].requests[1][0].text: invalid type"),
        (rule(&json!({"waitMs": -1})), "rules[0].requests[1][0].waitMs: invalid value"),
        (
            rule(&json!({"fail": {"message": "x", "code": 1}})),
            "rules[0].requests[1][0].fail.code: unknown field",
        ),
        (call(json!({"id": "a", "name": "b"})), "rules[0].requests[1][0].call: missing field `args`"),
        (call(json!({"id": 1, "name": "b", "args": {}})), "rules[0].requests[1][0].call.id: invalid type"),
        (
            call(json!(["a", "b", {}])),
            "rules[0].requests[1][0].call: invalid type: sequence, expected an object",
        ),
        (tool(json!({"replay": "often"})), "tools[0].replay: unknown variant"),
        (tool(json!({"needsApproval": "yes"})), "tools[0].needsApproval: invalid type"),
        (tool(json!({"deadline": 5})), "tools[0].deadline: unknown field"),
        (tool(json!({"inputSchema": []})), "tools[0].inputSchema: invalid type"),
        (tool(json!({"name": ""})), "tools[0]: a tool needs a name"),
        (tool(json!({"approval": {}})), "tools[0]: `approval` and `approvalFails` need"),
        (json!({"tools": [{"name": "a"}, {"name": "a"}]}), "tools[1].name: another tool"),
    ] {
        let error = parse(&script).unwrap_err();
        assert!(error.starts_with(path), "{script}\n  says: {error}\n  want: {path}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn text_that_is_not_json_is_refused_with_its_place() {
    let error = Script::parse(Path::new("play.json"), b"{\"rules\": [}").unwrap_err().to_string();
    assert!(
        error.starts_with("play.json is not a valid script: line 1 column 12: expected value"),
        "{error}"
    );
}

fn arbitrary_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "rules",
        "tools",
        "when",
        "requests",
        "text",
        "waitMs",
        "call",
        "fail",
        "id",
        "name",
        "args",
        "status",
        "message",
        "replay",
        "needsApproval",
        "result",
        "approval",
        "approvalFails",
        "inputSchema",
        "(",
        "never",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map(word.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_a_script_or_an_error_of_one_line(document in arbitrary_json(), text in ".{0,20}", n in any::<u32>()) {
        match parse(&document) {
            Ok(script) => { script.parts(&text, n); }
            Err(error) => prop_assert!(!error.is_empty() && !error.contains('\n'), "{}", error),
        }
    }

    #[test]
    fn any_bytes_are_a_script_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = Script::parse(Path::new("play.json"), &bytes);
    }
}
