//! Logged histograms of one run: their quantiles at first and at last, and the last ones as bars.

use super::cells::{listed, name, value};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Table};
use rundown_format::rich_text::{key, step};
use rundown_format::{number, rich};
use rundown_plot::Range;
use rundown_plot::figure::{AxisScale, Bar, BarChart, BarRow};
use rundown_run::{Histogram, Run};
use rundown_stats::CompactSort as _;

/// Rows of the table; the others are counted.
const MAX_ROWS: usize = 12;
/// Metrics whose last histogram is drawn, and most bars of one.
const MAX_HISTOGRAMS: usize = 3;
const MAX_BARS: u32 = 16;
/// Width of a figure in CSS pixels.
const FIGURE_WIDTH: f64 = 720.0;

/// A table of all metrics with histograms, those of rewards first, and what was logged last of the first ones.
pub(super) fn histograms(run: &Run) -> Vec<Block> {
    let columns = [
        Words("Metric"),
        Numbers("Histograms"),
        Numbers("Median, first"),
        Numbers("Median, last"),
        Numbers("5 %, first"),
        Numbers("5 %, last"),
        Numbers("95 %, first"),
        Numbers("95 %, last"),
    ];
    let mut table = Table::new("First and last histogram of each metric", &columns);
    let mut figures = Vec::new();
    let is_other = |key: &str| !(key.contains("reward") || key.contains("score"));
    let mut keys: Vec<&String> = run.histograms.keys().collect();
    keys.compact_sort_by_key(|key| is_other(key));
    for key in keys {
        let all = run.histograms.get(key).map_or(&[][..], Vec::as_slice);
        let mut sound: Vec<&Histogram> = all.iter().filter(|histogram| histogram.extent().is_some()).collect();
        sound.compact_sort_by_key(|histogram| histogram.row);
        let ends = sound.first().zip(sound.last());
        let Some((first, last)) = ends else { continue };
        let quantiles = |of: &Histogram| of.quantiles([0.5, 0.05, 0.95]);
        let Some((at_first, at_last)) = quantiles(first).zip(quantiles(last)) else { continue };
        let numbers = at_first.into_iter().zip(at_last).flat_map(|(first, last)| [first, last]);
        let count = sound.len() as f64;
        table
            .rows
            .push([name(key)].into_iter().chain([count].into_iter().chain(numbers).map(|n| value(Some(n)))).collect());
        if figures.len() < MAX_HISTOGRAMS {
            figures.extend(bars(run, key, last));
        }
    }
    let left_out = table.rows.len().saturating_sub(MAX_ROWS);
    table.rows.truncate(MAX_ROWS);
    let mut blocks = listed(table, left_out);
    blocks.extend(figures);
    blocks
}

/// The shares of a histogram's bins: its own where they are few, else equal ones over what holds weight.
fn bars(run: &Run, metric: &str, histogram: &Histogram) -> Option<Block> {
    let (low, high) = histogram.extent()?;
    let range = Range::new(low, high)?;
    let equal = || (0..=MAX_BARS).map(|bar| range.value_at(f64::from(bar) / f64::from(MAX_BARS))).collect();
    let edges = if histogram.counts.len() <= MAX_BARS as usize { histogram.edges.clone() } else { equal() };
    let bins = edges.iter().zip(edges.iter().skip(1));
    let names: Vec<String> = bins.map(|(low, high)| format!("{} to {}", number(*low), number(*high))).collect();
    let shares = histogram.shares(&edges)?;
    let row = |(name, share)| BarRow { name, bars: vec![Bar { value: share, interval: None }] };
    let rows = names.iter().map(String::as_str).zip(shares).map(row).collect();
    let logged = run.axis.steps.get(histogram.row as usize).copied().unwrap_or(f64::NAN);
    let title = rich!("Last histogram of {}, at step {}", key(metric), step(logged));
    let chart = BarChart { title, x: AxisScale::linear("share of the values"), rows, series: Vec::new() };
    Some(Block::Figure(chart.draw(FIGURE_WIDTH)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_content::{Figure, Shape};

    /// Histograms of these bins at steps 0 and 10: the weight moves from the first bin to the last one.
    fn run(keys: &[&str], bins: u32) -> Run {
        let mut run = Run::default();
        for at in [0, bins - 1] {
            let row = run.push_row(if at == 0 { 0.0 } else { 10.0 }, f64::NAN);
            let edges: Vec<f64> = (0..=bins).map(f64::from).collect();
            let counts: Vec<f64> = (0..bins).map(|bin| f64::from(u8::from(bin == at)) * 4.0 + 1.0).collect();
            for key in keys {
                let histogram = Histogram { row, edges: edges.clone(), counts: counts.clone() };
                run.histograms.entry((*key).to_owned()).or_default().push(histogram);
            }
        }
        run.choose_axis();
        run
    }

    fn figures(blocks: &[Block]) -> Vec<&Figure> {
        let of = blocks.iter().filter_map(|block| match block {
            Block::Figure(figure) => Some(figure),
            _ => None,
        });
        of.collect()
    }

    #[test]
    fn quantiles_at_first_and_at_last_and_the_last_histogram() {
        let blocks = histograms(&run(&["gradients/a", "rewards/a_hist"], 2));
        let Block::Table(table) = &blocks[0] else { panic!("no table") };
        assert_eq!(table.rows[0][0], name("rewards/a_hist"), "rewards come first");
        let numbers: Vec<f64> = table.rows[0].iter().filter_map(|cell| cell.value).collect();
        let expected = [2.0, 0.6, 1.4, 0.06, 0.3, 1.7, 1.94];
        assert!(numbers.len() == 7 && numbers.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{numbers:?}");
        let drawn = figures(&blocks);
        assert_eq!(drawn[0].title.to_string(), "Last histogram of rewards/a_hist, at step 10");
        assert!(drawn[0].summary.contains("1 to 2"), "{}", drawn[0].summary);
    }

    #[test]
    fn many_bins_become_few_bars_and_many_metrics_are_counted() {
        let keys: Vec<String> = (0..20).map(|metric| format!("m{metric}")).collect();
        let blocks = histograms(&run(&keys.iter().map(String::as_str).collect::<Vec<_>>(), 64));
        assert_eq!(blocks[1], Block::text("Left out: 8 metrics."));
        let drawn = figures(&blocks);
        let is_bar = |shape: &&Shape| matches!(shape, Shape::Rectangle { hint, .. } if !hint.is_empty());
        assert_eq!((drawn.len(), drawn[0].shapes.iter().filter(is_bar).count()), (MAX_HISTOGRAMS, MAX_BARS as usize));
        assert!(histograms(&Run::default()).is_empty());
    }
}
