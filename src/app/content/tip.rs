//! Where a tooltip stands: beside the pointer, never outside the window.

use leptos::prelude::document;
use web_sys::Element;

/// Between the pointer and the tooltip, in CSS pixels.
const AWAY_PX: f64 = 14.0;
/// Between the tooltip and the edge of the window.
const EDGE_PX: u32 = 4;

/// Width and height of the part of the page that is seen, in CSS pixels.
pub fn window_size() -> (f64, f64) {
    let of = |root: Element| (f64::from(root.client_width()), f64::from(root.client_height()));
    document().document_element().map(of).unwrap_or_default()
}

/// The transform of a tooltip at the upper left corner of the window: towards the part of the window with the most room.
/// Both pairs are in CSS pixels, across and down.
pub fn beside_pointer(pointer: (f64, f64), window: (f64, f64)) -> String {
    let side = |at: f64, length: f64, whole: &str| {
        if at < length / 2.0 {
            format!("min({:.0}px, {whole} - 100% - {EDGE_PX}px)", at.max(0.0) + AWAY_PX)
        } else {
            format!("max({EDGE_PX}px, {:.0}px - 100%)", at.min(length) - AWAY_PX)
        }
    };
    format!("translate({}, {})", side(pointer.0, window.0, "100vw"), side(pointer.1, window.1, "100vh"))
}
