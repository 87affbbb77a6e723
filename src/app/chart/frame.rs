//! The frame of a chart: its canvas, what stands over it, gestures, and the picture in words.

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::JsCast;
use web_sys::Node;

use super::gestures::Gestures;
use super::model::ChartModel;
use super::overlay::Overlay;
use super::scene::tips::spoken;
use super::scene::words;
use super::table::HiddenTable;
use super::tooltip::{Tooltip, tip_of};

/// The frame. `choose_y` is told which part of y the user drew a box around.
#[component]
pub fn ChartFrame(
    /// The chart.
    chart: ChartModel,
    /// Takes the part of y that was chosen; everything when `None`.
    #[prop(into)]
    choose_y: Callback<Option<(f64, f64)>>,
) -> impl IntoView {
    let gestures = Gestures::new(chart, choose_y);
    let announcement = RwSignal::new(String::new());
    let frame = NodeRef::<Div>::new();
    let canvas = NodeRef::<Canvas>::new();
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            chart.attach(canvas);
        }
    });
    // A chart that is scrolled away under the pointer takes its cursor along.
    on_cleanup(move || gestures.gone());
    let label = move || {
        chart.stable_revision.track();
        let keys = chart.spec.get().keys();
        chart.data().map_or_else(|| format!("Chart of {}.", keys.join(" and ")), |data| words::summary(&data, &keys))
    };
    let press = move |event: leptos::ev::KeyboardEvent| {
        if gestures.key(&event) {
            announcement.set(untrack(|| tip_of(chart)).map(|tip| spoken(&tip)).unwrap_or_default());
        }
    };
    let message = move || chart.message.get().map(|text| view! { <p class="chart-message">{text}</p> });
    view! {
        <div
            class="chart-frame"
            id=chart.frame_id()
            node_ref=frame
            tabindex="0"
            role="group"
            aria-roledescription="chart"
            aria-label=move || label()
            on:pointerdown=move |event| gestures.down(&event)
            on:pointermove=move |event| gestures.moved(&event)
            on:pointerup=move |event| gestures.up(&event)
            on:pointercancel=move |_| gestures.taken_away()
            on:pointerleave=move |event| gestures.left(&event)
            on:dblclick=move |event| gestures.double(&event)
            on:wheel=move |event| gestures.wheel(&event)
            on:touchstart=move |event| gestures.capture_touch(event.unchecked_ref())
            on:touchmove=move |event| gestures.capture_touch(event.unchecked_ref())
            on:keydown=press
            on:blur=move |_| gestures.forget_pointer()
        >
            <canvas aria-hidden="true" width="0" height="0" node_ref=canvas></canvas>
            <Overlay chart />
            {move || message()}
        </div>
        <Show when=move || chart.pointer.get().is_some()>
            <ElsewhereWatch frame gestures />
        </Show>
        <p class="visually-hidden" role="status">{move || announcement.get()}</p>
        <HiddenTable chart />
        <Tooltip chart />
    }
}

/// Takes the tooltip of a tap away when something else is touched.
#[component]
fn ElsewhereWatch(frame: NodeRef<Div>, gestures: Gestures) -> impl IntoView {
    let _ = use_event_listener(window(), leptos::ev::pointerdown, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
        if frame.get_untracked().is_some_and(|frame| !frame.contains(target.as_ref())) {
            gestures.forget_pointer();
        }
    });
}
