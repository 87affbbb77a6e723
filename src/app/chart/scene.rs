//! From data and what the user chose to the picture: which scales, which lines over which, what is shaded.

use super::data::{ChartData, LineData};
use crate::plot::{Chart, ChartLine, Color, EdgeMark, Range, Shade, Theme, XKind, visible_range};
use crate::protocol::{SeverityMark, XAxis};

const RAW_PX: f64 = 1.0;
const RAW_ALONE_PX: f64 = 1.5;
const SMOOTH_PX: f64 = 1.75;
const FADED: f64 = 0.38;
/// Two lines whose ranges differ by more than this factor get a scale each: on a shared one the smaller would use
/// less than an eighth of the height.
const OWN_SCALES: f64 = 8.0;

/// What the user chose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Visible part of x.
    pub view: Range,
    /// Logarithmic y axis.
    pub log_y: bool,
    /// What is shaded.
    pub shade: Option<Shading>,
    /// True when two lines may get a scale each.
    pub own_scales: bool,
}

/// The steps of a finding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shading {
    /// First step.
    pub onset: f64,
    /// Last step; the shade runs to the end of the axis when NaN.
    pub end: f64,
    /// Colour.
    pub severity: SeverityMark,
}

/// How x is written.
pub fn kind(x: XAxis) -> XKind {
    match x {
        XAxis::Step => XKind::Number,
        XAxis::RelativeTime => XKind::Seconds,
    }
}

/// The picture of `data`.
pub fn scene<'a>(data: &'a ChartData, look: &Look, theme: &Theme) -> Chart<'a> {
    if let Some(heat) = &data.heat {
        let mut chart = Chart::new(look.view, heat.range().unwrap_or(Range::unit()));
        chart.x_kind = kind(data.x);
        chart.cells = heat.cells(theme);
        return chart;
    }
    let scales = Scales::of(data, look);
    let mut chart = Chart::new(look.view, scales.left);
    chart.x_kind = kind(data.x);
    chart.y_log = look.log_y;
    chart.y_labels = !scales.is_empty;
    chart.y_right = scales.right.map(|(_, range)| range);
    chart.shaded.extend(look.shade.and_then(|shade| shaded(shade, look.view, theme)));
    let is_right = |line: &LineData| scales.right.is_some_and(|(place, _)| place == line.place);
    // The first key is the most telling one: it is drawn last, over the others; the smooth lines over all raw ones.
    for line in data.lines.iter().rev() {
        let color = theme.line_color(line.place);
        let faded = line.smooth.is_some();
        let (width_px, alpha) = if faded { (RAW_PX, FADED) } else { (RAW_ALONE_PX, 1.0) };
        let (x, y) = (&line.raw.0, &line.raw.1);
        chart.lines.push(ChartLine { x, y, color, width_px, alpha, right: is_right(line) });
        let at = |list: &[f64], mark: fn(f64) -> EdgeMark| list.iter().copied().map(mark).collect::<Vec<_>>();
        chart.marks.extend(at(&line.nan_x, EdgeMark::Nan));
        chart.marks.extend(at(&line.positive_infinity_x, EdgeMark::PositiveInfinity));
        chart.marks.extend(at(&line.negative_infinity_x, EdgeMark::NegativeInfinity));
    }
    for line in data.lines.iter().rev() {
        if let Some((x, y)) = &line.smooth {
            let color = theme.line_color(line.place);
            chart.lines.push(ChartLine { x, y, color, width_px: SMOOTH_PX, alpha: 1.0, right: is_right(line) });
        }
    }
    chart
}

/// Why there is nothing in the picture; `None` when there is something.
pub fn emptiness(data: &ChartData, look: &Look) -> Option<&'static str> {
    if data.heat.is_some() {
        return None;
    }
    // Of lines there is an extent where there is a line.
    if data.lines.is_empty() && data.extent.is_some() {
        return Some("No histogram here.");
    }
    if data.lines.is_empty() {
        return Some("This run did not log it.");
    }
    if !Scales::of(data, look).is_empty {
        return None;
    }
    if look.log_y && !Scales::of(data, &Look { log_y: false, ..*look }).is_empty {
        return Some("Nothing above zero, where a logarithmic axis ends.");
    }
    Some("No finite value here.")
}

/// The colour of a severity.
pub fn severity_color(severity: SeverityMark, theme: &Theme) -> Color {
    match severity {
        SeverityMark::Critical => theme.ugly,
        SeverityMark::Warning => theme.bad,
        SeverityMark::Note => theme.note,
    }
}

fn shaded(shade: Shading, view: Range, theme: &Theme) -> Option<Shade> {
    if shade.onset.is_nan() {
        return None;
    }
    let to = if shade.end > shade.onset { shade.end } else { view.high() };
    Some(Shade { from: shade.onset, to, color: severity_color(shade.severity, theme), alpha: 0.07 })
}

struct Scales {
    left: Range,
    /// True when no line shows anything in the view.
    is_empty: bool,
    /// The second scale and the place of its line.
    right: Option<(usize, Range)>,
}

impl Scales {
    fn of(data: &ChartData, look: &Look) -> Self {
        let ranges: Vec<(usize, Range)> =
            data.lines.iter().filter_map(|line| Some((line.place, shown(line, look)?))).collect();
        let frame = |range: Range| if look.log_y { range.framed_log() } else { range.framed() };
        if let (true, [first, second]) = (look.own_scales && !look.log_y, ranges.as_slice())
            && differ(first.1, second.1)
        {
            return Self { left: frame(first.1), is_empty: false, right: Some((second.0, frame(second.1))) };
        }
        let all = ranges.into_iter().map(|(_, range)| range).reduce(Range::union);
        Self { left: all.map_or(Range::unit(), frame), is_empty: all.is_none(), right: None }
    }
}

/// What a line shows in the view, raw and smooth.
fn shown(line: &LineData, look: &Look) -> Option<Range> {
    let of = |(x, y): &(Vec<f64>, Vec<f64>)| {
        let (low, high) = visible_range(x, y, look.view.ends(), look.log_y)?;
        // Nothing but zeros: rewards and rates, which are seldom below.
        if (low, high) == (0.0, 0.0) { Some(Range::unit()) } else { Range::new(low, high) }
    };
    match (of(&line.raw), line.smooth.as_ref().and_then(of)) {
        (Some(raw), Some(smooth)) => Some(raw.union(smooth)),
        (raw, smooth) => raw.or(smooth),
    }
}

fn differ(a: Range, b: Range) -> bool {
    // Reaching far from zero counts too: two flat lines at 0.5 and 900 can't share a scale.
    let reach = |range: Range| range.span().max(range.low().abs()).max(range.high().abs());
    let ratio = reach(a) / reach(b);
    !(1.0 / OWN_SCALES..=OWN_SCALES).contains(&ratio)
}

#[cfg(test)]
mod tests {
    use super::super::heat::HeatData;
    use super::*;

    fn line(place: usize, y: &[f64]) -> LineData {
        let x = (0..y.len()).map(|x| x as f64).collect();
        LineData { place, raw: (x, y.to_vec()), ..LineData::default() }
    }

    fn data(lines: Vec<LineData>) -> ChartData {
        ChartData { x: XAxis::Step, extent: Range::new(0.0, 3.0), lines, heat: None }
    }

    fn look() -> Look {
        Look { view: Range::new(0.0, 3.0).unwrap(), log_y: false, shade: None, own_scales: true }
    }

    #[test]
    fn lines_of_one_size_share_a_scale() {
        let data = data(vec![line(0, &[0.3, 3.2, 3.2]), line(1, &[0.48, 0.0, 0.0])]);
        let chart = scene(&data, &look(), &Theme::LIGHT);
        assert_eq!(chart.y_right, None);
        assert!(chart.y.contains(0.0) && chart.y.contains(3.2));
        assert_eq!(chart.lines[1].color, Theme::LIGHT.series[0], "the first key is drawn last");
    }

    #[test]
    fn lines_of_different_size_get_a_scale_each() {
        let data = data(vec![line(0, &[0.3, 0.9]), line(1, &[100.0, 900.0])]);
        let chart = scene(&data, &look(), &Theme::LIGHT);
        assert!(chart.y.high() < 2.0 && chart.y_right.unwrap().high() > 900.0);
        assert!(chart.lines.iter().find(|line| line.color == Theme::LIGHT.series[1]).unwrap().right);
        let shared = scene(&data, &Look { own_scales: false, ..look() }, &Theme::LIGHT);
        assert!(shared.y_right.is_none() && shared.y.high() > 900.0);
    }

    #[test]
    fn a_smooth_line_lies_over_its_faded_raw_one() {
        let mut only = line(0, &[0.0, 10.0]);
        only.smooth = Some((vec![0.0, 1.0], vec![0.0, 5.0]));
        let data = data(vec![only]);
        let chart = scene(&data, &look(), &Theme::DARK);
        assert!(chart.lines[0].alpha < 1.0 && chart.lines[1].alpha == 1.0);
        assert!(chart.y.contains(10.0), "a spike that smoothing hides still sets the scale");
    }

    #[test]
    fn zeros_lie_at_the_foot() {
        let data = data(vec![line(0, &[0.0, 0.0, 0.0])]);
        assert_eq!(scene(&data, &look(), &Theme::LIGHT).y.low(), 0.0);
    }

    #[test]
    fn the_scale_follows_the_window() {
        let data = data(vec![line(0, &[0.0, 1.0, 1000.0, 1000.0])]);
        let chart = scene(&data, &Look { view: Range::new(0.0, 1.0).unwrap(), ..look() }, &Theme::LIGHT);
        assert!(chart.y.high() < 2.0);
    }

    #[test]
    fn a_shade_without_an_end_runs_to_the_edge() {
        let data = data(vec![line(0, &[1.0, 2.0])]);
        let shading = |onset, end| Look { shade: Some(Shading { onset, end, severity: SeverityMark::Note }), ..look() };
        let shades = |look: &Look| scene(&data, look, &Theme::LIGHT).shaded;
        assert_eq!(shades(&shading(1.0, f64::NAN))[0].to, 3.0);
        assert_eq!(shades(&shading(1.0, 2.0))[0].to, 2.0);
        assert!(shades(&shading(f64::NAN, 2.0)).is_empty());
    }

    #[test]
    fn data_without_a_finite_value_still_has_axes() {
        let data = data(vec![line(0, &[f64::NAN, f64::INFINITY]), line(1, &[])]);
        for log_y in [true, false] {
            let chart = scene(&data, &Look { log_y, ..look() }, &Theme::LIGHT);
            assert_eq!((chart.y, chart.y_labels), (Range::unit(), false));
        }
    }

    #[test]
    fn an_empty_picture_says_why() {
        let nothing = data(vec![line(0, &[f64::NAN])]);
        let below_zero = data(vec![line(0, &[-1.0, -2.0, 0.0])]);
        let log = Look { log_y: true, ..look() };
        assert_eq!(emptiness(&nothing, &log), Some("No finite value here."));
        assert_eq!(emptiness(&below_zero, &look()), None);
        assert!(emptiness(&below_zero, &log).unwrap().contains("above zero"));
        let without = ChartData { extent: None, ..data(vec![]) };
        assert!(emptiness(&without, &look()).unwrap().contains("not log"));
    }

    #[test]
    fn histograms_are_cells_over_the_range_of_their_bins() {
        let heat = HeatData {
            logged: vec![(0.0, 0.0)],
            edges: vec![(0.0, 1.0)],
            bins: vec![-2.0, 0.0, 2.0],
            shares: vec![0.0, 1.0],
            ..HeatData::default()
        };
        let data = ChartData { heat: Some(heat), ..data(vec![]) };
        let log = Look { log_y: true, ..look() };
        let chart = scene(&data, &log, &Theme::DARK);
        assert_eq!((chart.y.ends(), chart.y_log, chart.cells.len()), ((-2.0, 2.0), false, 1));
        assert_eq!(emptiness(&data, &log), None);
        let beside = ChartData { heat: None, ..data };
        assert_eq!(emptiness(&beside, &log), Some("No histogram here."));
    }

    #[test]
    fn marks_stand_where_values_were_not_finite() {
        let mut only = line(0, &[1.0]);
        (only.nan_x, only.negative_infinity_x) = (vec![1.0, 2.0], vec![3.0]);
        let data = data(vec![only]);
        let marks = scene(&data, &look(), &Theme::LIGHT).marks;
        assert_eq!(marks, [EdgeMark::Nan(1.0), EdgeMark::Nan(2.0), EdgeMark::NegativeInfinity(3.0)]);
    }
}
