//! Streams of bytes, as the browser gives them for files and for answers of servers.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The chunk of a read that was begun; `None` at the end of the stream.
///
/// # Errors
/// What the browser gives as the reason why the stream failed.
pub async fn next_chunk(read: JsFuture) -> Result<Option<Uint8Array>, JsValue> {
    let read = read.await?;
    let is_done = Reflect::get(&read, &JsValue::from_str("done"))?.is_truthy();
    let value = Reflect::get(&read, &JsValue::from_str("value"))?;
    match value.dyn_into::<Uint8Array>() {
        // The last bytes may come together with the end.
        Ok(chunk) if !is_done || chunk.length() > 0 => Ok(Some(chunk)),
        Err(other) if !is_done => Err(other),
        Ok(_) | Err(_) => Ok(None),
    }
}
