//! One metric of all shown runs.

use leptos::prelude::*;

use super::card::{ChartCard, enlarged};
use super::group::ChartGroup;
use super::model::ChartModel;
use super::own_choices::{OwnChoice, OwnChoices};
use super::scene::spec::{ChartContent, Series, Spec};
use crate::app::state::AppState;
use crate::app::state::chart_settings::ChartSettings;
use rundown_protocol::{EquivalentKey, MetricKind, MetricList, MetricRow};

/// One metric of all shown runs, with the settings of charts that the address holds. Charts below one
/// [`super::share_charts`] share cursor and zoom.
#[component]
pub fn RunsChart(
    /// Key of the metric.
    key: String,
    /// Its unit; empty when unknown.
    #[prop(optional, into)]
    unit: Signal<String>,
    /// Keys under which other runs log the same; none when absent.
    #[prop(optional, into)]
    equivalents: Signal<Vec<EquivalentKey>>,
) -> impl IntoView {
    let app = AppState::of_page();
    let group = use_context::<ChartGroup>().unwrap_or_else(|| ChartGroup::in_address(app));
    let own = OwnChoices::of(&key);
    let settings = app.address.part(|state| state.charts.clone());
    let is_enlarged = enlarged(app, &key);
    let of = key.clone();
    let chart = ChartModel::new(group, own, move |own| {
        let window = if is_enlarged.get() { settings.with(|settings| settings.y_window) } else { own.y_window };
        let content = ChartContent::Lines(series(app, &of, equivalents));
        settings.with(|settings| Spec { y_window: window, ..spec(settings, content, own) })
    });
    view! { <ChartCard chart name=key unit /> }
}

/// Metrics that are drawn as lines and change.
pub fn line_metrics(list: &MetricList) -> impl Iterator<Item = &MetricRow> {
    let rows = list.sections.iter().flat_map(|section| &section.metrics);
    rows.filter(|row| row.kind == MetricKind::Numbers && !row.constant)
}

/// What is drawn with the settings of all charts and those of one.
pub fn spec(settings: &ChartSettings, content: ChartContent, own: OwnChoice) -> Spec {
    Spec {
        content,
        x: settings.x.clone(),
        smoothing: settings.smoothing,
        group: settings.group.clone(),
        band: !settings.without_bands,
        scale: own.scale.or(settings.y),
        outliers: settings.outliers,
        y_window: own.y_window,
        shade: None,
        own_scales: false,
    }
}

fn series(app: AppState, key: &str, equivalents: Signal<Vec<EquivalentKey>>) -> Vec<Series> {
    let (shown, open) = (app.runs.shown.get(), app.runs.open.get());
    let several = shown.len() > 1;
    let equivalents = equivalents.read();
    let series = shown.iter().map(|shown| {
        let own = equivalents.iter().find(|known| known.key == key && known.runs.contains(&shown.run));
        Series {
            run: shown.run,
            key: own.map_or(key, |own| &own.own_key).to_owned(),
            name: own.map_or_else(|| shown.name.clone(), |own| format!("{} ({})", shown.name, own.own_key)),
            hue: shown.style.hue,
            dash: shown.style.dash,
            is_open: several && Some(shown.run) == open,
        }
    });
    series.collect()
}
