//! The folder of reference material that stands beside a checkout. It is read in place.

use std::path::{Path, PathBuf};

/// The text of a file of the shared folder, or `None` with a word on standard error where the folder is absent.
///
/// # Panics
///
/// On CI, where the folder must be there.
pub fn read(path: &str) -> Option<String> {
    match std::fs::read_to_string(place_of(path)) {
        Ok(text) => Some(text),
        Err(error) if std::env::var_os("CI").is_some() => panic!("../shared/{path}: {error}"),
        Err(_) => {
            eprintln!("skipped: ../shared/{path} is not beside this checkout");
            None
        }
    }
}

/// Where a file of the shared folder stands, whether or not it is there.
pub fn place_of(path: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let checkout = package.ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(package);
    checkout.join("../shared").join(path)
}

/// The texts of all files in a folder of the shared folder, by name; none where the folder is absent.
///
/// # Panics
///
/// On CI, where the folder must be there.
pub fn files(folder: &str) -> Vec<String> {
    let entries = match std::fs::read_dir(place_of(folder)) {
        Ok(entries) => entries,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "../shared/{folder}: {error}");
            eprintln!("skipped: ../shared/{folder} is not beside this checkout");
            return Vec::new();
        }
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}
