//! Columns of a table of runs as axes: where a cell stands, and what a brush holds.

use std::collections::BTreeMap;

use rundown_content::Cell;
use rundown_protocol::{ColumnId, RunTable};

/// Up to so many different values of a setting are the ticks of its axis.
const MAX_VALUE_TICKS: usize = 6;
/// Labels do not stand closer than this share of the axis.
const CLOSEST: f64 = 0.07;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnAxis {
    /// Numbers, from the least to the greatest; their logarithms where `is_log`.
    Numbers {
        /// The least and the greatest number.
        range: (f64, f64),
        /// True for a logarithmic axis.
        is_log: bool,
        /// The values of a setting, ascending, where few different ones were tried: the ticks of its axis. Else empty.
        tried: Vec<f64>,
    },
    /// Words at equal distances, in this order.
    Words(Vec<String>),
}

impl ColumnAxis {
    /// The axis of a column.
    pub fn of(table: &RunTable, column: usize) -> Self {
        let cells = || table.rows.iter().filter_map(move |row| row.cells.get(column));
        let values: Vec<f64> = cells().filter_map(|cell| cell.value).filter(|value| value.is_finite()).collect();
        let info = table.columns.get(column);
        if info.is_some_and(|info| info.is_numeric) && !values.is_empty() {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let is_log = info.is_some_and(|info| info.is_log) && low > 0.0;
            let is_setting = info.is_some_and(|info| matches!(info.column, ColumnId::Setting(_)));
            let tried = if is_setting { few_different(&values) } else { Vec::new() };
            return Self::Numbers { range: (low, high), is_log, tried };
        }
        let mut words: Vec<String> = cells().map(Cell::plain).filter(|words| !words.is_empty()).collect();
        words.sort();
        words.dedup();
        Self::Words(words)
    }

    /// Where a cell stands, from 0 (low) to 1 (high); `None` for a cell without a value.
    pub fn position(&self, cell: &Cell) -> Option<f64> {
        match self {
            Self::Numbers { range, is_log, .. } => {
                let value = cell.value.filter(|value| value.is_finite())?;
                Some(share(value, *range, *is_log))
            }
            Self::Words(all) => {
                let text = cell.plain();
                let index = all.iter().position(|known| *known == text)?;
                Some(if all.len() < 2 { 0.5 } else { index as f64 / (all.len() - 1) as f64 })
            }
        }
    }

    /// What stands at a share of the axis, in words.
    pub fn words_at(&self, share: f64) -> String {
        match self {
            Self::Numbers { range, is_log, .. } => rundown_format::short(value_at(share, *range, *is_log)),
            Self::Words(words) => {
                let index = share * words.len().saturating_sub(1) as f64;
                words.get(index.round() as usize).cloned().unwrap_or_default()
            }
        }
    }

    /// Labels along the axis with their places: the values that were tried where they are few, else both ends and three
    /// between them; every word of up to twelve.
    pub fn labels(&self) -> Vec<(f64, String)> {
        match self {
            Self::Numbers { range: (low, high), .. } if low == high => vec![(0.5, rundown_format::number(*low))],
            Self::Numbers { range, is_log, tried } if !tried.is_empty() => {
                let mut labels: Vec<(f64, String)> = Vec::new();
                for value in tried {
                    let position = share(*value, *range, *is_log);
                    if labels.last().is_none_or(|(before, _)| position - before >= CLOSEST) {
                        labels.push((position, rundown_format::short(*value)));
                    }
                }
                labels
            }
            Self::Numbers { .. } => [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, self.words_at(share))).to_vec(),
            Self::Words(words) => {
                let stride = words.len().div_ceil(12).max(1);
                let last = words.len().saturating_sub(1).max(1) as f64;
                let position = |index: usize| if words.len() < 2 { 0.5 } else { index as f64 / last };
                words.iter().enumerate().step_by(stride).map(|(at, word)| (position(at), word.clone())).collect()
            }
        }
    }
}

/// The different numbers, ascending; none where they are more than [`MAX_VALUE_TICKS`].
fn few_different(values: &[f64]) -> Vec<f64> {
    let mut different: Vec<f64> = Vec::new();
    for value in values {
        if !different.contains(value) {
            different.push(*value);
        }
        if different.len() > MAX_VALUE_TICKS {
            return Vec::new();
        }
    }
    different.sort_by(f64::total_cmp);
    different
}

/// The runs whose cells lie within every brush. A brush is a share of its axis, by column.
pub fn brushed(table: &RunTable, axes: &[ColumnAxis], brushes: &BTreeMap<usize, (f64, f64)>) -> Vec<u32> {
    let is_within = |cells: &[Cell], (column, (low, high)): (&usize, &(f64, f64))| {
        let position = axes.get(*column).zip(cells.get(*column)).and_then(|(axis, cell)| axis.position(cell));
        position.is_some_and(|position| position >= *low - 1e-9 && position <= *high + 1e-9)
    };
    let rows = table.rows.iter().filter(|row| brushes.iter().all(|brush| is_within(&row.cells, brush)));
    rows.map(|row| row.run).collect()
}

fn share(value: f64, (low, high): (f64, f64), is_log: bool) -> f64 {
    if high <= low {
        return 0.5;
    }
    if is_log {
        return (libm::log(value / low) / libm::log(high / low)).clamp(0.0, 1.0);
    }
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

fn value_at(share: f64, (low, high): (f64, f64), is_log: bool) -> f64 {
    if is_log { low * libm::pow(high / low, share) } else { low + (high - low) * share }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::{RunTableColumn, RunTableRow};

    fn table(is_log: bool, values: &[f64]) -> RunTable {
        let column = |key: &str, is_numeric| RunTableColumn {
            column: ColumnId::Setting(key.to_owned()),
            title: key.to_owned(),
            is_numeric,
            unit: String::new(),
            direction: None,
            is_log,
            is_axis: false,
        };
        let row = |(run, value): (usize, &f64)| RunTableRow {
            run: run as u32,
            cells: vec![Cell::number("x", *value), Cell::text(if run % 2 == 0 { "adam" } else { "sgd" })],
            own_keys: Vec::new(),
        };
        RunTable {
            columns: vec![column("lr", true), column("optimiser", false)],
            rows: values.iter().enumerate().map(row).collect(),
            available: Vec::new(),
        }
    }

    #[test]
    fn numbers_stand_by_their_size_or_its_logarithm() {
        let linear = table(false, &[0.0, 5.0, 10.0, f64::NAN]);
        let axis = ColumnAxis::of(&linear, 0);
        let positions: Vec<_> = linear.rows.iter().map(|row| axis.position(&row.cells[0])).collect();
        assert_eq!(positions, [Some(0.0), Some(0.5), Some(1.0), None]);
        let log = table(true, &[1e-6, 1e-5, 1e-4]);
        let middle = ColumnAxis::of(&log, 0).position(&log.rows[1].cells[0]).unwrap();
        assert!((middle - 0.5).abs() < 1e-9);
        assert_eq!(ColumnAxis::of(&table(false, &[2.0, 2.0]), 0).labels(), [(0.5, "2".to_owned())]);
    }

    #[test]
    fn few_values_of_a_setting_are_the_labels_of_its_axis() {
        let labels = |values: &[f64]| -> Vec<String> {
            ColumnAxis::of(&table(false, values), 0).labels().into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(&[16.0, 4.0, 8.0, 4.0]), ["4", "8", "16"]);
        assert_eq!(labels(&[0.0, 0.01, 1.0]), ["0", "1"], "0.01 has no room");
        assert_eq!(labels(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]), ["0", "2", "4", "6", "8"]);
    }

    #[test]
    fn words_stand_at_equal_distances() {
        let table = table(false, &[1.0, 2.0]);
        let axis = ColumnAxis::of(&table, 1);
        assert_eq!(axis, ColumnAxis::Words(vec!["adam".into(), "sgd".into()]));
        assert_eq!(axis.position(&table.rows[1].cells[1]), Some(1.0));
        assert_eq!(axis.labels().len(), 2);
    }

    #[test]
    fn a_place_on_an_axis_has_words() {
        let table = table(true, &[1e-6, 1e-5, 1e-4]);
        let words = |column: usize, share: f64| ColumnAxis::of(&table, column).words_at(share);
        assert_eq!([words(0, 0.0), words(0, 0.5)], ["1e-6", "1e-5"]);
        assert_eq!([words(1, 0.4), words(1, 0.6), ColumnAxis::Words(Vec::new()).words_at(1.0)], ["adam", "sgd", ""]);
    }

    #[test]
    fn brushes_hold_the_runs_within_all_of_them() {
        let table = table(false, &[0.0, 1.0, 2.0, 3.0, f64::NAN]);
        let axes = [ColumnAxis::of(&table, 0), ColumnAxis::of(&table, 1)];
        let selected = |brushes: &[(usize, (f64, f64))]| brushed(&table, &axes, &brushes.iter().copied().collect());
        assert_eq!(selected(&[]), [0, 1, 2, 3, 4]);
        assert_eq!(selected(&[(0, (0.3, 1.0))]), [1, 2, 3], "a run without a value is in no brush");
        assert_eq!(selected(&[(0, (0.3, 1.0)), (1, (0.0, 0.5))]), [2]);
    }
}
