//! An engine that hangs, or that the browser has ended without a word: the user is told, and can start another.
//!
//! An engine answers between two slices of a file, two runs and two parts of a server's answer. One that is asked and says
//! nothing for half a minute is not merely busy. It is not replaced by itself: on a slow machine it may still come.

use leptos::prelude::*;
use leptos_use_interval_fn::use_interval_fn;

use super::client::Engine;
use crate::app::browser::timing::after;
use crate::protocol::Request;

/// Milliseconds between two looks.
const LOOK_MS: u64 = 5_000;
/// Looks without a message after which the engine is asked for a sign: it may be waiting for a server.
const LOOKS_BEFORE_ASKING: u32 = 3;
/// Looks without a message after which the user is told.
const LOOKS_BEFORE_TELLING: u32 = 6;

impl Engine {
    /// True while an engine that was asked says nothing for long.
    pub fn is_silent(self) -> Signal<bool> {
        self.silence.is_told()
    }

    /// Ends an engine that says nothing, as one that crashed: what it was working on is left out.
    pub fn replace_silent(self) {
        // Later, as listeners end with the part of the page that added them, and the offer goes when it is taken.
        after(0, move || self.restart("The engine did not answer and was started again.", true));
    }

    /// Looks now and then whether the engine owes an answer. Call it once.
    pub(super) fn watch_silence(self) {
        use_interval_fn(move || self.look(), look_ms());
    }

    fn look(self) {
        if self.link.try_update_value(|link| link.owes_answer()) != Some(true) {
            return self.silence.end();
        }
        match self.silence.go_on() {
            LOOKS_BEFORE_ASKING => self.ask(Request::Ping, |_| {}),
            LOOKS_BEFORE_TELLING => self.silence.tell(),
            _ => {}
        }
    }
}

/// Tests can't wait so long: they set `rundownLook` on the window.
fn look_ms() -> u64 {
    let set = js_sys::Reflect::get(&window(), &"rundownLook".into()).ok().and_then(|value| value.as_f64());
    set.map_or(LOOK_MS, |value| value as u64)
}
