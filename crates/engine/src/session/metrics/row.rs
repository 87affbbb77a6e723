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
        Scale::One => binding.unit.as_str(),
        Scale::Milliseconds => MILLISECONDS,
        Scale::Percent | Scale::PercentComplement => "%",
        Scale::Complement => Unit::Share.as_str(),
        Scale::TenThousandth => "",
    }
}

/// A row of numbers.
pub fn numbers(key: &str, column: &Column) -> MetricRow {
    let mut finite = column.values().iter().copied().filter(|value| value.is_finite());
    let first = finite.next();
    let (mut min, mut max, mut last) =
        (first.unwrap_or(f64::NAN), first.unwrap_or(f64::NAN), first.unwrap_or(f64::NAN));
    for value in finite {
        min = min.min(value);
        max = max.max(value);
        last = value;
    }
    let nonfinite = column.nonfinite();
    MetricRow {
        key: key.to_owned(),
        kind: MetricKind::Numbers,
        points: column.len() as u64,
        nonfinite: nonfinite as u64,
        last,
        min,
        max,
        constant: nonfinite == 0 && min == max,
        runs: 1,
        ..MetricRow::default()
    }
}

/// A row of histograms; `None` where none can be drawn.
pub fn histograms(key: &str, histograms: &[Histogram]) -> Option<MetricRow> {
    let points = histograms.iter().filter(|histogram| histogram.extent().is_some()).count() as u64;
    (points > 0).then(|| MetricRow {
        key: key.to_owned(),
        kind: MetricKind::Histograms,
        points,
        last: f64::NAN,
        min: f64::NAN,
        max: f64::NAN,
        runs: 1,
        ..MetricRow::default()
    })
}

/// Adds the same metric of another run.
pub fn join(known: &mut MetricRow, other: MetricRow) {
    known.points += other.points;
    known.nonfinite += other.nonfinite;
    known.last = if known.last.is_nan() { other.last } else { known.last };
    // `min` and `max` of a NaN and a number are the number.
    known.min = known.min.min(other.min);
    known.max = known.max.max(other.max);
    known.constant &= other.constant;
    known.runs += other.runs;
    if known.about.is_empty() {
        (known.unit, known.about) = (other.unit, other.about);
    }
}
