//! `turnwright check`: JSON lines in, one JSON line out for each, in order.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use turnwright_schemas::{CheckOutput, check_line};

use crate::error::StartError;

/// How the checks went, from best to worst. The number is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Clean = 0,
    Errors = 1,
    Unreadable = 2,
}

/// A line that is no check, as it is written.
#[derive(Serialize)]
struct Unreadable {
    error: String,
}

/// Checks the lines of a file, or of standard input. A file that cannot be read counts as an unreadable line.
///
/// # Errors
/// When nobody reads the results any more.
pub(super) fn run(file: Option<&Path>) -> Result<ExitCode, StartError> {
    let output = io::stdout().lock();
    let file = file.filter(|path| *path != Path::new("-"));
    let (name, outcome) = match file {
        Some(path) => (path.display().to_string(), File::open(path).and_then(|file| check(file, output))),
        None => ("standard input".to_owned(), check(io::stdin().lock(), output)),
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(closed) if closed.kind() == io::ErrorKind::BrokenPipe => return Err(closed.into()),
        Err(error) => {
            writeln!(io::stderr(), "turnwright: cannot check {name}: {error}")?;
            Outcome::Unreadable
        }
    };
    Ok(ExitCode::from(outcome as u8))
}

fn check(input: impl Read, output: impl Write) -> io::Result<Outcome> {
    let mut input = BufReader::new(input);
    let mut output = BufWriter::new(output);
    let mut worst = Outcome::Clean;
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        worst = worst.max(write_result(&line, &mut output)?);
        line.clear();
        // Whoever writes line by line gets each answer before the next line.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()?;
    Ok(worst)
}

fn write_result(line: &[u8], output: &mut impl Write) -> io::Result<Outcome> {
    let checked = match std::str::from_utf8(line) {
        Ok(line) => check_line(line).map_err(|error| error.to_string()),
        Err(_) => Err("The line is not UTF-8.".to_owned()),
    };
    let outcome = match &checked {
        Ok(found) if found.is_clean() => Outcome::Clean,
        Ok(_) => Outcome::Errors,
        Err(_) => Outcome::Unreadable,
    };
    match checked {
        Ok(found) => serde_json::to_writer::<_, CheckOutput>(&mut *output, &found)?,
        Err(error) => serde_json::to_writer(&mut *output, &Unreadable { error })?,
    }
    output.write_all(b"\n")?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const CLEAN: &str =
        r#"{"op": "validateInput", "kind": "confirm", "input": {"prompt": "Go on?"}, "expect": 1}"#;
    const WRONG: &str = r#"{"op": "validateInput", "kind": "confirm", "input": {"prompt": "  "}}"#;

    fn checked(input: &[u8]) -> (Outcome, Vec<serde_json::Value>) {
        let mut output = Vec::new();
        let outcome = check(input, &mut output).unwrap();
        let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        (outcome, lines.map(|line| serde_json::from_slice(line).unwrap()).collect())
    }

    #[test]
    fn a_clean_check_finds_no_errors() {
        let (outcome, lines) = checked(CLEAN.as_bytes());
        assert_eq!(outcome, Outcome::Clean);
        assert_eq!(lines, [serde_json::json!({"errors": []})]);
    }

    #[test]
    fn results_come_in_the_order_of_the_lines_and_the_worst_decides() {
        let (outcome, lines) = checked(format!("{WRONG}\n{CLEAN}\n").as_bytes());
        assert_eq!(outcome, Outcome::Errors);
        assert_eq!(lines[0]["errors"][0]["code"], "TOO_SHORT");
        assert_eq!(lines[1]["errors"].as_array().unwrap().len(), 0);
    }

    #[test]
    fn an_unreadable_line_gives_a_sentence_and_the_others_their_results() {
        for unreadable in [&b"{"[..], b"", b"\xff", b"{\"op\": \"guess\"}", b"[]"] {
            let input = [unreadable, b"\n", WRONG.as_bytes()].concat();
            let (outcome, lines) = checked(&input);
            assert_eq!(outcome, Outcome::Unreadable);
            assert!(lines[0]["error"].is_string(), "{lines:?}");
            assert!(lines[1]["errors"].is_array(), "{lines:?}");
        }
    }

    #[test]
    fn no_lines_are_clean() {
        assert_eq!(checked(b""), (Outcome::Clean, vec![]));
    }
}
