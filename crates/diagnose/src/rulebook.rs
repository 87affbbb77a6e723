//! Every number that a check compares with, and where it comes from.
//!
//! Settings may change any of them (`rundown_settings`).

mod thresholds;

use std::borrow::Cow;

use thresholds::{DEFAULTS, Place};

/// One number of the rulebook.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The number.
    pub value: f64,
    /// Its unit; empty for a plain number.
    pub unit: Cow<'static, str>,
    /// Where it comes from.
    pub source: Cow<'static, str>,
}

/// A name, a version, and the thresholds: each is a method of that name.
#[derive(Debug, Clone, PartialEq)]
pub struct Rulebook {
    /// Name, `default` for the one that is built in.
    pub name: String,
    /// Version of it.
    pub version: u32,
    thresholds: Vec<Threshold>,
}

/// A threshold that no rulebook has: never exceeded and never reached.
const NONE: Threshold = Threshold { value: f64::NAN, unit: Cow::Borrowed(""), source: Cow::Borrowed("") };

impl Default for Rulebook {
    fn default() -> Self {
        let thresholds = DEFAULTS.iter().map(|(_, value, unit, source)| Threshold {
            value: *value,
            unit: Cow::Borrowed(unit),
            source: Cow::Borrowed(source),
        });
        Self { name: "default".to_owned(), version: 1, thresholds: thresholds.collect() }
    }
}

impl Rulebook {
    /// Name and version, as a report cites it.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Every threshold with its name, in order.
    pub fn thresholds(&self) -> impl Iterator<Item = (&'static str, &Threshold)> {
        DEFAULTS.iter().map(|known| known.0).zip(&self.thresholds)
    }

    /// The threshold of that name, to edit it.
    pub fn threshold_mut(&mut self, name: &str) -> Option<&mut Threshold> {
        let place = DEFAULTS.iter().position(|known| known.0 == name)?;
        self.thresholds.get_mut(place)
    }

    fn at(&self, place: Place) -> &Threshold {
        self.thresholds.get(place as usize).unwrap_or(&NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evidence;

    #[test]
    fn a_changed_threshold_is_the_users() {
        let mut book = Rulebook::default();
        *book.threshold_mut("kl_warning").unwrap() = Threshold { value: 0.3, ..NONE };
        assert_eq!(book.kl_warning().value, 0.3);
        let evidence = Evidence::new("KL", 0.4, "").above(book.kl_warning());
        assert_eq!(evidence.limit.map(|limit| limit.source).as_deref(), Some("edited by the user"));
        assert_eq!(book.kl_critical(), Rulebook::default().kl_critical());
        assert!(book.threshold_mut("kl_waning").is_none());
    }

    #[test]
    fn every_threshold_has_a_source() {
        let book = Rulebook::default();
        for (name, threshold) in book.thresholds() {
            assert!(!threshold.source.is_empty() && threshold.value.is_finite(), "{name}");
        }
        assert_eq!(book.title(), "default 1");
    }
}
