//! Texts and pictures for the clipboard.

use js_sys::{Array, Object, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Clipboard};

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
    match (clipboard(), ClipboardItem::new(&parts)) {
        (Some(clipboard), Ok(item)) => {
            let write = clipboard.unchecked_ref::<PictureClipboard>().write(&Array::of1(&item));
            match write {
                Ok(written) => JsFuture::from(written).await.is_ok(),
                Err(_) => false,
            }
        }
        _ => false,
    }
}

/// A page that came over plain http has no clipboard at all.
fn clipboard() -> Option<Clipboard> {
    let clipboard = Reflect::get(&window().navigator(), &JsValue::from_str("clipboard")).ok()?;
    clipboard.dyn_into().ok()
}

#[wasm_bindgen]
extern "C" {
    // web-sys has these behind its unstable flag.
    type ClipboardItem;
    #[wasm_bindgen(constructor, catch)]
    fn new(parts: &Object) -> Result<ClipboardItem, JsValue>;

    type PictureClipboard;
    #[wasm_bindgen(method, catch)]
    fn write(this: &PictureClipboard, items: &Array) -> Result<js_sys::Promise, JsValue>;
}
