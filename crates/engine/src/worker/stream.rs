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
    let is_done = Reflect::get(&read, &JsValue::from_str("done"))?.is_truthy();
    let value = Reflect::get(&read, &JsValue::from_str("value"))?;
    match value.dyn_into::<Uint8Array>() {
        // The last bytes may come together with the end.
        Ok(chunk) if !is_done || chunk.length() > 0 => Ok(Some(chunk)),
        Err(other) if !is_done => Err(other),
        Ok(_) | Err(_) => Ok(None),
    }
}
