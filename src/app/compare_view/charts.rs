//! Charts of chosen metrics, over all shown runs.

use std::sync::Arc;

use leptos::prelude::*;

use super::measure;
use crate::app::chart::{RunsChart, line_metrics};
use crate::app::engine::question::answered;
use crate::app::state::AppState;
use rundown_protocol::{MetricList, Request};

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
    let list = Memo::new(move |before: Option<&Arc<MetricList>>| match metrics.get() {
        Some(Ok(list)) => list,
        _ => before.cloned().unwrap_or_default(),
    });
    let equivalents = Memo::new(move |_| list.with(|list| list.equivalents.clone()));
    let measure = measure(app);
    let keys = Memo::new(move |_| chosen.get().unwrap_or_else(|| list.with(|list| at_first(list, &measure.get()))));
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
        list.with(|list| line_metrics(list).find(|row| row.key == key).map(|row| row.unit.clone())).unwrap_or_default()
    };
    let offered = move || {
        let shown = keys.get();
        list.with(|list| {
            let others = line_metrics(list).filter(|row| !shown.contains(&row.key));
            others.map(|row| view! { <option>{row.key.clone()}</option> }).collect_view()
        })
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
                        let (of, shown, metric) = (key.clone(), key.clone(), key.clone());
                        let unit = Signal::derive(move || unit(&metric));
                        let name = format!("Remove the chart of {key}");
                        view! {
                            <div class="panel metric" data-key=shown>
                                <RunsChart unit key equivalents />
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

/// What the runs are measured by, then what is looked at first, then other lines: one chart for each quantity.
fn at_first(list: &MetricList, measure: &str) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let measure = (!measure.is_empty()).then_some(measure);
    let first = list.first.iter().map(String::as_str);
    let others = line_metrics(list).map(|row| row.key.as_str());
    for key in measure.into_iter().chain(first).chain(others).map(|key| shared_key(list, key)) {
        if keys.len() < AT_FIRST && !keys.iter().any(|known| known == key) {
            keys.push(key.to_owned());
        }
    }
    keys
}

/// The key whose chart also draws the curves of `key`, where runs of several frameworks name one quantity differently.
fn shared_key<'a>(list: &'a MetricList, key: &'a str) -> &'a str {
    list.equivalents.iter().find(|known| known.own_key == key).map_or(key, |known| &known.key)
}
