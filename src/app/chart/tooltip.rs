//! The tooltip of a chart: beside the pointer, never outside the window, one at a time.

use std::time::Duration;

use leptos::portal::Portal;
use leptos::prelude::*;

use super::model::{ChartModel, or_default};
use super::scene::tips::{Cursor, Tip, TipRow, tip};
use crate::app::content::{Swatch, beside_pointer};
use crate::app::state::run_colors::{DASHES, HUES, LineStyle};

/// How long the pointer rests before the run of the line under it is highlighted, which draws every chart again: a moving
/// pointer would make them flicker.
const REST: Duration = Duration::from_millis(60);

/// What the cursor of a chart says; followed by whoever asks.
pub fn tip_of(chart: ChartModel) -> Option<Tip> {
    chart.drawn.track();
    let x = chart.group.cursor.get()?;
    let pointer = chart.pointer.get();
    let (data, area, scale) = (chart.data()?, chart.area()?, chart.size().scale);
    let down = pointer.and_then(|pointer| pointer.down).map(|down| down * scale);
    let distance = |line: &super::scene::data::LineData, y: f64| {
        let axis = area.y_right.filter(|_| line.series_index == 1).unwrap_or(area.y);
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
    highlight_under_pointer(chart, shown);
    view! {
        <Show when=move || is_shown.get()>
            <Portal>
                <TipBox chart shown />
            </Portal>
        </Show>
    }
}

/// Highlights the run, or the group, whose line the pointer rests on, in all charts and the list.
fn highlight_under_pointer(chart: ChartModel, shown: Memo<Option<Tip>>) {
    let runs = chart.app.runs;
    let highlighted = StoredValue::new(Vec::new());
    let end = move || {
        let _ = highlighted.try_with_value(|highlighted| runs.unhighlight(highlighted));
    };
    let mut at_rest = debounce(REST, move |()| match part(shown, |tip| tip.hovered.clone()) {
        hovered if hovered.is_empty() => end(),
        hovered => {
            runs.highlight(&hovered);
            highlighted.set_value(hovered);
        }
    });
    Effect::new(move |_| {
        // A line may move under the pointer that rests.
        shown.track();
        if chart.pointer.get().is_some() { at_rest(()) } else { end() }
    });
    on_cleanup(end);
}

#[component]
fn TipBox(chart: ChartModel, shown: Memo<Option<Tip>>) -> impl IntoView {
    let transform = move || {
        chart
            .pointer
            .try_get()
            .flatten()
            .map(|pointer| beside_pointer(pointer.client, pointer.window))
            .unwrap_or_default()
    };
    let rows = Memo::new(move |_| part(shown, |tip| tip.rows.len()));
    let more = Memo::new(move |_| part(shown, |tip| tip.more));
    view! {
        <div
            class="chart-tip"
            aria-hidden="true"
            class:is-empty=move || or_default(rows) == 0
            style:transform=move || transform()
        >
            <p class="chart-tip-place">{move || part(shown, |tip| tip.position.clone())}</p>
            <ul>{move || (0..or_default(rows)).map(|index| view! { <TipLine shown index /> }).collect::<Vec<_>>()}</ul>
            <Show when=move || { or_default(more) > 0 }>
                <p class="chart-tip-more">{move || format!("+ {} more", or_default(more))}</p>
            </Show>
        </div>
    }
}

/// A row, whose parts are updated one by one: most of them stay the same while the pointer moves.
#[component]
fn TipLine(shown: Memo<Option<Tip>>, index: usize) -> impl IntoView {
    let text = move |read: fn(&TipRow) -> &str| row_part(shown, index, |row| read(row).to_owned());
    let has_raw = Memo::new(move |_| row_part(shown, index, |row| row.raw.is_some()));
    let style = Memo::new(move |_| {
        row_part(shown, index, |row| row.hue.map(|hue| LineStyle { hue: hue % HUES, dash: row.dash % DASHES }))
    });
    view! {
        <li class:is-nearest=move || row_part(shown, index, |row| row.is_nearest)>
            <Swatch style=Signal::derive(move || or_default(style)) />
            <span class="chart-tip-name">{move || text(|row| &row.name)}</span>
            <span class="chart-tip-value">{move || text(|row| &row.value)}</span>
            <Show when=move || or_default(has_raw)>
                <span class="chart-tip-raw">{move || text(|row| row.raw.as_deref().unwrap_or_default())}</span>
            </Show>
        </li>
    }
}

/// A part of the tooltip; its default while there is none.
fn part<T: Default>(shown: Memo<Option<Tip>>, read: impl FnOnce(&Tip) -> T) -> T {
    shown.try_with(|tip| tip.as_ref().map(read)).flatten().unwrap_or_default()
}

/// A part of a row of the tooltip; its default while there is no such row.
fn row_part<T: Default>(shown: Memo<Option<Tip>>, index: usize, read: impl FnOnce(&TipRow) -> T) -> T {
    part(shown, |tip| tip.rows.get(index).map(read).unwrap_or_default())
}
