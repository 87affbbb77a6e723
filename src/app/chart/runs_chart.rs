//! One metric of all shown runs.

use leptos::prelude::*;

use super::card::{ChartCard, enlarged};
use super::group::ChartGroup;
use super::model::ChartModel;
use super::own_choices::{OwnChoice, OwnChoices};
use super::scene::spec::{ChartContent, Series, Spec};
use crate::app::state::AppState;
use crate::app::state::chart_settings::ChartSettings;
use rundown_protocol::{MetricKind, MetricList, MetricRow};

/// One metric of all shown runs, with the settings of charts that the address holds. Charts below one
/// [`super::share_charts`] share cursor and zoom.
#[component]
pub fn RunsChart(
    /// Key of the metric.
    key: String,
    /// Its unit; empty when unknown.
    #[prop(optional)]
    unit: String,
) -> impl IntoView {
    let app = AppState::of_page();
    let group = use_context::<ChartGroup>().unwrap_or_else(|| ChartGroup::in_address(app));
    let own = OwnChoices::of(&key);
    let settings = app.address.part(|state| state.charts.clone());
    let is_enlarged = enlarged(app, &key);
    let of = key.clone();
    let chart = ChartModel::new(group, own, move |own| {
        let window = if is_enlarged.get() { settings.with(|settings| settings.y_window) } else { own.y_window };
        let content = ChartContent::Lines(series(app, &of));
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

fn series(app: AppState, key: &str) -> Vec<Series> {
    let (shown, open) = (app.runs.shown.get(), app.runs.open.get());
    let several = shown.len() > 1;
    let series = shown.iter().map(|shown| Series {
        run: shown.run,
        key: key.to_owned(),
        name: shown.name.clone(),
        hue: shown.style.hue,
        dash: shown.style.dash,
        is_open: several && Some(shown.run) == open,
    });
    series.collect()
}
