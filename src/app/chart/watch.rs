//! Size and visibility of a chart's box, from the browser's observers.

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, ResizeObserver};

/// A chart is made ready this far before it scrolls into sight.
const AHEAD: &str = "300px";

/// Watches one element until it is dropped.
pub struct ElementWatch {
    resize: ResizeObserver,
    sight: IntersectionObserver,
    _on_resize: Closure<dyn FnMut()>,
    _on_sight: Closure<dyn FnMut(Array)>,
}

impl ElementWatch {
    /// Calls `on_resize` now and whenever the size of `element` changes, and `on_sight` when it comes into sight
    /// (true) or leaves it (false). `None` in a browser without observers.
    pub fn new(
        element: &Element,
        on_resize: impl FnMut() + 'static,
        mut on_sight: impl FnMut(bool) + 'static,
    ) -> Option<Self> {
        let on_resize = Closure::<dyn FnMut()>::new(on_resize);
        let on_sight = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            // The last entry is the newest.
            let newest = entries.iter().last().map(JsCast::unchecked_into::<IntersectionObserverEntry>);
            if let Some(entry) = newest {
                on_sight(entry.is_intersecting());
            }
        });
        let resize = ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok()?;
        let options = IntersectionObserverInit::new();
        options.set_root_margin(AHEAD);
        let sight = IntersectionObserver::new_with_options(on_sight.as_ref().unchecked_ref(), &options).ok()?;
        resize.observe(element);
        sight.observe(element);
        Some(Self { resize, sight, _on_resize: on_resize, _on_sight: on_sight })
    }
}

impl Drop for ElementWatch {
    fn drop(&mut self) {
        self.resize.disconnect();
        self.sight.disconnect();
    }
}
