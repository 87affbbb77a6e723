//! Which scale and which part of y a chart shows.

use super::data::{ChartData, LineData};
use super::view_options::ViewOptions;
use rundown_plot::{Range, Scale, visible_range};

/// Two lines whose ranges differ by more than this factor get a scale each: on a shared one the smaller would use
/// less than a third of the height.
const OWN_SCALES: f64 = 3.0;
/// The same of two lines between 0 and 1, such as a training accuracy and an evaluation: the gap between them tells something.
const OWN_SCALES_OF_SHARES: f64 = 8.0;
/// Positive values that span more than this factor are shown by their logarithm.
const DECADES: f64 = 1e3;
/// Decades below the highest value that a logarithmic axis reaches at most, while outliers are left out.
const LOG_FLOOR: f64 = 1e-8;

/// The scales of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Scales {
    /// Visible part of y.
    pub left: Range,
    /// How it is spaced.
    pub scale: Scale,
    /// True when no line shows anything in the view.
    pub is_empty: bool,
    /// The second scale and the index of its line.
    pub right: Option<(usize, Range)>,
}

impl Scales {
    /// The scales for what the user wants to see of the data.
    pub fn of(data: &ChartData, options: &ViewOptions) -> Self {
        let ranges = |is_log: bool| -> Vec<(usize, Range)> {
            data.lines.iter().filter_map(|line| Some((line.series_index, shown(line, options, is_log)?))).collect()
        };
        // Of lines with a scale each, none is logarithmic.
        let are_apart = options.own_scales && data.lines.len() > 1;
        let logarithmic = match options.scale {
            Some(Scale::Log) => Some(ranges(true)),
            Some(_) => None,
            None if are_apart || !is_positive(data, options) => None,
            None => Some(ranges(true)).filter(|ranges| spans_decades(ranges)),
        };
        let is_log = logarithmic.is_some();
        let scale = options.scale.unwrap_or(if is_log { Scale::Log } else { Scale::Linear });
        let ranges = logarithmic.unwrap_or_else(|| ranges(false));
        let all = union(&ranges);
        let is_empty = all.is_none();
        if let Some(window) = options.y_window.and_then(|(low, high)| Range::new(low, high)) {
            return Self { left: window, scale, is_empty, right: None };
        }
        let frame = |range: Range| if is_log { range.framed_log() } else { range.framed() };
        if let (true, Scale::Linear, [first, second]) = (options.own_scales, scale, ranges.as_slice())
            && differ(first.1, second.1)
        {
            return Self { left: frame(first.1), scale, is_empty, right: Some((second.0, frame(second.1))) };
        }
        Self { left: all.map_or(Range::unit(), frame), scale, is_empty, right: None }
    }
}

fn union(ranges: &[(usize, Range)]) -> Option<Range> {
    ranges.iter().map(|(_, range)| *range).reduce(Range::union)
}

/// True when all that the lines show in the view is above zero.
fn is_positive(data: &ChartData, options: &ViewOptions) -> bool {
    let mut visible = data.lines.iter().filter_map(|line| visible(line, options, false)).peekable();
    visible.peek().is_some() && visible.all(|(low, _)| low > 0.0)
}

fn spans_decades(ranges: &[(usize, Range)]) -> bool {
    union(ranges).is_some_and(|range| range.high() > range.low() * DECADES)
}

/// What a line shows in the view, outliers left out where the user wants that.
fn shown(line: &LineData, options: &ViewOptions, is_log: bool) -> Option<Range> {
    let (mut low, mut high) = visible(line, options, is_log)?;
    if let (false, Some((robust_low, robust_high))) = (options.outliers, line.robust) {
        let (cut_low, cut_high) = (low.max(robust_low), high.min(robust_high));
        if cut_low <= cut_high && (cut_low > 0.0 || !is_log) {
            (low, high) = (cut_low, cut_high);
        }
    }
    if is_log && !options.outliers {
        low = low.max(high * LOG_FLOOR);
    }
    // Nothing but zeros: rewards and rates, which are seldom below.
    if (low, high) == (0.0, 0.0) { Some(Range::unit()) } else { Range::new(low, high) }
}

/// Least and greatest value of a line in the view, raw and smooth, its band included where that stands for a group.
fn visible(line: &LineData, options: &ViewOptions, is_log: bool) -> Option<(f64, f64)> {
    let of = |x: &[f64], y: &[f64]| visible_range(x, y, options.view.ends(), is_log);
    let smooth = line.smooth.as_ref().and_then(|(x, y)| of(x, y));
    let band = line.band.as_ref().filter(|_| line.run.is_none());
    let low = band.and_then(|(x, low, _)| of(x, low));
    let high = band.and_then(|(x, _, high)| of(x, high));
    let all = [of(&line.raw.0, &line.raw.1), smooth, low, high];
    all.into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

fn differ(a: Range, b: Range) -> bool {
    // Reaching far from zero counts too: two flat lines at 0.5 and 900 can't share a scale.
    let reach = |range: Range| range.span().max(range.low().abs()).max(range.high().abs());
    let ratio = reach(a) / reach(b);
    let are_shares = [a, b].iter().all(|range| range.low() >= 0.0 && range.high() <= 1.0);
    let most = if are_shares { OWN_SCALES_OF_SHARES } else { OWN_SCALES };
    !(1.0 / most..=most).contains(&ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(y: &[f64]) -> LineData {
        let x = (0..y.len()).map(|x| x as f64).collect();
        LineData { run: Some(1), raw: (x, y.to_vec()), ..LineData::default() }
    }

    fn scales(lines: Vec<LineData>, options: &ViewOptions) -> Scales {
        Scales::of(&ChartData { lines, ..ChartData::default() }, options)
    }

    fn options() -> ViewOptions {
        ViewOptions { view: Range::new(0.0, 10.0).unwrap(), ..ViewOptions::default() }
    }

    #[test]
    fn positive_values_over_more_than_three_decades_are_logarithmic() {
        let scale = |y: &[f64]| scales(vec![line(y)], &options()).scale;
        assert_eq!(scale(&[0.001, 0.5, 10.0]), Scale::Log);
        assert_eq!(scale(&[0.01, 0.5, 9.0]), Scale::Linear);
        assert_eq!(scale(&[0.0, 0.001, 10.0]), Scale::Linear, "zero has no logarithm");
        assert_eq!(scale(&[f64::NAN]), Scale::Linear);
        let chosen = ViewOptions { scale: Some(Scale::Symlog), ..options() };
        assert_eq!(scales(vec![line(&[1.0, 1e9])], &chosen).scale, Scale::Symlog);
    }

    #[test]
    fn outliers_do_not_flatten_the_rest_unless_they_may() {
        let spiky = LineData { robust: Some((0.9, 2.2)), ..line(&[1.0, 2.0, 500.0, 1.5]) };
        assert!(scales(vec![spiky.clone()], &options()).left.high() < 3.0);
        assert!(scales(vec![spiky], &ViewOptions { outliers: true, ..options() }).left.high() > 500.0);
        let elsewhere = LineData { robust: Some((-9.0, -8.0)), ..line(&[1.0, 2.0]) };
        assert!(scales(vec![elsewhere], &options()).left.contains(2.0), "a range of another window counts for nothing");
    }

    #[test]
    fn a_band_counts_for_a_group_and_not_for_a_run() {
        let band = Some((vec![0.0, 1.0], vec![0.0, 0.0], vec![9.0, 9.0]));
        let of_run = LineData { band: band.clone(), ..line(&[1.0, 2.0]) };
        let of_group = LineData { run: None, band, ..line(&[1.0, 2.0]) };
        assert!(scales(vec![of_run], &options()).left.high() < 3.0);
        assert!(scales(vec![of_group], &options()).left.high() >= 9.0);
    }

    #[test]
    fn the_user_may_choose_a_part_of_y() {
        let zoomed = ViewOptions { y_window: Some((0.25, 0.5)), ..options() };
        assert_eq!(scales(vec![line(&[0.0, 1.0])], &zoomed).left.ends(), (0.25, 0.5));
        assert!(scales(Vec::new(), &zoomed).is_empty);
    }
}
