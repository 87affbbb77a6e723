//! What can be done with one chart: keep it as a file, copy it, choose its scale.

use leptos::prelude::*;

use super::export;
use super::model::ChartModel;
use super::scene::spec::ChartContent;
use crate::app::content::Popup;
use rundown_plot::Scale;

/// The menu of a chart.
#[component]
pub fn ChartMenu(
    /// The chart.
    chart: ChartModel,
    /// What the chart is called.
    name: String,
) -> impl IntoView {
    view! {
        <Popup class="chart-menu" title=format!("Save or change {name}") names_button=true is_menu=true face=|| "⋯">
            <ChartMenuItem words="PNG" act=move || export::save_png(chart) />
            <LineItems chart />
            <ChartMenuItem words="CSV of all points" act=move || export::save_csv(chart) />
            <ChartMenuItem words="Copy as image" act=move || export::copy_image(chart) />
            <ScaleItems chart />
        </Popup>
    }
}

/// What only lines have.
#[component]
fn LineItems(chart: ChartModel) -> impl IntoView {
    is_lines(chart).then(|| view! { <ChartMenuItem words="SVG" act=move || export::save_svg(chart) /> })
}

#[component]
fn ScaleItems(chart: ChartModel) -> impl IntoView {
    let other = match chart.drawn_scale()? {
        Scale::Log => (Scale::Linear, "Linear y axis for this chart"),
        Scale::Linear | Scale::Symlog => (Scale::Log, "Log y axis for this chart"),
    };
    let (scale, words) = other;
    let set = move |scale| chart.own.update(|own| (own.scale, own.y_window) = (scale, None));
    let back = chart.own.get_untracked().scale.is_some();
    Some(view! {
        <ChartMenuItem words act=move || set(Some(scale)) />
        {back.then(|| view! { <ChartMenuItem words="Use the scale of all charts" act=move || set(None) /> })}
    })
}

#[component]
fn ChartMenuItem(words: &'static str, act: impl Fn() + 'static) -> impl IntoView {
    view! { <button type="button" role="menuitem" tabindex="-1" on:click=move |_| act()>{words}</button> }
}

fn is_lines(chart: ChartModel) -> bool {
    matches!(chart.spec.get_untracked().content, ChartContent::Lines(_))
}
