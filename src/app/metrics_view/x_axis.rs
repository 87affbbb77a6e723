//! What lies along x of all charts.

use leptos::prelude::*;

use super::segments::Segments;
use crate::app::chart::ChartGroup;
use crate::app::content::Popup;
use crate::app::state::AppState;
use rundown_protocol::XAxis;

/// The choice of x. `keys` are the metrics that x can be.
#[component]
pub fn XAxisChoice(group: ChartGroup, keys: Memo<Vec<String>>) -> impl IntoView {
    let app = AppState::of_page();
    let now = app.address.part(|state| state.charts.x.clone());
    let choose = Callback::new(move |x: XAxis| {
        if x == now.get_untracked() {
            return;
        }
        // Cursor and window meant another quantity.
        group.cursor.set(None);
        app.address.choose(|state| (state.charts.x, state.charts.window) = (x, None));
    });
    let choices = vec![(XAxis::Step, "step"), (XAxis::Tokens, "tokens"), (XAxis::RelativeTime, "time")];
    let other = move || match now.get() {
        XAxis::WallTime => Some("wall time".to_owned()),
        XAxis::Metric(key) => Some(key),
        XAxis::Step | XAxis::Tokens | XAxis::RelativeTime => None,
    };
    let face = move || view! { <span class:is-chosen=move || other().is_some()>{move || other().unwrap_or_else(|| "…".to_owned())}</span> };
    view! {
        <Segments label="x axis" choices now choose>
            <Popup class="segments-more" title="Other x axes" names_button=true face>
                <OtherAxes now keys choose />
            </Popup>
        </Segments>
    }
}

/// The clock, and any metric.
#[component]
fn OtherAxes(now: Memo<XAxis>, keys: Memo<Vec<String>>, choose: Callback<XAxis>) -> impl IntoView {
    let is_clock = move || now.get() == XAxis::WallTime;
    let key = move || match now.get() {
        XAxis::Metric(key) => key,
        _ => String::new(),
    };
    let pick = move |event| match event_target_value(&event) {
        key if key.is_empty() => choose.run(XAxis::Step),
        key if keys.with_untracked(|keys| keys.contains(&key)) => choose.run(XAxis::Metric(key)),
        // What is being written: the browser proposes the metrics that hold it.
        _ => {}
    };
    view! {
        <button
            type="button"
            aria-pressed=move || if is_clock() { "true" } else { "false" }
            on:click=move |_| choose.run(XAxis::WallTime)
        >
            "Wall time"
        </button>
        <label>
            "Metric "
            <input type="search" list="x-metrics" placeholder="part of its name" autocomplete="off" prop:value=move || key() on:change=pick />
        </label>
        <datalist id="x-metrics">
            {move || keys.get().into_iter().map(|key| view! { <option value=key></option> }).collect::<Vec<_>>()}
        </datalist>
    }
}
