//! Sending events to the page. Numbers are transferred, never copied twice.

use js_sys::{Array, Float64Array, Uint8Array};
use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

use crate::engine::messages::{self, Event, Fault, Progress, Reply};

/// The worker's global scope.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Answers request `id`.
pub fn reply(id: u32, reply: Result<Reply, Fault>, arrays: Vec<Vec<f64>>) {
    event(&Event::Reply { id, reply }, arrays);
}

/// Says how far request `id` is.
pub fn progress(id: u32, progress: Progress) {
    event(&Event::Progress { id, progress }, Vec::new());
}

/// Says how far the fetching of runs is.
pub fn fetching(id: u32, doing: String, done: u32, total: u32, bytes: u64) {
    let progress = Progress { doing, bytes_done: bytes, files_done: done, files_total: total, ..Progress::default() };
    self::progress(id, progress);
}

/// Sends an event with the arrays that it names.
pub fn event(event: &Event, arrays: Vec<Vec<f64>>) {
    // Encoding into a growing vector fails only for types that postcard can't hold, and messages have none.
    let Ok(bytes) = postcard::to_allocvec(event) else { return };
    send(&bytes, arrays);
}

/// Answers request `id` with a reply that is encoded already.
pub fn encoded_reply(id: u32, reply: &[u8]) {
    send(&messages::encoded_reply(id, reply), Vec::new());
}

fn send(bytes: &[u8], arrays: Vec<Vec<f64>>) {
    let bytes = Uint8Array::from(bytes);
    let numbers: Array = Array::new();
    let transfer = Array::of1(&bytes.buffer());
    for array in arrays {
        let array = Float64Array::from(array.as_slice());
        transfer.push(&array.buffer());
        numbers.push(&array);
    }
    let message = Array::of2(&bytes, &numbers);
    // Fails only when the page is gone, and then nobody is left to tell.
    let _ = scope().post_message_with_transfer(&message, &transfer);
}
