//! A private Postgres for one test process: started when a test first wants it, gone when the process is gone,
//! however it ends. Each test gets a database of its own.
//!
//! It listens on a socket in its own folder only, so it meets no other server of the machine. This file needs
//! nothing of the other support files: tests of any crate may include it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Makes the cluster, serves it, and takes it away when standard input ends, which it does when the test process
/// ends. The signals of a terminal are not its business: the server gets those itself.
const KEEPER: &str = r#"
trap '' INT HUP TERM
folder=$1; bin=$2; shift 2
"$@" "$bin/initdb" -D "$folder/data" -U postgres --auth=trust --no-locale -E UTF8 --no-sync >/dev/null || exit
"$@" "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off -c full_page_writes=off \
  -c max_connections=200 -c shared_buffers=32MB &
cat >/dev/null
kill -INT $!
wait
rm -rf -- "$folder"
"#;

/// What a server says when it can be connected to.
const READY: &str = "database system is ready to accept connections";

/// A running server.
pub struct Postgres {
    folder: PathBuf,
    bin: PathBuf,
    databases: AtomicUsize,
    _keeper: (Child, ChildStdin),
}

impl Postgres {
    /// The server of this test process, or `None` with a word on standard error where Postgres is not installed.
    ///
    /// # Panics
    /// When it does not start; on CI also when it is not installed.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Postgres>> = OnceLock::new();
        let found = SHARED.get_or_init(|| installed().map(|bin| Self::start(&bin)));
        if found.is_none() {
            assert!(std::env::var_os("CI").is_none(), "Postgres is not installed");
            eprintln!("skipped: Postgres is not installed; scripts/test installs it");
        }
        found.as_ref()
    }

    fn start(bin: &Path) -> Self {
        // Not removed by its owner: a static has no end. The keeper removes it.
        let folder = tempfile::Builder::new().prefix("turnwright-postgres-").tempdir().unwrap().keep();
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "keeper"]).arg(&folder).arg(bin).env("LC_ALL", "C");
        if is_root() {
            // The server refuses to run as root.
            let user = unprivileged_user();
            let owned = Command::new("chown").arg(user).arg(&folder).status().unwrap();
            assert!(owned.success(), "{} cannot be given to {user}", folder.display());
            keeper.args(["setpriv", "--reuid", user, "--regid", group_of(user).trim(), "--clear-groups"]);
        }
        let keeper = keeper.current_dir(&folder).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut keeper = keeper.stdout(Stdio::null()).spawn().unwrap();
        let mut log = BufReader::new(keeper.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut said = Vec::new();
        while !said.last().is_some_and(|line: &String| line.contains(READY)) {
            let line = log.next();
            said.push(line.unwrap_or_else(|| panic!("Postgres did not start:\n{}", said.join("\n"))));
        }
        // A server whose log nobody reads stops when the pipe is full.
        std::thread::spawn(move || log.for_each(drop));
        let stdin = keeper.stdin.take().unwrap();
        Self { folder, bin: bin.to_owned(), databases: AtomicUsize::new(0), _keeper: (keeper, stdin) }
    }

    /// The URL of a new, empty database.
    pub fn database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let made = Command::new(self.bin.join("createdb"))
            .arg("--host")
            .arg(&self.folder)
            .args(["--username", "postgres", &name])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        format!("postgres://postgres@localhost/{name}?host={}", self.folder.display())
    }
}

/// The folder of the newest server programs of this machine. Debian keeps them out of the search path.
fn installed() -> Option<PathBuf> {
    let has_all =
        |bin: &Path| ["initdb", "postgres", "createdb"].iter().all(|program| bin.join(program).is_file());
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, bin)| has_all(bin))
        .collect();
    versions.sort();
    let of_debian = versions.pop().map(|(_, bin)| bin);
    of_debian.or_else(|| std::env::split_paths(&std::env::var_os("PATH")?).find(|bin| has_all(bin)))
}

fn is_root() -> bool {
    said_by("id", &["-u"]).trim() == "0"
}

fn unprivileged_user() -> &'static str {
    let exists =
        |user: &&str| Command::new("id").arg(user).output().is_ok_and(|found| found.status.success());
    ["postgres", "nobody"].into_iter().find(exists).expect("no unprivileged user to run Postgres as")
}

fn group_of(user: &str) -> String {
    said_by("id", &["-g", user])
}

fn said_by(program: &str, arguments: &[&str]) -> String {
    String::from_utf8(Command::new(program).args(arguments).output().unwrap().stdout).unwrap()
}
