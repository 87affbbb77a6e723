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

/// The choices for the charts of a view, by metric: a pinned chart and the same one in its section share one.
#[derive(Clone, Copy)]
pub struct OwnChoices {
    by_key: StoredValue<BTreeMap<String, ArcRwSignal<OwnChoice>>>,
}

impl Default for OwnChoices {
    fn default() -> Self {
        Self { by_key: StoredValue::new(BTreeMap::new()) }
    }
}

impl OwnChoices {
    /// What is chosen for the chart of a metric in the present view; where that keeps none, for this chart.
    pub fn of(key: &str) -> RwSignal<OwnChoice> {
        let kept = use_context::<Self>().and_then(|choices| {
            choices.by_key.try_update_value(|choices| choices.entry(key.to_owned()).or_default().clone())
        });
        kept.unwrap_or_default().into()
    }
}
