//! An engine that hangs, or that the browser has ended without an event: the user is told, and can restart it.
//!
//! A working engine sends messages between two slices of a file, two runs and two parts of a server's answer. It is not
//! restarted automatically: on a slow machine the answer may still come.

use leptos::prelude::*;
use leptos_use_interval_fn::use_interval_fn;

use super::client::Engine;
use crate::app::browser::timing::after;
use rundown_protocol::Request;

/// Milliseconds of a tick.
const TICK_MS: u64 = 5_000;
/// Ticks without a message after which the engine is pinged: it may be waiting for a server.
const TICKS_BEFORE_PING: u32 = 3;
/// Ticks without a message after which the user is told.
const TICKS_BEFORE_NOTICE: u32 = 6;

impl Engine {
    /// True while the engine does not respond.
    pub fn is_unresponsive(self) -> Signal<bool> {
        self.watchdog.has_expired()
    }

    /// Restarts an unresponsive engine as one that crashed: what it was working on is left out.
    pub fn restart_unresponsive(self) {
        // Deferred: listeners are removed with the view that added them, and the notice goes when its button is pressed.
        after(0, move || self.restart("The engine did not answer and was started again.", true));
    }

    /// Starts the watchdog. Call it once.
    pub(super) fn start_watchdog(self) {
        use_interval_fn(move || self.check_response(), tick_ms());
    }

    fn check_response(self) {
        if self.link.try_update_value(|link| link.has_pending()) != Some(true) {
            return self.watchdog.reset();
        }
        match self.watchdog.tick() {
            TICKS_BEFORE_PING => self.ask(Request::Ping, |_| {}),
            TICKS_BEFORE_NOTICE => self.watchdog.expire(),
            _ => {}
        }
    }
}

/// Tests can't wait so long: they set `rundownTick` on the window.
fn tick_ms() -> u64 {
    let set = js_sys::Reflect::get(&window(), &"rundownTick".into()).ok().and_then(|value| value.as_f64());
    set.map_or(TICK_MS, |value| value as u64)
}
