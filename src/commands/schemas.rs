//! `turnwright schemas`: the repository's generated files, written or held against what is there.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use turnwright_schemas::generated::{GENERATED_FOLDERS, generated_files};

use crate::error::StartError;

/// Writes every generated file and removes those that are generated no more.
pub(super) fn write(root: &Path) -> Result<ExitCode, StartError> {
    let wanted = wanted(root);
    for path in present(root)?.into_iter().filter(|path| !wanted.contains_key(path)) {
        fs::remove_file(&path).map_err(|source| StartError::File { path, source })?;
    }
    for (path, content) in wanted {
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, content))
            .map_err(|source| StartError::File { path, source })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails when a generated file is missing, different or left over, and names each.
pub(super) fn check(root: &Path) -> Result<ExitCode, StartError> {
    if !root.join("schemas").is_dir() {
        return Err(StartError::NoCheckout(root.to_owned()));
    }
    let wanted = wanted(root);
    let present = present(root)?;
    let stale = wanted
        .iter()
        .filter(|(path, content)| fs::read(path).map_or(true, |found| found != content.as_bytes()));
    let stale = stale.map(|(path, _)| path);
    let left_over = present.iter().filter(|path| !wanted.contains_key(*path));
    let out_of_date: Vec<_> = stale.chain(left_over).collect();
    if out_of_date.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut said = io::stderr().lock();
    for path in &out_of_date {
        writeln!(said, "out of date: {}", path.display())?;
    }
    writeln!(said, "run `turnwright schemas` in the root of the repository")?;
    Ok(ExitCode::FAILURE)
}

fn wanted(root: &Path) -> BTreeMap<PathBuf, String> {
    generated_files().into_iter().map(|file| (root.join(file.path), file.content)).collect()
}

/// The files in the folders of generated files.
fn present(root: &Path) -> Result<Vec<PathBuf>, StartError> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = GENERATED_FOLDERS.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>),
        };
        for entry in entries.map_err(|source| StartError::File { path: folder, source })? {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_written_is_up_to_date_until_a_file_changes() {
        let root = tempfile::tempdir().unwrap();
        write(root.path()).unwrap();
        assert_eq!(check(root.path()).unwrap(), ExitCode::SUCCESS);
        let left_over = root.path().join(GENERATED_FOLDERS[0]).join("left-over.json");
        fs::write(&left_over, "{}").unwrap();
        assert_eq!(check(root.path()).unwrap(), ExitCode::FAILURE);
        write(root.path()).unwrap();
        assert!(!left_over.exists());
        assert_eq!(check(root.path()).unwrap(), ExitCode::SUCCESS);
    }

    #[test]
    fn a_folder_that_is_no_checkout_is_told_apart_from_an_old_one() {
        let root = tempfile::tempdir().unwrap();
        let refusal = check(root.path()).unwrap_err().to_string();
        assert!(refusal.contains(&*root.path().to_string_lossy()) && refusal.contains("--root"), "{refusal}");
    }

    #[test]
    fn the_committed_files_are_up_to_date() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(check(root).unwrap(), ExitCode::SUCCESS);
    }
}
