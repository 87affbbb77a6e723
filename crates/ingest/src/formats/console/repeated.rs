//! Rows of a training loop of one's own: lines that repeat with numbers under the same words.
//!
//! A line with a counter of steps begins a row, or goes on with the one of the same step. Lines without one belong to
//! the row that they stand before or behind in each repetition: `Average Reward: 0.7` above `Step 1/500, loss: 0.1`.
//! Without any counter the line that comes most often is a row. Text may look like a line of numbers by chance, so that
//! only lines count that come about once a row. A line that announces a step (`Step 12: sampling …`) begins one where lines of metrics
//! below it are of no row otherwise. Without a counter, numbers between the parts of samples (questions,
//! answers) that take few values are rewards of samples and no rows. Between counted rows without a reward, the rewards of single
//! responses give its mean.
//!
//! What such a line above the first row measures, and that row's own line measures again, is of the model before its training, unless
//! most rows have such a line.
//!
//! A few lines prove nothing, unless each names several metrics as a trainer does (`Step 9 | Reward: 0.9 | Length: 331 |
//! KL: 0.01`, or a dictionary of them).

mod announced;
mod around;
mod between;
mod line_kind;
mod optimiser_line;
mod out_of_order;
mod parts;
mod planned;
mod rows;
mod sampled_rewards;

use crate::budget::{COLUMN_BYTES, MemoryUse};
use std::collections::{BTreeMap, BTreeSet};

use super::labelled::{CounterKind, LabelledNumber, numbers};
use super::line_times::LineTime;
use super::sample_labels::is_sample_label;
use crate::rows::counting::{are_whole, changes};
use crate::rows::metric_words;
use announced::{Announced, may_announce};
use between::{TextBetween, TextBetweenReader};
use line_kind::{Counter, LineKind};
use optimiser_line::OptimiserLines;
use parts::Parts;
use rundown_run::{Column, Run};
use rundown_stats::CompactCollect as _;
use sampled_rewards::SampledRewards;

/// Rows that prove that a log has such rows.
const ENOUGH_ROWS: usize = 3;
/// Rows without any counter that prove it: text repeats itself too.
const ENOUGH_UNCOUNTED: usize = 10;
/// Different values that the metrics of samples have at most, such as 0, 0.5 and 1.
const VALUES_OF_SAMPLES: usize = 3;
/// Kinds of lines that are kept at a time: beyond it the rarest are dropped, as lines of text are.
const MAX_KINDS: usize = 4096;
/// What the step of a line is called that does not name it itself.
const STEP: &str = "step";
/// What the names of a line that announces a step end with: a line of the same names may stand alone.
const ANNOUNCES: &str = "\r";
/// Lines that a step has at most, for a counter to count steps.
const LINES_OF_STEP: usize = 4;

/// The lines of a log that hold labelled numbers.
#[derive(Debug, Default)]
pub(super) struct RepeatedLines {
    /// Kinds by their numbers, which are given once.
    kinds: BTreeMap<usize, LineKind>,
    last_kind: usize,
    /// Number of a kind by its names, joined.
    by_names: BTreeMap<String, usize>,
    lines: Vec<Line>,
    values: Vec<f64>,
    /// Lines that were left when those of dropped kinds were last taken out.
    kept: usize,
    /// The last line of text was the label of a part of a sample.
    is_below_label: bool,
    /// Kind of the last line of text, where it holds numbers and stands below no such label.
    above: Option<usize>,
    between: TextBetweenReader,
    /// Kinds of lines that may announce a step.
    announced: BTreeMap<usize, Announced>,
    optimisers: OptimiserLines,
}

/// One line: the number of its kind, and where its values are.
#[derive(Debug, Clone, Copy)]
struct Line {
    kind: usize,
    start: usize,
    length: u32,
    /// Its counters reached their totals.
    is_last: bool,
    /// What stands between the line before and this one.
    between: TextBetween,
    time: LineTime,
}

impl RepeatedLines {
    /// Adds a line of text; true where it looks like a row of metrics.
    pub(super) fn add(&mut self, text: &str, time: LineTime) -> bool {
        if self.optimisers.is_repeat(text) {
            return false;
        }
        let is_label = is_sample_label(text);
        let is_below_label = std::mem::replace(&mut self.is_below_label, is_label);
        let above = self.above.take();
        if let Some(kind) = above.filter(|_| is_label).and_then(|kind| self.kinds.get_mut(&kind)) {
            kind.near_samples += 1;
        }
        let rate = self.optimisers.rate(text);
        // The actor's line counted the same step: of the critic's only the learning rate is new.
        let is_of_critic = matches!(rate, Some((_, true)));
        let is_row = !is_of_critic && self.add_numbers(text, time, &numbers(text), is_below_label);
        if let Some((rate, _)) = rate {
            self.add_numbers(text, time, &[rate], is_below_label);
        } else if is_row {
            self.optimisers.row();
        }
        is_row
    }

    /// Adds a line of text whose step is known from elsewhere.
    pub(super) fn add_counted(&mut self, step: f64, time: LineTime, text: &str) {
        let counter = LabelledNumber { name: STEP, value: step, is_counter: true, total: None };
        let found: Vec<LabelledNumber<'_>> = std::iter::once(counter).chain(numbers(text)).collect();
        // The text does not name the step, and announces none.
        if is_counter_alone(&found) && !is_bare(text) {
            return self.between.add(text, &found);
        }
        self.add_numbers(text, time, &found, false);
    }

    fn add_numbers(&mut self, text: &str, time: LineTime, found: &[LabelledNumber<'_>], is_below_label: bool) -> bool {
        self.between.add(text, found);
        let announces = is_counter_alone(found) && !is_bare(text);
        if found.is_empty() || (announces && !may_announce(found)) {
            return false;
        }
        let names: Vec<&str> = found.iter().map(|number| number.name).collect();
        let mut joined = names.join("\n");
        if announces {
            joined.push_str(ANNOUNCES);
        }
        let kind = match self.by_names.get(&joined) {
            Some(kind) => *kind,
            None => {
                if self.kinds.len() >= MAX_KINDS {
                    self.drop_rare();
                }
                self.last_kind += 1;
                let mut kind = LineKind::of(found);
                kind.is_dictionary = ["{'", "{\""].iter().any(|sign| text.contains(sign));
                kind.announces = announces;
                self.kinds.insert(self.last_kind, kind);
                self.by_names.insert(joined, self.last_kind);
                self.last_kind
            }
        };
        if announces && !self.announced.entry(kind).or_default().add(found) {
            return false;
        }
        let mut is_likely_row = false;
        if let Some(kind) = self.kinds.get_mut(&kind) {
            if !kind.has_counter() {
                kind.add_words(text);
            }
            kind.lines += 1;
            kind.near_samples += usize::from(is_below_label);
            kind.totals.clear();
            kind.totals.extend(found.iter().map(|number| number.total));
            is_likely_row = kind.is_likely_row();
        }
        self.above = Some(kind).filter(|_| !is_below_label);
        let (start, between) = (self.values.len(), self.between.take());
        self.lines.push(Line { kind, start, length: found.len() as u32, is_last: is_last(found), between, time });
        self.values.extend(found.iter().map(|number| number.value));
        is_likely_row
    }

    /// Lines so far, but for those that may announce a step and may be text.
    pub(super) fn len(&self) -> usize {
        let announcing = self.kinds.values().filter(|kind| kind.announces).map(|kind| kind.lines);
        self.lines.len().saturating_sub(announcing.sum())
    }

    /// What the lines take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        let kinds = self.kinds.len() * COLUMN_BYTES as usize;
        MemoryUse::bytes(self.lines.len() * size_of::<Line>() + self.values.len() * 8 + kinds)
    }

    /// Drops the kinds that came least often, until half of the room is free.
    fn drop_rare(&mut self) {
        let mut least = 1;
        while self.kinds.values().filter(|kind| kind.lines > least).count() > MAX_KINDS / 2 {
            least *= 2;
        }
        self.kinds.retain(|_, kind| kind.lines > least);
        self.by_names.retain(|_, kind| self.kinds.contains_key(kind));
        self.announced.retain(|kind, _| self.kinds.contains_key(kind));
        // Their lines are taken out when they may be most of all, so that each line is moved a few times at most.
        if self.lines.len() > 2 * self.kept + MAX_KINDS {
            let values = std::mem::take(&mut self.values);
            let mut between = TextBetween::default();
            self.lines.retain_mut(|line| {
                let numbers = values.get(line.start..line.start + line.length as usize);
                between.add(line.between);
                let Some(numbers) = numbers.filter(|_| self.kinds.contains_key(&line.kind)) else { return false };
                line.between = std::mem::take(&mut between);
                line.start = self.values.len();
                self.values.extend_from_slice(numbers);
                true
            });
            self.kept = self.lines.len();
        }
    }

    fn numbers(&self, line: &Line) -> &[f64] {
        self.values.get(line.start..line.start + line.length as usize).unwrap_or_default()
    }

    /// Lines that look like rows of metrics, whether they are enough or not.
    pub(super) fn likely_rows(&self) -> usize {
        self.kinds.values().filter(|kind| kind.is_likely_row()).map(|kind| kind.lines).max().unwrap_or(0)
    }

    /// The run that the lines make, without rows where none repeats.
    pub(super) fn finish(mut self) -> Run {
        let (announcing, metrics) = announced::take(&mut self.kinds, &self.announced);
        let mut parts = self.parts();
        if announced::are_missing(&metrics, &self.kinds, &parts) {
            self.kinds.extend(announcing);
            parts = self.parts();
        }
        let Parts { counter, leads, around, is_certain } = parts;
        let sampled = SampledRewards::of(&self.lines, &self.kinds, &leads, &around).filter(|_| counter.is_some());
        let mut run = self.rows(counter.as_ref(), &leads, &around, sampled.as_ref());
        // Lines of text around the rows do not take those with them that are rows by themselves, or together with the lines that come
        // in most of them.
        let has_lead = |is: fn(&LineKind) -> bool| leads.iter().any(|kind| self.kinds.get(kind).is_some_and(is));
        if is_scattered(&run) {
            let steady = self.in_most_rows(around, run.row_steps.len());
            if has_lead(LineKind::is_of_metrics) {
                run = self.rows(counter.as_ref(), &leads, &BTreeMap::new(), sampled.as_ref());
            } else if self.make_row(leads.iter().chain(steady.keys())) {
                run = self.rows(counter.as_ref(), &leads, &steady, sampled.as_ref());
            }
        }
        let is_metric =
            |(key, column): (&String, &Column)| key != "step" && (column.len() >= ENOUGH_ROWS || is_certain);
        // A loop may skip most updates and print what they measure in a few of its rows.
        if !run.columns.iter().any(is_metric) || (is_scattered(&run) && !has_lead(LineKind::is_row)) {
            return Run::default();
        }
        if let Some(counter) = &counter {
            planned::note_plan(&self, &mut run, counter, &leads);
        }
        run
    }

    /// The lines with this counter: the number of their kind, and their step.
    fn steps(&self, counter: &Counter) -> Vec<(usize, f64)> {
        self.lines.iter().filter_map(|line| Some((line.kind, self.step_of(line, counter)?))).collect()
    }

    fn step_of(&self, line: &Line, counter: &Counter) -> Option<f64> {
        let place = self.kinds.get(&line.kind)?.place_of(counter)?;
        self.numbers(line).get(place).copied()
    }

    /// The counter of steps: whole numbers that grow; of several the one with the most different values (text counts its
    /// own steps, and few), then the one that is named as steps are, then the one with the largest total (others count within a
    /// part). `is_row` says of which lines a few are enough.
    fn counter(&self, is_row: &dyn Fn(&LineKind) -> bool) -> Option<Counter> {
        let mut found: BTreeMap<&Counter, Vec<f64>> = BTreeMap::new();
        let mut certain: BTreeSet<&Counter> = BTreeSet::new();
        for line in &self.lines {
            let Some(kind) = self.kinds.get(&line.kind) else { continue };
            for (counter, value) in kind.counters.iter().zip(self.numbers(line)) {
                if let Some(counter) = counter {
                    found.entry(counter).or_default().push(*value);
                    if is_row(kind) {
                        certain.insert(counter);
                    }
                }
            }
        }
        let grows = |counter: &Counter, values: &[f64]| {
            let (rising, falling) = changes(values);
            let is_enough = rising >= ENOUGH_ROWS - 1 || certain.contains(counter);
            // A counter that stands still in most lines counts something larger than rows.
            are_whole(values) && is_enough && falling * 4 <= rising && rising * LINES_OF_STEP >= values.len() - 1
        };
        let distinct = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values.len()
        };
        let with_metrics = self.kinds.values().filter(|kind| kind.names_a_metric());
        let of_metrics: BTreeSet<&String> =
            with_metrics.flat_map(|kind| kind.counters.iter().flatten()).map(|(name, _)| name).compact_collect();
        let others = self.kinds.values().filter(|kind| !kind.is_of_the_best());
        let of_others: BTreeSet<&Counter> = others.flat_map(|kind| kind.counters.iter().flatten()).compact_collect();
        let counters = found.into_iter().filter(|(counter, values)| grows(counter, values));
        let order = |(counter, values): &(&Counter, Vec<f64>)| {
            let (name, _) = counter;
            let kind = CounterKind::of(name);
            let is_of_metrics = kind == CounterKind::Step && of_metrics.contains(name);
            let total = self.largest_total(counter);
            (of_others.contains(counter), kind > CounterKind::Coarse, is_of_metrics, distinct(values), kind, total)
        };
        counters.max_by_key(order).map(|(counter, _)| counter.clone())
    }

    /// The largest total that the last lines with this counter have, 0 without any.
    fn largest_total(&self, counter: &Counter) -> u64 {
        self.kinds.values().filter_map(|kind| kind.total_of(counter)).map(|total| total as u64).max().unwrap_or(0)
    }

    /// Of the kinds of line that name a metric the one that comes most often, rather one with several numbers. Where
    /// these are of samples, lines with a number over many samples.
    fn commonest(&self) -> Option<usize> {
        let samples = self.samples();
        let order = |kind: &LineKind| (kind.names.len().min(2), kind.lines);
        let most = |is_row: &dyn Fn(&LineKind) -> bool| {
            let kinds = self.kinds.iter().filter(|(number, _)| !samples.contains(number));
            let kinds = kinds.filter(|(_, kind)| !kind.is_of_changing_text());
            let kinds = kinds.filter(|(_, kind)| kind.lines >= ENOUGH_UNCOUNTED && is_row(kind));
            kinds.max_by_key(|(number, kind)| (order(kind), std::cmp::Reverse(**number))).map(|(number, _)| *number)
        };
        let summary = || most(&|kind| kind.names.iter().any(|name| metric_words::is_summary(name)));
        most(&LineKind::names_a_metric).or_else(|| if samples.is_empty() { None } else { summary() })
    }

    /// Kinds of line with the metrics of samples: most stand beside parts of samples, and their numbers take few values.
    fn samples(&self) -> BTreeSet<usize> {
        let beside = |kind: &LineKind| kind.names_a_metric() && kind.near_samples * 2 >= kind.lines;
        let kinds = self.kinds.iter().filter(|(_, kind)| beside(kind));
        let mut values: BTreeMap<usize, Vec<Vec<f64>>> =
            kinds.map(|(number, kind)| (*number, vec![Vec::new(); kind.names.len()])).compact_collect();
        for line in &self.lines {
            let Some(seen) = values.get_mut(&line.kind) else { continue };
            for (seen, value) in seen.iter_mut().zip(self.numbers(line)) {
                if seen.len() <= VALUES_OF_SAMPLES && !seen.contains(value) {
                    seen.push(*value);
                }
            }
        }
        let are_few = |seen: &Vec<Vec<f64>>| seen.iter().all(|values| values.len() <= VALUES_OF_SAMPLES);
        values.into_iter().filter(|(_, seen)| are_few(seen)).map(|(kind, _)| kind).compact_collect()
    }
}

/// True for text that only looks like rows: it has more names than rows, and most of them in a few rows alone.
fn is_scattered(run: &Run) -> bool {
    let rows = run.row_steps.len();
    let rare = run.columns.values().filter(|column| column.len() * 2 < rows).count();
    run.columns.len() > rows && rare * 2 > run.columns.len()
}

/// True where at least one number has a total, and all that have one reached it.
fn is_last(found: &[LabelledNumber<'_>]) -> bool {
    let mut totals = found.iter().filter_map(|number| Some((number.value, number.total?))).peekable();
    totals.peek().is_some() && totals.all(|(value, total)| value >= total)
}

fn is_counter_alone(found: &[LabelledNumber<'_>]) -> bool {
    found.iter().all(|number| number.is_counter)
}

/// True when a line holds no word but the counter's and words that announce one.
fn is_bare(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).count() <= 2
}

#[cfg(test)]
mod around_tests;
#[cfg(test)]
mod tests;
