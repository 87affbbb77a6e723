//! Later, and before the browser paints next.

use std::time::Duration;

use futures_channel::oneshot;
use js_sys::{Function, Reflect};
use leptos::leptos_dom::helpers::{TimeoutHandle, set_timeout_with_handle};
use leptos::prelude::{GetValue, ReadSignal, Set, SetValue, StoredValue, on_cleanup, signal, window};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

/// Milliseconds of the page's clock; infinity where it has none.
pub fn now() -> f64 {
    window().performance().map_or(f64::INFINITY, |clock| clock.now())
}

/// Runs `act` once, after some milliseconds.
pub fn after(milliseconds: i32, act: impl FnOnce() + 'static) {
    let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&once(act), milliseconds);
}

/// A timer of the present owner that is set again before it has run out: only the last act is run, and none once the owner is
/// gone. It is for types that are copied, which can't hold what Leptos' `debounce` gives. Copies are the same timer.
#[derive(Clone, Copy)]
pub struct Timer(StoredValue<Option<TimeoutHandle>>);

impl Timer {
    /// A timer that was not set yet.
    pub fn new() -> Self {
        let timer = Self(StoredValue::new(None));
        on_cleanup(move || timer.stop());
        timer
    }

    /// Runs `act` after this time, in place of what was to be run.
    pub fn set(self, time: Duration, act: impl FnOnce() + 'static) {
        self.stop();
        let _ = self.0.try_set_value(set_timeout_with_handle(act, time).ok());
    }

    /// Runs nothing.
    pub fn stop(self) {
        if let Some(handle) = self.0.try_get_value().flatten() {
            handle.clear();
        }
    }
}

/// False now and true from the next task on: what is made then does not block the page together with what is made now, for
/// longer than the 50 ms after which a click feels late.
pub fn in_next_task() -> ReadSignal<bool> {
    let (is_next, set_next) = signal(false);
    // Who waited may be gone.
    after(0, move || _ = set_next.try_set(true));
    is_next
}

/// Runs `act` once, before the browser paints next.
pub fn on_frame(act: impl FnOnce() + 'static) {
    let _ = window().request_animation_frame(&once(act));
}

/// Waits for some milliseconds.
pub async fn pause(milliseconds: i32) {
    let (sender, receiver) = oneshot::channel::<()>();
    after(milliseconds, move || {
        // Whoever waited may be gone.
        let _ = sender.send(());
    });
    let _ = receiver.await;
}

/// A time in milliseconds that tests, which can't wait as long as users, have set on the window under this name.
pub fn test_override(name: &str) -> Option<f64> {
    Reflect::get(&window(), &JsValue::from_str(name)).ok()?.as_f64()
}

fn once(act: impl FnOnce() + 'static) -> Function {
    Closure::once_into_js(act).unchecked_into()
}
