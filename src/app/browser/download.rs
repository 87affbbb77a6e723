//! Files that the browser is asked to save.

use js_sys::{Array, JsString};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use super::timing::after;

/// An address that is taken back earlier may be gone before the browser has begun to save.
const SAVED_MS: i32 = 10_000;

/// Saves a text.
///
/// # Errors
/// Where the browser refuses.
pub fn save_text(name: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    let kinds = BlobPropertyBag::new();
    kinds.set_type(kind);
    let parts = Array::of1(&JsString::from(text));
    save_blob(name, &Blob::new_with_str_sequence_and_options(&parts, &kinds)?)
}

/// Saves bytes.
///
/// # Errors
/// Where the browser refuses.
pub fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let address = Url::create_object_url_with_blob(blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&address);
    link.set_download(name);
    link.click();
    after(SAVED_MS, move || {
        let _ = Url::revoke_object_url(&address);
    });
    Ok(())
}
