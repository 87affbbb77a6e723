//! Dictionaries of W&B in a table: histograms and tables, each member a column of its own.

use std::collections::BTreeMap;

use super::column::ColumnContent;
use super::column::TableColumn;
use super::shape::is_below;
use crate::rows::wandb_media::packed_edges;
use rundown_run::{Histogram, TableFile};

/// The media of one key, by row of the table.
#[derive(Debug, Default)]
pub(super) struct Media {
    pub(super) histograms: BTreeMap<u32, Histogram>,
    pub(super) tables: BTreeMap<u32, TableFile>,
}

/// Removes the columns below `key` from the table and reads what they describe.
pub(super) fn extract(columns: &mut Vec<TableColumn>, key: &str) -> Media {
    let (below, kept): (Vec<_>, Vec<_>) =
        std::mem::take(columns).into_iter().partition(|column| is_below(&column.name, key));
    *columns = kept;
    let find = |member: &str| {
        below
            .iter()
            .find(|column| column.name.strip_prefix(key).and_then(|rest| rest.strip_prefix('.')) == Some(member))
    };
    let lists = |member| find(member).map(by_row).unwrap_or_default();
    let number = |member: &str, row: u32| match &find(member)?.content {
        ColumnContent::Numbers(column) => column.value_in(row),
        ColumnContent::Texts(_) => None,
    };
    let text = |member: &str, row: u32| match &find(member)?.content {
        ColumnContent::Texts(texts) => {
            let place = texts.binary_search_by_key(&row, |(row, _)| *row).ok()?;
            texts.get(place).map(|(_, text)| text.to_string())
        }
        ColumnContent::Numbers(_) => None,
    };
    let mut media = Media::default();
    let mut bins = lists("bins");
    for (row, counts) in lists("values") {
        let edges = bins.remove(&row).or_else(|| {
            let member = |name: &str| number(&format!("packedBins.{name}"), row);
            packed_edges(member("min")?, member("size")?, member("count")?)
        });
        if let Some(histogram) = edges.and_then(|edges| Histogram::checked(0, edges, counts)) {
            media.histograms.insert(row, histogram);
        }
    }
    if let Some(ColumnContent::Texts(kinds)) = find("_type").map(|column| &column.content) {
        for (row, kind) in kinds {
            if let ("table-file", Some(path)) = (&**kind, text("path", *row)) {
                let rows = number("nrows", *row).filter(|rows| *rows >= 0.0).map(|rows| rows as u64);
                media.tables.insert(*row, TableFile { key: key.to_owned(), row: 0, path, rows, content: None });
            }
        }
    }
    media
}

/// The lists of a list column.
fn by_row(column: &TableColumn) -> BTreeMap<u32, Vec<f64>> {
    let mut lists: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    if let ColumnContent::Numbers(numbers) = &column.content {
        for (row, value) in numbers.points() {
            lists.entry(row).or_default().push(value);
        }
    }
    lists
}
