//! Where this page lies, and what it holds where it is one file.

use js_sys::{Promise, Reflect, global};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, Url};

use super::folder_walk::NamedFile;

/// The absolute address of a file of this site. Inside the worker a relative one would be relative to the blob.
///
/// # Errors
/// Where there is no document, or `path` makes no URL.
pub fn site_url(path: &str) -> Result<String, JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let document = document.ok_or_else(|| JsValue::from_str("there is no document"))?;
    let base = document.base_uri()?.ok_or_else(|| JsValue::from_str("the document has no address"))?;
    Ok(Url::new_with_base(path, &base)?.href())
}

/// True for a page that was opened from the disk.
pub fn is_on_disk() -> bool {
    window().location().protocol().is_ok_and(|protocol| protocol == "file:")
}

/// The sample project, where the page is one file that holds it (`tools/single-file.mjs`).
pub async fn embedded_sample() -> Option<NamedFile> {
    let promise = Reflect::get(&global(), &JsValue::from_str("rundownSample")).ok()?.dyn_into::<Promise>().ok()?;
    let file = JsFuture::from(promise).await.ok()?.dyn_into::<File>().ok()?;
    Some((file.name(), file.into()))
}
