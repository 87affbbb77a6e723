//! The chart of a finding: at most two metrics, shaded from its onset.

use leptos::prelude::*;

use super::frame::ChartFrame;
use super::group::ChartGroup;
use super::menu::ChartMenu;
use super::model::ChartModel;
use super::own_choices::OwnChoice;
use super::scene::spec::{ChartContent, Series, Spec};
use super::scene::view_options::Shading;
use super::scene::words::position_text;
use super::visibility::WhileVisible;
use crate::app::content::Swatch;
use crate::app::state::chart_settings::SMOOTHING;
use crate::app::state::run_colors::LineStyle;
use rundown_format::number;
use rundown_protocol::Smoothing;

/// The chart of a finding's evidence: at most two metrics of a run, over steps, smoothed over the raw lines. Charts of
/// one group share cursor and window.
#[component]
pub fn EvidenceChart(
    /// The run.
    run: u32,
    /// Keys of the metrics, the most telling one first.
    keys: Vec<String>,
    /// The steps of the finding; none where nothing is shaded.
    shade: Option<Shading>,
    /// What the chart shares with others; nothing when absent.
    #[prop(optional)]
    group: Option<ChartGroup>,
) -> impl IntoView {
    let group = group.unwrap_or_default();
    let name = keys.join(", ");
    let series = keys.into_iter().enumerate();
    let series = series.map(|(hue, key)| Series { run, name: key.clone(), key, hue, ..Series::default() });
    let content = ChartContent::Lines(series.collect());
    // A single step is what smoothing and a range without outliers hide.
    let is_one_step = shade.is_some_and(|shade| shade.is_one_step());
    let smoothing = if is_one_step { Smoothing::default() } else { SMOOTHING };
    let spec =
        Spec { content, smoothing, outliers: is_one_step, band: false, shade, own_scales: true, ..Spec::default() };
    view! {
        <WhileVisible name>
            <EvidenceFigure group spec=spec.clone() />
        </WhileVisible>
    }
}

#[component]
fn EvidenceFigure(group: ChartGroup, spec: Spec) -> impl IntoView {
    let note =
        spec.shade.map_or("", |shade| if shade.is_one_step() { "marked at its step" } else { "shaded from onset" });
    let names = spec.keys();
    let name = names.join(", ");
    let chart = ChartModel::new(group, RwSignal::new(OwnChoice::default()), move |own| Spec {
        scale: own.scale,
        y_window: own.y_window,
        ..spec.clone()
    });
    let several = names.len() > 1;
    let entries = names.into_iter().enumerate();
    let entries: Vec<_> = entries.map(|(line, name)| view! { <LegendEntry chart line name several /> }).collect();
    let position = move || {
        chart.stable_revision.track();
        let at =
            group.cursor.get().zip(chart.data()).and_then(|(at, data)| Some(position_text(data.snapped(at)?, &data.x)));
        match at {
            Some(at) => view! { <span class="chart-place">{at}</span> },
            None => view! { <span class="chart-place">{note.to_owned()}</span> },
        }
    };
    let choose_y = move |y_window| chart.own.update(|own| own.y_window = y_window);
    view! {
        <figure class="chart">
            <figcaption class="chart-legend">{entries} {move || position()}</figcaption>
            <ChartFrame chart choose_y />
            <ChartMenu chart name />
        </figure>
    }
}

/// Colour, key and value of a metric: under the cursor, else the last one.
#[component]
fn LegendEntry(chart: ChartModel, line: usize, name: String, several: bool) -> impl IntoView {
    let value = move || {
        chart.stable_revision.track();
        let cursor = chart.group.cursor.get();
        let Some(data) = chart.data() else { return String::new() };
        let Some(line) = data.line(line) else { return "not logged".to_owned() };
        let at = cursor.and_then(|at| data.snapped(at)).unwrap_or(f64::INFINITY);
        let reading = line.reading(at, f64::INFINITY);
        reading.map_or_else(|| "no value".to_owned(), |reading| number(reading.raw.unwrap_or(reading.y)))
    };
    let title = name.clone();
    view! {
        <span class="chart-entry">
            {several.then(|| view! { <Swatch style=Some(LineStyle::of(line)) /> })}
            <code class="chart-key" title=title><bdi>{name}</bdi></code>
            <span class="chart-value">{move || value()}</span>
        </span>
    }
}
