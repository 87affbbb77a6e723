//! Which step each printed row is of.
//!
//! The bar before a row tells it, when both come out in order. With output that goes to a file they do not: the bar
//! is written at once and the rows some kilobytes later. Then the settings tell (`logging_steps`), or the number
//! of rows over the steps of the bar; and at last there is nothing but the order.

use std::collections::BTreeMap;

use crate::formats::console::progress::ProgressBar;
use crate::rows::closing_row::RUNTIME;
use crate::syntax::json::Json;
use rundown_run::{Run, RunWarning};
use rundown_stats::CompactSort as _;

/// The Trainer's number of steps a second, and half a unit of the last digit that it is rounded to.
const SPEED: &str = "train_steps_per_second";
const SPEED_ROUNDING: f64 = 0.0005;

/// Bars that are followed. A training has a few; a data set that is mapped brings more.
const MAX_BARS: usize = 16;

/// Fewest steps for each time that a bar goes back: a training that is resumed goes back seldom, the bar of an inner loop often.
const STEPS_PER_FALL: usize = 4;

/// The end of the name of verl's bar over the steps of a training.
const TRAINING_PROGRESS: &str = "Training Progress";

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    /// Metrics of training.
    Training,
    /// An evaluation at the step before it.
    Evaluation,
    /// The last line, of the steps that no row was printed for.
    Last,
}

/// What is known of a row when it is printed.
#[derive(Debug)]
pub(super) struct RowHint {
    kind: RowKind,
    /// Steps done of each bar so far.
    done: Box<[u64]>,
}

/// The bars of a log and how far they are.
#[derive(Debug, Default, Clone)]
pub(crate) struct Bars(Vec<Followed>);

#[derive(Debug, Clone)]
struct Followed {
    name: String,
    total: u64,
    first: u64,
    done: u64,
    /// It went back, as the bar of an inner loop does, or of each epoch.
    began_again: bool,
    /// Seconds after which so many steps were done, ascending; of a bar without a name.
    times: Vec<(u64, u64)>,
}

impl Bars {
    /// Adds the next states.
    pub(super) fn add<'a>(&mut self, states: impl Iterator<Item = ProgressBar<'a>>) {
        for bar in states {
            let is_same = |known: &&mut Followed| known.total == bar.total && known.name == bar.name;
            if let Some(known) = self.0.iter_mut().find(is_same) {
                if bar.done < known.done {
                    known.first = bar.done;
                    known.began_again = true;
                    known.times.clear();
                }
                known.done = bar.done;
                known.note_time(bar.elapsed);
            } else if self.0.len() < MAX_BARS {
                let (first, done) = (bar.done, bar.done);
                let (name, total, times) = (bar.name.to_owned(), bar.total, Vec::new());
                let mut bar_of_log = Followed { name, total, first, done, began_again: false, times };
                bar_of_log.note_time(bar.elapsed);
                self.0.push(bar_of_log);
            }
        }
    }

    pub(super) fn hint(&self, kind: RowKind) -> RowHint {
        RowHint { kind, done: self.0.iter().map(|bar| bar.done).collect() }
    }

    /// The bars of a training up to its closing line, where there is one. With them the end of its own bar where kept output
    /// has only the first state before that line, or that of one step before the end: the last one is drawn behind it.
    pub(super) fn until(self, closing: Option<Bars>) -> Bars {
        let Some(mut bars) = closing else { return self };
        let place = bars.place_of_training();
        let is_late = |bar: &&mut Followed| bar.done == bar.first || bar.done.checked_add(1) == Some(bar.total);
        let Some(bar) = place.and_then(|place| bars.0.get_mut(place)).filter(is_late) else { return bars };
        let is_end = |other: &Followed| other.name.is_empty() && other.total == bar.total && other.done == bar.total;
        if let Some(end) = self.0.into_iter().find(is_end) {
            *bar = end;
        }
        bars
    }

    /// Once the next training has a bar of its own, drops the bars of the one that ended: those that have not moved since, or are full.
    pub(super) fn drop_ended(&mut self, ended: &Bars) {
        let is_left = |bar: &Followed| {
            let is_same = |old: &Followed| old.total == bar.total && old.name == bar.name;
            let mut before = ended.0.iter().filter(|old| is_same(old));
            before.any(|old| old.done == bar.done || bar.done == bar.total)
        };
        if self.0.iter().any(|bar| bar.name.is_empty() && !is_left(bar)) {
            self.0.retain(|bar| !is_left(bar));
        }
    }

    /// The Trainer's own bar has no name; of several that moved the longest is the training.
    fn of_training(&self) -> Option<&Followed> {
        self.place_of_training().and_then(|place| self.0.get(place))
    }

    fn place_of_training(&self) -> Option<usize> {
        let unnamed = self.0.iter().enumerate().filter(|(_, bar)| bar.name.is_empty());
        unnamed.max_by_key(|(_, bar)| (bar.done > bar.first, bar.total)).map(|(place, _)| place)
    }

    /// Steps done and steps in all of the bar that counts the steps of a run, whose last row stands at `last` and so far from the
    /// one before; none where several bars could. Frameworks count all steps of a training in one bar, which goes back where the
    /// training is resumed. The bars of other loops may be those of an epoch, of an inner loop, or of what was loaded before.
    pub(crate) fn counting(&self, last: f64, distance: f64, is_framework: bool) -> Option<(u64, u64)> {
        let is_near = |bar: &Followed| bar.total > 0 && (bar.done as f64 - last).abs() <= distance;
        let is_of_loop = |bar: &Followed| !bar.began_again && bar.done < bar.total && !is_of_part(&bar.name);
        let is_candidate = |bar: &&Followed| {
            let is_of_framework = bar.name.is_empty() || bar.name.ends_with(TRAINING_PROGRESS);
            is_near(bar) && if is_framework { is_of_framework } else { is_of_loop(bar) }
        };
        let mut candidates = self.0.iter().filter(is_candidate);
        let bar = candidates.next().filter(|_| candidates.next().is_none())?;
        Some((bar.done, bar.total))
    }

    /// What the times of the bars take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|bar| bar.times.len() * size_of::<(u64, u64)>()).sum()
    }

    /// Seconds from the start of the training until each of these steps was done; NaN where the log has no state of the bar
    /// between a step and the next one, as where only a few states were kept, and before the bar or its clock began again.
    pub(super) fn seconds_until(&self, steps: &[f64]) -> Vec<f64> {
        let times = self.of_training().map_or(&[][..], |bar| &bar.times);
        let widest = steps.iter().zip(steps.iter().skip(1)).map(|(step, next)| next - step).fold(1.0, f64::max);
        // From the last step on, as that of an evaluation is the same as that of the row before it.
        let (mut later, mut next) = (None, None);
        let mut seconds: Vec<f64> = Vec::with_capacity(steps.len());
        for step in steps.iter().rev().copied() {
            if later.is_some_and(|later| later < step) {
                break;
            }
            next = later.filter(|later| *later > step).or(next);
            later = Some(step);
            let end = next.unwrap_or(step + widest);
            let state = times.get(times.partition_point(|(done, _)| (*done as f64) < step));
            let of_step = state.filter(|(done, _)| (*done as f64) < end);
            seconds.push(of_step.map_or(f64::NAN, |(_, seconds)| *seconds as f64));
        }
        seconds.resize(steps.len(), f64::NAN);
        seconds.reverse();
        seconds
    }

    /// Seconds that the bar of the training shows at last.
    pub(super) fn last_seconds(&self) -> Option<f64> {
        self.of_training()?.times.last().map(|(_, seconds)| *seconds as f64)
    }

    /// The step that the training began at. A resumed one begins where its bar does, unless rows stand before the bar or its clock
    /// shows that the steps before were taken too: of a bar that is drawn over and over, kept output may have the last states alone.
    fn first_step(&self, hints: &[RowHint]) -> u64 {
        let Some(bar) = self.of_training() else { return 0 };
        let place = self.0.iter().position(|other| std::ptr::eq(other, bar)).unwrap_or(0);
        let is_late = hints.first().is_some_and(|hint| hint.done.len() <= place);
        if is_late || bar.took_first_steps() { 0 } else { bar.first }
    }
}

impl Followed {
    /// True where its first state shows more than half of the time that so many steps take at the pace since then: they were taken
    /// before it. A resumed training shows them done within seconds. One state alone has no pace: its steps were taken where it is
    /// the end, or shows half a second for each, as steps that sample from a language model take a second or more.
    fn took_first_steps(&self) -> bool {
        let (Some((first, began)), Some((done, ended))) = (self.times.first(), self.times.last()) else { return false };
        let (is_end, pace) = match done.saturating_sub(*first) {
            0 => (self.done == self.total, 1.0),
            steps => (false, ended.saturating_sub(*began) as f64 / steps as f64),
        };
        *first == self.first && (is_end || 2.0 * *began as f64 > pace * *first as f64)
    }

    /// Notes when the steps were done that the bar shows, at its first state that shows them. A clock that goes back to less than
    /// half began again: the training was resumed where it had ended. The clocks of several processes differ by less.
    fn note_time(&mut self, elapsed: Option<u64>) {
        let Some(seconds) = elapsed.filter(|_| self.name.is_empty()) else { return };
        if self.times.last().is_some_and(|(_, last)| seconds < last / 2) {
            self.times.clear();
        }
        if self.times.last().is_none_or(|(done, _)| *done < self.done) {
            self.times.push((self.done, seconds));
        }
    }
}

/// True for the name of a bar over a part of a training, which is numbered or called so, or over an evaluation.
fn is_of_part(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let parts = ["epoch", "eval", "valid", "test", "load", "generat", "rollout", "batch"];
    name.bytes().any(|byte| byte.is_ascii_digit()) || parts.iter().any(|part| lower.contains(part))
}

/// A step for each row, and a warning where they are estimates.
pub(super) fn steps(hints: &[RowHint], bars: &Bars, every: Option<f64>) -> (Vec<f64>, Option<RunWarning>) {
    let rows = hints.iter().filter(|hint| hint.kind == RowKind::Training).count();
    let (training, warning) = steps_of_bars(hints, bars, every)
        .map(|steps| (steps, None))
        .or_else(|| evenly(rows, bars, bars.first_step(hints), every))
        .unwrap_or_else(|| ((1..=rows).map(|step| step as f64).collect(), Some(RunWarning::RowsCounted)));
    // The end of a bar is no place among rows that are counted.
    let is_counted = rows > 0 && warning == Some(RunWarning::RowsCounted);
    let end = bars.of_training().filter(|_| !is_counted).map_or(0.0, |bar| bar.done as f64);
    let mut next = training.into_iter();
    let mut last = 0.0;
    let steps = hints.iter().map(|hint| {
        match hint.kind {
            RowKind::Training => last = next.next().unwrap_or(last),
            RowKind::Evaluation => {}
            RowKind::Last => last = end.max(last),
        }
        last
    });
    (steps.collect(), warning.filter(|_| rows > 1))
}

/// True where nothing tells steps but an episode or a rollout that rises with each row, which counts them then.
pub(super) fn are_counted(run: &Run, bars: &Bars) -> bool {
    let counts = |warning: &RunWarning| match warning {
        RunWarning::StepsFromCounter { counter } => !counter.eq_ignore_ascii_case("epoch"),
        _ => false,
    };
    bars.of_training().is_none() && run.warnings.iter().any(counts)
}

/// The distance of the rows of a finished training without a bar, where only one whole number gives as many rows: of the steps
/// that were planned, where the last row is the last of them, or of those that the Trainer's totals tell. A bar gives the
/// steps themselves; one with fewer steps than there are rows is of something else.
pub(super) fn distance(
    hints: &[RowHint],
    bars: &Bars,
    planned: Option<f64>,
    totals: &BTreeMap<String, Json>,
) -> Option<f64> {
    let rows = hints.iter().filter(|hint| hint.kind == RowKind::Training).count() as f64;
    let has_bar = bars.of_training().is_some_and(|bar| bar.done as f64 >= rows);
    let fits = |fewest: f64, most: f64| {
        let (widest, closest) = ((most / rows).floor(), (fewest / (rows + 1.0)).floor() + 1.0);
        (!has_bar && rows > 1.0 && widest == closest && widest >= 1.0).then_some(widest)
    };
    let of_plan = || planned.and_then(|total| fits(total, total).filter(|distance| distance * rows == total));
    let of_speed = || {
        let number = |key: &str| match totals.get(key) {
            Some(Json::Number(number)) => Some(*number),
            _ => None,
        };
        let (seconds, speed) = (number(RUNTIME)?, number(SPEED)?);
        fits((seconds * (speed - SPEED_ROUNDING)).ceil(), (seconds * (speed + SPEED_ROUNDING)).floor())
    };
    of_plan().or_else(of_speed)
}

/// The states of the bar that moves with the rows, and seldom goes back, as where the training was resumed. The bar is drawn ten
/// times a second at most, so that fast steps are ahead of it, and in the copy of a terminal the state of the row's own step was
/// wiped before the row was printed: the next multiple of the usual distance is the step, or of that which the settings say.
fn steps_of_bars(hints: &[RowHint], bars: &Bars, every: Option<f64>) -> Option<Vec<f64>> {
    let of_bar = |bar: usize| -> Option<Vec<u64>> {
        let training = hints.iter().filter(|hint| hint.kind == RowKind::Training);
        let steps: Option<Vec<u64>> = training.map(|hint| hint.done.get(bar).copied()).collect();
        steps.filter(|steps| falls(steps).is_some() && steps.iter().all(|step| *step > 0))
    };
    // A bar that was full at every row (a data set that was mapped) does not rise; with one row it may.
    let rows = hints.iter().filter(|hint| hint.kind == RowKind::Training).count();
    let is_full = |bar: &Followed| !bar.name.is_empty() && bar.done == bar.total;
    let candidates = bars.0.iter().enumerate().filter(|(_, bar)| !is_full(bar) || rows > 1);
    let moving = candidates.filter_map(|(index, bar)| Some((bar, of_bar(index)?)));
    let order = |(bar, steps): &(&Followed, Vec<u64>)| (falls(steps) == Some(0), bar.name.is_empty(), bar.total);
    let (bar, steps) = moving.max_by_key(order)?;
    let is_planned = |every: &f64| *every <= bar.total as f64;
    let distance = usual_distance(&steps).or_else(|| logged_distance(&steps, every.filter(is_planned))).unwrap_or(1);
    // The last row may stand at the end of the bar.
    let next = |step: &u64| step.div_ceil(distance).saturating_mul(distance).min(bar.total.max(*step));
    let rounded: Vec<u64> = steps.iter().map(next).collect();
    let steps = if falls(&rounded) == falls(&steps) { rounded } else { steps };
    Some(steps.into_iter().map(|step| step as f64).collect())
}

/// The distance of rows by the settings, where the bar of each row is nearer to the next multiple than to the last one: a row of
/// the first step (`logging_first_step`) stands at none.
fn logged_distance(steps: &[u64], every: Option<f64>) -> Option<u64> {
    let distance = every.filter(|every| *every >= 1.0 && every.fract() == 0.0)? as u64;
    let is_near = |step: &u64| (distance - step % distance) % distance <= distance / 2;
    steps.iter().all(is_near).then_some(distance)
}

/// How often steps fall that rise from each to the next but for a few places; `None` for others.
fn falls(steps: &[u64]) -> Option<usize> {
    let pairs = || steps.iter().zip(steps.iter().skip(1));
    let falls = pairs().filter(|(before, after)| after < before).count();
    let is_moving = !steps.is_empty() && pairs().all(|(before, after)| before != after);
    (is_moving && falls * STEPS_PER_FALL < steps.len()).then_some(falls)
}

/// The distance between rows that at least half of them have.
fn usual_distance(steps: &[u64]) -> Option<u64> {
    let pairs = steps.iter().zip(steps.iter().skip(1));
    let mut distances: Vec<u64> = pairs.map(|(before, after)| after.saturating_sub(*before)).collect();
    distances.compact_sort_by_key(|distance| *distance);
    let middle = distances.get(distances.len() / 2).copied()?;
    let share = distances.iter().filter(|distance| **distance == middle).count();
    (share * 2 >= distances.len() && middle > 0).then_some(middle)
}

/// Rows at even distances: as the settings say, or as many as the bar has steps for.
fn evenly(rows: usize, bars: &Bars, first: u64, every: Option<f64>) -> Option<(Vec<f64>, Option<RunWarning>)> {
    let bar = bars.of_training();
    let spread = |distance: f64| {
        let start = (first as f64 / distance).floor() * distance;
        (1..=rows).map(|row| start + row as f64 * distance).collect()
    };
    if let Some(every) = every.filter(|every| *every >= 1.0) {
        return Some((spread(every), None));
    }
    let bar = bar.filter(|_| rows > 0)?;
    let done = bar.done.saturating_sub(first);
    let (most, least) = (done / rows as u64, done / (rows as u64 + 1) + 1);
    // Of several distances that fit, the one that people choose.
    let round = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000].into_iter().find(|r| (least..=most).contains(r));
    let distance = round.or((least <= most).then_some(most)).filter(|distance| *distance > 0)?;
    Some((spread(distance as f64), Some(RunWarning::StepsFromProgressBar { rows, steps: done, every: distance })))
}

#[cfg(test)]
mod tests;
