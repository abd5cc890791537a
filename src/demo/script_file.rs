//! The script on disk: read at start, and again at the preparation after it changed.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::script::{Script, ScriptError};

/// A file this fresh may change again without its time of change telling, on the coarsest clock a file system
/// keeps.
const TIME_IS_COARSE: Duration = Duration::from_secs(2);

/// A script that follows its file.
pub(super) struct ScriptFile {
    path: PathBuf,
    read: Mutex<Reading>,
}

/// What was read last.
#[derive(Clone)]
struct Reading {
    script: Arc<Script>,
    /// `None` when the same stamp would not prove that the file is the same.
    stamp: Option<Stamp>,
}

/// What tells one content of the file from another.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    length: u64,
}

impl ScriptFile {
    /// Reads the script for the first time.
    pub(super) fn open(path: PathBuf) -> Result<Self, ScriptError> {
        let file = File::open(&path).map_err(|error| ScriptError::unreadable(&path, error))?;
        let read = Reading::of(&path, file)?;
        Ok(Self { path, read: Mutex::new(read) })
    }

    /// The script as the file holds it now. Opening it and asking for its times is all that is done while it
    /// stays the same; a file that cannot be used now is an error until it is mended.
    pub(super) fn current(&self) -> Result<Arc<Script>, ScriptError> {
        let file = File::open(&self.path).map_err(|error| ScriptError::unreadable(&self.path, error))?;
        let stamp = Stamp::of(&file).map_err(|error| ScriptError::unreadable(&self.path, error))?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.stamp != Some(stamp) {
            *read = Reading::of(&self.path, file)?;
        }
        Ok(Arc::clone(&read.script))
    }
}

impl Reading {
    fn of(path: &Path, mut file: File) -> Result<Self, ScriptError> {
        let unreadable = |error| ScriptError::unreadable(path, error);
        let stamp = Stamp::of(&file).map_err(unreadable)?;
        let now = SystemTime::now();
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(unreadable)?;
        let settled = now.duration_since(stamp.modified).is_ok_and(|age| age > TIME_IS_COARSE);
        Ok(Self { script: Arc::new(Script::parse(path, &text)?), stamp: settled.then_some(stamp) })
    }
}

impl Stamp {
    fn of(file: &File) -> std::io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self { modified: metadata.modified()?, length: metadata.len() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::demo::script::ScriptedPart;

    fn script(word: &str) -> String {
        format!(r#"{{"rules": [{{"when": "", "requests": [[{{"text": "{word}"}}]]}}]}}"#)
    }

    fn folder_with(text: &str) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("play.json");
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn said(file: &ScriptFile) -> String {
        match file.current().unwrap().parts("", 0) {
            Some([ScriptedPart::Text(text)]) => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_changed_script_is_read_again_even_when_it_kept_its_length() {
        let (_folder, path) = folder_with(&script("one"));
        let file = ScriptFile::open(path.clone()).unwrap();
        assert_eq!(said(&file), "one");
        for word in ["two", "six", "ten"] {
            fs::write(&path, script(word)).unwrap();
            assert_eq!(said(&file), word);
        }
    }

    #[test]
    fn an_unchanged_script_is_not_read_again() {
        let (_folder, path) = folder_with(&script("one"));
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        let age =
            |path: &Path| File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
        age(&path);
        let file = ScriptFile::open(path.clone()).unwrap();
        // Nothing that the stamp shows has changed, so only a second reading could tell.
        fs::write(&path, script("two")).unwrap();
        age(&path);
        assert_eq!(said(&file), "one");
    }

    #[test]
    fn a_script_that_goes_bad_is_an_error_until_it_is_mended() {
        let (_folder, path) = folder_with(&script("one"));
        let file = ScriptFile::open(path.clone()).unwrap();
        fs::write(&path, "{").unwrap();
        for _ in 0..2 {
            assert!(matches!(file.current(), Err(ScriptError::Invalid { .. })));
        }
        fs::remove_file(&path).unwrap();
        assert!(matches!(file.current(), Err(ScriptError::Unreadable { .. })));
        fs::write(&path, script("two")).unwrap();
        assert_eq!(said(&file), "two");
    }
}
