//! Charts of several runs: lines, groups of lines and heat maps, cut down to the width in which they will be drawn.
//!
//! A series is put over its x axis once ([`LineCache`], one for each run) and smoothed once for a window; a frame of a zoom
//! then costs what its window holds. Nothing here knows of a diagnosis but for the metric that counts tokens.

mod arrays;
mod axes;
mod cache;
mod cells;
pub mod export;
mod groups;
mod heat_rows;
mod histograms;
mod line;
mod smoothing;
#[cfg(test)]
mod tests;

pub use cache::LineCache;

use arrays::Arrays;
use rundown_protocol::{Heat, HeatColumns, HeatRequest, HeatSource, Line, Lines, LinesRequest};
use rundown_run::Run;
use rundown_vocabulary::Bindings;

/// A run as charts see it.
pub struct ChartRun<'s> {
    /// Its number in the session.
    pub number: u32,
    /// The run.
    pub run: &'s Run,
    /// What its metrics stand for; `None` where it is not diagnosed.
    pub bindings: Option<&'s Bindings>,
    /// What was drawn of it.
    pub cache: &'s mut LineCache,
}

/// The lines of a request and the arrays that they name; `runs` holds those that are there.
pub fn lines(runs: &mut [ChartRun<'_>], wanted: &LinesRequest) -> (Lines, Vec<Vec<f64>>) {
    let mut arrays = Arrays::default();
    let mut lines = Lines::default();
    if let Some(grouping) = &wanted.group {
        let groups = groups::group_curves(runs, wanted, grouping);
        lines.lines = groups.curves.into_iter().map(|curve| curve.line(wanted, &mut arrays)).collect();
        lines.x_extent = groups.x_extent;
        return (lines, arrays.all);
    }
    for (place, series) in wanted.series.iter().enumerate() {
        let found = runs.iter_mut().find(|run| run.number == series.run);
        let prepared = found.and_then(|chart| {
            let restarts = axes::restarts(chart, &wanted.x, wanted.window);
            Some((chart.cache.prepare(chart.run, chart.bindings, &series.key, &wanted.x)?, restarts))
        });
        let Some((prepared, restarts)) = prepared else { continue };
        widen(&mut lines.x_extent, prepared.extent());
        let line = line::line(prepared, restarts, wanted, &mut arrays);
        lines.lines.push(Line { series: place as u32, ..line });
    }
    (lines, arrays.all)
}

/// The heat map of a request and the arrays that it names.
pub fn heat(chart: &mut ChartRun<'_>, wanted: &HeatRequest) -> (Heat, Vec<Vec<f64>>) {
    let mut arrays = Arrays::default();
    let HeatRequest { x, window, width_px, .. } = wanted;
    let heat = match &wanted.source {
        HeatSource::Histograms(key) => {
            let logged = histograms::logged(chart.run, chart.bindings, key, x);
            let columns = histograms::histogram_cells(&logged, *window, *width_px)
                .map(|(cells, histograms)| HeatColumns { key: key.clone(), histograms, ..arrays.columns(cells) });
            Heat { x_extent: logged.first().zip(logged.last()).map(|(first, last)| (first.x, last.x)), columns }
        }
        HeatSource::Rows(keys) => heat_rows::heat(chart, keys, wanted, &mut arrays),
    };
    (heat, arrays.all)
}

/// Widens a range to hold another one.
fn widen(range: &mut Option<(f64, f64)>, other: Option<(f64, f64)>) {
    if let Some((first, last)) = other {
        *range = Some(range.map_or((first, last), |(low, high)| (low.min(first), high.max(last))));
    }
}
