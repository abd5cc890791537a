//! Settings as they are written: layers of keys and values, the stronger over the weaker.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use config::{Config, Environment, File, FileFormat, Value, ValueKind};

use crate::error::StartError;

/// The built-in layer: every setting, its default and what it is for.
const DEFAULTS: &str = include_str!("../../config/default.toml");

const ENVIRONMENT_PREFIX: &str = "TURNWRIGHT";

/// What stands above the built-in defaults, weakest first.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Files of the form of `config/default.toml`; later ones win.
    pub files: Vec<PathBuf>,
    /// Environment variables.
    pub environment: HashMap<String, String>,
    /// Dotted keys and values, as flags give them.
    pub flags: Vec<(&'static str, String)>,
}

impl Sources {
    /// The environment of this process. Variables that are not Unicode are left out.
    pub fn process_environment() -> HashMap<String, String> {
        let prefix = format!("{ENVIRONMENT_PREFIX}__");
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.to_uppercase().starts_with(&prefix))
            .collect()
    }
}

/// The merged layers. Every key in them is one of `config/default.toml`.
pub(super) struct Layers {
    values: HashMap<String, Value>,
}

impl Layers {
    pub(super) fn merge(sources: &Sources) -> Result<Self, StartError> {
        let defaults = Config::builder().add_source(File::from_str(DEFAULTS, FileFormat::Toml));
        let known = leaves(defaults.build_cloned()?);
        let mut builder = defaults;
        for file in &sources.files {
            builder = builder.add_source(File::from(file.as_path()).format(FileFormat::Toml));
        }
        builder = builder.add_source(
            Environment::with_prefix(ENVIRONMENT_PREFIX)
                .prefix_separator("__")
                .separator("__")
                .source(Some(sources.environment.clone())),
        );
        for (key, value) in &sources.flags {
            builder = builder.set_override(*key, value.as_str())?;
        }
        let values = leaves(builder.build()?);
        match values.iter().find(|(key, _)| !known.contains_key(*key)) {
            Some((key, value)) => Err(StartError::UnknownSetting { key: key.clone(), origin: origin(value) }),
            None => Ok(Self { values }),
        }
    }

    /// Every key and value, by key.
    pub(super) fn sorted(&self) -> Vec<(&str, &Value)> {
        let mut all: Vec<_> = self.values.iter().map(|(key, value)| (key.as_str(), value)).collect();
        all.sort_by_key(|(key, _)| *key);
        all
    }

    /// A whole number of at most the range of `T`.
    pub(super) fn whole<T: TryFrom<u64>>(&self, key: &'static str) -> Result<T, StartError> {
        let value = self.value(key)?;
        let number = match &value.kind {
            ValueKind::I64(number) => u64::try_from(*number).ok(),
            ValueKind::U64(number) => Some(*number),
            ValueKind::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| wrong(key, value, "a whole number in range"))
    }

    /// A number, fractions allowed.
    pub(super) fn number(&self, key: &'static str) -> Result<f64, StartError> {
        let value = self.value(key)?;
        let number = match &value.kind {
            ValueKind::Float(number) => Some(*number),
            ValueKind::String(text) => text.trim().parse().ok(),
            _ => self.whole::<u32>(key).ok().map(f64::from),
        };
        number.ok_or_else(|| wrong(key, value, "a number"))
    }

    /// `true` or `false`.
    pub(super) fn switch(&self, key: &'static str) -> Result<bool, StartError> {
        let value = self.value(key)?;
        match &value.kind {
            ValueKind::Boolean(on) => Some(*on),
            ValueKind::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
            _ => None,
        }
        .ok_or_else(|| wrong(key, value, "true or false"))
    }

    /// A text.
    pub(super) fn text(&self, key: &'static str) -> Result<String, StartError> {
        let value = self.value(key)?;
        match &value.kind {
            ValueKind::String(text) => Ok(text.trim().to_owned()),
            _ => Err(wrong(key, value, "a text in quotes")),
        }
    }

    /// A text that reads as a `T`.
    pub(super) fn parse<T>(&self, key: &'static str) -> Result<T, StartError>
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        parse(key, &self.text(key)?)
    }

    /// A list of texts that read as `T`, or one text of them separated by commas.
    pub(super) fn list<T>(&self, key: &'static str) -> Result<Vec<T>, StartError>
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        let value = self.value(key)?;
        let not_a_list = || wrong(key, value, "a list of texts");
        let items: Vec<&str> = match &value.kind {
            ValueKind::String(text) => {
                text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
            }
            ValueKind::Array(items) => items
                .iter()
                .map(|item| match &item.kind {
                    ValueKind::String(text) => Ok(text.trim()),
                    _ => Err(not_a_list()),
                })
                .collect::<Result<_, _>>()?,
            _ => return Err(not_a_list()),
        };
        items.into_iter().map(|item| parse(key, item)).collect()
    }

    fn value(&self, key: &'static str) -> Result<&Value, StartError> {
        self.values.get(key).ok_or(StartError::MissingSetting { key })
    }
}

fn parse<T>(key: &'static str, text: &str) -> Result<T, StartError>
where
    T: FromStr,
    T::Err: fmt::Display,
{
    text.parse().map_err(|error: T::Err| StartError::RefusedSetting { key, reason: error.to_string() })
}

fn wrong(key: &'static str, value: &Value, expected: &'static str) -> StartError {
    StartError::WrongSetting { key, found: shown(&value.kind), expected, origin: origin(value) }
}

/// A value in one line, as TOML writes it.
pub(super) fn shown(value: &ValueKind) -> String {
    match value {
        ValueKind::String(text) => quoted(text),
        ValueKind::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| shown(&item.kind)).collect();
            format!("[{}]", items.join(", "))
        }
        ValueKind::Table(_) => "a table".to_owned(),
        ValueKind::Nil => "nothing".to_owned(),
        number => number.to_string(),
    }
}

/// A JSON string is a TOML string too.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn origin(value: &Value) -> String {
    value.origin().map_or_else(String::new, |origin| format!(" (in {origin})"))
}

/// Every value that is not a table, by its dotted key. An empty table has none.
fn leaves(config: Config) -> HashMap<String, Value> {
    let mut found = HashMap::new();
    collect("", config.cache, &mut found);
    found
}

fn collect(key: &str, value: Value, found: &mut HashMap<String, Value>) {
    match value.kind {
        ValueKind::Table(table) => {
            for (name, value) in table {
                let key = if key.is_empty() { name } else { format!("{key}.{name}") };
                collect(&key, value, found);
            }
        }
        _ => {
            found.insert(key.to_owned(), value);
        }
    }
}
