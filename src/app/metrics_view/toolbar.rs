//! The tools above the charts: search, axes, smoothing, groups.

use leptos::prelude::*;

use super::display::DisplayMenu;
use super::grouping::GroupMenu;
use super::segments::Segments;
use super::smoothing::SmoothingMenu;
use super::x_axis::XAxisChoice;
use crate::app::chart::{ChartGroup, window_words};
use crate::app::state::AppState;
use rundown_content::Scale;

const NO_REGEX: &str = "That is not a valid regular expression: everything is shown.";

/// The tools. `keys` are the metrics that x can be.
#[component]
pub fn Toolbar(group: ChartGroup, keys: Memo<Vec<String>>, is_invalid: Memo<bool>) -> impl IntoView {
    let app = AppState::of_page();
    let y = app.address.part(|state| state.charts.y);
    let choose_y = move |scale| app.address.choose(|state| state.charts.y = scale);
    let scales = [Some(Scale::Linear), None, Some(Scale::Log), Some(Scale::Symlog)];
    let scales = scales.map(|scale| (scale, scale.map_or("auto", Scale::name))).to_vec();
    // On a narrow screen the tools wait behind a button.
    let is_open = RwSignal::new(false);
    view! {
        <div class="metrics-tools" role="search" class:is-open=move || is_open.get()>
            <SearchBox is_invalid />
            <button
                type="button"
                class="metrics-tools-button"
                aria-expanded=move || if is_open.get() { "true" } else { "false" }
                on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
            >
                "Axes, smoothing"
            </button>
            <div class="metrics-tools-more">
                <XAxisChoice group keys />
                <Segments label="y axis" choices=scales now=y choose=choose_y />
                <SmoothingMenu />
                <GroupMenu />
                <DisplayMenu />
            </div>
        </div>
    }
}

#[component]
fn SearchBox(is_invalid: Memo<bool>) -> impl IntoView {
    let app = AppState::of_page();
    let typed = app.address.part(|state| state.metrics.clone());
    view! {
        <label class="metrics-search">
            <span class="visually-hidden">"Search metrics"</span>
            <input
                type="search"
                placeholder="reward -std, train/*/mean or /regex/"
                spellcheck="false"
                prop:value=move || typed.get()
                aria-invalid=move || is_invalid.get().then_some("true")
                on:input=move |event| {
                    let text = event_target_value(&event);
                    app.address.adjust(|state| state.metrics = text);
                }
            />
        </label>
        <Show when=move || is_invalid.get()>
            <p class="metrics-hint" role="status">{NO_REGEX}</p>
        </Show>
    }
}

/// What part of x is looked at, and what can be done with it.
#[component]
pub fn WindowLine(group: ChartGroup) -> impl IntoView {
    let app = AppState::of_page();
    let x = app.address.part(|state| state.charts.x.clone());
    let words = move || group.has_extent().then(|| x.with(|x| window_words(group.view().range(), x)));
    let is_zoomed = Memo::new(move |_| group.visible().is_some());
    let reset = move |_| group.choose(|view| view.selected(f64::NAN, f64::NAN));
    let link = move |_| app.copy(app.url());
    view! {
        <p class="metrics-window">
            <span title="Drag to zoom, Shift-drag to pan, double-click to reset, Ctrl and wheel to zoom.">{move || words()}</span>
            <button type="button" class="link" disabled=move || !is_zoomed.get() on:click=reset>"reset zoom"</button>
            <button type="button" class="link" on:click=link>"copy link"</button>
        </p>
    }
}
