//! Histograms over x as columns of cells on shared bins: at most as many columns as pixels.

use super::axes::row_positions;
use super::cells::{HeatCells, columns, near};
use rundown_plot::{Range, inside};
use rundown_protocol::XAxis;
use rundown_run::{Histogram, Run};
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Bindings;

/// Bins where those of the histograms differ: about three pixels each in a chart.
const BINS: u32 = 48;
/// Most bins that are drawn as they were logged.
const OWN_BINS: usize = 64;

/// A histogram and where it stands.
pub struct LoggedHistogram<'r> {
    /// Its place on the x axis.
    pub x: f64,
    /// The histogram; it holds weight.
    pub histogram: &'r Histogram,
}

/// The histograms of a metric that can be drawn, in the order of x. Of several at one x the one that was logged last
/// counts, as after a restart.
pub fn logged<'r>(run: &'r Run, bindings: Option<&Bindings>, key: &str, axis: &XAxis) -> Vec<LoggedHistogram<'r>> {
    let Some(x) = row_positions(run, bindings, axis) else { return Vec::new() };
    let all = run.histograms.get(key).map_or(&[][..], Vec::as_slice);
    let sound = all.iter().filter(|histogram| histogram.extent().is_some());
    let placed = sound.filter_map(|histogram| Some(LoggedHistogram { x: x(histogram.row)?, histogram }));
    let mut found: Vec<LoggedHistogram<'_>> = placed.filter(|logged| logged.x.is_finite()).collect();
    found.compact_sort_by(|a, b| a.x.total_cmp(&b.x).then(b.histogram.row.cmp(&a.histogram.row)));
    found.dedup_by(|later, kept| later.x == kept.x);
    found
}

/// The columns of the histograms in a window of x (all of them when `None`), at most `width_px`, and how many histograms
/// the window holds; `None` without any.
pub fn histogram_cells(
    logged: &[LoggedHistogram<'_>],
    window: Option<(f64, f64)>,
    width_px: u32,
) -> Option<(HeatCells, u64)> {
    let positions: Vec<f64> = logged.iter().map(|logged| logged.x).collect();
    // A column reaches half way to its neighbours: those beside the window can reach into it.
    let range = inside(&positions, near(&positions, window));
    let shown = logged.get(range.clone())?;
    let bins = bins(shown)?;
    let column = columns(positions.get(range)?, width_px)?;
    let mut cells = HeatCells::default();
    for group in shown.chunk_by(|a, b| column(a.x) == column(b.x)) {
        let shares: Vec<Vec<f64>> = group.iter().filter_map(|logged| logged.histogram.shares(&bins)).collect();
        cells.first.extend(group.first().map(|logged| logged.x));
        cells.last.extend(group.last().map(|logged| logged.x));
        let mean = |bin: usize| shares.iter().filter_map(|of| of.get(bin)).sum::<f64>() / shares.len() as f64;
        cells.shares.extend((0..bins.len() - 1).map(mean));
    }
    cells.bins = bins;
    cells.add_edges();
    Some((cells, inside(&positions, window).len() as u64))
}

/// The bins that these histograms are drawn on: their own where all have the same, else equal ones over all that holds
/// weight.
fn bins(shown: &[LoggedHistogram<'_>]) -> Option<Vec<f64>> {
    let edges = &shown.first()?.histogram.edges;
    let is_shared = edges.len() <= OWN_BINS + 1 && shown.iter().all(|logged| logged.histogram.edges == *edges);
    if is_shared && edges.first() < edges.last() {
        return Some(edges.clone());
    }
    let ends = shown.iter().filter_map(|logged| logged.histogram.extent());
    let range = Range::of(ends.flat_map(|(low, high)| [low, high]))?;
    Some((0..=BINS).map(|bin| range.value_at(f64::from(bin) / f64::from(BINS))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Histograms of weight 1 in one bin of width 1, at these steps.
    fn run(steps: &[f64], low: impl Fn(f64) -> f64) -> Run {
        let mut run = Run::default();
        for step in steps {
            let row = run.push_row(*step, 1000.0 + step * 2.0);
            let edges = vec![low(*step), low(*step) + 1.0];
            run.histograms.entry("h".to_owned()).or_default().push(Histogram { row, edges, counts: vec![5.0] });
        }
        run.choose_axis();
        run
    }

    fn heat(run: &Run, axis: &XAxis, window: Option<(f64, f64)>, width_px: u32) -> (HeatCells, u64) {
        histogram_cells(&logged(run, None, "h", axis), window, width_px).unwrap()
    }

    fn whole(run: &Run, axis: &XAxis) -> HeatCells {
        heat(run, axis, None, 400).0
    }

    #[test]
    fn a_column_for_each_histogram_and_a_cell_where_its_weight_is() {
        let run = run(&[0.0, 10.0, 20.0], |step| step / 10.0);
        let (heat, histograms) = heat(&run, &XAxis::Step, None, 400);
        assert_eq!(
            (&heat.first[..], &heat.from[..], &heat.to[..]),
            (&[0., 10., 20.][..], &[-5., 5., 15.][..], &[5., 15., 25.][..])
        );
        assert_eq!((heat.bins.len(), heat.bins[0], heat.bins[48], histograms), (49, 0.0, 3.0, 3));
        for (column, shares) in heat.shares.chunks(48).enumerate() {
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let filled: Vec<usize> = (0..48).filter(|bin| shares[*bin] > 1e-9).collect();
            assert_eq!((filled[0], filled.len()), (column * 16, 16));
        }
        assert_eq!(whole(&run, &XAxis::RelativeTime).first, [0.0, 20.0, 40.0]);
        assert_eq!(whole(&run, &XAxis::WallTime).first, [1000.0, 1020.0, 1040.0]);
        assert!(logged(&run, None, "h", &XAxis::Tokens).is_empty(), "no tokens are counted");
    }

    #[test]
    fn bins_that_all_histograms_share_stay() {
        let mut run = run(&[0.0, 1.0], |_| 0.0);
        for histogram in run.histograms.get_mut("h").unwrap() {
            (histogram.edges, histogram.counts) = (vec![0.0, 0.1, 1.0], vec![1.0, 3.0]);
        }
        let heat = whole(&run, &XAxis::Step);
        assert_eq!((heat.bins, heat.shares), (vec![0.0, 0.1, 1.0], vec![0.25, 0.75, 0.25, 0.75]));
    }

    #[test]
    fn there_are_no_more_columns_than_pixels_and_no_weight_is_lost() {
        let steps: Vec<f64> = (0..5_000).map(f64::from).collect();
        let run = run(&steps, |step| step);
        for (width, most) in [(100, 100), (4_000, 240), (0, 1)] {
            let (heat, _) = heat(&run, &XAxis::Step, None, width);
            let columns = heat.first.len();
            assert!(columns <= most && columns * 2 > most, "{columns} of {most}");
            assert_eq!(heat.shares.len(), columns * (heat.bins.len() - 1));
            assert!((heat.shares.iter().sum::<f64>() - columns as f64).abs() < 1e-6);
            assert_eq!((heat.first[0], *heat.last.last().unwrap()), (0.0, 4_999.0));
        }
    }

    #[test]
    fn a_window_shows_its_histograms_and_those_that_reach_into_it() {
        let steps: Vec<f64> = (0..=10).map(|step| f64::from(step) * 10.0).collect();
        let run = run(&steps, |_| 0.0);
        let (heat, histograms) = heat(&run, &XAxis::Step, Some((33.0, 57.0)), 400);
        assert_eq!((&heat.first[..], histograms), (&[30.0, 40.0, 50.0, 60.0][..], 2));
    }

    #[test]
    fn nothing_is_drawn_where_nothing_was_logged() {
        let heat = whole(&run(&[0.0, 10.0, 20.0, 500.0], |_| 0.0), &XAxis::Step);
        assert_eq!((heat.to[2], heat.from[3]), (25.0, 495.0));
        let one = whole(&run(&[7.0], |_| 0.0), &XAxis::Step);
        assert_eq!((one.from[0], one.to[0]), (7.0, 7.0));
    }

    #[test]
    fn after_a_restart_the_later_histogram_of_a_step_counts() {
        let mut run = run(&[0.0, 10.0, 20.0, 10.0, 20.0], |_| 0.0);
        run.histograms.get_mut("h").unwrap()[3].edges = vec![5.0, 6.0];
        let found = logged(&run, None, "h", &XAxis::Step);
        assert_eq!(
            found.iter().map(|logged| (logged.x, logged.histogram.row)).collect::<Vec<_>>(),
            [(0.0, 0), (10.0, 3), (20.0, 4)]
        );
        run.histograms.get_mut("h").unwrap().iter_mut().for_each(|histogram| histogram.counts = vec![0.0]);
        assert!(logged(&run, None, "h", &XAxis::Step).is_empty() && histogram_cells(&[], None, 400).is_none());
    }
}
