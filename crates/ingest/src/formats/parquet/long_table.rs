//! Tables with one value a row, `step, metric, value`, perhaps with a time, a run or a label such as a seed.

use std::borrow::Cow;
use std::rc::Rc;

use super::column::{ColumnContent, TableColumn};
use super::run_rows::{RowsOfRuns, by_row, take_column, words};
use super::{INDEX_COLUMNS, ParquetTable, column_numbers};
use crate::rows::labels::is_label_name;
use crate::rows::long_rows::{LongRows, LongRuns, METRIC_COLUMNS, RunKey, VALUE_COLUMNS};
use crate::rows::names::{is_count_name, is_one_of, is_step_name, is_time_name};
use rundown_run::Column;

/// The points of such a table; `None` for any other table, which stays as it is.
pub(super) fn points(
    split: &RowsOfRuns,
    table: &mut ParquetTable,
    counter: Option<&Column>,
    times: &[(u32, f64)],
) -> Option<LongRuns> {
    let columns = &table.columns;
    let metric =
        METRIC_COLUMNS.iter().find(|name| columns.iter().any(|column| is_text(column) && column.name == **name))?;
    // Of a table with several metrics, `value` may be one of them.
    if !columns.iter().all(|column| is_text(column) || is_beside(&column.name)) || !columns.iter().any(is_value) {
        return None;
    }
    let rows = table.rows;
    let steps = steps(columns, counter, rows)?;
    let times = by_row(times.iter().copied(), rows, f64::NAN);
    // All columns are there: from here on the table is taken apart.
    let metrics = words(take_column(&mut table.columns, |column| is_text(column) && column.name == *metric)?, rows);
    let values = take_column(&mut table.columns, is_value).and_then(column_numbers::numbers)?;
    let names_runs = split.runs.iter().any(|(id, name)| !id.is_empty() || !name.is_empty());
    let of_runs = table.columns.drain(..).filter(|column| !names_runs && is_label_name(&column.name));
    let labels: Vec<(String, Vec<Option<Rc<str>>>)> =
        of_runs.map(|column| (column.name.clone(), words(column, rows))).collect();
    let mut points = LongRows::default();
    let mut key = RunKey::default();
    for (row, value) in values.points() {
        let Some((id, name)) = split.run_of(row).and_then(|run| split.runs.get(run as usize)) else { continue };
        let row = row as usize;
        let Some(metric) = metrics.get(row).and_then(Option::as_ref) else { continue };
        key.named.clone_from(if id.is_empty() { name } else { id });
        key.labels.clear();
        let of_row =
            labels.iter().filter_map(|(name, texts)| Some((name.clone(), texts.get(row)?.as_ref()?.to_string())));
        key.labels.extend(of_row);
        let at = |values: &[f64]| values.get(row).copied().unwrap_or(f64::NAN);
        points.push(&key, metric, at(&steps), at(&times), value);
    }
    Some(points.finish())
}

/// True for a column of numbers beside the value that is no metric.
fn is_beside(name: &str) -> bool {
    let is_known = is_one_of(name, &VALUE_COLUMNS) || is_step_name(name) || is_count_name(name) || is_time_name(name);
    is_known || is_label_name(name) || name == "id" || INDEX_COLUMNS.contains(&name)
}

fn is_text(column: &TableColumn) -> bool {
    !column.is_list && matches!(column.content, ColumnContent::Texts(_))
}

/// True for the column of the values.
fn is_value(column: &TableColumn) -> bool {
    let has_numbers = matches!(&column.content, ColumnContent::Numbers(numbers) if !numbers.is_empty());
    has_numbers && !column.is_list && is_one_of(&column.name, &VALUE_COLUMNS)
}

/// The step of each row: by the first column of steps that holds numbers, or by W&B's counter.
fn steps(columns: &[TableColumn], counter: Option<&Column>, rows: u32) -> Option<Vec<f64>> {
    let is_steps = |column: &&TableColumn| !column.is_list && is_step_name(&column.name);
    let own = columns.iter().filter(is_steps).find_map(numbers);
    let steps = own.as_deref().or(counter)?;
    Some(by_row(steps.points(), rows, f64::NAN))
}

fn numbers(column: &TableColumn) -> Option<Cow<'_, Column>> {
    match &column.content {
        ColumnContent::Numbers(column) => (!column.is_empty()).then_some(Cow::Borrowed(column)),
        ColumnContent::Texts(texts) => column_numbers::written_numbers(texts).map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, values: &[f64]) -> TableColumn {
        let content = ColumnContent::Numbers((0..).zip(values.iter().copied()).collect());
        TableColumn { name: name.to_owned(), is_list: false, content }
    }

    fn table(others: &[TableColumn]) -> ParquetTable {
        let metrics = ["loss", "reward", "loss", "reward"];
        let texts = (0..).zip(metrics).map(|(row, metric)| (row, metric.into())).collect();
        let metric = TableColumn { name: "metric".to_owned(), is_list: false, content: ColumnContent::Texts(texts) };
        let steps = column("step", &[1.0, 1.0, 2.0, 2.0]);
        let columns = [metric, steps, column("value", &[0.5, 0.1, 0.4, 0.2])].into_iter().chain(others.iter().cloned());
        ParquetTable { rows: 4, columns: columns.collect() }
    }

    #[test]
    fn each_metric_has_its_values() {
        let of = |table: &mut ParquetTable| points(&RowsOfRuns::of_one(table.rows), table, None, &[(0, 1.79e9)]);
        let run = of(&mut table(&[])).unwrap().unnamed.remove(0);
        assert_eq!((&run.row_steps[..], run.columns["loss"].values()), (&[1.0, 2.0][..], &[0.5, 0.4][..]));
        assert_eq!((run.columns["reward"].values(), run.row_times[0]), (&[0.1, 0.2][..], 1.79e9));
        let seeds = column("seed", &[0.0; 4]);
        assert!(of(&mut table(&[seeds])).unwrap().unnamed[0].config.number(&["seed"]).is_some());
        let mut several = table(&[column("kl", &[0.1])]);
        assert!(of(&mut several).is_none() && several.columns.len() == 4);
    }

    #[test]
    fn steps_may_be_texts_and_a_table_without_them_stays_whole() {
        let with_steps = |texts: [&str; 4]| {
            let mut table = table(&[]);
            let texts = (0..).zip(texts).map(|(row, text)| (row, text.into())).collect();
            table.columns[1].content = ColumnContent::Texts(texts);
            table
        };
        let of = |table: &mut ParquetTable| points(&RowsOfRuns::of_one(table.rows), table, None, &[]);
        let run = of(&mut with_steps(["10", "10", "20", "20"])).unwrap().unnamed.remove(0);
        assert_eq!((&run.row_steps[..], run.columns["loss"].values()), (&[10.0, 20.0][..], &[0.5, 0.4][..]));
        let mut unknown = with_steps(["a", "a", "b", "b"]);
        let names = |table: &ParquetTable| table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        assert!(of(&mut unknown).is_none());
        assert_eq!(names(&unknown), ["metric", "step", "value"]);
    }
}
