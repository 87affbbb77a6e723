//! Later, and before the browser paints next.

use futures_channel::oneshot;
use js_sys::{Function, Reflect};
use leptos::prelude::{ReadSignal, Set, signal, window};
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
