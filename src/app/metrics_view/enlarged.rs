//! One chart that has the whole view.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::grid::MetricChart;
use super::sections::{ChartKey, FoundSection, chart_of};
use crate::app::browser::timing::after;

/// Until the charts are laid out again after one of them had the whole view.
const LAID_OUT_MS: i32 = 120;

/// The chart with this key, once the metrics are known. It stays the same while no more than its unit changes.
#[component]
pub fn Enlarged(key: String, sections: Memo<Vec<FoundSection>>) -> impl IntoView {
    let of = key.clone();
    let chart = Memo::new(move |before: Option<&Option<ChartKey>>| {
        sections.with(|sections| chart_of(sections, &of)).or_else(|| before.cloned().flatten())
    });
    let is_histograms = Memo::new(move |_| chart.with(|chart| chart.as_ref().map(|chart| chart.is_histograms)));
    let unit = move || chart.with(|chart| chart.as_ref().map(|chart| chart.unit.clone()).unwrap_or_default());
    let unit = Signal::derive(unit);
    let shown = move || {
        let (key, is_histograms) = (key.clone(), is_histograms.get()?);
        Some(view! { <div class="metrics-enlarged"><MetricChart key is_histograms unit /></div> })
    };
    view! { {move || shown()} }
}

/// Puts the page back where it was before a chart had the whole view, and the focus on that chart.
pub fn restore_scroll_position(enlarged: Memo<Option<String>>) {
    let scroll_y = StoredValue::new(0.0);
    Effect::new(move |before: Option<Option<String>>| {
        let now = enlarged.get();
        match (before.flatten(), &now) {
            (None, Some(_)) => {
                scroll_y.set_value(window().scroll_y().unwrap_or_default());
                window().scroll_to_with_x_and_y(0.0, 0.0);
            }
            (Some(key), None) => after(LAID_OUT_MS, move || {
                if let Some(scroll_y) = scroll_y.try_get_value() {
                    window().scroll_to_with_x_and_y(0.0, scroll_y);
                    focus_chart(&key);
                }
            }),
            _ => {}
        }
        now
    });
}

fn focus_chart(key: &str) {
    let Ok(charts) = document().query_selector_all("[data-key]") else { return };
    let elements = (0..charts.length()).filter_map(|index| charts.get(index)?.dyn_into::<HtmlElement>().ok());
    let chart = elements.into_iter().find(|chart| chart.get_attribute("data-key").as_deref() == Some(key));
    let button = chart.and_then(|chart| chart.query_selector(".chart-enlarge").ok().flatten());
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        let _ = button.focus();
    }
}
