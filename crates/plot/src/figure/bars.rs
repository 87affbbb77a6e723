//! Horizontal bars with intervals: importances, effects, final scores side by side.

use crate::clamped;
use rundown_content::{Anchor, Figure, RichText, Tone};
use rundown_format::{counted, number};

use super::frame::{AxisScale, Frame, GAP, Margins, NOTHING};
use super::labels::{self, LegendEntry, more};
use super::sheet::{PixelArea, Sheet, TEXT, usable_width};
use super::words::{facts, hint, listed, named, shortened, width as width_of};

/// Most bars of a figure.
const MAX_BARS: usize = 64;
/// Height of a bar that stands alone in its row, and of one in a group.
const BAR: (f64, f64) = (14.0, 12.5);
/// Between two rows.
const BETWEEN: f64 = 9.0;

/// Rows of bars on one axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BarChart<'a> {
    /// What it shows.
    pub title: RichText,
    /// The axis across. Bars begin at zero, so that it is never logarithmic.
    pub x: AxisScale,
    /// Rows, from the top.
    pub rows: Vec<BarRow<'a>>,
    /// What the first, second, … bar of each row is; empty where each row has one bar.
    pub series: Vec<BarSeries<'a>>,
}

/// What one bar of each row is of, such as a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarSeries<'a> {
    /// Its name.
    pub name: &'a str,
    /// Colour.
    pub tone: Tone,
}

/// A row: a name and its bars.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BarRow<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its bars, in the order of [`BarChart::series`].
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Its value; NaN for none.
    pub value: f64,
    /// Low and high end, where they are known.
    pub interval: Option<(f64, f64)>,
}

impl<'a> BarSeries<'a> {
    /// That of a run, by the engine's number; `place` is its place in each row, from 0.
    pub fn of_run(run: u32, place: usize, name: &'a str) -> Self {
        Self { name, tone: Tone::Run { run, place: (place % 8) as u8 } }
    }
}

impl BarChart<'_> {
    /// The figure at a width in CSS pixels.
    pub fn draw(&self, width_px: f64) -> Figure {
        let width = usable_width(width_px);
        let is_grouped = self.rows.iter().any(|row| row.bars.len() > 1);
        let bar_height = if is_grouped { BAR.1 } else { BAR.0 };
        let (mut bars, mut shown) = (0, 0);
        for row in &self.rows {
            bars += row.bars.len().max(1);
            if bars > MAX_BARS && shown > 0 {
                bars -= row.bars.len().max(1);
                break;
            }
            shown += 1;
        }
        let rows: Vec<&BarRow<'_>> = self.rows.iter().take(shown).collect();
        let bars = bars.min(MAX_BARS);
        let mut sheet = Sheet::new(width, 0.0);
        let keys: Vec<LegendEntry<'_>> = self.series.iter().take(MAX_BARS).map(key).collect();
        let top = if is_grouped { labels::in_rows(&mut sheet, &keys) } else { 0.0 };

        let value_room = rows
            .iter()
            .flat_map(|row| row.bars.iter().take(MAX_BARS))
            .filter(|bar| bar.value.is_finite())
            .map(|bar| width_of(&number(bar.value)))
            .fold(0.0, f64::max);
        let longest = width * 0.36;
        let name_room = rows.iter().map(|row| width_of(&shortened(row.name, longest))).fold(0.0, f64::max);
        let height = bars as f64 * bar_height + rows.len() as f64 * BETWEEN;
        let title_room = if self.x.title.is_empty() { 0.0 } else { 16.0 };
        let more_room = if shown < self.rows.len() { 16.0 } else { 0.0 };
        sheet.height = top + 6.0 + height.max(20.0) + 20.0 + title_room + more_room;

        let ends = rows.iter().flat_map(|row| row.bars.iter().take(MAX_BARS)).flat_map(|bar| {
            let (low, high) = bar.interval.unwrap_or((f64::NAN, f64::NAN));
            [bar.value, low, high]
        });
        let scale = AxisScale::linear(self.x.title.clone());
        let axis = scale.axis(ends.chain([0.0]), false);
        let none = AxisScale::default();
        let margins = Margins { left: 0.0, top, right: value_room + GAP + 4.0, bottom: more_room };
        let mut frame = Frame::new(&sheet, margins, (axis, &scale), (axis, &none));
        frame.left = name_room + GAP;
        frame.right = frame.right.max(frame.left + 20.0);
        frame.draw_x(&mut sheet, &scale, true);
        let zero = clamped(frame.across(0.0), frame.left, frame.right);
        let mut y = frame.top + BETWEEN / 2.0;
        for row in &rows {
            let begins = y;
            for (place, bar) in row.bars.iter().take(MAX_BARS).enumerate() {
                let series = self.series.get(place).filter(|_| self.series.len() > 1);
                Self::bar(&mut sheet, &frame, (row.name, series), bar, (zero, y, bar_height));
                y += bar_height;
            }
            y = y.max(begins + bar_height);
            let middle = (begins + y) / 2.0 + TEXT * 0.35;
            sheet.fitted((frame.left - GAP, middle), Anchor::End, row.name, name_room.min(longest), Tone::Ink);
            y += BETWEEN;
        }
        sheet.segment((zero, frame.top), (zero, frame.bottom), Tone::Muted);
        if shown < self.rows.len() {
            let at = (0.0, sheet.height - 3.0);
            sheet.words(at, Anchor::Start, &more(self.rows.len() - shown), Tone::Muted);
        }
        sheet.finish(&self.title, self.summary())
    }

    fn bar(sheet: &mut Sheet, frame: &Frame, of: (&str, Option<&BarSeries<'_>>), bar: &Bar, at: (f64, f64, f64)) {
        let (row, series) = of;
        let (zero, y, height) = at;
        let tone = series.map_or(Tone::Accent, |series| series.tone);
        let center = y + height / 2.0;
        if bar.value.is_finite() {
            let name = match series {
                None => hint(row),
                Some(series) => format!("{}, {}", hint(row), hint(series.name)),
            };
            let wording = match bar.interval {
                Some((low, high)) => facts(&name, &[("", bar.value), ("from", low), ("to", high)]),
                None => facts(&name, &[("", bar.value)]),
            };
            let x = clamped(frame.across(bar.value), frame.left, frame.right);
            let area = PixelArea { left: zero, right: x, top: y + 1.0, bottom: y + height - 1.0 };
            sheet.rectangle(area, tone, wording);
            let at = (sheet.width, center + TEXT * 0.35);
            sheet.words(at, Anchor::End, &number(bar.value), Tone::Muted);
        }
        let Some((low, high)) = bar.interval else { return };
        let (low, high) = (frame.across(low), frame.across(high));
        if low.is_finite() && high.is_finite() {
            let (low, high) = (clamped(low, frame.left, frame.right), clamped(high, frame.left, frame.right));
            sheet.segment((low, center), (high, center), Tone::Ink);
            for end in [low, high] {
                sheet.segment((end, center - 3.0), (end, center + 3.0), Tone::Ink);
            }
        }
    }

    fn summary(&self) -> String {
        let items: Vec<String> = self
            .rows
            .iter()
            .take(MAX_BARS)
            .filter(|row| row.bars.iter().any(|bar| bar.value.is_finite()))
            .map(|row| {
                let bars: Vec<String> = row.bars.iter().take(8).map(in_words).collect();
                format!("{} {}", named(row.name), bars.join(", "))
            })
            .collect();
        if items.is_empty() {
            return NOTHING.to_owned();
        }
        let mut rows = counted(self.rows.len(), "row");
        if self.series.len() > 1 {
            let names: Vec<String> = self.series.iter().take(9).map(|series| named(series.name).into_owned()).collect();
            rows = format!("{rows} of {}", listed(&names, 8).trim_end_matches('.'));
        }
        format!("{rows}: {}", listed(&items, 8))
    }
}

/// The value of a bar, with its interval.
fn in_words(bar: &Bar) -> String {
    match bar.interval.filter(|(low, high)| low.is_finite() && high.is_finite()) {
        Some((low, high)) => format!("{} ({} to {})", number(bar.value), number(low), number(high)),
        None => number(bar.value),
    }
}

fn key<'a>(series: &BarSeries<'a>) -> LegendEntry<'a> {
    LegendEntry { name: series.name, tone: series.tone, is_dashed: false, end: (0.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::testing::{assert_sound, hostile, texts};
    use proptest::prelude::*;
    use rundown_content::Shape;

    fn bar(value: f64) -> Bar {
        Bar { value, interval: None }
    }

    fn of_runs<'a>(names: &[&'a str]) -> Vec<BarSeries<'a>> {
        names.iter().enumerate().map(|(place, name)| BarSeries::of_run(place as u32, place, name)).collect()
    }

    #[test]
    fn bars_begin_at_zero_and_show_their_values() {
        let rows = vec![
            BarRow { name: "learning_rate", bars: vec![Bar { interval: Some((0.6, 0.95)), ..bar(0.94) }] },
            BarRow { name: "beta", bars: vec![bar(-0.2)] },
            BarRow { name: "constant", bars: vec![bar(f64::NAN)] },
        ];
        let figure = BarChart { x: AxisScale::linear("importance"), rows, ..BarChart::default() }.draw(500.0);
        assert_sound(&figure);
        let bars: Vec<(f32, f32)> = figure
            .shapes
            .iter()
            .filter_map(|shape| if let Shape::Rectangle { x, width, .. } = shape { Some((*x, *width)) } else { None })
            .collect();
        assert_eq!(bars.len(), 2);
        assert!((bars[0].0 - (bars[1].0 + bars[1].1)).abs() < 0.01, "both begin at zero: {bars:?}");
        assert!(texts(&figure).contains(&"0.94"));
        assert_eq!(figure.summary, "3 rows: learning_rate 0.94 (0.6 to 0.95); beta -0.2.");
    }

    #[test]
    fn groups_have_a_legend_and_long_lists_end() {
        let row = |name| BarRow { name, bars: vec![bar(1.0), bar(2.0)] };
        let rows: Vec<BarRow<'_>> = (0..100).map(|_| row("final/accuracy_mean")).collect();
        let figure = BarChart { rows, series: of_runs(&["amber-01", "amber-02"]), ..BarChart::default() }.draw(400.0);
        assert_sound(&figure);
        assert!(texts(&figure).contains(&"amber-02") && texts(&figure).contains(&"+ 68 more"), "{:?}", texts(&figure));
    }

    proptest! {
        #[test]
        fn any_data_makes_a_sound_figure(values in hostile(), ends in hostile(), per_row in 1..80usize, width in 100.0..2000.0f64) {
            let bars: Vec<Bar> = values.iter().zip(ends.iter().rev().chain([&f64::NAN; 30]))
                .map(|(value, end)| Bar { interval: Some((*end, *value)), ..bar(*value) }).collect();
            let rows = bars.chunks(per_row).map(|bars| BarRow { name: "a/very/long/name/of/a/metric/that/goes/on", bars: bars.to_vec() });
            let chart = BarChart {
                title: "t".into(), x: AxisScale::linear("x"), rows: rows.collect(), series: of_runs(&["one", "two", "three"]),
            };
            assert_sound(&chart.draw(width));
        }
    }
}
