//! Later, and before the browser paints next.

use futures_channel::oneshot;
use js_sys::Function;
use leptos::prelude::window;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

/// Milliseconds of the page's clock; infinity where it has none.
pub fn now() -> f64 {
    window().performance().map_or(f64::INFINITY, |clock| clock.now())
}

/// Runs `act` once, after some milliseconds.
pub fn after(milliseconds: i32, act: impl FnOnce() + 'static) {
    let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&once(act), milliseconds);
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

fn once(act: impl FnOnce() + 'static) -> Function {
    Closure::once_into_js(act).unchecked_into()
}
