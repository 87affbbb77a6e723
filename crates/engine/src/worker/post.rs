//! Sending events to the page. Numbers are transferred in one buffer.

use js_sys::{Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

use rundown_protocol::{Event, Fault, Progress, Reply, encode};

/// The worker's global scope.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Answers request `id`.
pub fn answer(id: u32, answer: Result<Reply, Fault>, arrays: Vec<Vec<f64>>) {
    event(&Event::Answer { id, answer }, arrays);
}

/// Says how far request `id` is.
pub fn progress(id: u32, progress: Progress) {
    event(&Event::Progress { id, progress }, Vec::new());
}

/// Sends an event with the arrays that it names.
pub fn event(event: &Event, arrays: Vec<Vec<f64>>) {
    let bytes = match encode(event) {
        Ok(bytes) => Uint8Array::from(bytes.as_slice()),
        // The page would wait for ever: stopping tells it.
        Err(error) => wasm_bindgen::throw_str(&error.to_string()),
    };
    // In one buffer: transferring one for each array costs more than copying them (docs/decisions/cursor.md).
    let numbers = Float64Array::from(arrays.concat().as_slice());
    let lengths: Vec<u32> = arrays.iter().map(|array| array.len() as u32).collect();
    let lengths = Uint32Array::from(lengths.as_slice());
    let transfer = Array::of3(&bytes.buffer(), &numbers.buffer(), &lengths.buffer());
    // Fails only when the page is gone, and then nobody is left to tell.
    let _ = scope().post_message_with_transfer(&Array::of3(&bytes, &numbers, &lengths), &transfer);
}
