//! The folder of reference material that stands beside a checkout. It is read in place.

use std::path::PathBuf;

/// The text of a file of the shared folder, or `None` with a word on standard error where the folder is absent.
///
/// # Panics
///
/// On CI, where the folder must be there.
pub fn read(path: &str) -> Option<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    match std::fs::read_to_string(root.join(path)) {
        Ok(text) => Some(text),
        Err(error) if std::env::var_os("CI").is_some() => panic!("../shared/{path}: {error}"),
        Err(_) => {
            eprintln!("skipped: ../shared/{path} is not beside this checkout");
            None
        }
    }
}
