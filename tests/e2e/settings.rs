//! What a node may be told, and what stops its start.

use crate::support::{Node, Setup};

#[tokio::test]
async fn a_wrong_value_stops_the_start_and_names_its_key() {
    let wrong = [
        ("http.port", "70000"),
        ("http.bind", "localhost"),
        ("http.trusted_proxies", "proxy.example.com"),
        ("http.max_body_bytes", "0"),
        ("http.max_json_depth", "1000"),
        ("http.keep_alive_seconds", "often"),
        ("database.url", "mysql://localhost/turnwright"),
        ("files.url", "https://example.com/files"),
        ("asks.enabled", "perhaps"),
        ("asks.kinds", "choice,poll"),
        ("asks.max_file_size_bytes", "-1"),
        ("turns.max_steps", "0"),
        ("turns.stream_text", "slow"),
        ("cluster.heartbeat_seconds", "8"),
        ("auth.session_days", "0"),
        ("demo.delay_ms", "soon"),
        ("log.format", "yaml"),
    ];
    for (key, value) in wrong {
        let said = Setup::new().set(key, value).refused().await;
        assert!(said.contains(key), "{key} = {value}: {said}");
        assert_eq!(said.lines().count(), 1, "{key} = {value}: {said}");
    }
}

#[tokio::test]
async fn an_unknown_setting_stops_the_start() {
    let said = Setup::new().set("asks.kind", "choice").refused().await;
    assert!(said.contains("asks.kind is not a setting"), "{said}");
}

#[tokio::test]
async fn an_unusable_script_stops_the_start() {
    let setup = Setup::new();
    let file = setup.folder().join("script.json");
    std::fs::write(&file, r#"{"rules": [{"when": "("}]}"#).unwrap();
    let said = setup.set("demo.script", file.display()).refused().await;
    assert!(said.contains("script.json is not a valid script"), "{said}");
}

#[tokio::test]
async fn development_users_live_on_loopback_only() {
    let open = Setup::new().set("http.bind", "0.0.0.0");
    let said = open.refused().await;
    assert!(said.contains("auth.development") && said.contains("http.bind"), "{said}");

    let node = open.set("auth.development", false).start().await;
    let test_user = serde_json::json!({"email": "test@example.com", "password": "testpassword123"});
    node.client().post("/api/auth/sign-in/email", test_user).await.expect(401);
}

#[tokio::test]
async fn flags_go_over_the_environment_over_files_over_defaults() {
    let setup = Setup::new().set("turns.max_steps", 3).set("http.port", 4001);
    let file = setup.folder().join("node.toml");
    std::fs::write(&file, "[turns]\nmax_steps = 2\nqueue_limit = 5\n").unwrap();
    let file = file.to_str().unwrap();
    let shown = setup.run(&["serve", "--config", file, "--port", "4002", "--print-config"]).await;
    assert!(shown.status.success());
    let shown = String::from_utf8(shown.stdout).unwrap();
    for line in ["max_steps = 3", "queue_limit = 5", "port = 4002", "lease_seconds = 15"] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is not in\n{shown}");
    }
}

#[tokio::test]
async fn printed_settings_hide_their_secrets() {
    let setup = Setup::new().set("database.url", "postgres://tw:s3cret@db.example/tw?sslpassword=s3cret");
    let shown = setup.set("files.url", "s3://key:s3cret@bucket/files").run(&["--print-config"]).await;
    assert!(shown.status.success());
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(!shown.contains("s3cret"), "{shown}");
    assert!(shown.contains("postgres://tw:***@db.example/tw"), "{shown}");
}

#[tokio::test]
async fn a_second_process_on_the_same_sqlite_file_refuses() {
    let node = Node::start().await;
    let said = node.setup().refused().await;
    assert!(said.contains("another process serves the database"), "{said}");
    node.restart().await;
}

#[tokio::test]
async fn a_redis_that_this_build_cannot_use_stops_the_start() {
    let said = Setup::new().set("bus.redis_url", "redis://localhost").refused().await;
    assert!(said.contains("bus.redis_url"), "{said}");
}

#[tokio::test]
async fn postgres_without_tables_stops_the_start_and_names_migrate() {
    let Some(postgres) = crate::support::postgres::Postgres::shared() else { return };
    let setup = Setup::new().set("database.url", postgres.database());
    let said = setup.refused().await;
    assert!(said.contains("turnwright migrate"), "{said}");
    let migrated = [setup.run(&["migrate"]).await, setup.run(&["migrate"]).await];
    assert!(migrated.iter().all(|run| run.status.success()));
    let node = setup.start().await;
    node.client().sign_in("test@example.com", "testpassword123").await;
}

#[tokio::test]
async fn a_postgres_that_cannot_be_reached_stops_the_start_at_once_and_is_named_without_secrets() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let began = std::time::Instant::now();
    let url = format!("postgres://tw:s3cret@127.0.0.1:{port}/tw");
    let said = Setup::new().set("database.url", url).refused().await;
    assert!(began.elapsed().as_secs() < 5, "{:?}: {said}", began.elapsed());
    assert!(said.contains("database.url") && said.contains("Connection refused"), "{said}");
    assert!(!said.contains("s3cret"), "{said}");
}

#[tokio::test]
async fn a_postgres_that_refuses_stops_the_start_with_its_own_words() {
    let Some(postgres) = crate::support::postgres::Postgres::shared() else { return };
    let url = postgres.database().replace("/test_", "/missing_");
    let said = Setup::new().set("database.url", url).refused().await;
    assert!(said.contains("database.url") && said.contains("does not exist"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[tokio::test]
async fn seed_makes_the_development_users() {
    let setup = Setup::new().set("auth.development", false);
    for _ in 0..2 {
        assert!(setup.run(&["seed"]).await.status.success());
    }
    let node = setup.start().await;
    node.client().sign_in("test@example.com", "testpassword123").await;
    let admin = node.admin().await;
    assert_eq!(admin.get("/api/auth/get-session").await.json()["user"]["admin"], true);
}
