//! What highlights a run on the whole page while the pointer is on it.

use leptos::ev;
use leptos::prelude::*;
use leptos::tachys::html::attribute::Attribute;
use leptos::tachys::html::event::on;

use crate::app::state::AppState;

/// Attributes that highlight a run while the pointer is on their element, for as long as the owner that asks for them
/// lives: an element that goes from under the pointer is not left.
pub fn highlight_on_hover(app: AppState, run: u32) -> impl Attribute {
    on_cleanup(move || app.runs.unhighlight(&[run]));
    (
        on(ev::pointerenter, move |_| app.runs.highlight(&[run])),
        on(ev::pointerleave, move |_| app.runs.unhighlight(&[run])),
    )
}
