//! A scatter plot of any two columns over all listed runs, with the front of runs that no other beats.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_resize_observer::use_resize_observer;

use super::column_axis::ColumnAxis;
use super::pareto::{drawn, pareto};
use super::{last_value, latest, measure, run_table};
use crate::app::content::Menu;
use crate::app::state::{AppState, CompareChoices, columns};
use rundown_content::Cell;
use rundown_format::{coordinate, counted, done_of};
use rundown_protocol::{ColumnId, RunTable, RunTableColumn, RunTableRow};

/// Height of the plot and the room around it, in CSS pixels.
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const ABOVE: f64 = 14.0;
const BELOW: f64 = 40.0;
/// Most points that are drawn.
const MAX_POINTS: usize = 3_000;

/// The plot with its two menus; nothing with fewer than two runs.
#[component]
pub fn ScatterPlot() -> impl IntoView {
    let app = AppState::of_page();
    let chosen = app.address.part(|state| (state.compare.scatter_x.clone(), state.compare.scatter_y.clone()));
    let measure = measure(app);
    let table = latest(run_table(app, move || {
        let (x, y) = chosen.get();
        let y = y.unwrap_or_else(|| match measure.get() {
            measure if measure.is_empty() => ColumnId::LastStep,
            measure => last_value(measure),
        });
        vec![x.unwrap_or(ColumnId::Deciding), y]
    }));
    let frame = NodeRef::<Div>::new();
    let width = RwSignal::new(700.0);
    use_resize_observer(frame, move |entries, _| {
        if let Some(entry) = entries.first() {
            width.set(entry.content_rect().width().max(280.0));
        }
    });
    let is_empty = move || table.with(|table| table.rows.len() < 2);
    view! {
        <section class="panel scatter-panel" hidden=move || is_empty() aria-labelledby="scatter-title">
            <div class="section-head">
                <h2 id="scatter-title">"Scatter plot"</h2>
                <ColumnChoice label="x" table index=0 choose=|choices, column| choices.scatter_x = column />
                <ColumnChoice label="y" table index=1 choose=|choices, column| choices.scatter_y = column />
            </div>
            <div class="scroll-x" node_ref=frame>{move || plot(app, &table.get(), width.get())}</div>
        </section>
    }
}

#[component]
fn ColumnChoice(
    label: &'static str,
    table: Memo<Arc<RunTable>>,
    index: usize,
    choose: fn(&mut CompareChoices, Option<ColumnId>),
) -> impl IntoView {
    let app = AppState::of_page();
    let options = move || {
        let table = table.get();
        let is_offered = |column: &&RunTableColumn| {
            column.is_axis || table.columns.get(index).is_some_and(|chosen| chosen.column == column.column)
        };
        let offered = table.available.iter().filter(is_offered).take(400);
        offered.map(|column| (columns::word(&column.column), column.title.clone())).collect::<Vec<_>>()
    };
    let value = move || {
        table.with(|table| table.columns.get(index).map(|column| columns::word(&column.column)).unwrap_or_default())
    };
    let (options, value) = (Signal::derive(options), Signal::derive(value));
    let choose = move |word: String| app.address.choose(|state| choose(&mut state.compare, columns::from_word(&word)));
    view! { <label>{label}" " <Menu options value choose /></label> }
}

fn plot(app: AppState, table: &RunTable, width: f64) -> AnyView {
    let axes = (ColumnAxis::of(table, 0), ColumnAxis::of(table, 1));
    let point = |row: &RunTableRow| {
        let x = axes.0.position(row.cells.first()?)?;
        let y = axes.1.position(row.cells.get(1)?)?;
        Some((LEFT + x * (width - LEFT - RIGHT), ABOVE + (1.0 - y) * HEIGHT))
    };
    let mut placed: Vec<PlacedRun> = Vec::new();
    let mut dots = Vec::new();
    let front = front(table);
    let (rows, has_more) = drawn(&table.rows, |row| point(row).is_some(), &front, MAX_POINTS);
    for row in &rows {
        let Some((x, y)) = point(row) else { continue };
        let values = row.cells.iter().map(Cell::plain).collect::<Vec<_>>().join(", ");
        let title = format!("{}: {values}", app.runs.name(row.run));
        placed.push(PlacedRun { run: row.run, x, y });
        dots.push(view! {
            <circle class="dot h5" cx=pixel(x) cy=pixel(y) r="5" data-run=row.run>
                <title>{title}</title>
            </circle>
        });
    }
    if rows.is_empty() {
        return view! { <p class="muted">{nothing_to_plot(table, [&axes.0, &axes.1])}</p> }.into_any();
    }
    let corners: Vec<(f64, f64)> =
        front.iter().filter_map(|run| table.rows.iter().find(|row| row.run == *run)).filter_map(point).collect();
    let line = corners.iter().map(|(x, y)| format!("{},{}", pixel(*x), pixel(*y))).collect::<Vec<_>>().join(" ");
    let note = (front.len() > 1).then(|| {
        let names = front.iter().map(|run| app.runs.name(*run)).collect::<Vec<_>>().join(", ");
        view! { <p class="muted">"Pareto front: " {names} "."</p> }
    });
    // A plot that goes from under the pointer is not left.
    let runs: Vec<u32> = placed.iter().map(|at| at.run).collect();
    on_cleanup(move || app.runs.unhighlight(&runs));
    let across = axes.0.labels().into_iter().map(|(share, label)| {
        let x = LEFT + share * (width - LEFT - RIGHT);
        view! { <text class="label" x=pixel(x) y=pixel(ABOVE + HEIGHT + 18.0) text-anchor="middle">{label}</text> }
    });
    let up = axes.1.labels().into_iter().map(|(share, label)| {
        let y = ABOVE + (1.0 - share) * HEIGHT;
        view! {
            <line class="grid-line" x1=pixel(LEFT) x2=pixel(width - RIGHT) y1=pixel(y) y2=pixel(y) />
            <text class="label" x=pixel(LEFT - 8.0) y=pixel(y + 4.0) text-anchor="end">{label}</text>
        }
    });
    let titles: Vec<String> = table.columns.iter().map(|column| column.title.clone()).collect();
    let about = format!("Scatter plot of {} over {}", titles.join(" against "), counted(rows.len(), "run"));
    let partial = has_more.then(|| {
        let drawn = done_of(rows.len(), table.rows.len(), "run");
        view! { <p class="muted">{format!("Drawn: {drawn}. Filter the list to see others.")}</p> }
    });
    view! {
        <svg class="scatter" role="img" aria-label=about width=pixel(width) height=pixel(ABOVE + HEIGHT + BELOW)>
            {up.collect_view()}
            {across.collect_view()}
            <polyline class="front" points=line />
            <g
                on:pointerover=move |event| app.runs.highlight(run_of(&event).as_slice())
                on:pointerout=move |event| app.runs.unhighlight(run_of(&event).as_slice())
                on:click=move |event| {
                    if let Some(run) = run_of(&event) {
                        app.open(run);
                    }
                }
            >
                {dots}
            </g>
            <g class="marked">{move || marked(app, &placed)}</g>
        </svg>
        {partial}
        {note}
    }
    .into_any()
}

/// Why there is no point: no run has a value in both columns.
fn nothing_to_plot(table: &RunTable, axes: [&ColumnAxis; 2]) -> String {
    let is_empty = |(index, axis): (usize, &ColumnAxis)| {
        let mut cells = table.rows.iter().filter_map(|row| row.cells.get(index));
        let title = table.columns.get(index).map(|column| column.title.as_str());
        title.filter(|_| cells.all(|cell| axis.position(cell).is_none()))
    };
    let empty: Vec<&str> = axes.into_iter().enumerate().filter_map(is_empty).collect();
    match empty.as_slice() {
        [] => "No run has a value in both columns. Choose another column above.".to_owned(),
        titles => format!("No run has a value in {}. Choose another column above.", titles.join(" or ")),
    }
}

/// A run at its place in the plot.
struct PlacedRun {
    run: u32,
    x: f64,
    y: f64,
}

/// The points of the runs that charts show and of those under the pointer, drawn over the others. They are one reactive
/// list: a reactive class for each of thousands of points would be an effect each, and to unsubscribe an effect from a
/// signal takes time in proportion to the signal's subscribers.
fn marked(app: AppState, placed: &[PlacedRun]) -> impl IntoView + use<> {
    let dots = placed.iter().filter_map(|at| {
        let style = app.runs.style(at.run);
        let is_lit = app.runs.is_highlighted(at.run);
        if style.is_none() && !is_lit {
            return None;
        }
        let colour = style.map_or_else(|| "h5".to_owned(), |style| format!("shown s{}", style.hue));
        let class = format!("dot {colour}{}", if is_lit { " lit" } else { "" });
        Some(view! { <circle class=class cx=pixel(at.x) cy=pixel(at.y) r="5" /> })
    });
    dots.collect_view()
}

/// The run of the point that an event is about.
fn run_of(event: &web_sys::Event) -> Option<u32> {
    let point = event_target::<web_sys::Element>(event).closest("[data-run]").ok()??;
    point.get_attribute("data-run")?.parse().ok()
}

/// The runs that none beats in both columns: of settings and durations less is better unless the column says otherwise.
fn front(table: &RunTable) -> Vec<u32> {
    let Some((a, b)) = table.columns.first().zip(table.columns.get(1)) else { return Vec::new() };
    let is_cost = |column: &RunTableColumn| matches!(column.column, ColumnId::Duration | ColumnId::LastStep);
    // Between two settings nothing is better.
    let higher = |column: &RunTableColumn| column.direction.or(is_cost(column).then_some(false));
    let Some(higher) = higher(a).zip(higher(b)) else { return Vec::new() };
    let points: Vec<(u32, f64, f64)> = table
        .rows
        .iter()
        .filter_map(|row| Some((row.run, row.cells.first()?.value?, row.cells.get(1)?.value?)))
        .filter(|(_, a, b)| a.is_finite() && b.is_finite())
        .collect();
    pareto(&points, higher)
}

fn pixel(value: f64) -> String {
    coordinate(value as f32)
}
