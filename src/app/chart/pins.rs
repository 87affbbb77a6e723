//! Metrics that the user pinned: this browser remembers them, in every project.

use leptos::prelude::*;

use crate::app::browser::storage;

const STORED_AS: &str = "rundown-pinned";

/// Pinned metrics. Copies are the same.
#[derive(Clone, Copy)]
pub struct Pins {
    keys: RwSignal<Vec<String>>,
}

impl Pins {
    /// Those of earlier visits.
    pub fn remembered() -> Self {
        let stored = storage::remembered(STORED_AS).unwrap_or_default();
        Self { keys: RwSignal::new(stored.lines().filter(|key| !key.is_empty()).map(str::to_owned).collect()) }
    }

    /// Keys of the metrics, in the order in which they were pinned; followed by whoever asks.
    pub fn keys(self) -> Vec<String> {
        self.keys.get()
    }

    /// True for a pinned metric; followed by whoever asks.
    pub fn has(self, key: &str) -> bool {
        self.keys.with(|keys| keys.iter().any(|pinned| pinned == key))
    }

    /// Pins a metric, or takes its pin away.
    pub fn toggle(self, key: &str) {
        self.keys.update(|keys| match keys.iter().position(|pinned| pinned == key) {
            Some(index) => {
                keys.remove(index);
            }
            None => keys.push(key.to_owned()),
        });
        storage::remember(STORED_AS, &self.keys.get_untracked().join("\n"));
    }
}
