//! Streams of bytes, as the browser gives them for files and for answers of servers.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The chunk that a stream's reader was asked for; `None` at the end.
///
/// # Errors
/// What the browser gives as the reason why the stream failed.
pub async fn next_chunk(asked: JsFuture) -> Result<Option<Uint8Array>, JsValue> {
    let read = asked.await?;
    if Reflect::get(&read, &JsValue::from_str("done"))?.is_truthy() {
        return Ok(None);
    }
    Reflect::get(&read, &JsValue::from_str("value"))?.dyn_into().map(Some)
}
