//! What is set differently in the shown runs: a row for each setting, a column for each run, with the cells lit that
//! differ from the baseline.

use leptos::prelude::*;

use crate::app::content::highlight_on_hover;
use crate::app::engine::question::answered;
use crate::app::state::{AppState, ShownRun};
use rundown_content::Cell;
use rundown_protocol::{ColumnId, Request, RunTable, TableRequest};

/// The table of differing settings; nothing where the shown runs have the same.
#[component]
pub fn SettingsDiff() -> impl IntoView {
    let app = AppState::of_page();
    let table = answered::<RunTable>(app.engine, move || {
        app.runs.revision.track();
        Request::Table(TableRequest {
            runs: app.runs.shown_numbers(),
            columns: vec![ColumnId::Differing],
            ..TableRequest::default()
        })
    });
    let baseline = app.address.part(|state| state.baseline.clone());
    let shown = move || {
        let (table, runs) = (table.get()?.ok()?, app.runs.shown.get());
        let is_baseline = |run: &ShownRun| baseline.with(|id| id.as_ref() == Some(&run.id));
        let reference = runs.iter().position(is_baseline).unwrap_or_default();
        let rows = differing(&table, &runs, reference);
        (!rows.is_empty()).then(|| diff(app, &runs, reference, rows))
    };
    view! { {move || shown()} }
}

/// A setting and what each run has for it: the words, and whether they differ from those of the reference.
type DiffRow = (String, Vec<(String, bool)>);

fn differing(table: &RunTable, runs: &[ShownRun], reference: usize) -> Vec<DiffRow> {
    let cell = |run: &ShownRun, column: usize| {
        let row = table.rows.iter().find(|row| row.run == run.run);
        row.and_then(|row| row.cells.get(column))
    };
    let row = |(index, column): (usize, &rundown_protocol::RunTableColumn)| {
        let values: Vec<Option<&Cell>> = runs.iter().map(|run| cell(run, index)).collect();
        let texts: Vec<String> = values.iter().map(|cell| cell.map(Cell::plain).unwrap_or_default()).collect();
        let of_reference = texts.get(reference).cloned().unwrap_or_default();
        let cells: Vec<(String, bool)> = texts.into_iter().map(|text| (text.clone(), text != of_reference)).collect();
        cells.iter().any(|(_, differs)| *differs).then(|| (column.title.clone(), cells))
    };
    table.columns.iter().enumerate().filter_map(row).collect()
}

fn diff(app: AppState, runs: &[ShownRun], reference: usize, rows: Vec<DiffRow>) -> impl IntoView + use<> {
    let heads = runs.iter().enumerate().map(|(index, run)| {
        let (id, number) = (run.id.clone(), run.run);
        let note = (index == reference).then(|| view! { <span class="muted">" compared with"</span> });
        let choose = move |_| app.address.choose(|state| state.baseline = Some(id.clone()));
        view! {
            <th scope="col" {..highlight_on_hover(app, number)}>
                <button type="button" class="sort" title="Compare the others with this run" on:click=choose>
                    {run.name.clone()}
                </button>
                {note}
            </th>
        }
    });
    let rows = rows.into_iter().map(|(key, cells)| {
        let cells = cells.into_iter().map(|(text, differs)| {
            let text = if text.is_empty() { "–".to_owned() } else { text };
            view! { <td class=if differs { "changed" } else { "" }>{text}</td> }
        });
        view! { <tr><th scope="row"><code>{key}</code></th>{cells.collect_view()}</tr> }
    });
    view! {
        <section class="panel settings-diff" aria-labelledby="settings-diff-title">
            <div class="section-head">
                <h2 id="settings-diff-title">"Settings that differ"</h2>
                <span class="muted">"between the shown runs"</span>
            </div>
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="settings-diff-title">
                <table class="grid">
                    <thead><tr><th scope="col">"setting"</th>{heads.collect_view()}</tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}
