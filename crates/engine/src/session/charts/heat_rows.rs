//! Metrics as the rows of a heat map, such as the criteria of a rubric: colour is the value. Rows of different scales, such as
//! a loss and a count of tokens, are each coloured over their own range.

use super::arrays::Arrays;
use super::cells::{HeatCells, columns, near};
use super::{ChartRun, widen};
use rundown_plot::inside;
use rundown_protocol::{Heat, HeatColumns, HeatRequest};
use rundown_stats::mean;

/// Range of all rows over that of the narrowest, up to which they are coloured on one scale.
const MAX_SPAN_RATIO: f64 = 20.0;

/// The heat map of these metrics of a run. Those that the run lacks are left out.
pub fn heat(chart: &mut ChartRun<'_>, keys: &[String], wanted: &HeatRequest, arrays: &mut Arrays) -> Heat {
    let mut heat = Heat::default();
    let mut positions: Vec<f64> = Vec::new();
    let (mut rows, mut points) = (Vec::new(), 0);
    for key in keys {
        let Some(prepared) = chart.cache.prepare(chart.run, chart.bindings, key, &wanted.x) else { continue };
        widen(&mut heat.x_extent, prepared.extent());
        let (x, _) = prepared.points();
        let within = inside(x, wanted.window);
        points += within.len() as u64;
        // A column reaches half way to its neighbours: those beside the window can reach into it.
        let around = within.start.saturating_sub(1)..(within.end + 1).min(x.len());
        let x = x.get(around).unwrap_or_default();
        // Metrics of one kind are logged together, and then there is nothing to sort.
        if positions != x {
            positions.extend_from_slice(x);
            positions.sort_by(f64::total_cmp);
            positions.dedup();
        }
        rows.push(key.clone());
    }
    let shown = inside(&positions, near(&positions, wanted.window));
    let positions = positions.get(shown).unwrap_or_default();
    let Some(column) = columns(positions, wanted.width_px) else { return heat };
    let groups: Vec<&[f64]> = positions.chunk_by(|a, b| column(*a) == column(*b)).collect();
    let mut cells = HeatCells { bins: (0..=rows.len()).map(|row| row as f64).collect(), ..HeatCells::default() };
    cells.shares = vec![f64::NAN; groups.len() * rows.len()];
    for group in &groups {
        cells.first.extend(group.first());
        cells.last.extend(group.last());
    }
    for (row, key) in rows.iter().enumerate() {
        let Some(prepared) = chart.cache.prepare(chart.run, chart.bindings, key, &wanted.x) else { continue };
        let (x, y) = prepared.points();
        let ends = cells.first.iter().zip(&cells.last);
        for (share, (first, last)) in cells.shares.iter_mut().skip(row).step_by(rows.len()).zip(ends) {
            // One value that is not finite makes the cell so: it is not to be lost among others.
            let values = y.get(inside(x, Some((*first, *last)))).unwrap_or_default();
            *share = mean(values).unwrap_or(f64::NAN);
        }
    }
    let row_ranges = scale(&mut cells.shares, rows.len());
    cells.add_edges();
    heat.columns = Some(HeatColumns { histograms: points, rows, row_ranges, ..arrays.columns(cells) });
    heat
}

/// Scales the finite values of each row to 0 to 1 over a range, which it gives: that of all rows where theirs are alike, else
/// the row's own. Other values become NaN; a single value stands in the middle.
fn scale(values: &mut [f64], rows: usize) -> Vec<(f64, f64)> {
    let mut ranges: Vec<Option<(f64, f64)>> = vec![None; rows];
    for column in values.chunks(rows.max(1)) {
        for (range, value) in ranges.iter_mut().zip(column).filter(|(_, value)| value.is_finite()) {
            widen(range, Some((*value, *value)));
        }
    }
    let mut all = None;
    ranges.iter().for_each(|range| widen(&mut all, *range));
    let (low, high) = all.unwrap_or_default();
    let spans = || ranges.iter().flatten().map(|(low, high)| high - low).filter(|span| *span > 0.0);
    let is_one_scale = spans().fold(high - low, f64::min) * MAX_SPAN_RATIO >= high - low;
    let range_of = |range: Option<(f64, f64)>| if is_one_scale { (low, high) } else { range.unwrap_or_default() };
    let ranges: Vec<(f64, f64)> = ranges.into_iter().map(range_of).collect();
    for column in values.chunks_mut(rows.max(1)) {
        for (value, (low, high)) in column.iter_mut().zip(&ranges) {
            *value = match *value {
                value if !value.is_finite() => f64::NAN,
                value if high > low => (value - low) / (high - low),
                _ => 0.5,
            };
        }
    }
    ranges
}
