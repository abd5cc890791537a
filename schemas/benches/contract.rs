//! How long the contract takes on the hot path: validating an ask, deriving its card, validating its answer.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use turnwright_schemas::{Ask, AskKind, LIMITS, SimpleCard, Surface, check_file_bytes};

/// An ask of each kind with an answer to it.
fn samples() -> Vec<(AskKind, Value, Value)> {
    let options: Vec<_> = (0..50)
        .map(|index| json!({"id": format!("option-{index}"), "label": format!("Option number {index}")}))
        .collect();
    let fields = json!([
        {"id": "name", "type": "text", "label": "Name", "required": true, "maxLength": 120},
        {"id": "mail", "type": "email", "label": "Mail", "required": true},
        {"id": "site", "type": "url", "label": "Site"},
        {"id": "phone", "type": "phone", "label": "Phone"},
        {"id": "seats", "type": "number", "label": "Seats", "min": 1, "max": 500, "integer": true},
        {"id": "start", "type": "datetime", "label": "Start"},
        {"id": "news", "type": "boolean", "label": "News", "default": true},
        {"id": "zone", "type": "select", "label": "Zone", "options": [
            {"id": "north", "label": "North"}, {"id": "south", "label": "South"}]},
    ]);
    let values = json!({
        "name": "Ada", "mail": "ada@example.com", "site": "https://example.com/ada", "phone": "+14155552671",
        "seats": 12, "start": "2026-10-01T09:30:00+02:00", "news": false, "zone": "south",
    });
    let file = json!({"url": "data:text/plain;base64,aGVsbG8=", "filename": "a.txt", "mimeType": "text/plain", "size": 5});
    let accept = |content: Value| json!({"action": "accept", "content": content});
    vec![
        (
            AskKind::Choice,
            json!({"prompt": "Which of these?", "select": "many", "options": options, "default": ["option-3"]}),
            accept(json!({"selected": ["option-3", "option-40"]})),
        ),
        (
            AskKind::Confirm,
            json!({"prompt": "Delete 14 todos?", "confirmLabel": "Delete", "denyLabel": "Keep", "destructive": true}),
            accept(json!({"confirmed": true})),
        ),
        (
            AskKind::Markdown,
            json!({"prompt": "Edit this.", "initial": "# Title\n\nText.", "maxLength": 2000}),
            accept(json!({"markdown": "# Title\n\nOther text.", "changed": true})),
        ),
        (
            AskKind::Form,
            json!({"prompt": "A few details.", "fields": fields}),
            accept(json!({"values": values})),
        ),
        (
            AskKind::Files,
            json!({"prompt": "Send a file.", "accept": ["text", "image"]}),
            accept(json!({"files": [file]})),
        ),
    ]
}

fn contract(criterion: &mut Criterion) {
    let cap = LIMITS.files.default_max_file_size_bytes;
    for (kind, input, response) in samples() {
        let Ok(ask) = Ask::parse(kind, &input, Surface::Full) else {
            continue;
        };
        assert!(ask.check_response(&response, cap).is_ok(), "the sample answer to a {kind} is valid");
        criterion.bench_function(&format!("parse {kind}"), |bencher| {
            bencher.iter(|| Ask::parse(kind, black_box(&input), Surface::Full));
        });
        criterion.bench_function(&format!("card of {kind}"), |bencher| {
            bencher.iter(|| SimpleCard::of(black_box(&ask), "call_1"));
        });
        criterion.bench_function(&format!("answer {kind}"), |bencher| {
            bencher.iter(|| ask.check_response(black_box(&response), cap));
        });
    }
    let megabyte = "a line of a text file\n".repeat(48_000).into_bytes();
    criterion.bench_function("check the bytes of a 1 MB text file", |bencher| {
        bencher.iter(|| check_file_bytes(black_box(&megabyte), 0, "text/plain", cap));
    });
}

criterion_group!(benches, contract);
criterion_main!(benches);
