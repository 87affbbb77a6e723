//! A step counter that begins again: with the next epoch, with a new start of the training, or after a checkpoint.
//!
//! Many loops count the batches of an epoch, or the steps of an episode or a round, and many logs hold several starts one
//! after the other. Read as one run that was resumed, all but the last would be lost. The outer counter tells; without one,
//! whether the metrics go on where they were or begin where the file began.

use super::{Column, Restart, Run, StepAxis};

/// Points on each side of a place that make a level.
const LEVEL_POINTS: usize = 5;
/// Distance of another level, in the noise of both, from which on it is not the one that was kept.
const FAR_SIGMAS: f64 = 4.0;
/// Fewest rows of a start that is a run of its own: more than one level, as fewer show no change.
const MIN_ROWS: u32 = LEVEL_POINTS as u32 + 1;

/// Last words of names of counters within which another one begins again, beside the epoch.
const OUTER_COUNTERS: [&str; 9] =
    ["cycle", "episode", "iter", "iteration", "outer_step", "phase", "rollout", "round", "stage"];

/// What happened where a counter went back to its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterReset {
    /// The training goes on: the counter is that of an epoch, an episode or a round, or was not kept in the checkpoint.
    SameTraining,
    /// Another training begins.
    NewTraining,
}

/// Numbers of metrics by the segments of a counter that have them: both, the one before alone, the one behind alone.
#[derive(Debug, Default)]
struct MetricKeys {
    shared: usize,
    lost: usize,
    gained: usize,
}

impl StepAxis {
    /// The row at which the segment before this restart begins.
    fn segment_before(&self, restart: u32) -> u32 {
        self.restarts.iter().map(|other| other.row).take_while(|row| *row < restart).last().unwrap_or(0)
    }

    /// True where the first row stands further from 0 than the next ones from each other: the rows of a resumed training.
    fn begins_within(&self) -> bool {
        let first = self.steps.first().copied().unwrap_or_default();
        let mut distances = self.steps.iter().zip(self.steps.iter().skip(1)).map(|(step, next)| next - step);
        first > 1.0 && distances.find(|distance| *distance > 0.0).is_some_and(|distance| first > distance)
    }

    fn goes_back_to_first(&self, restart: &Restart) -> bool {
        self.steps.first().is_some_and(|first| restart.resumed_at <= *first)
    }

    /// True where the counter always goes from the same first step to the same last one, but for segments of less than a level.
    fn has_equal_segments(&self) -> bool {
        let mut from = 0;
        let ends = self.restarts.iter().map(|restart| restart.row as usize).chain([self.steps.len()]);
        let segments = ends.filter_map(|end| self.steps.get(std::mem::replace(&mut from, end)..end));
        let mut ranges = segments
            .filter(|steps| steps.len() >= LEVEL_POINTS)
            .map(|steps| (steps.first().copied(), steps.last().copied()));
        let first = ranges.next();
        first.is_some() && ranges.all(|other| Some(other) == first)
    }

    /// True where the segments have one length, as epochs do, of which the last of several may be cut off.
    fn may_count_epochs(&self) -> bool {
        let mut ends = self.restarts.iter().map(|restart| restart.left_at);
        let (Some(first), Some(last)) = (ends.next(), self.steps.last()) else { return false };
        self.has_equal_segments() || (self.restarts.len() > 1 && ends.all(|end| end == first) && *last <= first)
    }
}

impl Run {
    /// Rows at which another training begins: where the run's own counter goes back to its first step and its metrics do not
    /// go on; empty for a run of one start. What goes back to a later step was resumed there.
    pub fn starts(&self) -> Vec<u32> {
        let axis = &self.axis;
        let mut resets: Vec<(u32, Option<CounterReset>)> = Vec::new();
        for restart in axis.restarts.iter().filter(|restart| axis.goes_back_to_first(restart)) {
            resets.push((restart.row, self.reset_at(axis, restart)));
        }
        let has_another = resets.iter().any(|(_, reset)| *reset == Some(CounterReset::NewTraining));
        if has_another && axis.has_equal_segments() {
            // A table of runs of one length, one below the other: no training is resumed at its end.
            return self.without_replaced_starts(axis.restarts.iter().map(|restart| restart.row).collect());
        }
        // A training that is resumed keeps its first step, unless the file begins within it. Only epochs, or the episodes of
        // one training, begin there without an outer counter that says so: equally long ones, or very many.
        let may_be_one = axis.begins_within() || axis.may_count_epochs() || axis.has_several_writers();
        let is_another = has_another || !may_be_one;
        resets.retain(|(row, reset)| match reset {
            Some(reset) => *reset == CounterReset::NewTraining,
            // Without a metric in common it may be an evaluation behind the training.
            None => is_another && self.keys_around(axis, *row).shared > 0,
        });
        self.without_replaced_starts(resets.into_iter().map(|(row, _)| row).collect())
    }

    /// Drops starts of fewer than [`MIN_ROWS`] rows whose steps the next start takes again: their rows are told as a restart. Empty
    /// where no start before the last one is long enough.
    fn without_replaced_starts(&self, begins: Vec<u32>) -> Vec<u32> {
        let end = self.row_steps.len() as u32;
        let last_step = |end: u32| self.axis.steps.get((end as usize).saturating_sub(1)).copied();
        let mut from = 0;
        let mut kept = Vec::with_capacity(begins.len());
        let mut has_long = false;
        for (place, row) in begins.iter().enumerate() {
            let next_end = begins.get(place + 1).copied().unwrap_or(end);
            let is_long = row - std::mem::replace(&mut from, *row) >= MIN_ROWS;
            has_long |= is_long;
            if is_long || last_step(next_end) < last_step(*row) {
                kept.push(*row);
            }
        }
        if has_long { kept } else { Vec::new() }
    }

    /// Counts on where the counter begins again and the training goes on.
    pub(super) fn count_on(&self, axis: StepAxis) -> StepAxis {
        // Of so few steps levels tell nothing.
        let is_part = axis.passes_a_part(2 * LEVEL_POINTS);
        let goes_on = |restart: &Restart| match self.reset_at(&axis, restart) {
            Some(reset) => reset == CounterReset::SameTraining,
            None => is_part,
        };
        if axis.restarts.is_empty() || !axis.restarts.iter().all(goes_on) {
            return axis;
        }
        axis.counted_on()
    }

    /// What it means that the counter went back; `None` where it did not go back to its beginning, or no reason is known.
    fn reset_at(&self, axis: &StepAxis, restart: &Restart) -> Option<CounterReset> {
        if !axis.goes_back_to_first(restart) {
            return None;
        }
        if self.starts_at.contains(&restart.row) {
            return Some(CounterReset::NewTraining);
        }
        self.by_outer_counter(axis, restart.row)
            .or_else(|| self.has_other_metrics(axis, restart.row).then_some(CounterReset::NewTraining))
            .or_else(|| self.by_levels(axis, restart.row))
    }

    fn by_outer_counter(&self, axis: &StepAxis, row: u32) -> Option<CounterReset> {
        let began = axis.segment_before(row);
        let of_column = |(key, column): (&String, &Column)| {
            let is_epoch = is_epoch(key);
            if *key == axis.key || !(is_epoch || is_outer_counter(key)) {
                return None;
            }
            let place = column.rows().before(row);
            let value = |place: usize| column.values().get(place).copied();
            let (first, before, after) = (value(0)?, value(place.checked_sub(1)?)?, value(place)?);
            // A trainer's epoch rises with each step; other counters that do so count steps themselves.
            let is_constant = || value(column.rows().before(began)) == Some(before);
            if after > before {
                return (is_epoch || is_constant()).then_some(CounterReset::SameTraining);
            }
            (after <= first && before > first).then_some(CounterReset::NewTraining)
        };
        self.columns.iter().find_map(of_column)
    }

    /// True where the rows behind log some metrics of those before, lack another, and have one that was not there: another
    /// program, or the same with other options. Metrics of an evaluation alone, or new ones that join, prove nothing.
    fn has_other_metrics(&self, axis: &StepAxis, row: u32) -> bool {
        let (before, after) = (row - axis.segment_before(row), self.segment_end(axis, row) - row);
        let is_long = before.min(after) >= LEVEL_POINTS as u32;
        let MetricKeys { shared, lost, gained } = self.keys_around(axis, row);
        is_long && shared > 0 && lost > 0 && gained > 0
    }

    /// Counts the metrics that most rows of the segments before and behind this row have.
    fn keys_around(&self, axis: &StepAxis, row: u32) -> MetricKeys {
        let (began, end) = (axis.segment_before(row), self.segment_end(axis, row));
        let is_common = |count: usize, rows: u32| count * 2 >= rows as usize;
        let mut keys = MetricKeys::default();
        let metrics = self.columns.iter().filter(|(key, _)| **key != axis.key && !is_clock(key));
        for (_, column) in metrics {
            let place = |row: u32| column.rows().before(row);
            let (before, after) = (place(row) - place(began), place(end) - place(row));
            match (is_common(before, row - began), is_common(after, end - row)) {
                (true, true) => keys.shared += 1,
                (true, false) if after == 0 => keys.lost += 1,
                (false, true) if before == 0 => keys.gained += 1,
                _ => {}
            }
        }
        keys
    }

    /// The row behind the segment of this row.
    fn segment_end(&self, axis: &StepAxis, row: u32) -> u32 {
        let mut later = axis.restarts.iter().map(|restart| restart.row).skip_while(|other| *other <= row);
        later.next().unwrap_or(self.row_steps.len() as u32)
    }

    /// Compares each metric behind the row with its level before it and with the level at which the segment before began:
    /// the vote of those in which the two differ.
    fn by_levels(&self, axis: &StepAxis, row: u32) -> Option<CounterReset> {
        let began = axis.segment_before(row);
        let mut votes = (0, 0);
        for (key, column) in self.columns.iter().filter(|(key, _)| **key != axis.key) {
            let (from, to) = (column.rows().before(began), column.rows().before(row));
            let before = column.values().get(from..to).unwrap_or_default();
            let after = column.values().get(to..).unwrap_or_default();
            if before.len() < 2 * LEVEL_POINTS || after.len() < LEVEL_POINTS || is_clock(key) {
                continue;
            }
            let (start, end) = (mean(before.get(..LEVEL_POINTS)), mean(before.get(before.len() - LEVEL_POINTS..)));
            let next = mean(after.get(..LEVEL_POINTS));
            let noise = scatter(before) + scatter(after);
            if !next.is_finite() {
                continue;
            }
            if (end - start).abs() <= noise {
                // A level that was kept, and is left for another one far from it, is not gone on with.
                let is_far = |level: f64| (next - level).abs() > FAR_SIGMAS * noise;
                votes.1 += u32::from(is_far(start) && is_far(end) && noise > 0.0);
                continue;
            }
            if (next - end).abs() < (next - start).abs() { votes.0 += 1 } else { votes.1 += 1 }
        }
        match votes {
            (on, again) if on > again => Some(CounterReset::SameTraining),
            (on, again) if again > on => Some(CounterReset::NewTraining),
            _ => None,
        }
    }
}

fn is_epoch(key: &str) -> bool {
    last_word(key).eq_ignore_ascii_case("epoch")
}

fn is_outer_counter(key: &str) -> bool {
    OUTER_COUNTERS.iter().any(|word| last_word(key).eq_ignore_ascii_case(word))
}

fn last_word(key: &str) -> &str {
    key.rsplit(['/', '.', ' ']).next().unwrap_or(key)
}

/// True for a key that counts time or work, which goes on whatever begins again.
fn is_clock(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["time", "elapsed", "epoch", "total", "step", "tokens"].iter().any(|word| key.contains(word))
}

fn mean(values: Option<&[f64]>) -> f64 {
    let values = values.unwrap_or_default();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean distance of neighbours.
fn scatter(values: &[f64]) -> f64 {
    let distances: Vec<f64> = values.iter().zip(values.iter().skip(1)).map(|(a, b)| (a - b).abs()).collect();
    mean(Some(&distances))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments of a counter from 0, each with so many rows, over a reward and perhaps an epoch.
    fn run(rows: &[u32], reward: impl Fn(usize, f64) -> f64, epoch: Option<fn(usize) -> f64>) -> Run {
        let mut run = Run::default();
        for (segment, rows) in rows.iter().enumerate() {
            for step in 0..*rows {
                let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
                run.push_value("step", row, f64::from(step));
                let noise = f64::from((row * 7919) % 97) / 2000.0;
                run.push_value("reward", row, reward(segment, f64::from(step) / f64::from(*rows)) + noise);
                if let Some(epoch) = epoch {
                    run.push_value("epoch", row, epoch(segment));
                }
            }
        }
        run.choose_axis();
        run
    }

    #[test]
    fn the_batches_of_an_epoch_are_counted_on() {
        let flat = run(&[50, 50, 50], |_, _| 0.5, Some(|segment| segment as f64));
        assert_eq!((flat.step_range(), flat.axis.restarts.len()), (Some((0.0, 149.0)), 0));
        let learning = run(&[50, 50, 30], |segment, share| 0.3 * (segment as f64 + share), None);
        assert_eq!(learning.step_range(), Some((0.0, 129.0)), "by the reward");
        assert!(learning.starts().is_empty());
    }

    #[test]
    fn another_start_is_told_by_what_begins_again() {
        let again = run(&[30, 45, 100], |_, share| share, None);
        assert_eq!(again.starts(), [30, 75]);
        assert_eq!(again.axis.restarts.len(), 2);
        let short = run(&[5, 100], |_, share| share, None);
        assert!(short.starts().is_empty(), "five rows are no run, and the next start takes their steps again");
    }

    #[test]
    fn a_step_back_to_the_first_is_another_start_where_nothing_tells_otherwise() {
        let starts = |rows: &[u32]| run(rows, |_, _| 0.5, Some(|_| 0.0)).starts();
        assert_eq!(starts(&[30, 45]), [30], "an epoch that never moves tells nothing");
        assert_eq!(starts(&[10, 5]), [10]);
        assert_eq!(starts(&[19, 6, 12, 10, 8, 200]), [19, 25, 37, 47, 55]);
        assert_eq!(
            starts(&[8, 4, 3, 12, 70]),
            [8, 12, 27],
            "a short start is its own run where the next one ends before it"
        );
        assert!(starts(&[30, 30]).is_empty() && starts(&[30, 30, 12]).is_empty(), "epochs have one length");
        assert!(starts(&[4, 7, 5, 6, 4, 8, 6, 3]).is_empty(), "so many may be episodes");
        assert_eq!(run(&[5; 8], |_, _| 0.5, None).step_range(), Some((0.0, 39.0)), "the epochs of eight batches");
        let mut resumed = run(&[30, 45], |_, _| 0.5, None);
        resumed.axis.steps.iter_mut().for_each(|step| *step += 251.0);
        assert!(resumed.starts().is_empty(), "resumed from the same checkpoint twice");
        let rising = run(&[3, 10, 2, 2, 6, 10, 14, 3, 2], |_, share| share, None);
        assert_eq!(rising.starts(), [3 + 10, 23, 33, 47, 50], "some are known to be starts");
    }

    #[test]
    fn runs_of_one_length_one_below_the_other_are_all_told_apart() {
        // The second begins where the first ended.
        let level = |segment: usize, share: f64| share + [0.0, 0.9, 0.0][segment];
        assert_eq!(run(&[30, 30, 30], level, None).starts(), [30, 60]);
        let single = |segment: usize, share: f64| share + [0.0, 0.9, 0.0, 0.0][segment];
        assert_eq!(run(&[30, 1, 30, 30], single, None).starts(), [30, 61], "a row more does not matter");
        assert_eq!(run(&[30, 30, 40], level, None).starts(), [60], "the counter may be that of an epoch");
    }

    #[test]
    fn another_start_is_told_by_other_metrics() {
        let with = |first: &[&str], second: &[&str]| {
            let mut run = Run::default();
            for (keys, rows) in [(first, 12), (second, 8)] {
                for step in 0..rows {
                    let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
                    run.push_value("step", row, f64::from(step));
                    keys.iter().for_each(|key| run.push_value(key, row, 0.5));
                }
            }
            run.choose_axis();
            run.starts()
        };
        assert_eq!(with(&["reward", "clip"], &["reward", "tree_nodes"]), [12]);
        assert_eq!(with(&["reward"], &["reward", "kl"]), [12], "its step goes back to the first");
        assert!(with(&["reward", "kl"], &["eval_reward"]).is_empty(), "an evaluation behind the training");
    }

    #[test]
    fn the_steps_of_an_episode_are_counted_on() {
        let with = |key: &str, value: fn(usize, u32) -> f64| {
            let mut run = Run::default();
            for (segment, rows) in [12, 10, 10].into_iter().enumerate() {
                for step in 0..rows {
                    let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
                    run.push_value("step", row, f64::from(step));
                    run.push_value("reward", row, f64::from(step));
                    run.push_value(key, row, value(segment, row));
                }
            }
            run.choose_axis();
            (run.starts().len(), run.axis.restarts.len())
        };
        let of_segment = |segment: usize, _: u32| segment as f64;
        assert_eq!(with("episode", of_segment), (0, 0));
        assert_eq!(with("train/round", of_segment), (0, 0));
        assert_eq!(with("other", of_segment), (2, 2), "no counter: the reward begins again");
        assert_eq!(with("episode", |_, row| f64::from(row)), (2, 2), "it counts rows, and the reward begins again");
    }

    #[test]
    fn what_the_source_says_of_its_starts_decides() {
        let mut run = run(&[30, 45], |_, _| 0.5, Some(|segment| segment as f64));
        assert!(run.starts().is_empty(), "the epoch goes on");
        run.starts_at = vec![30];
        run.choose_axis();
        assert_eq!(run.starts(), [30]);
    }

    #[test]
    fn a_resumed_run_is_no_other_start() {
        let mut resumed = Run::default();
        for (row, step) in (0..60).chain(40..100).enumerate() {
            let row = resumed.push_row(row as f64, f64::NAN);
            resumed.push_value("step", row, f64::from(step));
            resumed.push_value("reward", row, f64::from(step) / 100.0);
        }
        resumed.choose_axis();
        assert!(resumed.starts().is_empty());
        assert_eq!((resumed.axis.restarts.len(), resumed.step_range()), (1, Some((0.0, 99.0))));
    }
}
