//! The tables of `docs/settings.md` hold the settings and the commands that there are.

use clap::CommandFactory;
use turnwright::cli::Cli;
use turnwright::settings::{self, Sources};

use crate::page::Page;

fn page() -> Page {
    Page::read("docs/settings.md")
}

/// Every setting of `config/default.toml` with its default as TOML writes it.
pub fn defaults() -> Vec<(String, String)> {
    let shown = settings::shown(&Sources::default()).unwrap();
    let mut section = "";
    let mut settings = Vec::new();
    for line in shown.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name;
        } else {
            let (key, value) = line.split_once(" = ").unwrap();
            settings.push((format!("{section}.{key}"), value.to_owned()));
        }
    }
    settings
}

#[test]
fn the_tables_hold_every_setting_with_its_default_and_no_other() {
    let rows = page().tables(&["Setting", "Default"]).into_iter();
    let mut documented: Vec<(String, String)> =
        rows.map(|cells| (cells[0].clone(), cells[1].clone())).collect();
    documented.sort();
    assert_eq!(documented, defaults());
}

#[test]
fn the_commands_table_holds_every_command_and_no_other() {
    let rows = page().table(&["Command", "Does"]).into_iter();
    let documented: Vec<String> = rows.map(|cells| cells[0].clone()).collect();
    let cli = <Cli as CommandFactory>::command();
    let commands: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(documented, commands);
}

#[test]
fn the_flags_table_holds_every_flag_of_a_node_and_no_other() {
    let rows = page().table(&["Flag", "Sets"]).into_iter();
    let documented: Vec<String> =
        rows.map(|cells| cells[0].split_whitespace().next().unwrap().to_owned()).collect();
    let cli = <Cli as CommandFactory>::command();
    let flags = cli.get_arguments().filter_map(clap::Arg::get_long).map(|name| format!("--{name}"));
    assert_eq!(documented, flags.collect::<Vec<_>>());
}
