//! Counts how long the engine has sent no message while a request is unanswered.

use leptos::prelude::*;

/// A counter of ticks without a message. Ticks are counted and not milliseconds: after a laptop has slept, the clock is far
/// ahead although the engine slept as well.
#[derive(Clone, Copy)]
pub struct Watchdog {
    ticks: StoredValue<u32>,
    has_expired: RwSignal<bool>,
}

impl Watchdog {
    /// A counter at zero.
    pub fn new() -> Self {
        Self { ticks: StoredValue::new(0), has_expired: RwSignal::new(false) }
    }

    /// Begins at zero again: a message came, or the engine was replaced.
    pub fn reset(self) {
        self.ticks.try_set_value(0);
        if self.has_expired.try_get_untracked() == Some(true) {
            self.has_expired.set(false);
        }
    }

    /// Counts a tick without a message; how many there were.
    pub fn tick(self) -> u32 {
        let ticks = self.ticks.try_update_value(|ticks| {
            *ticks += 1;
            *ticks
        });
        ticks.unwrap_or_default()
    }

    /// Marks the engine as unresponsive until the next reset.
    pub fn expire(self) {
        self.has_expired.set(true);
    }

    /// True while the engine is marked as unresponsive.
    pub fn has_expired(self) -> Signal<bool> {
        self.has_expired.into()
    }
}
