//! An outcome by bins of a setting: a box from low to high, its middle, and every run as a point.

use crate::{Axis, Range, clamped};
use rundown_content::{Anchor, Figure, RichText, Tone};
use rundown_format::{counted, number};

use super::frame::{AxisScale, Frame, Margins, NOTHING};
use super::labels::more;
use super::sheet::{LINE, PixelArea, Sheet, usable_width};
use super::words::{facts, listed, named};

/// Most bins that are drawn.
const MAX_BINS: usize = 24;
/// Most points of a bin that are drawn.
const POINTS: usize = 200;
/// Widest box in pixels.
const WIDEST: f64 = 64.0;

/// Bins side by side.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoxChart<'a> {
    /// What it shows.
    pub title: RichText,
    /// The setting; its values are the names of the bins.
    pub x_title: &'a str,
    /// The axis up.
    pub y: AxisScale,
    /// Bins, from the left.
    pub bins: Vec<Bin<'a>>,
}

/// A bin of runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bin<'a> {
    /// Its name: a value of the setting, or a range.
    pub name: &'a str,
    /// Low and high end of the box, such as the interval of the middle.
    pub interval: Option<(f64, f64)>,
    /// Mean or median; NaN for none.
    pub middle: f64,
    /// Value and name of each run.
    pub runs: Vec<(f64, &'a str)>,
}

impl BoxChart<'_> {
    /// The figure at a width in CSS pixels.
    pub fn draw(&self, width_px: f64) -> Figure {
        let width = usable_width(width_px);
        let mut sheet = Sheet::new(width, (width * 0.5).clamp(190.0, 290.0));
        let bins = self.bins.iter().take(MAX_BINS);
        let values = bins.clone().flat_map(|bin| {
            let (low, high) = bin.interval.unwrap_or((f64::NAN, f64::NAN));
            [low, high, bin.middle].into_iter().chain(bin.runs.iter().take(POINTS).map(|run| run.0))
        });
        let y = self.y.axis(values, true);
        let x_scale = AxisScale::linear(self.x_title);
        let x = Axis::linear(Range::new(0.0, self.bins.len().clamp(1, MAX_BINS) as f64).unwrap_or(Range::unit()));
        let margins = Margins { right: 8.0, ..Margins::default() };
        let frame = Frame::new(&sheet, margins, (x, &x_scale), (y, &self.y));
        frame.draw_y(&mut sheet, &self.y.title);
        let pace = frame.across(1.0) - frame.across(0.0);
        // Narrow bins leave names out evenly.
        let every = (34.0 / pace).ceil().max(1.0) as usize;
        for (place, bin) in bins.enumerate() {
            let center = frame.across(place as f64 + 0.5);
            draw_bin(&mut sheet, &frame, bin, center, (pace * 0.62).min(WIDEST) / 2.0);
            if place.is_multiple_of(every) {
                let room = pace * every as f64 - 6.0;
                let half = (room / 2.0).min(center - frame.left.min(center)).min(sheet.width - center);
                let room = if every == 1 { room } else { 2.0 * half };
                sheet.fitted((center, frame.bottom + LINE + 1.0), Anchor::Middle, bin.name, room, Tone::Muted);
            }
        }
        if self.bins.is_empty() {
            frame.draw_nothing(&mut sheet);
        }
        let title_y = frame.bottom + 2.0 * LINE + 3.0;
        let left_out = self.bins.len().saturating_sub(MAX_BINS);
        let mut room = frame.right - frame.left;
        if left_out > 0 {
            sheet.words((frame.left, title_y), Anchor::Start, &more(left_out), Tone::Muted);
            room -= 90.0;
        }
        sheet.fitted((frame.right, title_y), Anchor::End, self.x_title, room, Tone::Muted);
        sheet.finish(&self.title, self.summary())
    }

    fn summary(&self) -> String {
        let items: Vec<String> = self
            .bins
            .iter()
            .take(MAX_BINS)
            .filter(|bin| bin.middle.is_finite())
            .map(|bin| {
                let runs = counted(bin.runs.len(), "run");
                format!("{}: {} over {runs}", named(bin.name), number(bin.middle))
            })
            .collect();
        if items.is_empty() { NOTHING.to_owned() } else { listed(&items, 8) }
    }
}

fn draw_bin(sheet: &mut Sheet, frame: &Frame, bin: &Bin<'_>, center: f64, half: f64) {
    let clamp = |value: f64| {
        let y = frame.up(value);
        if y.is_finite() { clamped(y, frame.top, frame.bottom) } else { f64::NAN }
    };
    if let Some((low, high)) = bin.interval {
        let (low, high) = (clamp(low), clamp(high));
        // At least as high as a line, so that an interval of no width is seen.
        let high = if low - high < 2.0 { low - 2.0 } else { high };
        let (left, right) = (center - half, center + half);
        sheet.area(&[(left, high), (right, high), (right, low), (left, low)], Tone::Accent);
    }
    let middle = clamp(bin.middle);
    if middle.is_finite() {
        let area = PixelArea { left: center - half, right: center + half, top: middle - 1.0, bottom: middle + 1.0 };
        sheet.rectangle(area, Tone::Accent, facts(bin.name, &[("", bin.middle)]));
    }
    let count = bin.runs.len().min(POINTS);
    for (place, (value, name)) in bin.runs.iter().take(POINTS).enumerate() {
        // Points of a bin stand beside each other where they are many; three or four read better in one line.
        let shift = if count > 4 { half * 0.7 * ((place * 7 % 11) as f64 / 5.0 - 1.0) } else { 0.0 };
        sheet.dot((center + shift, clamp(*value)), 3.0, Tone::Accent, facts(name, &[("", *value)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::testing::{assert_sound, hostile, texts};
    use proptest::prelude::*;
    use rundown_content::Shape;

    #[test]
    fn every_run_is_a_point() {
        let bin = |name, values: [f64; 3], middle| Bin {
            name,
            interval: Some((values[0], values[2])),
            middle,
            runs: values.map(|value| (value, "run")).into(),
        };
        let bins = vec![bin("1e-5", [0.77, 0.82, 0.84], 0.82), bin("1e-4", [0.86, 0.89, 0.93], 0.89)];
        let figure = BoxChart { x_title: "learning_rate", bins, ..BoxChart::default() }.draw(400.0);
        assert_sound(&figure);
        assert_eq!(figure.shapes.iter().filter(|shape| matches!(shape, Shape::Dot { .. })).count(), 6);
        assert!(texts(&figure).contains(&"1e-4"));
        assert_eq!(figure.summary, "1e-5: 0.82 over 3 runs; 1e-4: 0.89 over 3 runs.");
    }

    proptest! {
        #[test]
        fn any_data_makes_a_sound_figure(values in hostile(), size in 1..5usize, width in 100.0..2000.0f64, log: bool) {
            let bins = values.chunks(size).map(|chunk| Bin {
                name: "some long name of a bin",
                interval: chunk.first().copied().zip(chunk.last().copied()),
                middle: chunk[0],
                runs: chunk.iter().map(|value| (*value, "run")).collect(),
            });
            let y = AxisScale { scale: if log { crate::Scale::Log } else { crate::Scale::Symlog }, ..AxisScale::linear("outcome") };
            let chart = BoxChart { title: "t".into(), x_title: "setting", y, bins: bins.collect() };
            assert_sound(&chart.draw(width));
        }
    }
}
