//! Every shell example runs, and prints what the page says.
//!
//! The blocks ` ```sh run ` of a page run in their order in one shell, beside a node of their own that plays the
//! page's ` ```json script `, when it has one. A ` ```text ` block right after one holds what it prints; without such
//! a block it prints nothing. In it `…` stands for anything within a line, and alone in a line for any lines. Ids,
//! tokens and times may be any; pieces of text that arrive one after another are joined, keep-alive comments left out.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use regex::Regex;

use crate::page::{Block, Page};
use crate::support::node::{PROGRAM, run_to_its_end};
use crate::support::{Node, Setup};

/// Where the pages say that a node listens.
const NODE: &str = "http://localhost:4000";

/// Printed after each block; no block prints it.
const END_OF_BLOCK: char = '\u{1e}';

/// A block that runs, and what it prints.
struct Example {
    block: Block,
    prints: String,
}

fn examples(blocks: Vec<Block>) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut follows = false;
    for block in blocks {
        let runs = block.language() == "sh" && block.mark() == Some("run");
        if runs {
            examples.push(Example { block, prints: String::new() });
        } else if follows && block.language() == "text" {
            examples.last_mut().unwrap().prints = block.text;
        }
        follows = runs;
    }
    examples
}

#[tokio::test]
async fn every_shell_example_prints_what_its_page_says() {
    for program in ["bash", "curl", "jq"] {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("skipped: the shell examples need {program}");
            return;
        }
    }
    for page in Page::all() {
        let script = page.blocks().into_iter().find(|block| block.mark() == Some("script"));
        let examples = examples(page.blocks());
        if !examples.is_empty() {
            let setup = script.iter().fold(Setup::new(), |setup, script| {
                setup.scripted(&serde_json::from_str(&script.text).unwrap())
            });
            run_beside(&setup.start().await, &examples).await;
        }
    }
}

async fn run_beside(node: &Node, examples: &[Example]) {
    let mut script = "set -euo pipefail\n".to_owned();
    for example in examples {
        script.push_str(&example.block.text.replace(NODE, &node.url()));
        script.push_str(&format!("printf '{END_OF_BLOCK}'\n"));
    }
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).current_dir(node.setup().folder()).env("PATH", path_with_program());
    let output = run_to_its_end(shell).await;
    let (printed, complained) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let mut printed = printed.split(END_OF_BLOCK);
    for Example { block, prints } in examples {
        let printed = printed.next().unwrap_or_default();
        assert!(
            prints_as_told(prints, printed),
            "{}\n--- the page\n{prints}--- printed\n{printed}--- complained\n{complained}",
            block.place
        );
    }
    assert!(output.status.success(), "{}: {complained}", examples[0].block.place);
}

/// The search path of this process with the program under test first.
fn path_with_program() -> std::ffi::OsString {
    let program = Path::new(PROGRAM).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = [program].into_iter().chain(std::env::split_paths(&path)).collect();
    std::env::join_paths(folders).unwrap()
}

fn prints_as_told(told: &str, printed: &str) -> bool {
    let lines = told.lines().map(|line| match line {
        "…" => r"(?:.*\n)*?".to_owned(),
        line => {
            let parts: Vec<String> = masked(line).split('…').map(regex::escape).collect();
            format!(r"{}\n", parts.join(".*"))
        }
    });
    let told = Regex::new(&format!("^{}$", lines.collect::<String>())).unwrap();
    let mut printed = masked(&timeless(printed));
    if !printed.is_empty() && !printed.ends_with('\n') {
        printed.push('\n');
    }
    told.is_match(&printed)
}

/// Hides what differs from run to run. A call's id has a word before it, which stays.
fn masked(text: &str) -> String {
    static RANDOM: LazyLock<[Regex; 3]> = LazyLock::new(|| {
        [
            r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|[0-9a-f]{32}\b",
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
            r"\b[A-Za-z0-9_-]{43}\b",
        ]
        .map(|pattern| Regex::new(pattern).unwrap())
    });
    RANDOM.iter().fold(text.to_owned(), |text, pattern| pattern.replace_all(&text, "*").into_owned())
}

/// A stream as a reader sees it who does not look at the clock: without comments, and with `{"text":…}` lines that
/// follow one another joined.
fn timeless(printed: &str) -> String {
    static SEAM: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("(?m)^(\\{\"text\":\".*)\"\\}\n\\{\"text\":\"").unwrap());
    let mut text = printed.replace(": keep-alive\n\n", "");
    while let Some(seam) = SEAM.captures(&text) {
        let whole = seam.get(0).unwrap().range();
        let kept = seam[1].to_owned();
        text.replace_range(whole, &kept);
    }
    text
}

#[test]
fn what_is_printed_may_differ_in_ids_and_times_and_where_the_page_leaves_out() {
    let told = "{\"id\":\"01a22e5a-c848-7130-91f1-3ee6e42cf4ca\",…,\"b\":1}\n…\nend\n";
    let printed = "{\"id\":\"01a22e5b-0000-7000-8000-000000000000\",\"a\":2,\"b\":1}\nx\ny\nend";
    assert!(prints_as_told(told, printed));
    assert!(!prints_as_told(told, &printed.replace("\"b\":1", "\"b\":2")));
    assert!(!prints_as_told("", "more"));
    assert!(prints_as_told("", ""));
}

#[test]
fn when_pieces_of_text_and_comments_come_makes_no_difference() {
    let printed = ": keep-alive\n\n{\"a\":1}\n{\"text\":\"I \"}\n{\"text\":\"say \"}\n{\"text\":\"so.\"}\n{\"done\":true}\n";
    assert_eq!(timeless(printed), "{\"a\":1}\n{\"text\":\"I say so.\"}\n{\"done\":true}\n");
}
