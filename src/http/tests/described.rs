//! The OpenAPI document.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Reply, TestNode};
use crate::http::{endpoints, openapi};
use crate::settings::{Settings, Sources};

fn settings(flags: &[(&'static str, &str)]) -> Settings {
    let flags = flags.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
    Settings::load(&Sources { flags, ..Sources::default() }).unwrap()
}

/// Every value under a key of this name, anywhere.
fn all<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            if name == key {
                found.push(value);
            }
            all(value, key, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| all(item, key, found)),
        _ => {}
    }
}

#[actix_web::test]
async fn the_node_serves_its_description() {
    let node = TestNode::start().await;
    let reply = Reply::of(node.get("/openapi.json")).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.body["openapi"], "3.1.0");
    assert_eq!(reply.body, openapi::document(&settings(&[])));
}

#[actix_web::test]
async fn what_is_described_is_served_and_guarded_as_described() {
    let node = TestNode::start().await;
    for endpoint in endpoints(&settings(&[])) {
        let path = endpoint.path.replace("{id}", "1");
        let method = reqwest::Method::from_bytes(endpoint.method.as_str().as_bytes()).unwrap();
        let reply = Reply::of(node.request(method, &path)).await;
        assert!(!matches!(reply.status, 404 | 405), "{}: {reply:?}", endpoint.id);
        assert_eq!(reply.status == 401, endpoint.signed_in, "{}: {reply:?}", endpoint.id);
    }
}

#[test]
fn every_operation_has_a_name_of_its_own_and_its_answers() {
    let endpoints = endpoints(&settings(&[]));
    let names: BTreeSet<_> = endpoints.iter().map(|endpoint| endpoint.id).collect();
    assert_eq!(names.len(), endpoints.len());
    for endpoint in &endpoints {
        assert!(endpoint.answers.iter().any(|answer| answer.status < 300), "{}", endpoint.id);
    }
}

#[test]
fn every_reference_leads_to_a_schema() {
    let document = openapi::document(&settings(&[]));
    let mut references = Vec::new();
    all(&document, "$ref", &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn every_schema_is_one() {
    let document = openapi::document(&settings(&[]));
    let schemas = document.pointer("/components/schemas").unwrap().as_object().unwrap();
    for (name, schema) in schemas {
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
    }
}

#[test]
fn the_to_do_list_is_described_only_where_it_exists() {
    let with = openapi::document(&settings(&[]));
    let without = openapi::document(&settings(&[("demo.enabled", "false")]));
    assert!(with["paths"].get("/demo/todos").is_some());
    assert!(without["paths"].get("/demo/todos").is_none());
}
