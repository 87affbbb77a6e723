//! The crosshair, its dots and the zoom box over a chart: elements that the browser moves. A second canvas would be painted
//! again at each movement of the pointer (docs/decisions/cursor.md).

use leptos::prelude::*;

use super::model::{ChartModel, or_default};
use super::scene::overlay_shapes::{Crosshair, OverlayShapes, ZoomRectangle};

/// The crosshair, its dots and the zoom box of a chart.
#[component]
pub fn Overlay(
    /// The chart.
    chart: ChartModel,
) -> impl IntoView {
    let has_crosshair = Memo::new(move |_| read(chart, |shapes| shapes.crosshair.is_some()));
    let has_zoom = Memo::new(move |_| read(chart, |shapes| shapes.zoom.is_some()));
    let dots = Memo::new(move |_| read(chart, |shapes| shapes.dots.len()));
    view! {
        <div class="chart-overlay" aria-hidden="true">
            <Show when=move || or_default(has_crosshair)>
                <CrosshairLine chart />
            </Show>
            {move || (0..or_default(dots)).map(|place| view! { <LineDot chart place /> }).collect::<Vec<_>>()}
            <Show when=move || or_default(has_zoom)>
                <ZoomArea chart />
            </Show>
        </div>
    }
}

#[component]
fn CrosshairLine(chart: ChartModel) -> impl IntoView {
    let style_of =
        move |style: fn(Crosshair) -> String| read(chart, |shapes| shapes.crosshair.map(style).unwrap_or_default());
    view! {
        <div
            class="chart-crosshair"
            style:transform=move || style_of(|line| moved(line.x, line.top))
            style:height=move || style_of(|line| px(line.height))
        ></div>
    }
}

#[component]
fn LineDot(chart: ChartModel, place: usize) -> impl IntoView {
    let at = move || read(chart, |shapes| shapes.dots.get(place).map(|dot| moved(dot.x, dot.y)).unwrap_or_default());
    let hue = Memo::new(move |_| read(chart, |shapes| shapes.dots.get(place).map_or(0, |dot| dot.hue)));
    let color = move || chart.theme().line_color(or_default(hue)).css();
    view! { <div class="chart-dot" style:transform=at style:background-color=color></div> }
}

#[component]
fn ZoomArea(chart: ChartModel) -> impl IntoView {
    let style_of =
        move |style: fn(ZoomRectangle) -> String| read(chart, |shapes| shapes.zoom.map(style).unwrap_or_default());
    view! {
        <div
            class="chart-zoom"
            class:is-across=move || read(chart, |shapes| shapes.zoom.is_some_and(|zoom| zoom.is_across))
            style:left=move || style_of(|zoom| px(zoom.left))
            style:top=move || style_of(|zoom| px(zoom.top))
            style:width=move || style_of(|zoom| px(zoom.width))
            style:height=move || style_of(|zoom| px(zoom.height))
        ></div>
    }
}

/// A part of the shapes, tracked; the default once the chart is disposed.
fn read<T: Default>(chart: ChartModel, part: impl FnOnce(&OverlayShapes) -> T) -> T {
    chart.overlay.try_with(part).unwrap_or_default()
}

fn moved(x: f64, y: f64) -> String {
    format!("translate({x:.2}px, {y:.2}px)")
}

fn px(length: f64) -> String {
    format!("{length:.2}px")
}
