//! Lines over steps or another axis, with bands and names at their ends.

use crate::{Axis, Decimated, Summary, XKind, clamped, decimate, position};
use rundown_content::{Figure, RichText, Tone};
use rundown_format::{counted, number};

use super::frame::{AxisScale, Frame, Margins, NOTHING};
use super::labels::{self, LegendEntry};
use super::sheet::{PixelArea, Sheet, usable_width};
use super::words::{facts, hint, listed, named};

/// Most lines that are drawn; their order says which.
const MAX_LINES: usize = 120;
/// Below this width names stand above instead of at the ends of lines.
const NARROW: f64 = 440.0;
/// Least and greatest height in pixels.
const HEIGHTS: (f64, f64) = (120.0, 2400.0);
/// Least height of a band in pixels: one of no height would not be seen.
const THINNEST: f64 = 1.5;
/// Pixels of one column of a decimated line.
const COLUMN: f64 = 2.0;
/// Height of the mark of a value that has no place, in pixels.
const MARK: f64 = 8.0;

/// Lines with shared axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineChart<'a> {
    /// What it shows.
    pub title: RichText,
    /// The axis across.
    pub x: AxisScale,
    /// The axis up.
    pub y: AxisScale,
    /// What positions on the axis across are, for the summary in words.
    pub x_kind: XKind,
    /// Lines, the most important first: it is drawn last and named first.
    pub series: Vec<ChartSeries<'a>>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartSeries<'a> {
    /// Its name.
    pub name: &'a str,
    /// Positions; ascending ones are not copied.
    pub x: &'a [f64],
    /// Values, one for each position.
    pub y: &'a [f64],
    /// Low and high ends of a band, one for each position.
    pub band: Option<(&'a [f64], &'a [f64])>,
    /// Colour.
    pub tone: Tone,
    /// Dashes instead of a full line.
    pub is_dashed: bool,
    /// Whether its name stands in the legend. That of a fit in the colour of its data does not: the caption explains it.
    pub is_labelled: bool,
}

impl<'a> ChartSeries<'a> {
    /// A full line without a band, in the colour of its place.
    pub fn new(place: usize, name: &'a str, x: &'a [f64], y: &'a [f64]) -> Self {
        Self { name, x, y, band: None, tone: Tone::Series((place % 8) as u8), is_dashed: false, is_labelled: true }
    }

    /// The same in the colour of a run, by the engine's number.
    #[must_use]
    pub fn of_run(self, run: u32) -> Self {
        match self.tone {
            Tone::Series(place) => Self { tone: Tone::Run { run, place }, ..self },
            _ => self,
        }
    }
}

impl<'a> LineChart<'a> {
    /// Lines over steps.
    pub fn over_steps(
        title: impl Into<RichText>,
        y_title: impl Into<String>,
        series: impl IntoIterator<Item = ChartSeries<'a>>,
    ) -> Self {
        let (x, y) = (AxisScale::linear("step"), AxisScale::linear(y_title));
        Self { title: title.into(), x, y, x_kind: XKind::Number, series: series.into_iter().collect() }
    }
}

impl LineChart<'_> {
    /// The figure at a width in CSS pixels.
    pub fn draw(&self, width_px: f64) -> Figure {
        self.draw_at(width_px, (usable_width(width_px) * 0.42).clamp(190.0, 330.0))
    }

    /// The figure at a width and a height in CSS pixels; names above it are added to the height.
    pub fn draw_at(&self, width_px: f64, height_px: f64) -> Figure {
        let width = usable_width(width_px);
        let height = if height_px.is_nan() { HEIGHTS.0 } else { height_px.clamp(HEIGHTS.0, HEIGHTS.1) };
        let mut sheet = Sheet::new(width, height);
        let columns = (width / COLUMN) as u32;
        let drawn = self.series.iter().take(MAX_LINES);
        let lines: Vec<(&ChartSeries<'_>, Decimated)> =
            drawn.map(|series| (series, decimate(series.x, series.y, None, columns))).collect();
        let (x, y) = (self.x_axis(&lines), self.y_axis(&lines));

        // The names decide on the margins, and the margins on where the names stand.
        let names = self.keys(&lines, None);
        let is_narrow = width < NARROW;
        let mut margins = Margins { right: 8.0, ..Margins::default() };
        let names_worth = names.len() > 1;
        if names_worth && is_narrow {
            margins.top = labels::in_rows(&mut sheet, &names);
            sheet.height += margins.top;
        } else if names_worth {
            margins.right = labels::room(&names, width);
        }
        let frame = Frame::new(&sheet, margins, (x, &self.x), (y, &self.y));
        frame.draw_y(&mut sheet, &self.y.title);
        frame.draw_x(&mut sheet, &self.x, false);
        for series in self.series.iter().take(MAX_LINES).rev() {
            band(&mut sheet, &frame, series, columns);
        }
        for (series, line) in lines.iter().rev() {
            draw_line(&mut sheet, &frame, series, line);
        }
        if names.is_empty() {
            frame.draw_nothing(&mut sheet);
        }
        if names_worth && !is_narrow {
            labels::at_ends(&mut sheet, &frame, &self.keys(&lines, Some(&frame)));
        }
        sheet.finish(&self.title, self.summary(&lines))
    }

    fn x_axis(&self, lines: &[(&ChartSeries<'_>, Decimated)]) -> Axis {
        self.x.axis(lines.iter().flat_map(|(_, line)| &line.x).copied(), false)
    }

    fn y_axis(&self, lines: &[(&ChartSeries<'_>, Decimated)]) -> Axis {
        let bands = self.series.iter().take(MAX_LINES).filter_map(|series| series.band);
        let bands = bands.flat_map(|(low, high)| low.iter().chain(high)).copied();
        let values = lines.iter().flat_map(|(_, line)| &line.y).copied();
        self.y.axis(values.chain(bands), true)
    }

    /// Names of lines; with places once there is a frame.
    fn keys<'k>(&'k self, lines: &[(&'k ChartSeries<'_>, Decimated)], frame: Option<&Frame>) -> Vec<LegendEntry<'k>> {
        let place = |x: f64, y: f64| {
            frame.map_or((0.0, 0.0), |frame| {
                let clamp = |place: f64, low, high| if place.is_nan() { high } else { clamped(place, low, high) };
                (clamp(frame.across(x), frame.left, frame.right), clamp(frame.up(y), frame.top, frame.bottom))
            })
        };
        let labelled = lines.iter().filter(|(series, _)| series.is_labelled);
        let names = labelled.filter_map(|(series, line)| {
            let last = line.x.iter().zip(&line.y).rev().find(|(_, y)| y.is_finite())?;
            let end = place(*last.0, *last.1);
            Some(LegendEntry { name: series.name, tone: series.tone, is_dashed: series.is_dashed, end })
        });
        names.collect()
    }

    fn summary(&self, lines: &[(&ChartSeries<'_>, Decimated)]) -> String {
        let items: Vec<String> = lines
            .iter()
            .filter_map(|(series, line)| {
                let summary = Summary::of(&line.x, &line.y)?;
                let place = |(x, y)| format!("{} at {}", number(y), position(x, self.x_kind));
                Some(format!(
                    "{}: first {}, last {}, lowest {}, highest {}",
                    named(series.name),
                    place(summary.first),
                    place(summary.last),
                    number(summary.low.1),
                    number(summary.high.1)
                ))
            })
            .collect();
        if items.is_empty() {
            return NOTHING.to_owned();
        }
        let rest = match self.series.len().saturating_sub(MAX_LINES) {
            0 => String::new(),
            left_out => format!(" Not drawn: {}.", counted(left_out, "line")),
        };
        format!("{}. {}{rest}", counted(items.len(), "line"), listed(&items, 6))
    }
}

fn draw_line(sheet: &mut Sheet, frame: &Frame, series: &ChartSeries<'_>, line: &Decimated) {
    let (points, alone) = frame.trace(line.x.iter().copied().zip(line.y.iter().copied()));
    let values: Vec<f64> = points.iter().map(|(_, y)| frame.value_at(*y)).collect();
    sheet.line_of_values(&points, &values, series.tone, series.is_dashed, hint(series.name));
    for place in alone {
        sheet.dot(place, 2.5, series.tone, facts(series.name, &[("", frame.value_at(place.1))]));
    }
    for (positions, word, y) in [
        (&line.nan_x, "NaN", frame.bottom - MARK),
        (&line.negative_infinity_x, "−∞", frame.bottom - MARK),
        (&line.positive_infinity_x, "∞", frame.top),
    ] {
        let mut free_from = f64::NEG_INFINITY;
        for position in positions {
            let x = frame.across(*position);
            if x < free_from || !(frame.left..=frame.right).contains(&x) {
                continue;
            }
            free_from = x + 4.0;
            let area = PixelArea { left: x - 1.0, top: y, right: x + 1.0, bottom: y + MARK };
            sheet.rectangle(area, Tone::Ugly, format!("{}: {word}", hint(series.name)));
        }
    }
}

/// The band of a series: of each column the lowest low and the highest high.
fn band(sheet: &mut Sheet, frame: &Frame, series: &ChartSeries<'_>, columns: u32) {
    let Some((lows, highs)) = series.band else { return };
    let mut bins: Vec<Option<DrawnColumn>> = (0..=columns).map(|_| None).collect();
    for ((x, low), high) in series.x.iter().zip(lows).zip(highs) {
        let at = frame.across(*x);
        let share = (at - frame.left) / (frame.right - frame.left);
        if !(-1e-9..=1.0 + 1e-9).contains(&share) {
            continue;
        }
        let Some(bin) = bins.get_mut((share * f64::from(columns)) as usize) else { continue };
        let bin = bin.get_or_insert(DrawnColumn { x: at, low: f64::INFINITY, high: f64::NEG_INFINITY });
        if low.is_finite() && high.is_finite() {
            bin.low = bin.low.min(low.min(*high));
            bin.high = bin.high.max(high.max(*low));
        }
    }
    let mut upper = Vec::new();
    let mut lower = Vec::new();
    for column in
        bins.into_iter().flatten().chain([DrawnColumn { x: 0.0, low: f64::INFINITY, high: f64::NEG_INFINITY }])
    {
        if column.low <= column.high {
            let clamp = |y: f64| if y.is_nan() { frame.bottom } else { clamped(y, frame.top, frame.bottom) };
            let (top, bottom) = (clamp(frame.up(column.high)), clamp(frame.up(column.low)));
            let lacks = (THINNEST - (bottom - top)).max(0.0) / 2.0;
            upper.push((column.x, (top - lacks).max(frame.top)));
            lower.push((column.x, (bottom + lacks).min(frame.bottom)));
            continue;
        }
        upper.extend(lower.drain(..).rev());
        sheet.area(&upper, series.tone);
        upper.clear();
    }
}

struct DrawnColumn {
    x: f64,
    low: f64,
    high: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::testing::{assert_sound, hostile, texts};
    use proptest::prelude::*;
    use rundown_content::Shape;

    fn steps(count: usize) -> Vec<f64> {
        (0..count).map(|step| step as f64).collect()
    }

    #[test]
    fn lines_are_named_at_their_ends() {
        let x = steps(100);
        let rising: Vec<f64> = x.iter().map(|x| x / 100.0).collect();
        let flat = vec![0.98; 100];
        let chart = LineChart {
            title: "reward".into(),
            x: AxisScale::linear("step"),
            series: vec![ChartSeries::new(0, "rising", &x, &rising), ChartSeries::new(1, "flat", &x, &flat)],
            ..LineChart::default()
        };
        for width in [300.0, 700.0] {
            let figure = chart.draw(width);
            assert_sound(&figure);
            let texts = texts(&figure);
            assert!(["rising", "flat", "step"].iter().all(|name| texts.contains(name)), "{texts:?}");
        }
        let fit = ChartSeries { is_labelled: false, ..ChartSeries::new(0, "fit of rising", &x, &flat) };
        let with_fit = LineChart { series: [chart.series.clone(), vec![fit]].concat(), ..chart.clone() }.draw(700.0);
        assert!(!texts(&with_fit).contains(&"fit of rising") && with_fit.summary.contains("fit of rising"));
        let summary = chart.draw(700.0).summary;
        assert!(summary.starts_with("2 lines. rising: first 0 at step 0, last 0.99 at step 99, lowest 0"), "{summary}");
        let over_tokens = LineChart { x_kind: XKind::Tokens, ..chart }.draw(700.0).summary;
        assert!(over_tokens.contains("last 0.99 at 99 tokens"), "{over_tokens}");
    }

    #[test]
    fn a_gap_a_lonely_point_and_nan_are_seen() {
        let x = steps(5);
        let y = [1.0, 2.0, f64::NAN, 3.0, f64::NAN];
        let figure = LineChart { series: vec![ChartSeries::new(0, "a", &x, &y)], ..LineChart::default() }.draw(500.0);
        assert_sound(&figure);
        let dots = figure.shapes.iter().filter(|shape| matches!(shape, Shape::Dot { .. })).count();
        let marks =
            figure.shapes.iter().filter(|shape| matches!(shape, Shape::Rectangle { hint, .. } if hint == "a: NaN"));
        assert_eq!((dots, marks.count()), (1, 2));
    }

    #[test]
    fn a_line_and_a_lonely_point_say_their_values() {
        let x = steps(6);
        let y = [1.0, 2.5, 20.0, f64::NAN, 7.0, f64::NAN];
        for scale in [crate::Scale::Linear, crate::Scale::Log, crate::Scale::Symlog] {
            let y_scale = AxisScale { scale, ..AxisScale::default() };
            let series = vec![ChartSeries::new(0, "a", &x, &y)];
            let figure = LineChart { series, y: y_scale, ..LineChart::default() }.draw(500.0);
            let of_line = figure.shapes.iter().find_map(|shape| match shape {
                Shape::Line { values, hint, .. } if hint == "a" => Some(values.clone()),
                _ => None,
            });
            let of_line = of_line.unwrap();
            assert!(of_line.iter().zip(y).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5), "{of_line:?}");
            let says = |wanted: &str| figure.shapes.iter().any(|shape| shape.hint() == wanted);
            assert!(says("a: 7"), "{scale:?}");
        }
    }

    #[test]
    fn a_million_points_and_a_hundred_lines_stay_small() {
        let x = steps(1_000_000);
        let y: Vec<f64> = x.iter().map(|x| (x * 0.7) % 13.0).collect();
        let one = LineChart { series: vec![ChartSeries::new(0, "a", &x, &y)], ..LineChart::default() }.draw(700.0);
        let points =
            one.shapes.iter().map(|shape| if let Shape::Line { points, .. } = shape { points.len() } else { 0 });
        assert!(points.sum::<usize>() < 2000);
        let series: Vec<ChartSeries<'_>> =
            (0..300).map(|place| ChartSeries::new(place, "a long name", &x[..50], &y[..50])).collect();
        let many = LineChart { series, ..LineChart::default() };
        assert_sound(&many.draw(700.0));
        assert!(many.draw(700.0).summary.ends_with("Not drawn: 180 lines."));
    }

    proptest! {
        #[test]
        fn any_data_makes_a_sound_figure(x in hostile(), y in hostile(), z in hostile(), width in 0.0..3000.0f64, log: bool) {
            let mut banded = ChartSeries::new(3, "b\n<>", &x, &z);
            banded.band = Some((&y, &z));
            let scale = AxisScale { scale: if log { crate::Scale::Log } else { crate::Scale::Symlog }, ..AxisScale::linear("a title that is quite long for a small figure") };
            let chart = LineChart {
                x: scale.clone(),
                y: scale,
                series: vec![ChartSeries::new(0, "some name", &x, &y), banded],
                ..LineChart::default()
            };
            assert_sound(&chart.draw(width));
        }
    }
}
