//! Where rows and files live, read from URLs. What is shown of them hides their secrets.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use url::Url;

/// A location that is none we can use.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnusableLocation(&'static str);

/// Where the rows live.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseLocation {
    /// A file on this machine.
    Sqlite(PathBuf),
    /// A server; the URL may hold a password.
    Postgres(String),
}

impl DatabaseLocation {
    /// The URL that opens it. A SQLite file is made when it is missing.
    pub fn url(&self) -> String {
        match self {
            // The driver decodes percent escapes, and ends the path at a question mark.
            Self::Sqlite(path) => {
                let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3F").replace('#', "%23");
                format!("sqlite://{path}?mode=rwc")
            }
            Self::Postgres(url) => url.clone(),
        }
    }

    /// The file whose lock says that a process serves this database; Postgres has none.
    pub fn lock_file(&self) -> Option<PathBuf> {
        match self {
            Self::Sqlite(path) => {
                let mut name = path.clone().into_os_string();
                name.push(".lock");
                Some(name.into())
            }
            Self::Postgres(_) => None,
        }
    }
}

impl FromStr for DatabaseLocation {
    type Err = UnusableLocation;

    fn from_str(text: &str) -> Result<Self, UnusableLocation> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            let (path, query) = path.split_once('?').unwrap_or((path, ""));
            return match (path, query) {
                ("" | ":memory:", _) => {
                    Err(UnusableLocation("SQLite needs a file, such as sqlite://data/turnwright.db"))
                }
                (path, "" | "mode=rwc") => Ok(Self::Sqlite(path.into())),
                _ => Err(UnusableLocation("a sqlite: URL takes no options")),
            };
        }
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "postgres" | "postgresql") => {
                Ok(Self::Postgres(text.to_owned()))
            }
            _ => Err(UnusableLocation("write sqlite://<file> or postgres://user:password@host/name")),
        }
    }
}

impl fmt::Debug for DatabaseLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.url()))
    }
}

/// Where uploads live.
#[derive(Clone, PartialEq, Eq)]
pub enum FilesLocation {
    /// A folder on this machine.
    Folder(PathBuf),
    /// A bucket of S3 or Google Cloud Storage.
    Bucket(Url),
}

impl FromStr for FilesLocation {
    type Err = UnusableLocation;

    fn from_str(text: &str) -> Result<Self, UnusableLocation> {
        const FORMS: &str = "write a folder, s3://bucket/prefix or gs://bucket/prefix";
        if text.is_empty() {
            return Err(UnusableLocation(FORMS));
        }
        if let Some(path) = text.strip_prefix("file://") {
            return Ok(Self::Folder(path.into()));
        }
        if !text.contains("://") {
            return Ok(Self::Folder(text.into()));
        }
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "s3" | "gs") && url.host_str().is_some() => {
                Ok(Self::Bucket(url))
            }
            _ => Err(UnusableLocation(FORMS)),
        }
    }
}

impl fmt::Debug for FilesLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => path.fmt(f),
            Self::Bucket(url) => f.write_str(&without_secrets(url.as_str())),
        }
    }
}

/// A URL whose password, query values and fragment are hidden; a text that is no URL as it is.
pub(super) fn without_secrets(text: &str) -> String {
    const HIDDEN: &str = "***";
    let Ok(mut url) = Url::parse(text) else { return text.to_owned() };
    if url.password().is_some() && url.set_password(Some(HIDDEN)).is_err() {
        return format!("{}://{HIDDEN}", url.scheme());
    }
    if url.query().is_some() && url.scheme() != "sqlite" {
        let names: Vec<String> = url.query_pairs().map(|(name, _)| format!("{name}={HIDDEN}")).collect();
        url.set_query(Some(&names.join("&")));
    }
    url.set_fragment(None);
    url.to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_sqlite_url_names_a_file() {
        for text in ["sqlite://data/t.db", "sqlite:data/t.db", "sqlite://data/t.db?mode=rwc"] {
            assert_eq!(text.parse(), Ok(DatabaseLocation::Sqlite("data/t.db".into())), "{text}");
        }
        assert_eq!("sqlite:///var/t.db".parse(), Ok(DatabaseLocation::Sqlite("/var/t.db".into())));
    }

    #[test]
    fn a_database_in_memory_is_refused() {
        for text in ["sqlite::memory:", "sqlite:", "sqlite://"] {
            assert!(text.parse::<DatabaseLocation>().is_err(), "{text}");
        }
    }

    #[test]
    fn other_databases_are_refused() {
        for text in ["", "data/t.db", "mysql://localhost/t"] {
            assert!(text.parse::<DatabaseLocation>().is_err(), "{text}");
        }
    }

    #[test]
    fn odd_characters_of_a_path_reach_the_driver() {
        let location = DatabaseLocation::Sqlite("50%/a?b.db".into());
        assert_eq!(location.url(), "sqlite://50%25/a%3Fb.db?mode=rwc");
    }

    #[test]
    fn the_lock_stands_beside_the_database() {
        let location: DatabaseLocation = "sqlite://data/t.db".parse().unwrap();
        assert_eq!(location.lock_file(), Some("data/t.db.lock".into()));
    }

    #[test]
    fn secrets_of_a_url_are_hidden() {
        let shown = without_secrets("postgres://tw:s3cret@db.example/tw?sslmode=require&password=s3cret");
        assert!(!shown.contains("s3cret"), "{shown}");
        assert!(shown.starts_with("postgres://tw:***@db.example/tw"), "{shown}");
        let location: DatabaseLocation = "postgres://tw:s3cret@db.example/tw".parse().unwrap();
        assert!(!format!("{location:?}").contains("s3cret"));
    }

    #[test]
    fn files_live_in_a_folder_or_a_bucket() {
        assert_eq!("data/files".parse(), Ok(FilesLocation::Folder("data/files".into())));
        assert_eq!("file:///srv/files".parse(), Ok(FilesLocation::Folder("/srv/files".into())));
        assert!(matches!("s3://bucket/a".parse(), Ok(FilesLocation::Bucket(_))));
        for text in ["", "https://example.com/files", "s3://"] {
            assert!(text.parse::<FilesLocation>().is_err(), "{text}");
        }
    }
}
