//! The table that W&B exports from a chart: for each run and metric a column `run - metric` and its band,
//! `run - metric__MIN` and `run - metric__MAX`. The first column is the chart's x axis.
//!
//! The band holds the lowest and highest value of a bucket of rows, or of a group of runs, that the chart draws as
//! one point. Exports of before 2020 have no band.

use rundown_stats::CompactSort as _;
use rustc_hash::FxHashMap;

use super::cell::number;
use super::{TableOutcome, TableSink};
use crate::budget::{COLUMN_BYTES, MemoryUse, VALUE_BYTES};
use crate::rows::names::{is_step_name, settle_step};
use crate::rows::points::PointPart;
use crate::run_limit::RunLimit;
use crate::time::any_seconds;
use rundown_run::{Band, Column, ConfigValue, Run, RunWarning, Thinning};

/// What W&B calls the x axis of a chart that is drawn over time: two in seconds since the start, and one in times of day.
const TIME_AXES: [&str; 3] = ["relative time (process)", "relative time (wall)", "wall time"];
/// What W&B calls the properties of runs by which a chart may group them; any other is the key of a setting.
const GROUPINGS: [&str; 6] = ["Group", "Job Type", "Name", "State", "Tags", "User"];

/// What a column of the table is.
#[derive(Debug, Clone, PartialEq)]
struct ChartHeader<'n> {
    /// `run - metric`.
    name: &'n str,
    part: PointPart,
}

fn header(column: &str) -> ChartHeader<'_> {
    for (ending, part) in [("__MIN", PointPart::Low), ("__MAX", PointPart::High)] {
        if let Some(name) = column.strip_suffix(ending) {
            return ChartHeader { name, part };
        }
    }
    ChartHeader { name: column, part: PointPart::Value }
}

/// Reads the cells of a chart's export.
#[derive(Default)]
pub(super) struct ChartTable {
    delimiter: u8,
    axis: String,
    /// The axis is one of time.
    is_over_time: bool,
    /// What the runs are grouped by, where a line is the mean of those that have the same value.
    grouped_by: Option<String>,
    /// For each column behind the first: number of the line and part of it.
    targets: Vec<Option<(usize, PointPart)>>,
    lines: Vec<ChartMetric>,
    runs: Vec<ChartRun>,
    /// x of the row that is being read, and its time where x is one.
    x: Option<f64>,
    time: f64,
    /// Runs that have a value in the row that is being read.
    touched: Vec<usize>,
    limit: RunLimit,
}

/// One metric of one run.
#[derive(Debug, Default)]
struct ChartMetric {
    run: usize,
    metric: String,
    value: Column,
    low: Column,
    high: Column,
}

#[derive(Debug, Default)]
struct ChartRun {
    run: Run,
    x: Column,
    /// Row that is being read, when there is one.
    row: Option<u32>,
    /// `_step` was exported beside the chart's own x axis.
    has_counter: bool,
}

impl ChartTable {
    /// The chart with these columns, or `None` for any other table.
    pub(super) fn new(names: &[String], delimiter: u8) -> Option<Self> {
        let (axis, columns) = names.split_first()?;
        let columns: Vec<ChartHeader<'_>> = columns.iter().map(|name| header(name)).collect();
        let named = columns.iter().filter(|column| !column.name.is_empty());
        let has_bands = columns.iter().any(|column| column.part != PointPart::Value);
        if named.clone().next().is_none() || !named.clone().all(|column| column.name.contains(" - ")) {
            return None;
        }
        let is_over_time = is_time_axis(axis);
        if !has_bands && !is_over_time && !is_step_name(axis) {
            return None;
        }
        let mut distinct: Vec<&str> = named.filter(|c| c.part == PointPart::Value).map(|c| c.name).collect();
        distinct.retain(|name| !name.ends_with(" - _step"));
        let splitting = Splitting::of(&distinct);
        let runs = columns.iter().filter_map(|column| splitting.split(column.name)).map(|(run, _)| run);
        let grouped_by = grouping_key(runs).map(str::to_owned);
        let mut chart =
            Self { delimiter, axis: axis.clone(), is_over_time, grouped_by, time: f64::NAN, ..Self::default() };
        chart.lay_out(&columns, splitting);
        Some(chart)
    }

    fn lay_out(&mut self, columns: &[ChartHeader<'_>], splitting: Splitting<'_>) {
        let mut runs: FxHashMap<String, usize> = FxHashMap::default();
        let mut lines: FxHashMap<String, usize> = FxHashMap::default();
        let mut seen: FxHashMap<(&str, PointPart), u32> = FxHashMap::default();
        for column in columns {
            let Some((run, metric)) = splitting.split(column.name) else {
                self.targets.push(None);
                continue;
            };
            // Display names are not unique: the second column of one name is of another run.
            let count = seen.entry((column.name, column.part)).or_default();
            *count += 1;
            let run = if *count > 1 { format!("{run} ({count})") } else { run.to_owned() };
            let line = format!("{run} - {metric}");
            let next_run = self.runs.len();
            if !runs.contains_key(&run) && !self.limit.admits_beside(next_run) {
                self.targets.push(None);
                continue;
            }
            let run = *runs.entry(run).or_insert_with_key(|name| {
                let value = self.grouped_by.as_deref().and_then(|key| Some((key, value_of(name, key)?)));
                let mut run = Run { name: name.clone(), ..Run::default() };
                match value.map(|(key, value)| (key, value, number(value, self.delimiter))) {
                    Some(("Group", value, _)) => run.group = Some(value.to_owned()),
                    // Each line is that of the runs of one name.
                    Some(("Name", value, _)) => value.clone_into(&mut run.name),
                    Some((key, ..)) if GROUPINGS.contains(&key) => {}
                    // A number needs its key beside it.
                    Some((key, _, Some(number))) => run.config.insert(key, ConfigValue::Number(number)),
                    Some((key, value, None)) => {
                        value.clone_into(&mut run.name);
                        run.config.insert(key, ConfigValue::Text(value.to_owned()));
                    }
                    None => {}
                }
                self.runs.push(ChartRun { run, ..ChartRun::default() });
                next_run
            });
            let next_line = self.lines.len();
            let line = *lines.entry(line).or_insert_with(|| {
                self.lines.push(ChartMetric { run, metric: metric.to_owned(), ..ChartMetric::default() });
                next_line
            });
            self.targets.push(Some((line, column.part)));
        }
    }

    fn value(&mut self, line: usize, part: PointPart, value: f64) {
        let Some(line) = self.lines.get_mut(line) else { return };
        let Some(run) = self.runs.get_mut(line.run) else { return };
        let row = *run.row.get_or_insert_with(|| {
            self.touched.push(line.run);
            // Without `_step` the place on the x axis tells rows of several charts apart.
            let next = run.run.row_steps.last().map_or(0.0, |step| step + 1.0);
            let place = self.x.filter(|x| x.is_finite()).or(Some(self.time).filter(|time| time.is_finite()));
            run.run.push_row(place.unwrap_or(next), self.time)
        });
        if line.metric == "_step" {
            if part == PointPart::Value && value.is_finite() {
                run.has_counter = true;
                run.run.row_steps.last_mut().into_iter().for_each(|step| *step = value);
            }
            return;
        }
        match part {
            PointPart::Value => line.value.push(row, value),
            PointPart::Low => line.low.push(row, value),
            PointPart::High => line.high.push(row, value),
        }
    }
}

impl TableSink for ChartTable {
    fn cell(&mut self, column: usize, text: &str) {
        let Some(column) = column.checked_sub(1) else {
            self.x = number(text, self.delimiter);
            let time = self.is_over_time.then(|| any_seconds(text).or(self.x)).flatten();
            self.time = time.unwrap_or(f64::NAN);
            return;
        };
        let target = self.targets.get(column).copied().flatten();
        if let (Some((line, part)), Some(value)) = (target, number(text, self.delimiter)) {
            self.value(line, part, value);
        }
    }

    fn end_row(&mut self) {
        for touched in self.touched.drain(..) {
            let Some(run) = self.runs.get_mut(touched) else { continue };
            if let (Some(row), Some(x)) = (run.row.take(), self.x) {
                run.x.push(row, x);
            }
        }
        self.x = None;
    }

    fn memory_use(&self) -> MemoryUse {
        let columns = self.lines.iter().flat_map(|line| [&line.value, &line.low, &line.high]);
        let values: usize =
            columns.map(Column::len).sum::<usize>() + self.runs.iter().map(|run| 2 * run.x.len()).sum::<usize>();
        MemoryUse::bytes(values * VALUE_BYTES as usize + self.lines.len() * COLUMN_BYTES as usize)
    }

    fn finish(self: Box<Self>, _path: &str) -> TableOutcome {
        let is_time = self.is_over_time;
        let how = if self.grouped_by.is_some() { Thinning::Groups } else { Thinning::Buckets };
        let mut runs = self.runs;
        for line in self.lines {
            let Some(ChartRun { run, .. }) = runs.get_mut(line.run) else { continue };
            if line.metric == "_step" || line.value.is_empty() {
                continue;
            }
            if is_averaged(&line) {
                run.note_sampling(Some(&line.metric), how);
            }
            if is_wider(&line) {
                run.bands.insert(line.metric.clone(), Band { low: line.low, high: line.high });
            }
            run.columns.insert(line.metric, line.value);
        }
        let finish = |mut chart: ChartRun| {
            if !is_time && !chart.run.columns.contains_key(&self.axis) && !chart.x.is_empty() {
                chart.run.columns.insert(self.axis.clone(), chart.x);
            }
            settle_step(&mut chart.run, chart.has_counter);
            // A name, or the value of a setting, may be that of one run.
            let is_mean = chart.run.sampling.iter().any(|sampling| sampling.how == Thinning::Groups);
            chart.run.warnings.push(RunWarning::ChartExport { grouped: is_mean || chart.run.group.is_some() });
            chart.run
        };
        let runs = runs.into_iter().filter(|chart| !chart.run.row_steps.is_empty()).map(finish).collect();
        let problems = self.limit.problem("column").into_iter().collect();
        TableOutcome { runs, problems, ..TableOutcome::default() }
    }
}

/// True for an x axis of time.
fn is_time_axis(axis: &str) -> bool {
    TIME_AXES.iter().any(|known| axis.eq_ignore_ascii_case(known))
}

/// The key that all lines of a chart of grouped runs begin with: `Group: a`, `optim.lr: 1e-5`. A run may have a name with a
/// colon (`grpo_v2: tuned`), so that the key of a setting is one only before several values, and without numbers of its own.
fn grouping_key<'n>(mut runs: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    let first = runs.next()?;
    let (key, _) = first.split_once(": ")?;
    let is_name = |part: &str| !part.ends_with(|end: char| end.is_ascii_digit());
    let is_setting = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key.contains(['.', '_'])
        && !key.contains(' ')
        && key.split(['.', '_']).all(is_name)
        && runs.clone().any(|run| run != first);
    let is_key = GROUPINGS.contains(&key) || is_setting;
    (is_key && runs.all(|run| value_of(run, key).is_some())).then_some(key)
}

fn value_of<'n>(run: &'n str, key: &str) -> Option<&'n str> {
    run.strip_prefix(key)?.strip_prefix(": ")
}

/// True when the band is not just the line itself.
fn is_wider(line: &ChartMetric) -> bool {
    let differs = |edge: &Column| {
        !edge.is_empty()
            && (edge.rows() != line.value.rows()
                || edge.points().zip(line.value.points()).any(|(a, b)| a.1 != b.1 && !(a.1.is_nan() && b.1.is_nan())))
    };
    differs(&line.low) || differs(&line.high)
}

/// True when an edge of the band differs from the line itself at some point: that point is more than one value.
fn is_averaged(line: &ChartMetric) -> bool {
    [&line.low, &line.high].into_iter().any(|edge| {
        let mut values = line.value.points().peekable();
        edge.points().any(|(row, bound)| {
            while values.next_if(|(at, _)| *at < row).is_some() {}
            values.peek().is_some_and(|(at, value)| *at == row && *value != bound && !value.is_nan() && !bound.is_nan())
        })
    })
}

/// How `run - metric` comes apart: run names and metrics may both hold ` - `.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Splitting<'n> {
    /// All columns end in this metric.
    Metric(&'n str),
    /// All columns begin with this run.
    Run(&'n str),
    /// At the last ` - `.
    Last,
}

impl<'n> Splitting<'n> {
    /// The way that makes the fewest runs and metrics: a chart is a grid of both.
    fn of(columns: &[&'n str]) -> Self {
        let ways = [
            shared_metric(columns).map(Splitting::Metric),
            Some(Splitting::Last),
            shared_run(columns).map(Splitting::Run),
        ];
        let parts = |way: &Splitting<'_>| {
            let (mut runs, mut metrics): (Vec<&str>, Vec<&str>) =
                columns.iter().filter_map(|column| way.split(column)).unzip();
            for list in [&mut runs, &mut metrics] {
                list.compact_sort_by_key(|name| *name);
                list.dedup();
            }
            runs.len() + metrics.len()
        };
        ways.into_iter().flatten().min_by_key(parts).unwrap_or(Splitting::Last)
    }

    fn split<'c>(&self, column: &'c str) -> Option<(&'c str, &'c str)> {
        if column.ends_with(" - _step") {
            return column.rsplit_once(" - ");
        }
        match self {
            Splitting::Metric(metric) => {
                let run = column.strip_suffix(metric)?.strip_suffix(" - ")?;
                column.get(column.len() - metric.len()..).map(|metric| (run, metric))
            }
            Splitting::Run(run) => {
                let metric = column.strip_prefix(run)?.strip_prefix(" - ")?;
                column.get(..run.len()).map(|run| (run, metric))
            }
            Splitting::Last => column.rsplit_once(" - "),
        }
    }
}

/// The longest metric that all columns end in.
fn shared_metric<'n>(columns: &[&'n str]) -> Option<&'n str> {
    let (first, others) = columns.split_first()?;
    let common = others.iter().fold(first.len(), |length, other| {
        first.bytes().rev().zip(other.bytes().rev()).take_while(|(a, b)| a == b).count().min(length)
    });
    let ends = first.match_indices(" - ").map(|(place, separator)| (place, place + separator.len()));
    let mut ends = ends.filter(|(place, _)| first.len() - place <= common);
    if others.is_empty() { None } else { ends.next().and_then(|(_, end)| first.get(end..)) }
}

/// The longest run that all columns begin with.
fn shared_run<'n>(columns: &[&'n str]) -> Option<&'n str> {
    let (first, others) = columns.split_first()?;
    let common = others.iter().fold(first.len(), |length, other| {
        first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count().min(length)
    });
    let starts = first.match_indices(" - ").filter(|(place, separator)| place + separator.len() <= common);
    if others.is_empty() { None } else { starts.last().and_then(|(place, _)| first.get(..place)) }
}

#[cfg(test)]
mod tests;
