//! From data and what the user chose to the picture: which lines over which, how strong, what is shaded and marked.

use super::data::{ChartData, LineData};
use super::scales::Scales;
use super::view_options::{Shading, ViewOptions};
use super::words::kind;
use rundown_plot::{Chart, ChartBand, ChartLine, Color, Dash, EdgeMark, Range, Rule, Scale, Shade, Theme};
use rundown_protocol::{SeverityMark, XAxis};

/// Room for the labels of y, so that charts below one another are aligned.
const GUTTER_PX: f64 = 40.0;
/// Marks of values off the scale that one line has at most: more could not be told apart.
const OFF_SCALE_MARKS: f64 = 60.0;
/// Half of the width of the mark of one step, as a share of the axis.
const HALF_MARK: f64 = 1.0 / 300.0;

/// How strongly a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Strength {
    width_px: f64,
    alpha: f64,
    /// Of the raw line under a smoothed one.
    raw_alpha: f64,
    has_band: bool,
}

impl Strength {
    /// A line alone, or one of two metrics.
    const ALONE: Self = Self { width_px: 1.6, alpha: 1.0, raw_alpha: 0.38, has_band: true };
    const OPEN: Self = Self { width_px: 2.0, alpha: 1.0, raw_alpha: 0.3, has_band: true };
    const OTHER: Self = Self { width_px: 1.1, alpha: 0.8, raw_alpha: 0.14, has_band: false };
    const HIGHLIGHTED: Self = Self { width_px: 2.4, alpha: 1.0, raw_alpha: 0.35, has_band: true };
    const FADED: Self = Self { width_px: 1.0, alpha: 0.22, raw_alpha: 0.05, has_band: false };

    fn of(line: &LineData, data: &ChartData, highlighted: Option<u32>) -> Self {
        // A run that is not in this chart fades nothing.
        let highlighted =
            highlighted.filter(|highlighted| data.lines.iter().any(|line| line.runs().contains(highlighted)));
        let is_alone = data.lines.iter().all(|other| other.run == line.run && other.run.is_some());
        match highlighted {
            _ if is_alone => Self::ALONE,
            Some(highlighted) if line.runs().contains(&highlighted) => Self::HIGHLIGHTED,
            Some(_) => Self::FADED,
            // Without an open run in the chart all count the same.
            None if line.run.is_none() => Self { has_band: true, ..Self::OPEN },
            None if line.is_open => Self::OPEN,
            None => Self::OTHER,
        }
    }
}

/// The picture of `data`.
pub fn scene<'a>(data: &'a ChartData, options: &ViewOptions, theme: &Theme) -> Chart<'a> {
    if let Some(heat) = &data.heat {
        let mut chart = Chart::new(options.view, heat.range().unwrap_or(Range::unit()));
        chart.x_kind = kind(&data.x);
        chart.gutter_px = GUTTER_PX;
        chart.cells = heat.cells(theme);
        chart.y_names = heat.names();
        return chart;
    }
    let scales = Scales::of(data, options);
    let mut chart = Chart::new(options.view, scales.left);
    chart.x_kind = kind(&data.x);
    chart.y_scale = scales.scale;
    chart.gutter_px = GUTTER_PX;
    chart.y_labels = !scales.is_empty;
    chart.y_right = scales.right.map(|(_, range)| range);
    let shade = options.shade.filter(|_| data.x == XAxis::Step);
    chart.shaded.extend(shade.map(|shade| shaded(shade, options.view, theme)));
    let is_right = |line: &LineData| scales.right.is_some_and(|(index, _)| index == line.series_index);
    // The most important line comes last, over the others, and what is under the pointer over all; smooth lines lie
    // over all raw ones.
    let mut lines: Vec<(&LineData, Strength)> =
        data.lines.iter().rev().map(|line| (line, Strength::of(line, data, options.highlighted))).collect();
    lines.sort_by_key(|(line, _)| options.highlighted.is_some_and(|highlighted| line.runs().contains(&highlighted)));
    for (line, strength) in &lines {
        let (color, right) = (theme.line_color(line.hue), is_right(line));
        if let (true, false, Some((x, low, high))) = (strength.has_band, right, &line.band) {
            chart.bands.push(ChartBand { x, low, high, color, alpha: 0.16 * strength.alpha });
        }
        let (width_px, alpha) = match line.smooth {
            Some(_) => (1.0, strength.raw_alpha),
            None => (strength.width_px, strength.alpha),
        };
        // The logged values of a group are its centre: drawn once.
        let dash = if line.smooth.is_some() { Dash::Solid } else { Dash::of(line.dash) };
        chart.lines.push(ChartLine { x: &line.raw.0, y: &line.raw.1, color, width_px, alpha, dash, right });
        mark(&mut chart, line, strength, color, right);
        if strength.has_band {
            chart.rules.extend(line.restarts.iter().map(|x| Rule { x: *x, color: theme.note, is_dashed: true }));
        }
    }
    for (line, Strength { width_px, alpha, .. }) in &lines {
        if let Some((x, y)) = &line.smooth {
            let (color, dash) = (theme.line_color(line.hue), Dash::of(line.dash));
            let (width_px, alpha, right) = (*width_px, *alpha, is_right(line));
            chart.lines.push(ChartLine { x, y, color, width_px, alpha, dash, right });
        }
    }
    chart
}

/// Why there is nothing in the picture; `None` when there is something.
pub fn emptiness(data: &ChartData, options: &ViewOptions) -> Option<&'static str> {
    if data.heat.is_some() {
        return None;
    }
    if data.is_heat {
        return Some("No data.");
    }
    if data.lines.is_empty() {
        return Some(match data.x {
            XAxis::Step => "Not logged.",
            _ => "No values for this x axis.",
        });
    }
    let scales = Scales::of(data, options);
    if !scales.is_empty {
        return None;
    }
    let linear = ViewOptions { scale: Some(Scale::Linear), ..*options };
    if scales.scale == Scale::Log && !Scales::of(data, &linear).is_empty {
        return Some("No positive values for a log axis.");
    }
    Some("No finite values.")
}

/// The colour of a severity.
pub fn severity_color(severity: SeverityMark, theme: &Theme) -> Color {
    match severity {
        SeverityMark::Critical => theme.ugly,
        SeverityMark::Warning => theme.bad,
        SeverityMark::Note => theme.note,
    }
}

fn shaded(shade: Shading, view: Range, theme: &Theme) -> Shade {
    let color = severity_color(shade.severity, theme);
    if shade.is_one_step() {
        let half = view.span() * HALF_MARK;
        return Shade { from: shade.onset - half, to: shade.onset + half, color, alpha: 0.35 };
    }
    Shade { from: shade.onset, to: shade.end.unwrap_or(view.high()), color, alpha: 0.07 }
}

/// Marks what has no place on the y axis.
fn mark(chart: &mut Chart<'_>, line: &LineData, strength: &Strength, color: Color, right: bool) {
    let at = |list: &[f64], mark: fn(f64) -> EdgeMark| list.iter().copied().map(mark).collect::<Vec<_>>();
    chart.marks.extend(at(&line.nan_x, EdgeMark::Nan));
    chart.marks.extend(at(&line.positive_infinity_x, EdgeMark::PositiveInfinity));
    chart.marks.extend(at(&line.negative_infinity_x, EdgeMark::NegativeInfinity));
    if right || *strength == Strength::FADED {
        return;
    }
    let apart = chart.x.span() / OFF_SCALE_MARKS;
    let mut last = [f64::NEG_INFINITY; 2];
    for (x, y) in line.raw.0.iter().zip(&line.raw.1) {
        let (above, below) = (y.is_finite() && *y > chart.y.high(), *y < chart.y.low() && y.is_finite());
        let [last_above, last_below] = &mut last;
        let (last, mark) = match (above, below) {
            (true, _) => (last_above, EdgeMark::Above(*x, color)),
            (_, true) => (last_below, EdgeMark::Below(*x, color)),
            _ => continue,
        };
        if chart.x.contains(*x) && *x - *last >= apart {
            *last = *x;
            chart.marks.push(mark);
        }
    }
}

#[cfg(test)]
#[path = "drawing_tests.rs"]
mod tests;
