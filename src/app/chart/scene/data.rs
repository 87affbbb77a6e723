//! The numbers behind a chart, as the page keeps them: the engine's reply with its arrays put in place.

use super::heat::HeatData;
use super::spec::{ChartContent, Series, Spec};
use rundown_plot::{Range, nearest};
use rundown_protocol::{ArrayIndex, Heat, Line, Lines, XAxis};

/// What a chart draws.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartData {
    /// What lies along x.
    pub x: XAxis,
    /// Range of x over the whole of all runs.
    pub extent: Option<Range>,
    /// The lines that exist, the most important one first.
    pub lines: Vec<LineData>,
    /// Cells instead of lines.
    pub heat: Option<HeatData>,
    /// True where a heat map was asked for, even if there is none.
    pub is_heat: bool,
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineData {
    /// Its index among the series that were asked for.
    pub series_index: usize,
    /// The run that it is of; `None` for a group of runs.
    pub run: Option<u32>,
    /// The runs of a group; empty for the line of a run.
    pub members: Vec<u32>,
    /// What it is called.
    pub name: String,
    /// Place of its colour in the theme.
    pub hue: usize,
    /// Place among the dashes.
    pub dash: usize,
    /// True for the run that is open, where there are others.
    pub is_open: bool,
    /// The line as logged, decimated.
    pub raw: (Vec<f64>, Vec<f64>),
    /// The smoothed line; `None` without smoothing.
    pub smooth: Option<(Vec<f64>, Vec<f64>)>,
    /// The band around it: x, lower and upper edge.
    pub band: Option<(Vec<f64>, Vec<f64>, Vec<f64>)>,
    /// Range of y that outliers do not widen.
    pub robust: Option<(f64, f64)>,
    /// Positions of NaN.
    pub nan_x: Vec<f64>,
    /// Positions of +∞.
    pub positive_infinity_x: Vec<f64>,
    /// Positions of −∞.
    pub negative_infinity_x: Vec<f64>,
    /// Positions at which the run was restarted.
    pub restarts: Vec<f64>,
    /// Points in the window before decimation.
    pub points: u64,
}

/// What a line says at the cursor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineReading {
    /// Position of the point.
    pub x: f64,
    /// Its value as drawn: smoothed where lines are.
    pub y: f64,
    /// Its value as logged, where that is another.
    pub raw: Option<f64>,
}

impl ChartData {
    /// Puts the arrays of lines in place. An index without an array gives an empty line: the page and the engine may be
    /// of different versions for a moment.
    pub fn of_lines(reply: Lines, arrays: &[Vec<f64>], spec: &Spec) -> Self {
        let series: &[Series] = match &spec.content {
            ChartContent::Lines(series) => series,
            ChartContent::Heat(..) => &[],
        };
        let lines = reply.lines.into_iter().enumerate();
        let lines = lines.map(|(number, line)| LineData::new(line, number, arrays, series, spec)).collect();
        Self { x: spec.x.clone(), extent: range(reply.x_extent), lines, heat: None, is_heat: false }
    }

    /// Puts the arrays of a heat map in place.
    pub fn of_heat(reply: Heat, arrays: &[Vec<f64>], spec: &Spec) -> Self {
        let heat = reply.columns.map(|columns| HeatData::new(columns, |index| array(arrays, index)));
        Self { x: spec.x.clone(), extent: range(reply.x_extent), lines: Vec::new(), heat, is_heat: true }
    }

    /// The line of the series at this index of the request.
    pub fn line(&self, series_index: usize) -> Option<&LineData> {
        self.lines.iter().find(|line| line.series_index == series_index)
    }

    /// The position of the point, of any line, that is nearest to `at`.
    pub fn snapped(&self, at: f64) -> Option<f64> {
        let positions = self.lines.iter().filter_map(|line| line.nearest_x(at));
        let position = positions.reduce(|best, next| if (next - at).abs() < (best - at).abs() { next } else { best });
        position.or_else(|| {
            let (first, last) = self.heat.as_ref()?.reading(at, None)?.logged;
            Some(first / 2.0 + last / 2.0)
        })
    }
}

impl LineData {
    fn new(line: Line, number: usize, arrays: &[Vec<f64>], series: &[Series], spec: &Spec) -> Self {
        let take = |index| array(arrays, index);
        let series_index = usize::try_from(line.series).unwrap_or_default();
        let of = series.get(series_index).cloned().unwrap_or_default();
        let smooth = (spec.smoothing.weight > 0.0 && (line.smooth_x, line.smooth_y) != (line.x, line.y))
            .then(|| (take(line.smooth_x), take(line.smooth_y)));
        let setting = spec.group.as_ref().map_or("", |group| group.setting.as_str());
        let members = line.group.as_ref().map(|group| group.runs.clone()).unwrap_or_default();
        let group = line.group.map(|group| group_name(setting, &group.value, group.runs.len()));
        let run = group.is_none().then_some(of.run);
        // Groups have colours of their own, in their order.
        let (hue, dash) = if group.is_some() { (number, number / 8) } else { (of.hue, of.dash) };
        Self {
            series_index,
            run,
            members,
            name: group.unwrap_or(of.name),
            hue,
            dash,
            is_open: of.is_open && run.is_some(),
            raw: (take(line.x), take(line.y)),
            smooth,
            band: line.band.map(|band| (take(band.x), take(band.low), take(band.high))),
            robust: line.robust_range,
            nan_x: take(line.nan_x),
            positive_infinity_x: take(line.positive_infinity_x),
            negative_infinity_x: take(line.negative_infinity_x),
            restarts: take(line.restarts),
            points: line.points,
        }
    }

    /// The runs that it stands for.
    pub fn runs(&self) -> &[u32] {
        self.run.as_ref().map_or(self.members.as_slice(), std::slice::from_ref)
    }

    /// What the line says at `at`; nothing where it ended more than `slack` before, or begins after that.
    pub fn reading(&self, at: f64, slack: f64) -> Option<LineReading> {
        let raw = point(&self.raw, at, slack);
        let Some(smooth) = &self.smooth else {
            let (x, y) = raw?;
            return Some(LineReading { x, y, raw: None });
        };
        let (x, y) = point(smooth, at, slack)?;
        Some(LineReading { x, y, raw: raw.map(|(_, raw)| raw) })
    }

    /// At most `most` logged points, evenly spread, for a table in place of the picture.
    pub fn sample(&self, most: usize) -> Vec<(f64, f64)> {
        let points = self.raw.0.iter().copied().zip(self.raw.1.iter().copied());
        let points: Vec<(f64, f64)> = points.filter(|(_, y)| y.is_finite()).collect();
        let stride = points.len().div_ceil(most.max(1)).max(1);
        let last = points.len().saturating_sub(1);
        let is_wanted = |index: usize| index.is_multiple_of(stride) || index == last;
        points.into_iter().enumerate().filter(|(index, _)| is_wanted(*index)).map(|(_, point)| point).collect()
    }

    fn nearest_x(&self, at: f64) -> Option<f64> {
        self.raw.0.get(nearest(&self.raw.0, &self.raw.1, at)?).copied()
    }
}

fn point((x, y): &(Vec<f64>, Vec<f64>), at: f64, slack: f64) -> Option<(f64, f64)> {
    let index = nearest(x, y, at)?;
    let (found, value) = (*x.get(index)?, *y.get(index)?);
    let is_within = at >= *x.first()? && at <= *x.last()?;
    (is_within || (found - at).abs() <= slack || slack == f64::INFINITY).then_some((found, value))
}

fn group_name(setting: &str, value: &str, runs: usize) -> String {
    let value = if value.is_empty() { "not set" } else { value };
    let setting = setting.rsplit(['.', '/']).next().unwrap_or(setting);
    match runs {
        1 => format!("{setting} {value} (1 run)"),
        runs => format!("{setting} {value} ({runs} runs)"),
    }
}

/// Copied, not taken: two lines may name the same array.
fn array(arrays: &[Vec<f64>], index: ArrayIndex) -> Vec<f64> {
    usize::try_from(index).ok().and_then(|index| arrays.get(index)).cloned().unwrap_or_default()
}

fn range(extent: Option<(f64, f64)>) -> Option<Range> {
    extent.and_then(|(low, high)| Range::new(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::{LineBand, LineGroup, LineGrouping, Smoothing, SmoothingKind};

    fn spec() -> Spec {
        let series = |run, name: &str| Series { run, name: name.into(), hue: run as usize, ..Series::default() };
        let smoothing = Smoothing { kind: SmoothingKind::Ema, weight: 0.5 };
        Spec {
            content: ChartContent::Lines(vec![series(3, "amber"), series(5, "sweep")]),
            smoothing,
            ..Spec::default()
        }
    }

    fn data(smooth: (u32, u32), spec: &Spec) -> ChartData {
        let line = Line {
            series: 1,
            x: 0,
            y: 1,
            smooth_x: smooth.0,
            smooth_y: smooth.1,
            nan_x: 2,
            positive_infinity_x: 3,
            negative_infinity_x: 99,
            band: Some(LineBand { x: 0, low: 1, high: 5 }),
            points: 3,
            ..Line::default()
        };
        let lines = Lines { x_extent: Some((0.0, 9.0)), lines: vec![line] };
        let arrays = vec![vec![0.0, 1.0, 2.0], vec![5.0, f64::NAN, 7.0], vec![1.0], vec![], vec![0.0, 2.0], vec![8.0]];
        ChartData::of_lines(lines, &arrays, spec)
    }

    #[test]
    fn arrays_find_their_place_and_a_missing_one_is_empty() {
        let data = data((4, 5), &spec());
        let line = data.line(1).unwrap();
        assert_eq!(data.line(0), None);
        assert_eq!((line.run, line.name.as_str(), line.hue), (Some(5), "sweep", 5));
        assert_eq!(line.raw.0, [0.0, 1.0, 2.0]);
        assert_eq!(line.smooth, Some((vec![0.0, 2.0], vec![8.0])));
        assert_eq!((line.nan_x.as_slice(), line.negative_infinity_x.len()), (&[1.0][..], 0));
        assert_eq!(line.band.as_ref().map(|band| band.2.len()), Some(1));
    }

    #[test]
    fn a_reading_has_the_smoothed_value_and_the_logged_one() {
        let smooth = data((4, 1), &spec());
        let reading = smooth.lines[0].reading(1.9, 0.0).unwrap();
        assert_eq!(reading, LineReading { x: 0.0, y: 5.0, raw: Some(7.0) });
        let raw = data((0, 1), &spec());
        assert_eq!(raw.lines[0].smooth, None);
        assert_eq!(raw.lines[0].reading(1.4, 0.0), Some(LineReading { x: 2.0, y: 7.0, raw: None }));
        assert_eq!(raw.snapped(1.4), Some(2.0));
    }

    #[test]
    fn a_line_says_nothing_beyond_its_end() {
        let line = &data((0, 1), &spec()).lines[0];
        assert_eq!(line.reading(30.0, 1.0), None);
        assert_eq!(line.reading(2.5, 1.0).unwrap().x, 2.0);
        assert_eq!(line.reading(f64::INFINITY, f64::INFINITY).unwrap().y, 7.0);
    }

    #[test]
    fn a_group_has_its_own_name_and_colour() {
        let group = LineGrouping { setting: "trainer.lr".into(), ..LineGrouping::default() };
        let spec = Spec { group: Some(group), ..spec() };
        let line = |value: &str, runs: &[u32]| Line {
            series: 1,
            group: Some(LineGroup { value: value.into(), runs: runs.to_vec() }),
            ..Line::default()
        };
        let lines = Lines { lines: vec![line("1e-4", &[3, 4, 5, 6]), line("", &[9])], ..Lines::default() };
        let data = ChartData::of_lines(lines, &[], &spec);
        let names: Vec<_> = data.lines.iter().map(|line| (line.name.as_str(), line.hue, line.run)).collect();
        assert_eq!(names, [("lr 1e-4 (4 runs)", 0, None), ("lr not set (1 run)", 1, None)]);
        assert_eq!((data.lines[0].runs(), data.lines[1].runs()), (&[3, 4, 5, 6][..], &[9][..]));
    }

    #[test]
    fn a_table_has_the_first_and_the_last_point() {
        let x: Vec<f64> = (0..1000).map(f64::from).collect();
        let line = LineData { raw: (x.clone(), x), ..LineData::default() };
        let sample = line.sample(12);
        assert!(sample.len() <= 13, "{}", sample.len());
        assert_eq!((sample[0].0, sample[sample.len() - 1].0), (0.0, 999.0));
        assert!(LineData::default().sample(12).is_empty());
    }
}
