//! Metrics that the user pinned: this browser remembers them, in every project.

use leptos::prelude::*;

use crate::app::browser::storage::SharedText;

const STORED_AS: &str = "rundown-pinned";

/// Pinned metrics. Copies are the same.
#[derive(Clone, Copy)]
pub struct Pins {
    keys: RwSignal<Vec<String>>,
    stored: SharedText,
}

impl Pins {
    /// Those of earlier visits.
    pub fn remembered() -> Self {
        let stored = SharedText::new(STORED_AS);
        Self { keys: RwSignal::new(stored.read().as_deref().map(keys_of).unwrap_or_default()), stored }
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
            if let Some(stored) = self.stored.read() {
                *keys = keys_of(&stored);
            }
            keys.retain(|pinned| pinned != key);
            if !was_pinned {
                keys.push(key.to_owned());
            }
        });
        self.stored.write(&self.keys.get_untracked().join("\n"));
    }
}

fn keys_of(stored: &str) -> Vec<String> {
    stored.lines().filter(|key| !key.is_empty()).map(str::to_owned).collect()
}
