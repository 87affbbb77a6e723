//! One metric as a row: its numbers, and what it stands for.

use rundown_protocol::{MetricKind, MetricRow};
use rundown_run::{Column, Histogram};
use rundown_vocabulary::{Binding, Bindings, Scale, Unit};

/// Unit of values that are read as seconds.
const MILLISECONDS: &str = "ms";

/// Sets the unit of a row and what its metric means.
pub fn explain(row: &mut MetricRow, bindings: Option<&Bindings>) {
    let found = bindings.into_iter().flat_map(Bindings::iter).find(|binding| binding.key == row.key);
    if let Some(binding) = found {
        row.unit = logged_unit(binding).to_owned();
        row.about = binding.concept.words().to_owned();
    }
}

/// The unit of the values as they were logged.
pub fn logged_unit(binding: &Binding) -> &'static str {
    match binding.scale {
        Scale::One | Scale::Negative => binding.unit.as_str(),
        Scale::Milliseconds => MILLISECONDS,
        Scale::Percent | Scale::PercentComplement => "%",
        Scale::Complement => Unit::Share.as_str(),
        Scale::TenThousandth => "",
    }
}

/// A row of numbers.
pub fn numbers(key: &str, column: &Column) -> MetricRow {
    let values = column.values();
    let last = values.iter().rev().copied().find(|value| value.is_finite());
    MetricRow {
        key: key.to_owned(),
        kind: MetricKind::Numbers,
        last,
        constant: last.is_some_and(|last| values.iter().all(|value| *value == last)),
        runs: 1,
        ..MetricRow::default()
    }
}

/// A row of histograms; `None` where none can be drawn.
pub fn histograms(key: &str, histograms: &[Histogram]) -> Option<MetricRow> {
    histograms.iter().any(|histogram| histogram.extent().is_some()).then(|| MetricRow {
        key: key.to_owned(),
        kind: MetricKind::Histograms,
        runs: 1,
        ..MetricRow::default()
    })
}

/// Adds the same metric of another run.
pub fn join(known: &mut MetricRow, other: MetricRow) {
    known.constant &= other.constant && known.last == other.last;
    known.last = known.last.or(other.last);
    known.runs += other.runs;
    if known.about.is_empty() {
        (known.unit, known.about) = (other.unit, other.about);
    }
}
