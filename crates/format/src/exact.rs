//! Floats in JSON without loss: `NaN`, `Infinity` and `-Infinity`, which JSON lacks, are strings; every other number reads
//! back as the same bits. For fields: `#[serde(with = "exact::list")]`, `exact::option`,
//! `exact::tagged`.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Below this a whole number is written as an integer: other readers keep its digits.
const LARGEST_INTEGER: f64 = 1e15;

/// A float that is written without loss.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Exact(pub f64);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        let is_negative_zero = value == 0.0 && value.is_sign_negative();
        match value {
            _ if value.is_nan() => serializer.serialize_str("NaN"),
            f64::INFINITY => serializer.serialize_str("Infinity"),
            f64::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            _ if value.fract() == 0.0 && value.abs() < LARGEST_INTEGER && !is_negative_zero => {
                serializer.serialize_i64(value as i64)
            }
            _ => serializer.serialize_f64(value),
        }
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExactVisitor)
    }
}

struct ExactVisitor;

impl Visitor<'_> for ExactVisitor {
    type Value = Exact;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
    }

    fn visit_f64<E>(self, value: f64) -> Result<Exact, E> {
        Ok(Exact(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Exact, E> {
        Ok(Exact(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Exact, E> {
        Ok(Exact(value as f64))
    }

    fn visit_unit<E>(self) -> Result<Exact, E> {
        Ok(Exact(f64::NAN))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Exact, E> {
        match word {
            "NaN" => Ok(Exact(f64::NAN)),
            "Infinity" => Ok(Exact(f64::INFINITY)),
            "-Infinity" => Ok(Exact(f64::NEG_INFINITY)),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }
}

/// Lists of floats.
pub mod list {
    use super::{Deserialize, Deserializer, Exact, Serializer};

    /// Writes floats.
    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().copied().map(Exact))
    }

    /// Reads floats.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let values = Vec::<Exact>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|exact| exact.0).collect())
    }
}

/// Floats that may be unknown: `null`.
pub mod option {
    use super::{Deserialize, Deserializer, Exact, Serialize, Serializer};

    /// Writes a float or `null`.
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Exact).serialize(serializer)
    }

    /// Reads a float or `null`.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Exact>::deserialize(deserializer)?.map(|exact| exact.0))
    }
}

/// A float where a text could stand as well: a number that JSON lacks is `{"number": "NaN"}`.
pub mod tagged {
    use super::{Deserialize, Deserializer, Exact, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Tagged {
        Finite(f64),
        Other { number: Exact },
    }

    /// Writes a float.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        match value.is_finite() {
            true => Exact(*value).serialize(serializer),
            false => Tagged::Other { number: Exact(*value) }.serialize(serializer),
        }
    }

    /// Reads a float.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(match Tagged::deserialize(deserializer)? {
            Tagged::Finite(value) => value,
            Tagged::Other { number } => number.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn json_stays_readable() {
        let values = [3.0, -0.0, 0.1, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(Exact);
        let json = serde_json::to_string(&values).unwrap();
        assert_eq!(json, r#"[3,-0.0,0.1,1e+300,"NaN","Infinity","-Infinity"]"#);
        assert!(serde_json::from_str::<Exact>("\"nan\"").is_err());
        assert!(serde_json::from_str::<Exact>("null").unwrap().0.is_nan());
    }

    proptest! {
        #[test]
        fn every_float_comes_back(value in prop::num::f64::ANY) {
            let read: Exact = serde_json::from_str(&serde_json::to_string(&Exact(value)).unwrap()).unwrap();
            prop_assert!(read.0.to_bits() == value.to_bits() || read.0.is_nan() && value.is_nan());
        }
    }
}
