//! Numbers as the contract's clients read them: IEEE 754 doubles.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

/// The largest whole number a double holds without gaps below it, 2^53 - 1.
const MAX_SAFE_WHOLE: f64 = 9_007_199_254_740_991.0;

/// A finite JSON number. `5.0` is the whole number 5 and is written as `5`; `-0` is 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Number(f64);

impl Number {
    /// The number, or `None` when it is infinite or not a number.
    pub fn new(number: f64) -> Option<Self> {
        // Adding zero turns -0 into 0 and changes nothing else.
        number.is_finite().then_some(Self(number + 0.0))
    }

    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        value.as_f64().and_then(Self::new)
    }

    /// The number as a double.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Whether it has no fraction.
    pub fn is_whole(self) -> bool {
        self.0.fract() == 0.0
    }

    /// The whole part; numbers beyond 64 bits become the nearest such integer.
    pub(crate) fn saturating_whole(self) -> i64 {
        self.0 as i64
    }

    /// The number as an integer, when it is whole and every integer around it is exact as well.
    pub(crate) fn as_safe_whole(self) -> Option<i64> {
        // In range, so the conversion is exact.
        (self.is_whole() && self.0.abs() <= MAX_SAFE_WHOLE).then_some(self.0 as i64)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_safe_whole() {
            Some(whole) => whole.fmt(f),
            None => self.0.fmt(f),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_safe_whole() {
            Some(whole) => serializer.serialize_i64(whole),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(f64::deserialize(deserializer)?)
            .ok_or_else(|| de::Error::custom("the number is not finite"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_are_written_without_a_fraction() {
        assert_eq!(Number::new(5.0).map(|number| json!(number)), Some(json!(5)));
        assert_eq!(Number::new(-0.0).map(|number| json!(number)), Some(json!(0)));
        assert_eq!(Number::new(2.5).map(|number| json!(number)), Some(json!(2.5)));
        assert_eq!(Number::new(1e300).map(|number| json!(number)), Some(json!(1e300)));
    }

    #[test]
    fn only_finite_numbers_exist() {
        assert_eq!(Number::new(f64::NAN), None);
        assert_eq!(Number::new(f64::INFINITY), None);
    }

    #[test]
    fn a_whole_number_beyond_two_to_the_53_is_not_exact() {
        assert_eq!(
            Number::new(9_007_199_254_740_991.0).and_then(Number::as_safe_whole),
            Some(9_007_199_254_740_991)
        );
        assert_eq!(Number::new(9_007_199_254_740_992.0).and_then(Number::as_safe_whole), None);
    }
}
