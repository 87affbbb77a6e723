//! Metrics behind a progress bar: `Episode: 3%|▎ | 4/120 [00:04<10:00, 5.12s/it, policy_loss=0.01, kl=0.002]`.
//!
//! tqdm draws a bar several times a step; its last state of a step is the row. Of several bars (an outer one over the
//! steps, an inner one over the batches of each) the one that begins again least often is that of the run. A bar over an
//! unknown number of batches has no percentage, `Epoch 4: : 12it [04:20, 21.1s/it, loss=1.3]`: without a batch counted,
//! its epoch is the row.

use crate::budget::MemoryUse;
use crate::rows::names::{evaluation, is_one_of};
use std::collections::BTreeMap;

use super::line_times::LineTime;
use super::progress::{ProgressBar, bars, clock_seconds, leading_number};
use super::repeated::RepeatedLines;
use rundown_run::Run;

/// Bars that are kept apart; those of further names are left out.
const MAX_BARS: usize = 8;
/// What Lightning's bar shows besides metrics: the number that its logger gave to the run.
const LOGGER_VERSION: &str = "v_num=";
/// Longest text behind a bar, in bytes.
const MAX_POSTFIX: usize = 4096;

/// The bars of a log that name metrics.
#[derive(Debug, Default)]
pub(super) struct BarRows {
    by_name: BTreeMap<String, BarLines>,
}

/// The states of one bar.
#[derive(Debug, Default)]
struct BarLines {
    /// Its last state.
    open: Option<BarState>,
    /// Steps that were done before it last began again, and seconds that these took.
    before: u64,
    seconds_before: u64,
    lines: RepeatedLines,
    /// The metrics of the last row.
    last_row: String,
    count: usize,
    /// How often it began again.
    restarts: usize,
}

/// A bar with the metrics behind it.
#[derive(Debug)]
struct BarState {
    name: String,
    done: u64,
    /// The step of the run; none where the bar counts none, and its name the epoch.
    step: Option<u64>,
    /// Seconds since the start of the run, where it shows times.
    seconds: Option<u64>,
    /// The same since the bar began.
    elapsed: Option<u64>,
    metrics: String,
}

impl BarRows {
    /// Adds the last bar of a segment where metrics follow it.
    pub(super) fn add(&mut self, segment: &str) -> bool {
        let bounded = || bars(segment).last().zip(postfix(segment));
        let Some((bar, postfix)) = bounded().or_else(|| unbounded(segment)) else { return false };
        if is_of_evaluation(bar.name) {
            return true;
        }
        let name: String = bar.name.chars().filter(|c| !c.is_ascii_digit()).collect();
        if self.by_name.len() < MAX_BARS || self.by_name.contains_key(&name) {
            self.by_name.entry(name).or_default().add(&bar, &postfix);
        }
        true
    }

    /// What the lines take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        self.by_name.values().map(|bar| bar.lines.memory_use()).sum()
    }

    /// The run that the rows of one bar make, without rows where none has any.
    pub(super) fn finish(self) -> Run {
        let least = self.by_name.into_values().min_by_key(|bar| (bar.restarts, std::cmp::Reverse(bar.count)));
        least.map_or_else(Run::default, BarLines::finish)
    }
}

impl BarLines {
    fn add(&mut self, bar: &ProgressBar<'_>, postfix: &str) {
        let is_other = |state: &mut BarState| state.done != bar.done || state.name != bar.name;
        if let Some(last) = self.open.take_if(is_other) {
            // A bar of the next epoch, perhaps one of which the log holds only the end.
            if bar.done <= last.done {
                self.before = self.before.saturating_add(last.done);
                // Of a bar that counts nothing the clock may go on.
                if last.step.is_some() || bar.elapsed < last.elapsed {
                    self.seconds_before = self.seconds_before.saturating_add(last.elapsed.unwrap_or(0));
                }
                self.restarts += 1;
            }
            self.count += 1;
            self.add_row(&last);
            self.last_row = last.metrics;
        }
        let is_counted = (bar.total, bar.done) != (0, 0);
        let step = is_counted.then(|| self.before.saturating_add(bar.done));
        let (name, metrics) = (bar.name.to_owned(), postfix.to_owned());
        let seconds = bar.elapsed.map(|elapsed| self.seconds_before.saturating_add(elapsed));
        self.open = Some(BarState { name, done: bar.done, step, seconds, elapsed: bar.elapsed, metrics });
    }

    fn add_row(&mut self, state: &BarState) {
        let time = state.seconds.map_or(LineTime::NONE, |seconds| LineTime::of_bar(seconds, self.count));
        match state.step {
            Some(step) => self.lines.add_counted(step as f64, time, &state.metrics),
            None => _ = self.lines.add(&format!("{}, {}", state.name, state.metrics), time),
        }
    }

    fn finish(mut self) -> Run {
        // A bar of the next epoch is drawn with the metrics of the one before, until it has its own.
        if let Some(last) = self.open.take_if(|last| last.step.is_some() || last.metrics != self.last_row) {
            self.count += 1;
            self.add_row(&last);
        }
        self.lines.finish()
    }
}

/// True for the name of a bar over the questions of an evaluation, whose metrics are those of the questions so far.
fn is_of_evaluation(name: &str) -> bool {
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| evaluation(word).is_some() || is_one_of(word, &["evaluating", "validating", "testing"]))
}

/// The pairs of names and values behind the last bar of a segment, without its times and its rate.
fn postfix(segment: &str) -> Option<String> {
    let (_, bar) = segment.rsplit_once("%|")?;
    let (_, inner) = bar.split_once(" [")?;
    pairs(inner.trim_end().trim_end_matches(']'))
}

/// A bar without a total, which counts as 0, and the pairs after it.
fn unbounded(segment: &str) -> Option<(ProgressBar<'_>, String)> {
    let (before, inner) = segment.rsplit_once("it [")?;
    let name = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let (done, _) = leading_number(before.get(name.len()..)?)?;
    let inner = inner.rsplit_once(']').map_or(inner, |(inner, _)| inner);
    let elapsed = Some(clock_seconds(inner)?);
    let name = name.rsplit_once(']').map_or(name, |(_, last)| last).trim_matches([':', ' ']);
    pairs(inner).map(|pairs| (ProgressBar { name, done, total: 0, elapsed }, pairs))
}

/// The pairs among the parts that follow a bar.
fn pairs(inner: &str) -> Option<String> {
    let is_metric = |part: &&str| part.contains('=') && !part.starts_with(LOGGER_VERSION);
    let pairs: Vec<&str> = inner.split(", ").filter(is_metric).collect();
    (inner.len() <= MAX_POSTFIX && !pairs.is_empty()).then(|| pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(segments: &[String]) -> Run {
        let mut rows = BarRows::default();
        segments.iter().for_each(|segment| _ = rows.add(segment));
        rows.finish()
    }

    #[test]
    fn the_last_state_of_each_step_is_a_row() {
        let state = |step: u32, kl: &str| {
            format!(
                "Episode [1/1]:  {step}%|#   | {step}/9 [00:01<00:09, 5.1s/it, kl={kl}, reward=0.{step}, glen=3e+2]"
            )
        };
        let inner = |at: u32| format!("Train epoch: {at}%|# | {at}/2 [00:00<00:01, 9it/s, pg=0.{at}]");
        let mut segments = vec!["Loading: 50%|## | 1/2 [00:01<00:01]".to_owned()];
        for step in 1..5 {
            segments.extend([inner(1), inner(2), state(step, "9"), state(step, &format!("0.{step}"))]);
        }
        let run = read(&segments);
        assert_eq!(run.columns["kl"].values(), [0.1, 0.2, 0.3, 0.4]);
        assert_eq!(run.columns["step"].values(), [1.0, 2.0, 3.0, 4.0]);
        assert!(run.columns.contains_key("glen") && !run.columns.contains_key("pg"));
        let epoch =
            |epoch: u32| format!("Epoch {epoch}: 100%|##| 50/50 [01:0{epoch}<00:00, 4.1it/s, reward=0.{epoch}]");
        let run = read(&(1..5).map(epoch).collect::<Vec<_>>());
        assert_eq!(run.row_times, [61.0, 123.0, 186.0, 250.0], "each bar of an epoch begins at 0");
    }

    #[test]
    fn the_ends_of_the_bars_of_epochs_are_rows() {
        let epoch =
            |epoch: u32| format!("Epoch {epoch}: 100%|##| 50/50 [00:12<00:00, 4.1it/s, v_num=3, reward=0.{epoch}]");
        let run = read(&(1..5).map(epoch).collect::<Vec<_>>());
        assert_eq!(run.columns["reward"].values(), [0.1, 0.2, 0.3, 0.4]);
        assert_eq!(run.columns["step"].values(), [50.0, 100.0, 150.0, 200.0]);
    }

    #[test]
    fn a_bar_without_a_total_counts_its_batches_or_its_epochs() {
        let batch = |at: u32| format!("Training: {at}it [00:0{at}, 1.02it/s, loss=0.{at}, reward=-.{at}]");
        let run = read(&(1..5).map(batch).collect::<Vec<_>>());
        assert_eq!(run.columns["step"].values(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(run.columns["reward"].values(), [-0.1, -0.2, -0.3, -0.4]);
        let epoch = |at: u32| {
            let first = format!("Epoch {at}: : 0it [04:20, ?it/s, loss=9.0, avg_reward=9.0]");
            let last = format!("Epoch {at}: : 0it [08:47, ?it/s, loss=1.5, avg_reward=0.{at}]Epoch {at}, saved");
            [first, last]
        };
        let run = read(&(0..5).flat_map(epoch).collect::<Vec<_>>());
        assert_eq!(run.columns["avg_reward"].values(), [0.0, 0.1, 0.2, 0.3, 0.4]);
        assert_eq!(run.columns["step"].values(), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert!(!BarRows::default().add("it [is said] that a=1"));
        let batch = |at: u64| format!("x: {at}it [00:01, 1.02it/s, loss=0.1]");
        // More batches than a number holds.
        read(&[batch(u64::MAX), batch(2), batch(u64::MAX), batch(1), batch(3)]);
    }

    #[test]
    fn the_bar_that_is_drawn_for_the_next_epoch_is_no_row() {
        let state = |epoch: u32, values: u32| {
            format!("Epoch {epoch}: : 0it [1:0{values}:00, ?it/s, v_num=0, loss=1.{values}, avg_reward=0.{values}]")
        };
        let segments = (0..5).flat_map(|epoch| [state(epoch, epoch), state(epoch, epoch + 1)]).chain([state(5, 5)]);
        let run = read(&segments.collect::<Vec<_>>());
        assert_eq!(run.columns["avg_reward"].values(), [0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(run.row_times, [3660.0, 3720.0, 3780.0, 3840.0, 3900.0], "the clock goes on");
        assert!(!run.columns.contains_key("v_num"), "it is the number of a logger");
    }

    #[test]
    fn bars_without_metrics_are_none() {
        let bar = "Map: 50%|## | 1/2 [00:01<00:01, 3 examples/s]".to_owned();
        assert!(!BarRows::default().add(&bar));
        assert_eq!(read(&vec![bar; 9]).row_steps.len(), 0);
    }

    #[test]
    fn the_questions_of_an_evaluation_are_no_steps() {
        let bars = |name: &str| -> Vec<String> {
            (1..40)
                .map(|done| {
                    format!("{name}: {done}%|## | {done}/100 [02:29<03:00, 3.2s/it, correct=1/2, reward=0.{done}]")
                })
                .collect()
        };
        assert_eq!((read(&bars("GSM8K eval")).row_steps.len(), read(&bars("Retrieval")).row_steps.len()), (0, 39));
    }
}
