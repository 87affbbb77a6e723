//! How a distribution moves: the histograms of a metric over the steps, as columns of colour with the median.

use crate::content::{Anchor, Figure, RichText, Tone};
use crate::format::{counted, number};
use crate::plot::{Axis, Range, clamped, position};

use super::cells::CellColumns;
use super::frame::{AxisScale, Frame, Margins, NOTHING};
use super::heat::{edges, place_of};
use super::labels::{colour, colours};
use super::sheet::{PixelArea, Sheet, TEXT, usable_width};
use super::words::facts;

/// Bins that all histograms are brought to.
const BINS: usize = 28;
/// Shares below this part of the highest are left empty, as they look.
const FAINT: f64 = 0.01;

/// Histograms of one metric over the steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HistogramChart<'a> {
    /// What it shows.
    pub title: RichText,
    /// What the positions count.
    pub x: AxisScale,
    /// What the bins count.
    pub y: AxisScale,
    /// Histograms, in any order.
    pub histograms: Vec<HistogramAt<'a>>,
}

/// One histogram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistogramAt<'a> {
    /// Where it was logged.
    pub x: f64,
    /// Bin edges, ascending, one more than counts.
    pub edges: &'a [f64],
    /// Weights of the bins.
    pub counts: &'a [f64],
}

impl HistogramChart<'_> {
    /// The figure at a width in CSS pixels.
    pub fn draw(&self, width_px: f64) -> Figure {
        let width = usable_width(width_px);
        let mut sheet = Sheet::new(width, (width * 0.45).clamp(200.0, 320.0));
        let linear = AxisScale { is_log: false, ..self.y.clone() };
        let weighted = self.histograms.iter().flat_map(HistogramAt::bins).filter(|bin| bin.2 > 0.0);
        let Some(range) = Range::of(weighted.flat_map(|(low, high, _)| [low, high])) else {
            sheet.height = 24.0;
            sheet.words((0.0, TEXT), Anchor::Start, NOTHING, Tone::Muted);
            return sheet.finish(&self.title, NOTHING.to_owned());
        };
        let positions: Vec<f64> = self.histograms.iter().map(|histogram| histogram.x).collect();
        let columns = CellColumns::new(&positions, width);
        let shares = self.shares(&columns, range);
        let highest = shares.iter().flatten().copied().fold(0.0, f64::max);
        let top = colours(&mut sheet, "share of samples", (0.0, highest));

        let x_ends = Range::of(columns.first.iter().chain(&columns.last).copied()).unwrap_or(Range::unit());
        let half = x_ends.span() / 2.0 / (columns.count().max(2) - 1) as f64;
        let x = Range::new(x_ends.low() - half, x_ends.high() + half).unwrap_or(x_ends);
        let margins = Margins { top, right: 4.0, ..Margins::default() };
        let frame = Frame::new(&sheet, margins, (Axis::linear(x), &self.x), (Axis::linear(range), &linear));
        frame.draw_y(&mut sheet, &self.y.title);
        for (column, shares) in shares.iter().enumerate() {
            let (left, right) = edges(&frame, &columns, column);
            for (bin, share) in shares.iter().enumerate().filter(|(_, share)| **share > FAINT * highest) {
                let [low, high] = [bin, bin + 1].map(|edge| range.value_at(edge as f64 / BINS as f64));
                let area = PixelArea { left, right, top: frame.up(high), bottom: frame.up(low) };
                let wording = place_of(&columns, column, "", self.x.kind());
                sheet.rectangle(
                    area,
                    colour(share / highest),
                    facts(&wording, &[("from", low), ("to", high), ("share", *share)]),
                );
            }
        }
        let medians: Vec<(f64, f64)> = shares
            .iter()
            .enumerate()
            .map(|(column, shares)| {
                let (left, right) = edges(&frame, &columns, column);
                ((left + right) / 2.0, frame.up(median(shares, range)))
            })
            .collect();
        sheet.line(&medians, Tone::Series(1), false, "median".to_owned());
        frame.draw_x(&mut sheet, &self.x, false);
        sheet.finish(&self.title, self.summary(&columns, &shares, range))
    }

    /// Share of each common bin in each column.
    fn shares(&self, columns: &CellColumns, range: Range) -> Vec<Vec<f64>> {
        let mut shares = vec![vec![0.0; BINS]; columns.count()];
        for (histogram, column) in self.histograms.iter().zip(&columns.of) {
            let Some(shares) = column.and_then(|column| shares.get_mut(column)) else { continue };
            // Each histogram counts alike, however many samples it has.
            let total: f64 = histogram.bins().map(|bin| bin.2).sum();
            for (low, high, weight) in histogram.bins().filter(|bin| bin.2 > 0.0) {
                spread(shares, (range.fraction(low), range.fraction(high)), weight / total);
            }
        }
        for shares in &mut shares {
            let total: f64 = shares.iter().sum();
            if total > 0.0 {
                shares.iter_mut().for_each(|share| *share /= total);
            }
        }
        shares
    }

    fn summary(&self, columns: &CellColumns, shares: &[Vec<f64>], range: Range) -> String {
        let mut wording = counted(self.histograms.len(), "histogram");
        let ends = [(columns.first.first(), shares.first(), ": median "), (columns.last.last(), shares.last(), ", ")];
        for (x, shares, word) in ends {
            if let (Some(x), Some(shares)) = (x, shares) {
                wording.push_str(word);
                wording.push_str(&number(median(shares, range)));
                wording.push_str(" at ");
                wording.push_str(&position(*x, self.x.kind()));
            }
        }
        wording.push('.');
        wording
    }
}

impl HistogramAt<'_> {
    /// Low edge, high edge and weight of each bin that has finite ones.
    fn bins(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let edges = self.edges.iter().zip(self.edges.iter().skip(1));
        let bins = edges.zip(self.counts).map(|((low, high), count)| (*low, *high, *count));
        // The sum of some weights must stay finite.
        bins.filter(|(low, high, count)| low.is_finite() && high.is_finite() && (0.0..1e300).contains(count))
    }
}

/// Adds a weight evenly between two shares of the range.
fn spread(bins: &mut [f64], (low, high): (f64, f64), weight: f64) {
    // Numbers beyond what a range holds lie at its ends.
    let [low, high] = [low.min(high), low.max(high)].map(|share| clamped(share, 0.0, 1.0) * BINS as f64);
    for (place, bin) in bins.iter_mut().enumerate() {
        let (from, to) = (place as f64, place as f64 + 1.0);
        let part = if high - low < 1e-9 {
            // A bin without width: all of it falls into one.
            let is_here = low >= from && (low < to || (place + 1 == BINS && low <= to));
            f64::from(u8::from(is_here))
        } else {
            ((high.min(to) - low.max(from)) / (high - low)).max(0.0)
        };
        if part.is_finite() && weight.is_finite() {
            *bin += part * weight;
        }
    }
}

/// The median, as if values lay evenly within each bin; NaN for a column without samples.
fn median(shares: &[f64], range: Range) -> f64 {
    let mut before = 0.0;
    for (place, share) in shares.iter().enumerate() {
        if *share > 0.0 && before + share >= 0.5 - 1e-12 {
            return range.value_at((place as f64 + (0.5 - before) / share) / BINS as f64);
        }
        before += share;
    }
    f64::NAN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Shape;
    use crate::plot::figure::testing::{assert_sound, hostile};
    use proptest::prelude::*;

    #[test]
    fn the_median_moves_with_the_samples() {
        let edges = [0.0, 1.0, 2.0, 3.0];
        let at = |x: f64, counts: &'static [f64]| HistogramAt { x, edges: &edges, counts };
        let histograms = vec![at(1.0, &[10.0, 0.0, 0.0]), at(2.0, &[0.0, 4.0, 0.0]), at(3.0, &[0.0, 0.0, 7.0])];
        let chart = HistogramChart { histograms, x: AxisScale::linear("step"), ..HistogramChart::default() };
        let figure = chart.draw(600.0);
        assert_sound(&figure);
        assert_eq!(figure.summary, "3 histograms: median 0.5 at step 1, 2.5 at step 3.");
        assert!(figure.shapes.iter().any(|shape| matches!(shape, Shape::Line { hint, .. } if hint == "median")));
    }

    #[test]
    fn one_value_alone_is_a_histogram() {
        let histogram = HistogramAt { x: 5.0, edges: &[2.0, 2.0], counts: &[3.0] };
        let figure = HistogramChart { histograms: vec![histogram], ..HistogramChart::default() }.draw(400.0);
        assert_sound(&figure);
        assert!(
            figure
                .shapes
                .iter()
                .any(|shape| matches!(shape, Shape::Rectangle { hint, .. } if hint.contains("share 1")))
        );
    }

    proptest! {
        #[test]
        fn any_data_makes_a_sound_figure(x in hostile(), edges in hostile(), counts in hostile(), width in 100.0..2000.0f64) {
            let histograms = x.iter().map(|x| HistogramAt { x: *x, edges: &edges, counts: &counts }).collect();
            let chart = HistogramChart { title: "t".into(), x: AxisScale::linear("step"), y: AxisScale::linear("advantage"), histograms };
            assert_sound(&chart.draw(width));
        }
    }
}
