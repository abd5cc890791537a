//! What commands say, and how they end, when what they need is not there or nobody reads them any more.

use std::process::{Command, Output, Stdio};

use crate::support::Setup;

fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8(output.stderr.clone()).unwrap())
}

#[tokio::test]
async fn check_names_a_file_it_cannot_open() {
    let (code, said) = said(&Setup::new().run(&["check", "nofile"]).await);
    assert_eq!(code, Some(2));
    assert!(said.starts_with("turnwright: cannot check nofile: No such file or directory"), "{said}");
}

#[tokio::test]
async fn schemas_can_only_be_checked_in_a_checkout() {
    let (code, said) = said(&Setup::new().run(&["schemas", "--check"]).await);
    assert_eq!(code, Some(1));
    assert_eq!(
        said,
        "turnwright: the folder . is no checkout of the repository, as it has no folder schemas; name one with --root\n"
    );
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// As a shell reports a program that a closed pipe ended.
fn ends_silently(command: &mut Command) {
    let output = command.output().unwrap();
    assert_eq!(said(&output), (Some(141), String::new()), "{command:?}");
}

#[test]
fn a_command_whose_output_is_closed_ends_without_a_word() {
    let setup = Setup::new();
    for arguments in [&["openapi"][..], &["--print-config"]] {
        ends_silently(setup.command(arguments).stdout(closed()));
    }
    std::fs::write(setup.folder().join("checks.jsonl"), "{}\n").unwrap();
    ends_silently(setup.command(&["check", "checks.jsonl"]).stdout(closed()));
    std::fs::create_dir(setup.folder().join("schemas")).unwrap();
    ends_silently(setup.command(&["schemas", "--check"]).stderr(closed()));
}
