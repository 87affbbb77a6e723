//! The tooltip of a chart: beside the pointer, never outside the window, one at a time.

use leptos::portal::Portal;
use leptos::prelude::*;

use super::model::{ChartModel, Pointer};
use super::scene::tips::{Cursor, Tip, TipRow, tip};
use crate::app::browser::timing::after;

/// Between the pointer and the tooltip, in CSS pixels.
const AWAY_PX: f64 = 14.0;
/// Milliseconds that the pointer rests on a line before its run is lit: lighting draws every chart again, and a pointer that
/// only crosses lines would make them flicker.
const REST_MS: i32 = 60;

/// What the cursor of a chart says; followed by whoever asks.
pub fn tip_of(chart: ChartModel) -> Option<Tip> {
    let x = chart.group.cursor.get()?;
    let pointer = chart.pointer.get();
    let (data, area, scale) = (chart.data()?, chart.area()?, chart.size().scale);
    let down = pointer.and_then(|pointer| pointer.down).map(|down| down * scale);
    let distance = |line: &super::scene::data::LineData, y: f64| {
        let axis = area.y_right.filter(|_| line.place == 1).unwrap_or(area.y);
        let at = area.bottom - (area.bottom - area.top) * axis.fraction(y);
        (at - down.unwrap_or_default()) / scale
    };
    let has_pointer = down.is_some();
    let span = area.x.range().span();
    let y = down.map(|down| area.y_at(down));
    tip(&data, &Cursor { x, span, distance: if has_pointer { Some(&distance) } else { None }, y })
}

/// The tooltip while the pointer is on the chart.
#[component]
pub fn Tooltip(
    /// The chart.
    chart: ChartModel,
) -> impl IntoView {
    let is_shown = Memo::new(move |_| chart.pointer.get().is_some());
    // Of a chart that only shares the cursor nothing is computed.
    let shown = Memo::new(move |_| if is_shown.get() { tip_of(chart) } else { None });
    // What the pointer rests on is lit everywhere.
    Effect::new(move |before: Option<Vec<u32>>| {
        let touched = shown.get().map(|tip| tip.touched).unwrap_or_default();
        let (before, runs) = (before.unwrap_or_default(), chart.app.runs);
        if before != touched {
            let touched = touched.clone();
            after(REST_MS, move || {
                // The chart may be gone.
                let now = shown.try_get_untracked().flatten().map(|tip| tip.touched).unwrap_or_default();
                // What another part of the page lit meanwhile stays lit.
                let is_ours = !touched.is_empty() || runs.hovered.get_untracked() == before.first().copied();
                if now == touched && is_ours {
                    runs.point_at(&touched);
                }
            });
        }
        touched
    });
    view! {
        <Show when=move || is_shown.get()>
            <Portal>
                <TipBox chart shown />
            </Portal>
        </Show>
    }
}

#[component]
fn TipBox(chart: ChartModel, shown: Memo<Option<Tip>>) -> impl IntoView {
    let side = move || placement(chart.pointer.try_get().flatten());
    let rows = move || shown.try_get().flatten().map(|tip| view! { <TipRows chart tip /> });
    view! {
        <div
            class="chart-tip"
            aria-hidden="true"
            class:is-empty=move || shown.try_get().flatten().is_none()
            style:left=move || side().left
            style:right=move || side().right
            style:top=move || side().top
            style:bottom=move || side().bottom
        >
            {move || rows()}
        </div>
    }
}

#[component]
fn TipRows(chart: ChartModel, tip: Tip) -> impl IntoView {
    let more = (tip.more > 0).then(|| view! { <p class="chart-tip-more">{format!("+ {} more", tip.more)}</p> });
    let rows: Vec<_> = tip.rows.into_iter().map(|row| tip_row(chart, row)).collect();
    view! {
        <p class="chart-tip-place">{tip.place}</p>
        <ul>{rows}</ul>
        {more}
    }
}

fn tip_row(chart: ChartModel, row: TipRow) -> impl IntoView {
    let TipRow { name, hue, dash, value, raw, is_nearest } = row;
    let swatch = hue.map(|hue| view! { <Swatch chart hue dash /> });
    view! {
        <li class:is-nearest=is_nearest>
            {swatch} <span class="chart-tip-name">{name}</span>
            <span class="chart-tip-value">{value}</span>
            {raw.map(|raw| view! { <span class="chart-tip-raw">{raw}</span> })}
        </li>
    }
}

/// A piece of a line in its colour and dashes.
#[component]
pub fn Swatch(
    /// The chart, for its theme.
    chart: ChartModel,
    /// Place of the colour in the theme.
    hue: usize,
    /// Place among the dashes.
    #[prop(optional)]
    dash: usize,
) -> impl IntoView {
    view! {
        <span
            class=format!("chart-swatch dash-{}", dash % 4)
            aria-hidden="true"
            style:color=move || chart.theme().line_color(hue).css()
        ></span>
    }
}

/// Distances from the edges of the window.
#[derive(Default)]
struct Placement {
    left: String,
    right: String,
    top: String,
    bottom: String,
}

/// In the quarter of the window with the most room.
fn placement(pointer: Option<Pointer>) -> Placement {
    let (Some(pointer), Some(root)) = (pointer, document().document_element()) else { return Placement::default() };
    let (width, height) = (f64::from(root.client_width()), f64::from(root.client_height()));
    let (x, y) = pointer.client;
    let px = |value: f64| format!("{:.0}px", value.max(0.0) + AWAY_PX);
    let mut placement =
        Placement { left: "auto".into(), right: "auto".into(), top: "auto".into(), bottom: "auto".into() };
    if x < width / 2.0 {
        placement.left = px(x);
    } else {
        placement.right = px(width - x);
    }
    if y < height / 2.0 {
        placement.top = px(y);
    } else {
        placement.bottom = px(height - y);
    }
    placement
}
