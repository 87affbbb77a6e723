//! The crosshair, its dots and the zoom box over a chart: elements that the browser moves. A second canvas would be painted
//! again at each movement of the pointer (docs/decisions/cursor.md).

use leptos::prelude::*;

use super::model::{ChartModel, or_default};
use super::scene::overlay_shapes::{Crosshair, OverlayShapes, ZoomRectangle};

/// Which elements are in the overlay. They are made anew when this changes and otherwise only moved, each by one effect: with
/// `erase_components` a view that is rebuilt sets all its attributes again.
#[derive(Clone, Default, PartialEq)]
struct Elements {
    has_crosshair: bool,
    /// Places of the dots' colours in the theme.
    hues: Vec<usize>,
    has_zoom: bool,
}

/// The crosshair, its dots and the zoom box of a chart.
#[component]
pub fn Overlay(
    /// The chart.
    chart: ChartModel,
) -> impl IntoView {
    let elements = Memo::new(move |_| read(chart, Elements::of));
    let shown = move || {
        let Elements { has_crosshair, hues, has_zoom } = or_default(elements);
        let dot = |(index, hue): (usize, usize)| {
            let color = chart.theme().line_color(hue).css();
            view! { <LineDot chart index color /> }
        };
        (
            has_crosshair.then(|| view! { <CrosshairLine chart /> }),
            hues.into_iter().enumerate().map(dot).collect::<Vec<_>>(),
            has_zoom.then(|| view! { <ZoomArea chart /> }),
        )
    };
    view! { <div class="chart-overlay" aria-hidden="true">{move || shown()}</div> }
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
fn LineDot(chart: ChartModel, index: usize, color: String) -> impl IntoView {
    let at = move || read(chart, |shapes| shapes.dots.get(index).map(|dot| moved(dot.x, dot.y)).unwrap_or_default());
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

impl Elements {
    fn of(shapes: &OverlayShapes) -> Self {
        Self {
            has_crosshair: shapes.crosshair.is_some(),
            hues: shapes.dots.iter().map(|dot| dot.hue).collect(),
            has_zoom: shapes.zoom.is_some(),
        }
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
