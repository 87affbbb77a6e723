//! The small lines of the run list.

use rundown_format::{coordinate, short};

/// Part of a shared range below which a line of 16 pixels shows no shape.
const MIN_PART_OF_RANGE: f32 = 0.2;
/// Length of the line that stands for a single value.
const ALONE: f32 = 3.0;

/// A number with three significant digits, such as `0.98`, `153` or `1.2e-5`; a dash for none.
pub fn short_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), short)
}

/// The range that all sparklines of a list share; `None` where half of the lines would be flat in it, as those of rewards of other
/// tasks and scales are: then each has its own. One run in twenty may leave it, so that a run that blew up does not
/// flatten all others: what is beyond is drawn at the edge.
pub fn shared_range<'a>(sparks: impl Iterator<Item = &'a [f32]>) -> Option<(f32, f32)> {
    let ranges: Vec<(f32, f32)> = sparks.filter_map(range).collect();
    let sorted = |part: fn(&(f32, f32)) -> f32| {
        let mut parts: Vec<f32> = ranges.iter().map(part).collect();
        parts.sort_unstable_by(f32::total_cmp);
        parts
    };
    let trim = ranges.len() / 20;
    let low = sorted(|range| range.0).get(trim).copied()?;
    let high = sorted(|range| range.1).get(ranges.len().checked_sub(1 + trim)?).copied()?;
    let lower_half = ranges.len().checked_sub(1)? / 2;
    let span = sorted(|range| range.1 - range.0).get(lower_half).copied()?;
    (span >= MIN_PART_OF_RANGE * (high - low)).then_some((low, high))
}

/// Least and greatest value of a line; `None` without a finite one.
pub fn range(spark: &[f32]) -> Option<(f32, f32)> {
    let finite = || spark.iter().copied().filter(|value| value.is_finite());
    finite().reduce(f32::min).zip(finite().reduce(f32::max))
}

/// An SVG path through the values in a box of the given size; a gap at each value that is not finite.
pub fn spark_path(values: &[f32], (low, high): (f32, f32), width: f32, height: f32) -> String {
    let span = if high > low { high - low } else { 1.0 };
    let base = if high > low { 0.0 } else { 0.5 };
    let height_of = |value: f32| coordinate(height * (1.0 - (base + (value - low) / span).clamp(0.0, 1.0)));
    if let [only] = values
        && only.is_finite()
    {
        // It stands at the end, as the number beside it, and is as long as the eye needs.
        return format!("M{} {}h{ALONE}", coordinate(width - ALONE), height_of(*only));
    }
    let pace = width / values.len().saturating_sub(1).max(1) as f32;
    let mut path = String::new();
    let mut pen_down = false;
    for (index, value) in values.iter().enumerate() {
        if !value.is_finite() {
            pen_down = false;
            continue;
        }
        // A point alone becomes a dot: a line of no length with round ends.
        let command = if pen_down { "L" } else { "M" };
        path.push_str(&format!("{command}{} {}", coordinate(index as f32 * pace), height_of(*value)));
        if !pen_down {
            path.push_str("h0");
        }
        pen_down = true;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_a_dash() {
        assert_eq!([Some(0.984), None].map(short_or_dash), ["0.984", "–"]);
    }

    #[test]
    fn a_sparkline_breaks_at_gaps_and_stays_in_its_box() {
        let values = [0.0, 1.0, f32::NAN, 0.5, f32::INFINITY, 9.0];
        assert_eq!(spark_path(&values, (0.0, 1.0), 50.0, 10.0), "M0 10h0L10 0M30 5h0M50 0h0");
        assert_eq!(spark_path(&[], (0.0, 1.0), 50.0, 10.0), "");
        assert_eq!(spark_path(&[0.5], (0.0, 1.0), 50.0, 10.0), "M47 5h3");
    }

    #[test]
    fn a_constant_run_is_a_line_in_the_middle() {
        let values = [2.0f32, 2.0];
        let range = shared_range([&values[..]].into_iter());
        assert_eq!(range, Some((2.0, 2.0)));
        assert_eq!(spark_path(&values, (2.0, 2.0), 10.0, 10.0), "M0 5h0L10 5");
    }

    #[test]
    fn one_run_in_twenty_may_leave_the_range() {
        let mut runs: Vec<Vec<f32>> = vec![vec![0.25, f32::NAN, 0.75]; 39];
        runs.push(vec![-1e30, 1e30]);
        assert_eq!(shared_range(runs.iter().map(Vec::as_slice)), Some((0.25, 0.75)));
        assert_eq!(shared_range(std::iter::empty()), None);
        assert_eq!(shared_range([&[f32::NAN][..]].into_iter()), None);
    }

    #[test]
    fn lines_of_other_scales_share_no_range() {
        let lines = [[0.1f32, 0.8], [0.2, 0.9], [0.0, 10.0], [1.0, 9.0]];
        assert_eq!(shared_range(lines.iter().map(|line| &line[..])), None, "half of them would be flat");
        assert_eq!(shared_range(lines.iter().take(2).map(|line| &line[..])), Some((0.1, 0.9)));
        assert_eq!(range(&[0.5, f32::NAN, 0.25]), Some((0.25, 0.5)));
    }
}
