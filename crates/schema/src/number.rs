//! A number of a report.

use serde::{Deserialize, Deserializer, Serialize};

/// A number that is `null` in JSON where it is not finite. NaN equals NaN: two reports with `null` in one place are alike.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct Number(pub f64);

impl Number {
    /// The number; `None` where it is not finite.
    pub fn finite(self) -> Option<f64> {
        Some(self.0).filter(|value| value.is_finite())
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.0.is_nan() && other.0.is_nan()
    }
}

impl Default for Number {
    fn default() -> Self {
        Self(f64::NAN)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Option::deserialize(deserializer)?.unwrap_or(f64::NAN)))
    }
}
