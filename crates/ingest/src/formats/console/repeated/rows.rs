//! The rows that lines with numbers make, put together line by line.

use std::collections::{BTreeMap, BTreeSet};

use super::around::RowPosition;
use super::between::TextBetween;
use super::line_kind::Counter;
use super::sampled_rewards::SampledRewards;
use super::{Line, RepeatedLines};
use crate::formats::console::line_times::RowTimes;
use crate::rows::counting::changes;
use crate::rows::metric_rows::MetricRows;
use crate::rows::metric_words;
use crate::rows::reward_group::mean_and_spread_of_batch;
use rundown_run::Run;

/// What the counter of a larger step is called where both are called alike: `Grad step 3/5 in train step 2/9`.
const OUTER_STEP: &str = "outer_step";

/// Rows as they are put together.
struct Rows<'l> {
    lines: &'l RepeatedLines,
    counter: Option<&'l Counter>,
    /// A counter of something larger with the same name.
    outer: Option<&'l Counter>,
    rows: MetricRows,
    times: RowTimes,
    /// Time of the row that is open, in Unix seconds.
    time: Option<f64>,
    /// Step of the row that is open.
    step: Option<f64>,
    /// Names that it has.
    names: BTreeSet<&'l str>,
}

/// Finds the rows at which another training begins: those where the counter is at its first step again, behind the last
/// planned step or behind a word that the training is complete.
#[derive(Debug, Default)]
struct Seams {
    first: Option<f64>,
    last: Option<f64>,
    was_last: bool,
    between: TextBetween,
    starts_at: Vec<u32>,
}

impl RepeatedLines {
    /// The names of the numbers of a line.
    fn names(&self, line: &Line) -> &[String] {
        self.kinds.get(&line.kind).map_or(&[][..], |kind| &kind.names)
    }

    /// The rows that lines of these kinds begin, with the lines around them.
    pub(super) fn rows(
        &self,
        counter: Option<&Counter>,
        leads: &BTreeSet<usize>,
        around: &BTreeMap<usize, RowPosition>,
        sampled: Option<&SampledRewards>,
    ) -> Run {
        let (rows, names) = (MetricRows::default(), BTreeSet::new());
        let (outer, times) = (counter.and_then(|counter| self.outer(counter)), RowTimes::default());
        let outer = outer.as_ref();
        let mut rows = Rows { lines: self, counter, outer, rows, times, time: None, step: None, names };
        let mut before: Vec<Line> = Vec::new();
        let mut rewards: Vec<f64> = Vec::new();
        let side = sampled.map(|sampled| sampled.position);
        let mut seams = Seams::default();
        for line in &self.lines {
            seams.between.add(line.between);
            if sampled.is_some_and(|sampled| sampled.contains(line.kind)) {
                rewards.extend(self.numbers(line).first());
                continue;
            }
            match (leads.contains(&line.kind), around.get(&line.kind)) {
                (true, _) => {
                    let step = counter.and_then(|counter| self.step_of(line, counter));
                    if side == Some(RowPosition::After) {
                        rows.add_rewards(sampled, &mut rewards);
                    }
                    if !rows.goes_on(line, step) {
                        rows.end();
                    }
                    let own = self.names(line);
                    if rows.is_first() {
                        rows.add_untrained(&mut before, own, step, leads);
                    }
                    rows.add_rewards(sampled, &mut rewards);
                    for line in before.drain(..) {
                        rows.add(&line, own);
                    }
                    if let Some(step) = step {
                        seams.add(rows.rows.len() as u32, step, line.is_last);
                    }
                    rows.step = step;
                    rows.add(line, &[]);
                }
                (_, Some(RowPosition::Before)) => {
                    // Of those of a validation and of the step itself the nearest to the row is the step's.
                    before.retain(|other| other.kind != line.kind);
                    before.push(*line);
                }
                (_, Some(RowPosition::After)) => rows.add(line, &[]),
                _ => {}
            }
        }
        if side == Some(RowPosition::After) {
            rows.add_rewards(sampled, &mut rewards);
        }
        rows.end();
        let mut run = rows.rows.finish();
        run.starts_at = seams.starts_at;
        run
    }

    /// The other counter of this name in the lines, where it never falls and stands still in most of them, and this one begins
    /// again: `best loss 0.3 at step 40` beside steps that only rise counts nothing larger.
    fn outer(&self, counter: &Counter) -> Option<Counter> {
        let (name, place) = counter;
        let other = (name.clone(), usize::from(*place == 0));
        let values = |counter: &Counter| self.steps(counter).into_iter().map(|(_, value)| value).collect::<Vec<f64>>();
        let outer = values(&other);
        let (rising, falling) = changes(&outer);
        let is_larger = rising > 0 && rising * 2 <= outer.len() && falling == 0;
        (is_larger && changes(&values(counter)).1 > 0).then_some(other)
    }
}

impl Seams {
    /// Adds a line of the row with this number.
    fn add(&mut self, row: u32, step: f64, is_last: bool) {
        let first = *self.first.get_or_insert(step);
        let is_again = step <= first && self.last.is_some_and(|last| step < last);
        if is_again && self.between.begins_training(self.was_last) {
            self.starts_at.push(row);
        }
        *self = Self { last: Some(step), was_last: is_last, between: TextBetween::default(), ..std::mem::take(self) };
    }
}

impl Rows<'_> {
    /// True for a line of the step of the row that is open, with other names.
    fn goes_on(&self, line: &Line, step: Option<f64>) -> bool {
        let names = self.lines.names(line);
        step.is_some() && step == self.step && !names.iter().any(|name| self.names.contains(name.as_str()))
    }

    /// True before the first row.
    fn is_first(&self) -> bool {
        self.rows.len() == 0 && self.names.is_empty()
    }

    /// Takes the lines above the first row that measure what its own line measures again, as of the model before its training, and
    /// makes them a row as far before it as the next one is behind it. Where its step is 0 there is none. Lines that stand above
    /// most rows are parts of these.
    fn add_untrained(&mut self, before: &mut Vec<Line>, own: &[String], step: Option<f64>, leads: &BTreeSet<usize>) {
        if step.is_some_and(|step| step < 1.0) {
            return;
        }
        let (lines, counter) = (self.lines, self.counter);
        let count = |kind: usize| lines.kinds.get(&kind).map_or(0, |kind| kind.lines);
        let rows = leads.iter().map(|kind| count(*kind)).max().unwrap_or(0);
        let is_again = |line: &Line| {
            let mut names = lines.names(line).iter();
            count(line.kind) * 2 < rows && names.any(|name| metric_words::is_metric(name) && own.contains(name))
        };
        let untrained: Vec<Line> = before.iter().copied().filter(is_again).collect();
        if untrained.is_empty() {
            return;
        }
        before.retain(|line| !is_again(line));
        let distance = |step: f64| {
            let behind = |line: &Line| Some(lines.step_of(line, counter?)? - step).filter(|distance| *distance > 0.0);
            lines.lines.iter().filter(|line| leads.contains(&line.kind)).find_map(behind).unwrap_or(1.0)
        };
        self.step = step.map(|step| (step - distance(step)).max(0.0));
        untrained.iter().for_each(|line| self.add(line, &[]));
        self.end();
    }

    /// Adds the numbers of a line to the row, but for those under `other` names.
    fn add(&mut self, line: &Line, other: &[String]) {
        let Some(kind) = self.lines.kinds.get(&line.kind) else { return };
        let place = self.counter.and_then(|counter| kind.place_of(counter));
        let outer = self.outer.and_then(|outer| kind.place_of(outer));
        let time = self.times.give(line.time);
        // The line with the counter is written when the row is done.
        self.time = if place.is_some() { time.or(self.time) } else { self.time.or(time) };
        for (index, (name, value)) in kind.names.iter().zip(self.lines.numbers(line)).enumerate() {
            let name = if Some(index) == outer { OUTER_STEP } else { name.as_str() };
            let is_other = || other.iter().any(|other| other == name);
            if Some(index) != place && !name.is_empty() && !is_other() && self.names.insert(name) {
                self.rows.number(name, *value);
            }
        }
    }

    /// Adds the mean and the spread of the rewards of responses since the last row to the one that is open or begins.
    fn add_rewards(&mut self, sampled: Option<&SampledRewards>, rewards: &mut Vec<f64>) {
        if let Some((sampled, (mean, spread))) = sampled.zip(mean_and_spread_of_batch(rewards)) {
            self.rows.number(&sampled.name, mean);
            self.rows.number(&format!("{}_std", sampled.name), spread);
        }
        rewards.clear();
    }

    fn end(&mut self) {
        self.names.clear();
        let time = self.time.take();
        if self.rows.is_open() {
            if let Some(step) = self.step {
                self.rows.number("step", step);
            }
            self.rows.time(time);
            self.rows.end_row();
        }
    }
}
