//! Histograms, or the rows of a rubric, of the open run over x: a heat map.

use leptos::prelude::*;

use super::card::ChartCard;
use super::group::ChartGroup;
use super::model::ChartModel;
use super::own_choices::OwnChoices;
use super::runs_chart::spec;
use super::scene::spec::ChartContent;
use crate::app::state::AppState;
use rundown_protocol::HeatSource;

/// A heat map of the open run.
#[component]
pub fn HeatChart(
    /// Key of the histograms, or a name for the rows.
    name: String,
    /// What is drawn.
    source: HeatSource,
) -> impl IntoView {
    let app = AppState::of_page();
    let group = use_context::<ChartGroup>().unwrap_or_else(|| ChartGroup::in_address(app));
    let settings = app.address.part(|state| state.charts.clone());
    let is_metric = matches!(source, HeatSource::Histograms(_));
    let of = name.clone();
    let chart = ChartModel::new(group, OwnChoices::of(&name), move |own| {
        let content = ChartContent::Heat(app.runs.open_number(), of.clone(), source.clone());
        settings.with(|settings| spec(settings, content, own))
    });
    let run = Signal::derive(move || app.runs.name(app.runs.open_number()));
    view! {
        <ChartCard chart name unit=run is_metric>
            <HeatScale chart />
        </ChartCard>
    }
}

/// What the colours stand for.
#[component]
fn HeatScale(chart: ChartModel) -> impl IntoView {
    let scale = move || {
        chart.stable_revision.track();
        let (words, low, high) = chart.data()?.heat.as_ref()?.scale();
        let colours = view! { <span class="chart-colours" aria-hidden="true"></span> };
        Some(view! { <p class="chart-scale">{format!("{words}: {low}")} {colours} {high}</p> })
    };
    view! { {move || scale()} }
}
