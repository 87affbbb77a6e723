//! Parallel coordinates: an axis for each setting that differs and for the outcome, a line for each listed run. Brushes
//! on the axes choose which runs are shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_resize_observer::use_resize_observer;
use web_sys::PointerEvent;

use super::column_axis::{ColumnAxis, brushed};
use super::{last_value, latest, measure, run_table};
use crate::app::content::highlight_on_hover;
use crate::app::state::AppState;
use crate::app::state::run_set::MAX_SHOWN;
use rundown_content::{Cell, path_data};
use rundown_format::{coordinate, counted, done_of};
use rundown_protocol::{ColumnId, RunTable};

/// Height of the axes and of the room around them, in CSS pixels.
const HEIGHT: f64 = 220.0;
const ABOVE: f64 = 34.0;
const BELOW: f64 = 14.0;
/// Room at the left and right for the labels of the outer axes.
const BESIDE: f64 = 70.0;
/// Least room between two axes: with many of them the drawing scrolls.
const BETWEEN: f64 = 72.0;
/// Width of a letter of titles and labels, in CSS pixels.
const LETTER: f64 = 6.6;
/// Most letters of a title or a label.
const MAX_LETTERS: f64 = 16.0;
/// Space between two texts, in CSS pixels.
const SPACE: f64 = 10.0;
/// Most lines that are drawn.
const MAX_LINES: usize = 500;
/// A shorter drag takes the brush away, as a share of the axis.
const SHORTEST: f64 = 0.02;
/// How far a key moves the end of a brush.
const KEY_STEP: f64 = 0.05;

/// Brushes by column, each a share of its axis from 0 (low) to 1.
type Brushes = BTreeMap<usize, (f64, f64)>;

/// The drawing; nothing with fewer than two runs or axes.
#[component]
pub fn ParallelCoordinates() -> impl IntoView {
    let app = AppState::of_page();
    let measure = measure(app);
    let table = latest(run_table(app, move || {
        let outcome = Some(measure.get()).filter(|key| !key.is_empty()).map(last_value);
        std::iter::once(ColumnId::Axes).chain(outcome).collect()
    }));
    let brushes = RwSignal::new(Brushes::new());
    // Other runs may have other axes, which nobody brushed.
    let columns = Memo::new(move |_| {
        table.with(|table| table.columns.iter().map(|column| column.column.clone()).collect::<Vec<_>>())
    });
    Effect::new(move |_| {
        columns.track();
        brushes.set(Brushes::new());
    });
    let axes = Memo::new(move |_| {
        let table = table.get();
        Arc::new((0..table.columns.len()).map(|column| ColumnAxis::of(&table, column)).collect::<Vec<_>>())
    });
    let selected = Memo::new(move |_| brushed(&table.get(), &axes.get(), &brushes.get()));
    let frame = NodeRef::<Div>::new();
    let width = RwSignal::new(900.0);
    use_resize_observer(frame, move |entries, _| {
        if let Some(entry) = entries.first() {
            width.set(entry.content_rect().width().max(300.0));
        }
    });
    let is_empty = move || table.with(|table| table.rows.len() < 2 || table.columns.len() < 2);
    let show = move |_| {
        let ids = selected.get_untracked().into_iter().take(MAX_SHOWN).map(|run| app.runs.id(run)).collect();
        app.address.choose(|state| state.shown = Some(ids));
    };
    let partial = move || {
        let runs = table.with(|table| table.rows.len());
        (runs > MAX_LINES).then(|| format!("Drawn: {}.", done_of(MAX_LINES, runs, "run")))
    };
    let picture = move || {
        let (table, axes) = (table.get(), axes.get());
        let gaps = table.columns.len().saturating_sub(1).max(1) as f64;
        let width = width.get().max(2.0 * BESIDE + BETWEEN * gaps);
        let letters = ((width - 2.0 * BESIDE) / gaps - SPACE) / LETTER;
        let letters = letters.min(MAX_LETTERS) as usize;
        let drawn_axes = (0..table.columns.len()).map(|column| {
            view! { <ParallelAxis table=table.clone() axes=axes.clone() column brushes x=axis_x(column, table.columns.len(), width) letters /> }
        });
        view! {
            <svg
                class="parallel"
                role="group"
                aria-label="Parallel coordinates"
                width=coordinate(width as f32)
                height=coordinate((HEIGHT + ABOVE + BELOW) as f32)
            >
                <g class="lines" aria-hidden="true">{lines(app, &table, &axes, width, selected)}</g>
                {drawn_axes.collect_view()}
            </svg>
        }
    };
    view! {
        <section class="panel parallel-panel" class:empty=move || is_empty() aria-labelledby="parallel-title" hidden=move || is_empty()>
            <div class="section-head">
                <h2 id="parallel-title">"Parallel coordinates"</h2>
                <span class="muted">"Drag along an axis to select a range, or move its ends with the arrow keys. Delete clears it."</span>
                <span class="muted">{move || partial()}</span>
                <span class="muted" role="status">
                    {move || (!brushes.with(BTreeMap::is_empty)).then(|| format!("{} selected", counted(selected.with(Vec::len), "run")))}
                </span>
                <button type="button" on:click=show disabled=move || brushes.with(BTreeMap::is_empty)>"Show selected runs"</button>
                <button
                    type="button"
                    on:click=move |_| brushes.set(Brushes::new())
                    disabled=move || brushes.with(BTreeMap::is_empty)
                >
                    "Clear"
                </button>
            </div>
            <div class="scroll-x" node_ref=frame>{move || picture()}</div>
        </section>
    }
}

/// An axis with its title, labels and brush.
#[component]
fn ParallelAxis(
    table: Arc<RunTable>,
    axes: Arc<Vec<ColumnAxis>>,
    column: usize,
    brushes: RwSignal<Brushes>,
    x: f64,
    /// Most letters of its title and of a label.
    letters: usize,
) -> impl IntoView {
    let title = table.columns.get(column).map(|column| column.title.clone()).unwrap_or_default();
    let labels = axes.get(column).map(ColumnAxis::labels).unwrap_or_default();
    let is_last = column + 1 == table.columns.len();
    // Those of the outer axes have the room beside the drawing.
    let is_outer = is_last || column == 0;
    let most = if is_outer { letters.min(((BESIDE - SPACE) / LETTER) as usize) } else { letters };
    let labels = labels.into_iter().map(move |(share, label)| {
        let (at, anchor) = if is_last { (x + 8.0, "start") } else { (x - 8.0, "end") };
        view! {
            <text class="label" x=pixel(at) y=pixel(y_of(share) + 4.0) text-anchor=anchor>{shortened(&label, most)}<title>{label.clone()}</title></text>
        }
    });
    let start = StoredValue::new(None::<f64>);
    let down = move |event: PointerEvent| {
        event.prevent_default();
        let target = event_target::<web_sys::Element>(&event);
        // Without capture a drag ends at the border of the axis.
        let _ = target.set_pointer_capture(event.pointer_id());
        start.set_value(Some(share_at(&target, &event)));
    };
    let moved = move |event: PointerEvent| {
        let Some(from) = start.get_value() else { return };
        let to = share_at(&event_target(&event), &event);
        brushes.update(|brushes| _ = brushes.insert(column, (from.min(to), from.max(to))));
    };
    let up = move |_| {
        start.set_value(None);
        let is_short =
            brushes.with_untracked(|brushes| brushes.get(&column).is_none_or(|(low, high)| high - low < SHORTEST));
        if is_short {
            brushes.update(|brushes| _ = brushes.remove(&column));
        }
    };
    let brush = move || {
        brushes.with(|brushes| brushes.get(&column).copied()).map(|(low, high)| {
            view! { <rect class="brush" x=pixel(x - 7.0) width="14" y=pixel(y_of(high)) height=pixel((high - low) * HEIGHT) /> }
        })
    };
    let ends = [false, true].map(|is_upper| {
        let (axis, title) = (axes.get(column).cloned(), title.clone());
        view! { <BrushEnd axis title column brushes x is_upper /> }
    });
    view! {
        <g>
            <text class="axis-title" x=pixel(x) y="14" text-anchor="middle">{shortened(&title, letters)}<title>{title.clone()}</title></text>
            <line class="axis-line" x1=pixel(x) x2=pixel(x) y1=pixel(ABOVE) y2=pixel(ABOVE + HEIGHT) />
            {labels.collect_view()}
            {move || brush()}
            <rect
                class="brush-area"
                x=pixel(x - 12.0)
                width="24"
                y=pixel(ABOVE)
                height=pixel(HEIGHT)
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=up
            />
            {ends.collect_view()}
        </g>
    }
}

/// One end of a brush, which keys move; that end of the axis where nothing is brushed.
#[component]
fn BrushEnd(
    axis: Option<ColumnAxis>,
    title: String,
    column: usize,
    brushes: RwSignal<Brushes>,
    x: f64,
    is_upper: bool,
) -> impl IntoView {
    let share = move || {
        let (low, high) = brushes.with(|brushes| brushes.get(&column).copied()).unwrap_or((0.0, 1.0));
        if is_upper { high } else { low }
    };
    let key = move |event: KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowUp" | "ArrowRight" => untrack(share) + KEY_STEP,
            "ArrowDown" | "ArrowLeft" => untrack(share) - KEY_STEP,
            "Home" => 0.0,
            "End" => 1.0,
            "Delete" | "Backspace" => return brushes.update(|brushes| _ = brushes.remove(&column)),
            _ => return,
        };
        event.prevent_default();
        brushes.update(|brushes| {
            let (low, high) = brushes.entry(column).or_insert((0.0, 1.0));
            if is_upper {
                *high = to.max(*low).min(1.0);
            } else {
                *low = to.min(*high).max(0.0);
            }
        });
    };
    view! {
        <rect
            class="brush-end"
            x=pixel(x - 10.0)
            width="20"
            y=move || pixel(y_of(share()) - 3.0)
            height="6"
            tabindex="0"
            role="slider"
            aria-orientation="vertical"
            aria-label=format!("{} end of {title}", if is_upper { "Upper" } else { "Lower" })
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow=move || (share() * 100.0).round().to_string()
            aria-valuetext=move || axis.as_ref().map(|axis| axis.words_at(share()))
            on:keydown=key
        />
    }
}

/// A line for each run: pale where a brush leaves it out, in its colour where charts show it.
fn lines(
    app: AppState,
    table: &Arc<RunTable>,
    axes: &Arc<Vec<ColumnAxis>>,
    width: f64,
    selected: Memo<Vec<u32>>,
) -> impl IntoView + use<> {
    let count = table.columns.len();
    let last = count.saturating_sub(1);
    table
        .rows
        .iter()
        .take(MAX_LINES)
        .map(|row| {
            let run = row.run;
            let data = path(&row.cells, axes, width);
            let outcome = row.cells.get(last).zip(axes.get(last)).and_then(|(cell, axis)| axis.position(cell));
            let heat = outcome.map_or(4, |share| (share * 9.0).round() as usize);
            let name = app.runs.name(run);
            let cell = row.cells.get(last).map(Cell::plain).unwrap_or_default();
            let class = move || {
                let style =
                    app.runs.style(run).map_or_else(|| format!("h{heat}"), |style| format!("shown s{}", style.hue));
                let out = if selected.with(|selected| selected.contains(&run)) { "" } else { " out" };
                let lit = if app.runs.is_highlighted(run) { " lit" } else { "" };
                format!("{style}{out}{lit}")
            };
            view! {
                <path
                    {..highlight_on_hover(app, run)}
                    class=move || class()
                    d=data
                    on:click=move |_| app.open(run)
                >
                    <title>{format!("{name}: {cell}")}</title>
                </path>
            }
        })
        .collect_view()
}

fn path(cells: &[Cell], axes: &[ColumnAxis], width: f64) -> String {
    let points = cells.iter().zip(axes).enumerate().map(|(column, (cell, axis))| {
        let y = axis.position(cell).map_or(f64::NAN, y_of);
        (axis_x(column, axes.len(), width) as f32, y as f32)
    });
    path_data(points)
}

fn axis_x(column: usize, count: usize, width: f64) -> f64 {
    BESIDE + (width - 2.0 * BESIDE) * column as f64 / count.saturating_sub(1).max(1) as f64
}

fn y_of(share: f64) -> f64 {
    ABOVE + (1.0 - share) * HEIGHT
}

/// Share of the axis under the pointer, 0 at its foot.
fn share_at(axis: &web_sys::Element, event: &PointerEvent) -> f64 {
    let area = axis.get_bounding_client_rect();
    (1.0 - (f64::from(event.client_y()) - area.top()) / area.height().max(1.0)).clamp(0.0, 1.0)
}

fn pixel(value: f64) -> String {
    coordinate(value as f32)
}

/// A text with at most so many letters: its end, which tells keys with a common beginning apart.
fn shortened(text: &str, most: usize) -> String {
    let letters = text.chars().count();
    if letters <= most {
        return text.to_owned();
    }
    let skipped = letters - most.saturating_sub(1);
    std::iter::once('…').chain(text.chars().skip(skipped)).collect()
}
