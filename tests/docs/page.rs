//! A page of the documentation, taken apart: fenced blocks, tables, headings and links.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A page.
pub struct Page {
    /// Its path from the root of the repository.
    pub path: PathBuf,
    text: String,
}

/// A fenced block.
#[derive(Debug)]
pub struct Block {
    /// Where it opens: the page and the line, for whoever has to mend it.
    pub place: String,
    /// The words after the fence: the language first, then what tests are to do with it.
    pub marks: Vec<String>,
    /// What it holds.
    pub text: String,
}

impl Block {
    /// Its language.
    pub fn language(&self) -> &str {
        self.marks.first().map_or("", String::as_str)
    }

    /// The first word after its language.
    pub fn mark(&self) -> Option<&str> {
        self.marks.get(1).map(String::as_str)
    }
}

impl Page {
    /// Reads a page.
    ///
    /// # Panics
    /// When there is none.
    pub fn read(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let text = fs::read_to_string(Path::new(ROOT).join(&path));
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, text }
    }

    /// README.md and every page under `docs/`, by path.
    pub fn all() -> Vec<Self> {
        let folder = fs::read_dir(Path::new(ROOT).join("docs")).unwrap();
        let mut paths = vec![PathBuf::from("README.md")];
        paths.extend(
            folder
                .map(|entry| Path::new("docs").join(entry.unwrap().file_name()))
                .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
        );
        paths.sort();
        paths.into_iter().map(Self::read).collect()
    }

    /// Its whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines below a heading, outside of fenced blocks, to the next heading.
    pub fn section(&self, heading: &str) -> impl Iterator<Item = &str> {
        let lines = self.prose_lines().skip_while(move |line| line.trim_start_matches('#').trim() != heading);
        lines.skip(1).take_while(|line| !line.starts_with('#'))
    }

    /// Its fenced blocks, in order.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open = false;
        for (index, line) in self.text.lines().enumerate() {
            match line.strip_prefix("```") {
                Some(_) if open => open = false,
                Some(info) => {
                    open = true;
                    let place = format!("{}:{}", self.path.display(), index + 1);
                    let marks = info.split_whitespace().map(str::to_owned).collect();
                    blocks.push(Block { place, marks, text: String::new() });
                }
                None if open => {
                    let block = blocks.last_mut().unwrap();
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                None => {}
            }
        }
        assert!(!open, "{}: a fence is not closed", self.path.display());
        blocks
    }

    /// The rows of the table whose header begins with these cells, without the header. Backticks around a whole cell
    /// are taken off.
    ///
    /// # Panics
    /// When the page has no such table.
    pub fn table(&self, header: &[&str]) -> Vec<Vec<String>> {
        let rows = self.tables(header);
        assert!(!rows.is_empty(), "{} has no table {header:?}", self.path.display());
        rows
    }

    /// As [`Page::table`], the rows of every such table.
    pub fn tables(&self, header: &[&str]) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let mut inside = false;
        for line in self.prose_lines() {
            let cells = cells(line);
            match cells {
                None => inside = false,
                Some(cells) if inside => rows.extend((!is_rule(&cells)).then_some(cells)),
                Some(cells) => {
                    inside = cells.len() >= header.len() && header.iter().eq(&cells[..header.len()])
                }
            }
        }
        rows
    }

    /// The anchors of its headings.
    pub fn anchors(&self) -> Vec<String> {
        let headings = self.prose_lines().filter(|line| line.starts_with('#'));
        headings.map(|heading| anchor(heading.trim_start_matches('#').trim())).collect()
    }

    /// The targets of its links.
    pub fn links(&self) -> Vec<String> {
        let mut links = Vec::new();
        for line in self.prose_lines() {
            let starts = line.split("](").skip(1);
            links.extend(starts.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
        }
        links
    }

    /// Its words outside of fenced blocks.
    pub fn prose_lines(&self) -> impl Iterator<Item = &str> {
        let mut open = false;
        self.text.lines().filter(move |line| {
            let fence = line.starts_with("```");
            open ^= fence;
            !open && !fence
        })
    }
}

/// The cells of a table's line.
fn cells(line: &str) -> Option<Vec<String>> {
    const PIPE: char = '\u{1}';
    let line = line.trim().strip_prefix('|')?.replace(r"\|", &PIPE.to_string());
    let line = line.strip_suffix('|').unwrap_or(&line);
    let cell = |cell: &str| {
        let cell = cell.trim().replace(PIPE, "|");
        let inside = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
        match inside {
            Some(inside) if !inside.contains('`') => inside.to_owned(),
            _ => cell,
        }
    };
    Some(line.split('|').map(cell).collect())
}

fn is_rule(cells: &[String]) -> bool {
    cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':')))
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}
