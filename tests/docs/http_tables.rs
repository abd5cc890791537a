//! The tables of `docs/http-api.md` hold the operations that the OpenAPI document describes.

use std::collections::{BTreeMap, BTreeSet};

use turnwright::http::openapi;
use turnwright::settings::{Settings, Sources};
use turnwright_schemas::ProblemCode;

use crate::page::Page;

/// The method and the path of an operation.
type Operation = (String, String);

fn page() -> Page {
    Page::read("docs/http-api.md")
}

/// The statuses in a cell.
fn statuses(cell: &str) -> BTreeSet<u16> {
    let numbers = cell.split(|c: char| !c.is_ascii_digit());
    numbers.filter(|number| number.len() == 3).map(|number| number.parse().unwrap()).collect()
}

fn documented() -> BTreeMap<Operation, BTreeSet<u16>> {
    let rows = page().tables(&["Method", "Path", "Does", "Answers"]).into_iter();
    rows.map(|cells| ((cells[0].clone(), cells[1].clone()), statuses(&cells[3]))).collect()
}

fn described() -> BTreeMap<Operation, BTreeSet<u16>> {
    let document = openapi::document(&Settings::load(&Sources::default()).unwrap());
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, methods)| {
        methods.as_object().unwrap().iter().map(move |(method, operation)| {
            let answers = operation["responses"].as_object().unwrap().keys();
            let answers = answers.map(|status| status.parse().unwrap()).collect();
            ((method.to_uppercase(), path.clone()), answers)
        })
    });
    operations.collect()
}

#[test]
fn the_tables_hold_every_operation_and_no_other() {
    let documented: Vec<_> = documented().into_keys().collect();
    let described: Vec<_> = described().into_keys().collect();
    assert_eq!(documented, described);
}

/// What any operation may answer is told once, in a table of its own; 400 is told in both places.
#[test]
fn each_operation_holds_every_status_of_its_own_and_no_other() {
    let anywhere: BTreeSet<u16> =
        page().table(&["Status", "Title", "When"]).iter().flat_map(|cells| statuses(&cells[0])).collect();
    let (documented, described) = (documented(), described());
    for (operation, statuses) in described {
        let own: BTreeSet<u16> = statuses.into_iter().filter(|status| !anywhere.contains(status)).collect();
        let told: BTreeSet<u16> =
            documented[&operation].iter().copied().filter(|status| !anywhere.contains(status)).collect();
        assert_eq!(told, own, "{operation:?}");
    }
}

#[test]
fn the_problem_codes_are_those_of_the_contract() {
    let told: BTreeSet<String> =
        page().tables(&["Code", "Title"]).into_iter().map(|mut cells| cells.swap_remove(0)).collect();
    let codes = ProblemCode::ALL.iter().map(|code| code.as_str().to_owned());
    assert_eq!(told, codes.collect());
}
