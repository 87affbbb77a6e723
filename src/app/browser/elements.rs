//! Elements of the page by their ids: where the focus goes, what is scrolled to, which chooser is opened.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{FocusOptions, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

/// The element with this id.
pub fn by_id<E: JsCast>(id: &str) -> Option<E> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Moves the focus to the element with this id.
pub fn focus(id: &str) {
    if let Some(element) = by_id::<HtmlElement>(id) {
        let _ = element.focus();
    }
}

/// Clicks the element with this id.
pub fn click(id: &str) {
    if let Some(element) = by_id::<HtmlElement>(id) {
        element.click();
    }
}

/// Scrolls as little as makes the element visible.
pub fn scroll_to(element: &HtmlElement) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Opens whatever an element is folded in, scrolls to it and focuses it.
pub fn reveal(id: &str) {
    let Some(element) = by_id::<HtmlElement>(id) else { return };
    let mut around = element.closest("details").ok().flatten();
    while let Some(details) = around {
        let _ = details.set_attribute("open", "");
        around = details.parent_element().and_then(|parent| parent.closest("details").ok().flatten());
    }
    element.scroll_into_view();
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = element.focus_with_options(&options);
}
