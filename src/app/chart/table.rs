//! Some points of a chart as a table, for those who can't see the picture.

use leptos::prelude::*;

use super::model::ChartModel;
use super::scene::words::{kind, position_text};
use rundown_format::number;

/// Rows of the table for each line.
const TABLE_ROWS: usize = 12;

/// The table, out of sight: of one run the open one, or of a heat map its fullest cells.
#[component]
pub fn HiddenTable(
    /// The chart.
    chart: ChartModel,
) -> impl IntoView {
    let rows = move || {
        // Not while one zooms.
        chart.stable_revision.track();
        let data = chart.data()?;
        // Of several runs the open one; of two metrics both.
        let most = if chart.spec.get().has_several_runs() { 1 } else { 2 };
        let mut rows = Vec::new();
        for line in data.lines.iter().take(most) {
            let points = line.sample(TABLE_ROWS).into_iter();
            rows.extend(points.map(|(x, y)| (line.name.clone(), position_text(x, &data.x), number(y))));
        }
        if let Some(heat) = &data.heat {
            let cells = heat.sample(TABLE_ROWS).into_iter();
            rows.extend(cells.map(|cell| (heat.key.clone(), cell.position_text(kind(&data.x)), cell.words())));
        }
        (!rows.is_empty()).then_some(rows)
    };
    let table = move || {
        let rows = rows()?.into_iter().map(|(name, position, value)| {
            view! { <tr><th scope="row">{name}</th><td>{position}</td><td>{value}</td></tr> }
        });
        Some(view! {
            <table>
                <thead>
                    <tr><th scope="col">"line"</th><th scope="col">"at"</th><th scope="col">"value"</th></tr>
                </thead>
                <tbody>{rows.collect::<Vec<_>>()}</tbody>
            </table>
        })
    };
    view! { <div class="visually-hidden">{move || table()}</div> }
}
