//! Reading the fields of a strict JSON object.
//!
//! A field that is there with a value of the right type is returned even when its length or range is wrong, so
//! that rules between fields run next to such errors; only [`Report`] decides whether the whole is valid.

use serde_json::{Map, Value};

use crate::bounds::Bounds;
use crate::error::Path;
use crate::number::Number;
use crate::report::{Report, list_names};
use crate::text::{Unit, is_blank};

/// A named value of an enum on the wire.
pub(crate) trait WireName: Copy + 'static {
    const VALUES: &'static [Self];

    fn wire_name(self) -> &'static str;
}

/// An object being read, with the place it is at.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    map: &'a Map<String, Value>,
    path: &'a Path<'a>,
}

impl<'a> Object<'a> {
    /// The object at `path`, or `None` with an error when the value is anything else.
    pub(crate) fn read(value: &'a Value, path: &'a Path<'a>, report: &mut Report) -> Option<Self> {
        match value {
            Value::Object(map) => Some(Self { map, path }),
            other => {
                report.wrong_type(path, other, "an object");
                None
            }
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    /// Reports every key that is not known.
    pub(crate) fn refuse_unknown_keys(&self, known: &[&str], report: &mut Report) {
        for key in self.map.keys() {
            if !known.contains(&key.as_str()) {
                report.unknown_key(self.path, key, known);
            }
        }
    }

    /// The value of a field that must be there.
    pub(crate) fn require(&self, key: &str, expected: &str, report: &mut Report) -> Option<&'a Value> {
        let value = self.get(key);
        if value.is_none() {
            report.missing(&self.path.key(key), expected);
        }
        value
    }

    /// A text with something visible, at most `max` characters.
    pub(crate) fn text(&self, key: &str, max: usize, report: &mut Report) -> Option<String> {
        let text = self.string(key, report)?;
        let path = self.path.key(key);
        if is_blank(text) {
            report.blank(&path);
        }
        if Unit::Characters.exceeds(text, max) {
            report.too_long(&path, text, max, Unit::Characters);
        }
        Some(text.to_owned())
    }

    /// As [`Self::text`], where the field must be there.
    pub(crate) fn required_text(&self, key: &str, max: usize, report: &mut Report) -> Option<String> {
        self.require(key, "a string", report)?;
        self.text(key, max, report)
    }

    /// A string with something visible, however long.
    pub(crate) fn visible_string(&self, key: &str, report: &mut Report) -> Option<&'a str> {
        let text = self.string(key, report)?;
        if is_blank(text) {
            report.blank(&self.path.key(key));
        }
        Some(text)
    }

    /// Any string.
    pub(crate) fn string(&self, key: &str, report: &mut Report) -> Option<&'a str> {
        match self.get(key)? {
            Value::String(text) => Some(text),
            other => {
                report.wrong_type(&self.path.key(key), other, "a string");
                None
            }
        }
    }

    pub(crate) fn boolean(&self, key: &str, report: &mut Report) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(boolean) => Some(*boolean),
            other => {
                report.wrong_type(&self.path.key(key), other, "true or false");
                None
            }
        }
    }

    /// As [`Self::boolean`], where the field must be there.
    pub(crate) fn required_boolean(&self, key: &str, report: &mut Report) -> Option<bool> {
        self.require(key, "true or false", report)?;
        self.boolean(key, report)
    }

    /// Any finite number.
    pub(crate) fn number(&self, key: &str, report: &mut Report) -> Option<Number> {
        let value = self.get(key)?;
        let number = Number::from_json(value);
        if number.is_none() {
            report.wrong_type(&self.path.key(key), value, "a number");
        }
        number
    }

    /// A whole number of at least `min` and at most `max`. One beyond 2^53 is out of any range.
    pub(crate) fn whole(&self, key: &str, min: i64, max: Option<i64>, report: &mut Report) -> Option<i64> {
        let number = self.number(key, report)?;
        let path = self.path.key(key);
        if !number.is_whole() {
            report.fraction(&path, number);
            return None;
        }
        let whole = number.saturating_whole();
        if whole < min || max.is_some_and(|max| whole > max) || number.as_safe_whole().is_none() {
            report.outside(&path, number, min, max);
        }
        Some(whole)
    }

    /// A list whose length is within bounds; its items are still to be read.
    pub(crate) fn list(&self, key: &str, bounds: Bounds, report: &mut Report) -> Option<&'a [Value]> {
        let path = self.path.key(key);
        let items = match self.get(key)? {
            Value::Array(items) => items,
            other => {
                report.wrong_type(&path, other, "a list");
                return None;
            }
        };
        if items.len() < bounds.min {
            report.too_few(&path, items.len(), bounds.min);
        }
        if items.len() > bounds.max {
            report.too_many(&path, items.len(), bounds.max);
        }
        Some(items)
    }

    /// As [`Self::list`], where the field must be there.
    pub(crate) fn required_list(
        &self,
        key: &str,
        bounds: Bounds,
        report: &mut Report,
    ) -> Option<&'a [Value]> {
        self.require(key, "a list", report)?;
        self.list(key, bounds, report)
    }

    /// One of the named values, where the field must be there.
    pub(crate) fn required_name<T: WireName>(
        &self,
        key: &str,
        expected: &str,
        report: &mut Report,
    ) -> Option<T> {
        let value = self.require(key, expected, report)?;
        named(value, &self.path.key(key), report)
    }

    pub(crate) fn path(&self) -> &'a Path<'a> {
        self.path
    }
}

/// One of the named values; any other value, of whatever type, is refused as not one of them.
pub(crate) fn named<T: WireName>(value: &Value, path: &Path<'_>, report: &mut Report) -> Option<T> {
    let found =
        value.as_str().and_then(|name| T::VALUES.iter().find(|candidate| candidate.wire_name() == name));
    if found.is_none() {
        report.not_one_of(path, value, &list_names(T::VALUES.iter().map(|value| value.wire_name())));
    }
    found.copied()
}

/// A list of strings; an item of another type is refused at its index.
pub(crate) fn strings(items: &[Value], path: &Path<'_>, report: &mut Report) -> Vec<String> {
    let mut strings = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match item {
            Value::String(text) => strings.push(text.clone()),
            other => report.wrong_type(&path.index(index), other, "a string"),
        }
    }
    strings
}
