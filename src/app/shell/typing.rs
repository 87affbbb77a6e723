//! Whether a key or a paste is for a field, and not for the page.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event};

/// True while the focus is in something that takes letters.
pub fn is_typing(event: &Event) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| match target.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => !matches!(
            target.get_attribute("type").as_deref(),
            Some("checkbox" | "radio" | "button" | "file" | "range" | "color")
        ),
        _ => target.has_attribute("contenteditable"),
    })
}
