//! Columns of cells over x, whatever the cells hold.

use rundown_plot::Range;
use rundown_stats as stats;

/// Most columns of a heat map: narrower ones cost drawing time and show no more.
const COLUMNS: u32 = 240;

/// Columns of cells. Lists of columns are equally long; `shares` has a number for each column and bin.
#[derive(Debug, Default, PartialEq)]
pub struct HeatCells {
    /// x of the first point of each column, ascending.
    pub first: Vec<f64>,
    /// x of the last point of each column.
    pub last: Vec<f64>,
    /// Left edge of each column.
    pub from: Vec<f64>,
    /// Right edge of each column.
    pub to: Vec<f64>,
    /// Edges of the bins, ascending.
    pub bins: Vec<f64>,
    /// Share of each bin, 0 to 1: column after column, the lowest bin first.
    pub shares: Vec<f64>,
}

impl HeatCells {
    /// Columns reach half way to their neighbours, but no further than half of the usual distance: where nothing was
    /// logged, nothing is drawn.
    pub fn add_edges(&mut self) {
        let between = self.last.iter().zip(self.first.iter().skip(1)).map(|(last, first)| first - last);
        let gaps: Vec<f64> = between.collect();
        let most = stats::median(&gaps).unwrap_or(0.0) / 2.0;
        let half = |gap: Option<&f64>| gap.map_or(most, |gap| (gap / 2.0).min(most));
        for (place, (first, last)) in self.first.iter().zip(&self.last).enumerate() {
            self.from.push(first - half(place.checked_sub(1).and_then(|before| gaps.get(before))));
            self.to.push(last + half(gaps.get(place)));
        }
    }
}

/// Which column a position belongs to: as many over ascending `positions` as `width_px` has room for. `None` without a
/// position.
pub fn columns(positions: &[f64], width_px: u32) -> Option<impl Fn(f64) -> u32> {
    let range = Range::new(*positions.first()?, *positions.last()?)?;
    let most = width_px.clamp(1, COLUMNS);
    Some(move |x: f64| ((range.fraction(x) * f64::from(most)) as u32).min(most - 1))
}

/// A window that holds what reaches into it from half way to the next one: the usual distance of ascending positions on
/// either side of the wanted one.
pub fn near(positions: &[f64], window: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let gaps: Vec<f64> = positions.iter().zip(positions.iter().skip(1)).map(|(a, b)| b - a).collect();
    let pace = stats::median(&gaps).unwrap_or(0.0);
    window.map(|(a, b)| (a.min(b) - pace, a.max(b) + pace))
}
