//! Every number that a check compares with, and where it comes from.
//!
//! Settings may change any of them (`rundown_settings`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use thresholds::{DEFAULTS, Place};

/// The table of built-in thresholds: a method of [`Rulebook`] for each, and its place in what the user edited.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $value:literal $unit:literal, $source:literal;)+) => {
        /// Places of the thresholds in a rulebook.
        #[expect(non_camel_case_types, reason = "named as the methods that read them")]
        #[derive(Clone, Copy)]
        pub(super) enum Place { $($name,)+ }

        /// Name of each threshold and what is built in.
        pub(super) static DEFAULTS: &[(&str, Threshold)] = &[$((
            stringify!($name),
            Threshold { value: $value, unit: Cow::Borrowed($unit), source: Cow::Borrowed($source) },
        ),)+];

        impl Rulebook {
            $($(#[doc = $doc])+ pub fn $name(&self) -> &Threshold { self.at(Place::$name) })+
        }
    };
}

mod sparse_rows;
mod thresholds;

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
#[derive(Debug, Clone)]
pub struct Rulebook {
    /// Name, `default` for the one that is built in.
    pub name: String,
    /// Version of it; `None` where it is not known.
    pub version: Option<u32>,
    /// Thresholds that differ from the built-in ones, by their place. Few, so that each diagnosis can keep its rulebook.
    edited: BTreeMap<usize, Threshold>,
}

/// A threshold that no rulebook has: never exceeded and never reached.
const NONE: Threshold = Threshold { value: f64::NAN, unit: Cow::Borrowed(""), source: Cow::Borrowed("") };

impl PartialEq for Rulebook {
    /// By the thresholds in force: an edit that sets what is built in changes nothing.
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.version) == (&other.name, other.version) && self.thresholds().eq(other.thresholds())
    }
}

impl Default for Rulebook {
    fn default() -> Self {
        Self { name: "default".to_owned(), version: Some(1), edited: BTreeMap::new() }
    }
}

impl Rulebook {
    /// The built-in thresholds under another name, such as for a run of which only the report is there.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), version: None, ..Self::default() }
    }

    /// Name and version, as a report cites it.
    pub fn title(&self) -> String {
        self.version.map_or_else(|| self.name.clone(), |version| format!("{} {version}", self.name))
    }

    /// Every threshold with its name, in order.
    pub fn thresholds(&self) -> impl Iterator<Item = (&'static str, &Threshold)> {
        let defaults = DEFAULTS.iter().enumerate();
        defaults.map(|(place, (name, built_in))| (*name, self.edited.get(&place).unwrap_or(built_in)))
    }

    /// The threshold of that name, to edit it.
    pub fn threshold_mut(&mut self, name: &str) -> Option<&mut Threshold> {
        let (place, (_, built_in)) = DEFAULTS.iter().enumerate().find(|(_, built_in)| built_in.0 == name)?;
        Some(self.edited.entry(place).or_insert_with(|| built_in.clone()))
    }

    fn at(&self, place: Place) -> &Threshold {
        let place = place as usize;
        let built_in = || DEFAULTS.get(place).map(|(_, built_in)| built_in);
        self.edited.get(&place).or_else(built_in).unwrap_or(&NONE)
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
