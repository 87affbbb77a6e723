//! How many charts stand side by side, and what they draw besides lines.

use leptos::prelude::*;

use crate::app::content::{Menu, Popup};
use crate::app::state::AppState;
use crate::app::state::chart_settings::MAX_COLUMNS;

/// The menu of the charts.
#[component]
pub fn DisplayMenu() -> impl IntoView {
    view! {
        <Popup class="tool-menu" title="Charts" face=|| view! { "Charts" <span aria-hidden="true">" ▾"</span> }>
            <Columns />
            <Switches />
        </Popup>
    }
}

#[component]
fn Columns() -> impl IntoView {
    let app = AppState::of_page();
    let now = app.address.part(|state| state.charts.columns);
    let choose = move |columns: String| {
        app.address.choose(|state| state.charts.columns = columns.parse().unwrap_or(0));
    };
    let option = |columns: u8| {
        let words = if columns == 0 { "auto".to_owned() } else { columns.to_string() };
        (columns.to_string(), words)
    };
    let options: Vec<_> = (0..=MAX_COLUMNS).map(option).collect();
    let value = Signal::derive(move || now.get().to_string());
    view! { <label>"Columns " <Menu options value choose /></label> }
}

#[component]
fn Switches() -> impl IntoView {
    let app = AppState::of_page();
    let outliers = app.address.part(|state| state.charts.outliers);
    let without_bands = app.address.part(|state| state.charts.without_bands);
    view! {
        <label>
            <input
                type="checkbox"
                prop:checked=move || outliers.get()
                on:change=move |event| {
                    let checked = event_target_checked(&event);
                    app.address.choose(|state| state.charts.outliers = checked);
                }
            />
            "Include outliers in the y range"
        </label>
        <label>
            <input
                type="checkbox"
                prop:checked=move || !without_bands.get()
                on:change=move |event| {
                    let checked = event_target_checked(&event);
                    app.address.choose(|state| state.charts.without_bands = !checked);
                }
            />
            "Min–max bands"
        </label>
    }
}
