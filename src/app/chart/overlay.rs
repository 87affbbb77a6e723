//! What stands over a chart: the cursor and the zoom box. Elements that the browser moves, not a second canvas: it would be
//! painted anew for each movement of the pointer (docs/decisions/cursor.md).

use leptos::prelude::*;

use super::model::{ChartModel, or_default};
use super::scene::marks::{Marks, Rule, Zoom};

/// The cursor and the zoom box of a chart.
#[component]
pub fn Overlay(
    /// The chart.
    chart: ChartModel,
) -> impl IntoView {
    let has_rule = Memo::new(move |_| read(chart, |marks| marks.rule.is_some()));
    let has_zoom = Memo::new(move |_| read(chart, |marks| marks.zoom.is_some()));
    let dots = Memo::new(move |_| read(chart, |marks| marks.dots.len()));
    view! {
        <div class="chart-overlay" aria-hidden="true">
            <Show when=move || or_default(has_rule)>
                <CursorRule chart />
            </Show>
            {move || (0..or_default(dots)).map(|place| view! { <LineDot chart place /> }).collect::<Vec<_>>()}
            <Show when=move || or_default(has_zoom)>
                <ZoomArea chart />
            </Show>
        </div>
    }
}

#[component]
fn CursorRule(chart: ChartModel) -> impl IntoView {
    let rule = move |style: fn(Rule) -> String| read(chart, |marks| marks.rule.map(style).unwrap_or_default());
    view! {
        <div
            class="chart-rule"
            style:transform=move || rule(|rule| moved(rule.x, rule.top))
            style:height=move || rule(|rule| px(rule.height))
        ></div>
    }
}

#[component]
fn LineDot(chart: ChartModel, place: usize) -> impl IntoView {
    let at = move || read(chart, |marks| marks.dots.get(place).map(|dot| moved(dot.x, dot.y)).unwrap_or_default());
    let hue = Memo::new(move |_| read(chart, |marks| marks.dots.get(place).map_or(0, |dot| dot.hue)));
    let color = move || chart.theme().line_color(or_default(hue)).css();
    view! { <div class="chart-dot" style:transform=at style:background-color=color></div> }
}

#[component]
fn ZoomArea(chart: ChartModel) -> impl IntoView {
    let zoom = move |style: fn(Zoom) -> String| read(chart, |marks| marks.zoom.map(style).unwrap_or_default());
    view! {
        <div
            class="chart-zoom"
            class:is-across=move || read(chart, |marks| marks.zoom.is_some_and(|zoom| zoom.is_across))
            style:left=move || zoom(|zoom| px(zoom.left))
            style:top=move || zoom(|zoom| px(zoom.top))
            style:width=move || zoom(|zoom| px(zoom.width))
            style:height=move || zoom(|zoom| px(zoom.height))
        ></div>
    }
}

/// A part of the marks, followed by whoever asks; its default once the chart is gone.
fn read<T: Default>(chart: ChartModel, part: impl FnOnce(&Marks) -> T) -> T {
    chart.marks.try_with(part).unwrap_or_default()
}

fn moved(x: f64, y: f64) -> String {
    format!("translate({x:.2}px, {y:.2}px)")
}

fn px(length: f64) -> String {
    format!("{length:.2}px")
}
