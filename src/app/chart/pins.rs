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
        Self { keys: RwSignal::new(stored().unwrap_or_default()) }
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
        self.keys.update(|keys| {
            let was_pinned = keys.iter().any(|pinned| pinned == key);
            // Another tab may have pinned metrics since.
            if let Some(stored) = stored() {
                *keys = stored;
            }
            keys.retain(|pinned| pinned != key);
            if !was_pinned {
                keys.push(key.to_owned());
            }
        });
        storage::remember(STORED_AS, &self.keys.get_untracked().join("\n"));
    }
}

fn stored() -> Option<Vec<String>> {
    let stored = storage::remembered(STORED_AS)?;
    Some(stored.lines().filter(|key| !key.is_empty()).map(str::to_owned).collect())
}
