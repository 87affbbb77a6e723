//! Files that the browser is asked to save, and texts for its clipboard.

use js_sys::{Array, JsString, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Clipboard, HtmlAnchorElement, Url};

use super::dom::later;
use super::reactive::spawn;
use super::store::Store;

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

/// Puts a text on the clipboard and says so.
pub fn copy_text(store: Store, text: String) {
    spawn(async move {
        // A page that came over plain http has no clipboard at all.
        let clipboard = Reflect::get(&window().navigator(), &JsValue::from_str("clipboard"));
        let copied = match clipboard.map(|clipboard| clipboard.dyn_into::<Clipboard>()) {
            Ok(Ok(clipboard)) => JsFuture::from(clipboard.write_text(&text)).await.is_ok(),
            _ => false,
        };
        if copied {
            store.announcement.set("Copied.".to_owned());
        } else {
            store.fault.set(Some("The browser did not allow copying. Select the text, or download it.".to_owned()));
        }
    });
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
    later(SAVED_MS, move || {
        let _ = Url::revoke_object_url(&address);
    });
    Ok(())
}
