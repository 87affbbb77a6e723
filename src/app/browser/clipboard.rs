//! Texts and pictures for the clipboard.

use js_sys::{Array, Object, Reflect};
use leptos::prelude::window;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Clipboard, ClipboardItem};

/// Puts a text on the clipboard; false where the browser refuses.
pub async fn copy_text(text: &str) -> bool {
    match clipboard() {
        Some(clipboard) => JsFuture::from(clipboard.write_text(text)).await.is_ok(),
        None => false,
    }
}

/// Puts a picture on the clipboard; false where the browser refuses.
pub async fn copy_picture(picture: &Blob) -> bool {
    let parts = Object::new();
    if Reflect::set(&parts, &JsValue::from_str(&picture.type_()), picture).is_err() {
        return false;
    }
    // A browser that copies texts alone lacks the constructor, which throws.
    match (clipboard(), ClipboardItem::new_with_record_from_str_to_blob_promise(&parts)) {
        (Some(clipboard), Ok(item)) => JsFuture::from(clipboard.write(&Array::of1(&item))).await.is_ok(),
        _ => false,
    }
}

/// A page that came over plain http has no clipboard at all.
fn clipboard() -> Option<Clipboard> {
    let clipboard = window().navigator().clipboard();
    clipboard.is_object().then_some(clipboard)
}
