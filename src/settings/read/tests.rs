#![allow(clippy::unwrap_used)]
use std::io::Write as _;

use turnwright_schemas::AskKind;

use super::*;

fn with_environment(variables: &[(&str, &str)]) -> Sources {
    let environment =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Sources { environment, ..Sources::default() }
}

fn load(variables: &[(&str, &str)]) -> Settings {
    Settings::load(&with_environment(variables)).unwrap()
}

fn refusal(variables: &[(&str, &str)]) -> String {
    Settings::load(&with_environment(variables)).unwrap_err().to_string()
}

#[test]
fn the_defaults_run_a_node_on_this_machine() {
    let settings = load(&[]);
    assert!(settings.http.bind.is_loopback());
    assert_eq!(settings.http.port, 4000);
    assert_eq!(settings.asks.kinds, AskKind::ALL);
    assert_eq!(
        settings.asks.max_file_size_bytes,
        turnwright_schemas::LIMITS.files.default_max_file_size_bytes
    );
    assert_eq!(settings.cluster.heartbeat, Duration::from_secs(5));
    assert_eq!(settings.turns.stream_text, StreamText::Live);
    assert!(settings.auth.development);
}

#[test]
fn the_engine_has_the_same_defaults() {
    assert_eq!(load(&[]).engine(), turnwright_actors::settings::EngineSettings::default());
}

#[test]
fn flags_win_over_the_environment_and_the_environment_over_files() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"[http]\nport = 1\nworkers = 1\nstreams_per_user = 1\n").unwrap();
    let mut sources =
        with_environment(&[("TURNWRIGHT__HTTP__PORT", "2"), ("TURNWRIGHT__HTTP__WORKERS", "2")]);
    sources.files.push(file.path().to_owned());
    sources.flags.push(("http.port", "3".to_owned()));
    let http = Settings::load(&sources).unwrap().http;
    assert_eq!((http.port, http.workers, http.streams_per_user), (3, Some(2), 1));
}

#[test]
fn a_later_file_wins() {
    let files: Vec<_> = [1, 2]
        .map(|port| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            write!(file, "http.port = {port}").unwrap();
            file.into_temp_path()
        })
        .into();
    let sources =
        Sources { files: files.iter().map(|file| file.to_path_buf()).collect(), ..Sources::default() };
    assert_eq!(Settings::load(&sources).unwrap().http.port, 2);
}

#[test]
fn lists_are_written_with_commas_in_the_environment() {
    let settings = load(&[
        ("TURNWRIGHT__ASKS__KINDS", "choice, confirm"),
        ("TURNWRIGHT__HTTP__CORS_ORIGINS", "https://a.example,https://b.example"),
    ]);
    assert_eq!(settings.asks.kinds, [AskKind::Choice, AskKind::Confirm]);
    assert_eq!(settings.http.cors_origins, ["https://a.example", "https://b.example"]);
}

#[test]
fn an_empty_list_of_kinds_offers_none() {
    assert!(load(&[("TURNWRIGHT__ASKS__KINDS", "")]).asks.kinds.is_empty());
}

#[test]
fn an_unknown_kind_stops_the_start() {
    let sentence = refusal(&[("TURNWRIGHT__ASKS__KINDS", "choice,poll")]);
    assert!(sentence.contains("asks.kinds") && sentence.contains("poll"), "{sentence}");
}

#[test]
fn an_unknown_key_stops_the_start_and_is_named_with_its_origin() {
    let sentence = refusal(&[("TURNWRIGHT__HTTP__PROT", "1")]);
    assert!(sentence.contains("http.prot") && sentence.contains("environment"), "{sentence}");
    assert!(refusal(&[("TURNWRIGHT__HTTPS__PORT", "1")]).contains("https.port"));
}

#[test]
fn a_value_of_the_wrong_type_stops_the_start_and_names_its_key() {
    for (variable, value, key) in [
        ("TURNWRIGHT__HTTP__PORT", "seventy", "http.port"),
        ("TURNWRIGHT__HTTP__PORT", "65536", "http.port"),
        ("TURNWRIGHT__HTTP__PORT", "-1", "http.port"),
        ("TURNWRIGHT__HTTP__PORT", "80.5", "http.port"),
        ("TURNWRIGHT__HTTP__BIND", "localhost", "http.bind"),
        ("TURNWRIGHT__ASKS__ENABLED", "yes please", "asks.enabled"),
        ("TURNWRIGHT__HTTP__KEEP_ALIVE_SECONDS", "0", "http.keep_alive_seconds"),
        ("TURNWRIGHT__HTTP__SHUTDOWN_SECONDS", "-1", "http.shutdown_seconds"),
        ("TURNWRIGHT__HTTP__SHUTDOWN_SECONDS", "inf", "http.shutdown_seconds"),
        ("TURNWRIGHT__HTTP__MAX_JSON_DEPTH", "1000", "http.max_json_depth"),
        ("TURNWRIGHT__TURNS__MAX_STEPS", "0", "turns.max_steps"),
        ("TURNWRIGHT__TURNS__STREAM_TEXT", "slow", "turns.stream_text"),
        ("TURNWRIGHT__DATABASE__URL", "mysql://localhost/t", "database.url"),
        ("TURNWRIGHT__FILES__URL", "ftp://example.com", "files.url"),
        ("TURNWRIGHT__LOG__FORMAT", "xml", "log.format"),
        ("TURNWRIGHT__LOG__FILTER", "turnwright=loud", "log.filter"),
    ] {
        let sentence = refusal(&[(variable, value)]);
        assert!(sentence.contains(key), "{sentence}");
    }
}

#[test]
fn a_file_with_a_value_of_the_wrong_type_stops_the_start() {
    for (line, key) in [
        ("http.port = true", "http.port"),
        ("http.port = [1]", "http.port"),
        ("asks.enabled = 1", "asks.enabled"),
        ("asks.kinds = [1]", "asks.kinds"),
        ("http = 5", "http"),
        ("http.bind = 5", "http.bind"),
    ] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(line.as_bytes()).unwrap();
        let sources = Sources { files: vec![file.path().to_owned()], ..Sources::default() };
        let sentence = Settings::load(&sources).unwrap_err().to_string();
        assert!(sentence.contains(key), "{sentence}");
    }
}

#[test]
fn a_missing_or_broken_file_stops_the_start_and_is_named() {
    let sources = Sources { files: vec!["no/such/file.toml".into()], ..Sources::default() };
    assert!(Settings::load(&sources).unwrap_err().to_string().contains("no/such/file.toml"));
}

#[test]
fn redis_stops_the_start_of_this_build() {
    let sentence = refusal(&[("TURNWRIGHT__BUS__REDIS_URL", "redis://:s3cret@localhost")]);
    assert!(sentence.contains("bus.redis_url") && !sentence.contains("s3cret"), "{sentence}");
}

#[test]
fn development_users_need_a_loopback_address() {
    let sentence = refusal(&[("TURNWRIGHT__HTTP__BIND", "0.0.0.0")]);
    assert!(sentence.contains("auth.development") && sentence.contains("http.bind"), "{sentence}");
    load(&[("TURNWRIGHT__HTTP__BIND", "0.0.0.0"), ("TURNWRIGHT__AUTH__DEVELOPMENT", "false")]);
    load(&[("TURNWRIGHT__HTTP__BIND", "::1")]);
}

#[test]
fn a_heartbeat_above_half_of_the_lease_stops_the_start() {
    let lease = ("TURNWRIGHT__CLUSTER__LEASE_SECONDS", "2");
    assert!(refusal(&[lease, ("TURNWRIGHT__CLUSTER__HEARTBEAT_SECONDS", "1.1")]).contains("heartbeat"));
    let cluster = load(&[lease, ("TURNWRIGHT__CLUSTER__HEARTBEAT_SECONDS", "0.5")]).cluster;
    assert_eq!(cluster.heartbeat, Duration::from_millis(500));
}
