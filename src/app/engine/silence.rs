//! How long an engine that owes an answer has been silent.

use leptos::prelude::*;

/// Looks at an engine that owes an answer and was silent since. They are counted, not the time: a machine that slept wakes
/// with its clock far ahead.
#[derive(Clone, Copy)]
pub struct Silence {
    looks: StoredValue<u32>,
    is_long: RwSignal<bool>,
}

impl Silence {
    /// None so far.
    pub fn none() -> Self {
        Self { looks: StoredValue::new(0), is_long: RwSignal::new(false) }
    }

    /// A message came, or another engine.
    pub fn end(self) {
        self.looks.try_set_value(0);
        if self.is_long.try_get_untracked() == Some(true) {
            self.is_long.set(false);
        }
    }

    /// One look more without a message; how many there were.
    pub fn go_on(self) -> u32 {
        let looks = self.looks.try_update_value(|looks| {
            *looks += 1;
            *looks
        });
        looks.unwrap_or_default()
    }

    /// The user is to be told.
    pub fn tell(self) {
        self.is_long.set(true);
    }

    /// True from then on until a message comes.
    pub fn is_told(self) -> Signal<bool> {
        self.is_long.into()
    }
}
