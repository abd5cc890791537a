//! The tables of `docs/asks.md` hold what the contract holds.

use turnwright_schemas::{AskKind, ErrorCode, LIMITS};

use crate::page::Page;

fn asks() -> Page {
    Page::read("docs/asks.md")
}

/// The first cells of the table's rows.
fn first_cells<const N: usize>(header: [&str; N]) -> Vec<[String; N]> {
    let rows = asks().table(&header).into_iter();
    rows.map(|mut cells| {
        cells.truncate(N);
        cells.try_into().unwrap()
    })
    .collect()
}

#[test]
fn the_limits_table_holds_every_limit_and_no_other() {
    let limits: Vec<[String; 2]> =
        LIMITS.rows().into_iter().map(|(key, value)| [key.to_owned(), value]).collect();
    assert_eq!(first_cells(["Key", "Value"]), limits);
}

#[test]
fn the_codes_table_holds_every_code_with_its_meaning_and_no_other() {
    let codes: Vec<[String; 2]> =
        ErrorCode::ALL.iter().map(|code| [code.to_string(), code.meaning().to_owned()]).collect();
    assert_eq!(first_cells(["Code", "Meaning"]), codes);
}

#[test]
fn the_kinds_table_holds_every_kind_and_no_other() {
    let kinds: Vec<[String; 2]> =
        AskKind::ALL.iter().map(|kind| [kind.to_string(), kind.tool_name().to_owned()]).collect();
    assert_eq!(first_cells(["Kind", "Tool"]), kinds);
}

/// The tables of the kinds spell limits out where a reader needs them; a limit that changes must change there too.
#[test]
fn every_number_in_the_tables_of_the_kinds_is_a_limit() {
    let limits: Vec<String> = LIMITS.rows().into_iter().map(|(_, value)| value).collect();
    let page = asks();
    let kinds = page
        .section("Fields of every ask")
        .chain(AskKind::ALL.iter().flat_map(|kind| page.section(kind.as_str())));
    let rows = kinds.filter(|line| line.starts_with('|'));
    let numbers: Vec<String> = rows.flat_map(numbers).collect();
    assert!(numbers.len() > 20, "{numbers:?}");
    for number in numbers {
        assert!(["0", "1"].contains(&number.as_str()) || limits.contains(&number), "{number} is no limit");
    }
}

/// The numbers of a line outside of code.
fn numbers(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect();
    let prose = prose.replace("UTF-16", "").replace("UTF-8", "").replace(',', "");
    let digits = prose.split(|c: char| !c.is_ascii_digit());
    digits.filter(|digits| !digits.is_empty()).map(str::to_owned).collect()
}
