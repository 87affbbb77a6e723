//! An engine that hangs, or that the browser has ended without an event: the user is told, and can restart it.
//!
//! A working engine sends messages between two slices of a file, two runs and two parts of a server's answer. It is not
//! restarted automatically: on a slow machine the answer may still come.

use leptos::prelude::*;
use leptos_use_interval_fn::use_interval_fn;

use super::client::Engine;
use crate::app::browser::timing::{after, test_override};
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
        self.is_silent.into()
    }

    /// Restarts an unresponsive engine as one that crashed: what it was working on is left out.
    pub fn restart_unresponsive(self) {
        // Deferred: listeners are removed with the view that added them, and the notice goes when its button is pressed.
        after(0, move || self.restart("The engine did not answer and was started again.", true));
    }

    /// Starts the watchdog. Call it once.
    pub(super) fn start_watchdog(self) {
        let tick_ms = test_override("rundownTick").map_or(TICK_MS, |value| value as u64);
        use_interval_fn(move || self.check_response(), tick_ms);
    }

    /// Counts from zero again: a message came, or the engine was replaced.
    pub(super) fn reset_watchdog(self) {
        self.silent_ticks.try_set_value(0);
        if self.is_silent.try_get_untracked() == Some(true) {
            self.is_silent.set(false);
        }
    }

    fn check_response(self) {
        if self.connection.try_update_value(|connection| connection.has_pending()) != Some(true) {
            return self.reset_watchdog();
        }
        let ticks = self.silent_ticks.get_value() + 1;
        self.silent_ticks.set_value(ticks);
        match ticks {
            TICKS_BEFORE_PING => self.ask(Request::Ping, |_| {}),
            TICKS_BEFORE_NOTICE => self.is_silent.set(true),
            _ => {}
        }
    }
}
