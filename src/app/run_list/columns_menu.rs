//! Which further columns the list has, and by which setting its runs are in groups.

use leptos::prelude::*;

use super::list_state::ListState;
use crate::app::content::Menu;
use crate::app::engine::question::answered;
use crate::app::state::AppState;
use crate::app::state::columns::{MAX_COLUMNS, from_word, word};
use rundown_protocol::{ColumnId, Request, RunTable, RunTableColumn, TableRequest};

/// Columns of one kind that the menu offers.
const MAX_OFFERED: usize = 500;

/// The controls.
#[component]
pub fn ColumnsMenu(
    /// The list.
    list: ListState,
) -> impl IntoView {
    view! {
        <GroupSelect />
        <ChosenColumns list />
        <Show when=move || list.columns.with(|columns| columns.len() < MAX_COLUMNS)>
            <NewColumn list />
        </Show>
    }
}

#[component]
fn GroupSelect() -> impl IntoView {
    let app = AppState::of_page();
    let group = app.address.part(|state| state.list_group.clone());
    let options = move || {
        let mut keys = app.runs.list.with(|list| list.settings.clone());
        let chosen = group.get();
        if !chosen.is_empty() && !keys.contains(&chosen) {
            keys.push(chosen);
        }
        let nothing = (String::new(), "none".to_owned());
        std::iter::once(nothing).chain(keys.into_iter().map(|key| (key.clone(), key))).collect()
    };
    let choose = move |setting: String| {
        app.address.choose(|state| {
            state.list_group = setting;
            state.folded.clear();
        })
    };
    let options = Signal::derive(options);
    view! { <label>"Group by" <Menu id="list-group" options value=group choose /></label> }
}

/// The columns that are there, to be removed.
#[component]
fn ChosenColumns(list: ListState) -> impl IntoView {
    let app = AppState::of_page();
    let column = move |column: ColumnId| {
        let title = app.runs.cells.with(|cells| cells.column(&column).map(|column| column.title.clone()));
        let title = title.unwrap_or_else(|| word(&column));
        let remove = move |_| app.address.choose(|state| state.columns.retain(|known| *known != column));
        view! { <button type="button" on:click=remove>{format!("Remove the column {title}")}</button> }
    };
    move || list.columns.get().into_iter().map(column).collect_view()
}

/// All columns that there could be.
#[component]
fn NewColumn(list: ListState) -> impl IntoView {
    let app = AppState::of_page();
    let table = answered::<RunTable>(app.engine, move || {
        app.runs.revision.track();
        // One column is asked for because none stands for the engine's own choice.
        Request::Table(TableRequest { columns: vec![ColumnId::Name], ..TableRequest::default() })
    });
    let available = move || match table.get() {
        Some(Ok(table)) => offered(&table, &list.columns.get()),
        _ => Vec::new(),
    };
    let option = |column: RunTableColumn| view! { <option value=word(&column.column)>{column.title}</option> };
    let of_kind = move |label: &'static str, is_kind: fn(&ColumnId) -> bool| {
        let columns = move || {
            let found = available().into_iter().filter(|column| is_kind(&column.column)).take(MAX_OFFERED);
            found.map(option).collect_view()
        };
        view! { <optgroup label=label>{move || columns()}</optgroup> }
    };
    let add = move |word: String| {
        if let Some(column) = from_word(&word) {
            app.address.choose(|state| state.columns.push(column));
        }
    };
    view! {
        <label>
            "Add column"
            <select id="new-column" on:change:target=move |event| add(event.target().value())>
                <option value="">"Choose…"</option>
                {of_kind("Settings", |column| matches!(column, ColumnId::Setting(_)))}
                {of_kind("Metrics", |column| {
                    matches!(column, ColumnId::Metric { .. } | ColumnId::ToBaseline { .. })
                })}
                {of_kind("Runs", |column| {
                    matches!(
                        column,
                        ColumnId::State
                            | ColumnId::Rank
                            | ColumnId::LastStep
                            | ColumnId::Duration
                            | ColumnId::BestStep
                            | ColumnId::StepsToTarget
                            | ColumnId::Findings
                    )
                })}
            </select>
        </label>
    }
}

fn offered(table: &RunTable, chosen: &[ColumnId]) -> Vec<RunTableColumn> {
    table.available.iter().filter(|column| !chosen.contains(&column.column)).cloned().collect()
}
