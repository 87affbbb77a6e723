//! What the user chose for one chart alone. It outlives the chart, which is taken apart while it is out of sight.

use std::collections::BTreeMap;

use leptos::prelude::*;

use rundown_plot::Scale;

/// What the user chose for one chart alone.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OwnChoice {
    /// Visible part of y; everything when `None`.
    pub y_window: Option<(f64, f64)>,
    /// Scale of y; that of all charts when `None`.
    pub scale: Option<Scale>,
}

/// The choices for the charts of a view, by metric.
#[derive(Clone, Copy)]
pub struct OwnChoices {
    by_key: StoredValue<BTreeMap<String, OwnChoice>>,
}

impl Default for OwnChoices {
    fn default() -> Self {
        Self { by_key: StoredValue::new(BTreeMap::new()) }
    }
}

impl OwnChoices {
    /// What was chosen for the chart of a metric.
    pub fn of(self, key: &str) -> OwnChoice {
        self.by_key.try_with_value(|choices| choices.get(key).copied()).flatten().unwrap_or_default()
    }

    /// Keeps a choice.
    pub fn keep(self, key: &str, choice: OwnChoice) {
        self.by_key.try_update_value(|choices| choices.insert(key.to_owned(), choice));
    }
}
