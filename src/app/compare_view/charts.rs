//! Charts of chosen metrics, over all shown runs.

use leptos::prelude::*;

use super::measure;
use crate::app::chart::{RunsChart, line_metrics};
use crate::app::engine::question::answered;
use crate::app::state::AppState;
use rundown_protocol::{MetricList, MetricRow, Request};

/// Charts that are drawn before the user has chosen any.
const AT_FIRST: usize = 6;

/// The charts, with a menu to add one and a button to take each away.
#[component]
pub fn ComparedCharts() -> impl IntoView {
    let app = AppState::of_page();
    let chosen = app.address.part(|state| state.compare.charts.clone());
    let metrics = answered::<MetricList>(app.engine, move || {
        app.runs.revision.track();
        Request::ListMetrics { runs: app.runs.shown_numbers() }
    });
    let rows = Memo::new(move |before: Option<&Vec<MetricRow>>| match metrics.get() {
        Some(Ok(list)) => line_metrics(&list).cloned().collect(),
        _ => before.cloned().unwrap_or_default(),
    });
    let measure = measure(app);
    let keys = Memo::new(move |_| chosen.get().unwrap_or_else(|| at_first(&rows.get(), &measure.get())));
    let set = move |keys: Vec<String>| app.address.choose(|state| state.compare.charts = Some(keys));
    let add = move |event| {
        let key = event_target_value(&event);
        if !key.is_empty() {
            let mut keys = keys.get_untracked();
            keys.push(key);
            set(keys);
        }
    };
    let remove = move |key: &str| {
        let mut keys = keys.get_untracked();
        keys.retain(|known| known != key);
        set(keys);
    };
    let unit = move |key: &str| {
        rows.with_untracked(|rows| rows.iter().find(|row| row.key == key).map(|row| row.unit.clone()))
            .unwrap_or_default()
    };
    let offered = move || {
        let shown = keys.get();
        rows.get()
            .into_iter()
            .filter(|row| !shown.contains(&row.key))
            .map(|row| view! { <option>{row.key}</option> })
            .collect_view()
    };
    view! {
        <section class="compare-charts" aria-labelledby="compare-charts-title">
            <div class="section-head">
                <h2 id="compare-charts-title">"Curves"</h2>
                <span class="muted">{move || rundown_format::counted(app.runs.shown.with(|shown| shown.len()), "run")} " shown"</span>
                <label>
                    "Add "
                    <select on:change=add prop:value=move || { keys.track(); "" }>
                        <option value="">"a metric…"</option>
                        {move || offered()}
                    </select>
                </label>
            </div>
            <div class="metrics-grid">
                <For each=move || keys.get() key=Clone::clone let:key>
                    {
                        let (of, shown) = (key.clone(), key.clone());
                        let name = format!("Remove the chart of {key}");
                        view! {
                            <div class="panel metric" data-key=shown>
                                <RunsChart unit=unit(&key) key />
                                <button type="button" class="link remove" aria-label=name on:click=move |_| remove(&of)>
                                    "Remove"
                                </button>
                            </div>
                        }
                    }
                </For>
            </div>
        </section>
    }
}

/// What the runs are measured by, then one metric for each thing that is known of them, those that most runs have first.
fn at_first(rows: &[MetricRow], measure: &str) -> Vec<String> {
    let mut keys: Vec<String> = (!measure.is_empty()).then(|| measure.to_owned()).into_iter().collect();
    let mut known: Vec<&MetricRow> = rows.iter().filter(|row| !row.about.is_empty()).collect();
    known.sort_by_key(|row| std::cmp::Reverse(row.runs));
    let mut about: Vec<&str> = Vec::new();
    for row in known {
        if keys.len() < AT_FIRST && !about.contains(&row.about.as_str()) && !keys.contains(&row.key) {
            about.push(&row.about);
            keys.push(row.key.clone());
        }
    }
    for row in rows {
        if keys.len() < AT_FIRST && !keys.contains(&row.key) {
            keys.push(row.key.clone());
        }
    }
    keys
}
