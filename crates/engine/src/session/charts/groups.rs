//! Groups of runs as one line each: the members are brought to shared positions, their centre is the line, and how sure it
//! is makes the band.

use super::arrays::Arrays;
use super::cache::Prepared;
use super::line::{raw_line, robust_range};
use super::smoothing::{is_smoothing, smoothed};
use super::{ChartRun, widen};
use rundown_compare::{iqm_curve, iqm_interval};
use rundown_format::{counted, redact};
use rundown_plot::{Decimated, inside};
use rundown_present::config::setting_value;
use rundown_protocol::{Center, Line, LineBand, LineGroup, LineGrouping, LinesRequest};
use rundown_run::ConfigValue;
use rundown_stats::{SplitMix64, interpolated, mean, std_dev, student_quantile};

/// Positions of a line; where the members have more, these lie evenly apart.
const POSITIONS: usize = 512;
/// Fewest runs of an interval; of fewer the band is from least to greatest.
const MIN_RUNS: usize = 3;
/// Start of the random numbers of the bootstrap: the same runs give the same band.
const SEED: u64 = 1;

/// The lines of all groups, and what they are of.
#[derive(Default)]
pub struct Groups {
    /// In the order of their first members.
    pub curves: Vec<GroupCurve>,
    /// The range of x of all series, whatever the window.
    pub x_extent: Option<(f64, f64)>,
}

/// One line.
#[derive(Default)]
pub struct GroupCurve {
    /// Place of the first member among the series.
    pub series: u32,
    /// What the members share, and how many they are.
    pub group: LineGroup,
    /// Positions, ascending.
    pub x: Vec<f64>,
    /// Centre of the members at each position; NaN where none reaches.
    pub center: Vec<f64>,
    /// Ends of the band at each position; empty for a single member.
    pub band: Option<(Vec<f64>, Vec<f64>)>,
    /// Positions of the NaN, +infinity and -infinity of the members.
    marks: [Vec<f64>; 3],
    /// Points of the members in the window.
    points: u64,
}

/// The groups of a request.
pub fn group_curves(runs: &mut [ChartRun<'_>], wanted: &LinesRequest, grouping: &LineGrouping) -> Groups {
    let mut groups = Groups::default();
    for members in memberships(runs, wanted, grouping) {
        let curve = members.curve(runs, wanted, grouping.center, &mut groups);
        groups.curves.extend(curve);
    }
    groups
}

/// Series of one metric whose runs have the same value of the setting.
struct Members<'w> {
    key: &'w str,
    /// The value as it is compared; `None` where it is not set.
    value: Option<String>,
    /// The value as it is shown.
    shown: String,
    /// Place among the series, and place of its run.
    places: Vec<(u32, usize)>,
}

/// The groups, in the order of their first members.
fn memberships<'w>(runs: &[ChartRun<'_>], wanted: &'w LinesRequest, grouping: &LineGrouping) -> Vec<Members<'w>> {
    let mut groups: Vec<Members<'w>> = Vec::new();
    for (place, series) in wanted.series.iter().enumerate() {
        let place = place as u32;
        let Some(index) = runs.iter().position(|run| run.number == series.run) else { continue };
        let setting = runs.get(index).and_then(|chart| chart.run.config.get(&grouping.setting));
        let value = setting.map(ConfigValue::to_string);
        let known = groups.iter_mut().find(|group| group.key == series.key && group.value == value);
        if let Some(group) = known {
            group.places.push((place, index));
            continue;
        }
        let shown = setting.map(|setting| setting_value(&grouping.setting, setting)).unwrap_or_default();
        groups.push(Members { key: &series.key, value, shown, places: vec![(place, index)] });
    }
    groups
}

impl Members<'_> {
    /// The line of the members; `None` where none of them has anything.
    fn curve(
        &self,
        runs: &mut [ChartRun<'_>],
        wanted: &LinesRequest,
        center: Center,
        groups: &mut Groups,
    ) -> Option<GroupCurve> {
        let mut places = Positions::default();
        let mut present: Vec<usize> = Vec::new();
        let mut curve = GroupCurve::default();
        for (place, index) in &self.places {
            let Some(prepared) = prepare(runs, *index, self.key, wanted) else { continue };
            widen(&mut groups.x_extent, prepared.extent());
            places.add(prepared, wanted.window);
            curve.add_marks(prepared, wanted);
            if present.is_empty() {
                curve.series = *place;
            }
            present.push(*index);
        }
        if present.is_empty() {
            return None;
        }
        curve.x = places.chosen(wanted.window);
        let mut curves: Vec<Vec<f64>> = Vec::with_capacity(present.len());
        for index in &present {
            let Some(prepared) = prepare(runs, *index, self.key, wanted) else { continue };
            let (x, y) = around(prepared.points(), wanted.window);
            curves.push(interpolated(x, y, &curve.x));
        }
        let members = present.iter().filter_map(|index| runs.get(*index)).map(|chart| chart.number);
        curve.group = LineGroup { value: self.shown.clone(), runs: members.collect() };
        curve.center = match center {
            Center::Mean => at_each(&curves, |values| mean(values).unwrap_or(f64::NAN)),
            Center::Iqm => iqm_curve(&curves.iter().collect::<Vec<_>>()),
        };
        curve.band = (curves.len() > 1).then(|| interval(&curves, &curve.center, center));
        Some(curve)
    }
}

fn prepare<'c>(
    runs: &'c mut [ChartRun<'_>],
    index: usize,
    key: &str,
    wanted: &LinesRequest,
) -> Option<&'c mut Prepared> {
    let chart = runs.get_mut(index)?;
    chart.cache.prepare(chart.run, chart.bindings, key, &wanted.x)
}

/// The points in a window and one neighbour on each side.
fn around<'p>((x, y): (&'p [f64], &'p [f64]), window: Option<(f64, f64)>) -> (&'p [f64], &'p [f64]) {
    let within = inside(x, window);
    let range = within.start.saturating_sub(1)..(within.end + 1).min(x.len());
    (x.get(range.clone()).unwrap_or_default(), y.get(range).unwrap_or_default())
}

/// The positions of the members.
#[derive(Default)]
struct Positions {
    /// All of them in the window, as long as they are few.
    all: Vec<f64>,
    is_dense: bool,
    extent: Option<(f64, f64)>,
}

impl Positions {
    fn add(&mut self, prepared: &Prepared, window: Option<(f64, f64)>) {
        widen(&mut self.extent, prepared.extent());
        let (x, _) = prepared.points();
        let shown = x.get(inside(x, window)).unwrap_or_default();
        self.is_dense |= shown.len() > POSITIONS;
        if !self.is_dense {
            self.all.extend_from_slice(shown);
            self.all.sort_by(f64::total_cmp);
            self.all.dedup();
            self.is_dense = self.all.len() > POSITIONS;
        }
    }

    /// The positions of the line: those of the members and the ends of the window, or as many as there is room for.
    fn chosen(mut self, window: Option<(f64, f64)>) -> Vec<f64> {
        let Some((first, last)) = self.extent else { return Vec::new() };
        let (a, b) = window.unwrap_or((first, last));
        let (low, high) = (a.min(b).max(first), a.max(b).min(last));
        if low > high {
            return Vec::new();
        }
        if self.is_dense {
            let at = |place: usize| (low + (high - low) * (place as f64 / (POSITIONS - 1) as f64)).min(high);
            return (0..POSITIONS).map(at).collect();
        }
        self.all.extend([low, high]);
        self.all.sort_by(f64::total_cmp);
        self.all.dedup();
        self.all
    }
}

/// One number for the finite values at each place; NaN where there is none.
fn at_each(curves: &[Vec<f64>], of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let places = curves.first().map_or(0, Vec::len);
    let at = |place: usize| {
        let values = curves.iter().filter_map(|curve| curve.get(place).copied());
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        if values.is_empty() { f64::NAN } else { of(&values) }
    };
    (0..places).map(at).collect()
}

/// The band: the 95 % interval of the centre, of Student's t for a mean and of the bootstrap for an interquartile mean; from
/// least to greatest value where fewer than three members reach.
fn interval(curves: &[Vec<f64>], center: &[f64], by: Center) -> (Vec<f64>, Vec<f64>) {
    let counts = at_each(curves, |values| values.len() as f64);
    let mut low = at_each(curves, |values| values.iter().copied().fold(f64::INFINITY, f64::min));
    let mut high = at_each(curves, |values| values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    if curves.len() < MIN_RUNS {
        return (low, high);
    }
    let (lower, upper) = match by {
        Center::Iqm => iqm_interval(curves, &mut SplitMix64::new(SEED)),
        Center::Mean => {
            // Half widths in standard errors by the number of values, found when they are first needed.
            let mut factors: Vec<Option<f64>> = vec![None; curves.len() + 1];
            let spread = at_each(curves, |values| std_dev(values).unwrap_or(f64::NAN));
            let half = |(spread, count): (&f64, &f64)| {
                let factor = factors.get_mut(*count as usize);
                let factor = factor.map(|known| *known.get_or_insert_with(|| student_quantile(0.05, count - 1.0)));
                spread / count.sqrt() * factor.unwrap_or(f64::NAN)
            };
            let halves: Vec<f64> = spread.iter().zip(&counts).map(half).collect();
            let ends = |sign: f64| center.iter().zip(&halves).map(|(center, half)| center + sign * half).collect();
            (ends(-1.0), ends(1.0))
        }
    };
    for (ends, other) in [(&mut low, lower), (&mut high, upper)] {
        for ((end, other), count) in ends.iter_mut().zip(other).zip(&counts) {
            if *count >= MIN_RUNS as f64 {
                *end = other;
            }
        }
    }
    (low, high)
}

impl GroupCurve {
    fn add_marks(&mut self, prepared: &Prepared, wanted: &LinesRequest) {
        let Decimated { nan_x, positive_infinity_x, negative_infinity_x, points, .. } =
            prepared.drawn().decimate(wanted.window, wanted.width_px);
        self.points += points;
        for (marks, more) in self.marks.iter_mut().zip([nan_x, positive_infinity_x, negative_infinity_x]) {
            marks.extend(more);
            marks.sort_by(f64::total_cmp);
            marks.dedup();
        }
    }

    /// The group in words: `lr=1e-4 (3 runs)`.
    pub fn name(&self, setting: &str) -> String {
        let value = if self.group.value.is_empty() { "not set" } else { &self.group.value };
        format!("{}={value} ({})", redact(setting), counted(self.group.runs.len(), "run"))
    }

    /// The line as it is sent.
    pub fn line(self, wanted: &LinesRequest, arrays: &mut Arrays) -> Line {
        let smooth = is_smoothing(&wanted.smoothing).then(|| smoothed(&wanted.smoothing, &self.x, &self.center));
        let mut values = self.center.clone();
        if let Some((low, high)) = &self.band {
            values.extend(low.iter().chain(high));
        }
        let mut y_range: Option<(f64, f64)> = None;
        for value in values.iter().filter(|value| value.is_finite()) {
            widen(&mut y_range, Some((*value, *value)));
        }
        let [nan_x, positive_infinity_x, negative_infinity_x] = self.marks;
        let raw = Decimated {
            x: self.x,
            y: self.center,
            nan_x,
            positive_infinity_x,
            negative_infinity_x,
            y_range,
            points: self.points,
        };
        let line = raw_line(raw, arrays);
        let smooth_y = smooth.map_or(line.y, |values| arrays.add(values));
        let band = self.band.map(|(low, high)| LineBand { x: line.x, low: arrays.add(low), high: arrays.add(high) });
        let robust_range = y_range.map(|range| robust_range(&values, range));
        let restarts = arrays.add(Vec::new());
        Line { series: self.series, group: Some(self.group), smooth_y, band, robust_range, restarts, ..line }
    }
}
