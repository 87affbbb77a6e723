//! The drop of a metric from its best lasting level, corrected for the selection of the best.
//!
//! The best of k noisy levels is too good by about `SE * sqrt(2 ln k)` even when nothing changed
//! ([`stats::excess_of_best`](rundown_stats::excess_of_best)), so a drop counts only where it is larger than that.

mod collapse;

use crate::measure::level;
use crate::measure::onset;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::{noise_floor, windows};
use crate::measure::task_count::largest_deviate;
use crate::{Evidence, Rulebook};
pub(crate) use collapse::{Collapse, collapse};
use rundown_stats as stats;
use rundown_vocabulary::{Direction, Unit};

/// Share of a fall after which it has mostly happened.
const MOSTLY_FALLEN: f64 = 0.8;
/// Fewest points after the best one that make a trend.
const POINTS_AFTER_PEAK: usize = 8;
/// Fewest points that make a level before the onset.
const LEVEL: usize = 3;
/// Share of a fall that may have happened before its onset: beyond it the fall is a slow one and begins at the best.
const SLOW: f64 = 0.4;

/// A fall from the best level that lasted. Levels are in the metric's own direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DropFromPeak {
    /// Level at the start.
    pub first: f64,
    /// Best level over a window as long as the last one.
    pub peak: f64,
    /// Step in the middle of that window.
    pub peak_step: f64,
    /// Level of the last window.
    pub last: f64,
    /// Levels that the best was picked from.
    pub looks: f64,
    /// The fall in standard errors, after `sqrt(2 ln k)` of the best one's is taken off; never below 0.
    pub z: f64,
    /// Step at which it begins.
    pub onset: f64,
    /// Step by which most of it has happened.
    pub down: f64,
    /// Index of the point in the middle of the best window.
    at: usize,
    /// Index of the onset.
    place: usize,
}

impl DropFromPeak {
    /// How much was lost, without sign.
    pub fn lost(&self) -> f64 {
        (self.peak - self.last).abs()
    }

    /// True for a fall beyond doubt: by its levels; or by all values after the best one, which go on falling or stay
    /// lower, where the last level does not speak against it; or where each of them is lower than its tasks allow.
    ///
    /// Few evaluations make a level, so that much of what is known is in those between. However steady it is, a fall by a few
    /// tasks is no sure one.
    pub fn is_sure(&self, signal: &MetricSeries<'_>, book: &Rulebook) -> bool {
        let sure = book.learning_z().value;
        largest_deviate(signal, self.lost()) >= sure && (self.z >= sure || self.since(signal, book).is_some())
    }

    /// The test over all values after the best one that shows the fall beyond doubt, and its deviate.
    fn since(&self, signal: &MetricSeries<'_>, book: &Rulebook) -> Option<(&'static str, f64)> {
        let sure = book.learning_z().value;
        let clear = ("best level above all values since the onset", self.clear_drop(signal));
        if clear.1 >= sure {
            return Some(clear);
        }
        if self.z < book.learning_hint_z().value {
            return None;
        }
        let trend = ("trend after the peak", self.trend(signal));
        if self.z >= book.learning_likely_z().value && trend.1 >= sure {
            return Some(trend);
        }
        let sustained = ("sustained drop since the onset", self.sustained_drop(signal));
        (sustained.1 >= sure).then_some(sustained)
    }

    /// The fall in standard errors, by the test that shows it best.
    pub fn deviate(&self, signal: &MetricSeries<'_>, book: &Rulebook) -> f64 {
        self.since(signal, book).map_or(self.z, |(_, z)| z.max(self.z))
    }

    /// Evidence that the fall is one.
    pub fn evidence(&self, signal: &MetricSeries<'_>, name: &'static str, book: &Rulebook) -> Vec<Evidence> {
        let sure = book.learning_z();
        let mut evidence = vec![Evidence::new(name, self.z, "SE").above(sure)];
        if let Some((name, z)) = self.since(signal, book).filter(|_| self.z < sure.value) {
            evidence.push(Evidence::new(name, z, "SE").above(sure));
        }
        evidence
    }

    /// How sure it is that the values fall from the best level on, in standard errors.
    fn trend(&self, signal: &MetricSeries<'_>) -> f64 {
        let sign = signal.binding.direction.sign();
        let after = signal.values.get(self.at..).unwrap_or(&[]);
        if after.len() < POINTS_AFTER_PEAK {
            return 0.0;
        }
        stats::mann_kendall_corrected(after).map_or(0.0, |z| -sign * z)
    }

    /// How much lower the values are from the onset on than from the best level up to there, in standard errors; the lead
    /// of the best of all places is taken off.
    fn sustained_drop(&self, signal: &MetricSeries<'_>) -> f64 {
        let sign = signal.binding.direction.sign();
        let (_, tail) = windows(signal.len(), signal.repeats_tasks());
        let from = self.at.saturating_sub(tail / 2);
        let (before, after) = (self.place.saturating_sub(from), signal.len().saturating_sub(self.place));
        if before < LEVEL || after < POINTS_AFTER_PEAK {
            return 0.0;
        }
        let window = signal.values.get(from..).unwrap_or(&[]);
        let change = level::change(window, before, after, noise_floor(signal));
        change.map_or(0.0, |change| {
            -sign * change.deviate(change.delta()) - stats::excess_of_best(1.0, signal.len() as f64)
        })
    }

    /// How far the best level lies above every value from the onset on, in the largest error that so many tasks can have; the
    /// lead of the best of all places is taken off. 0 where the number of tasks is not known.
    ///
    /// A collapse is most of the scatter of few evaluations, which then seem too noisy to show it.
    fn clear_drop(&self, signal: &MetricSeries<'_>) -> f64 {
        let after = signal.values.get(self.place..).unwrap_or(&[]);
        let is_share = signal.binding.unit == Unit::Share && signal.repeats_tasks();
        let Some(tasks) = signal.tasks().filter(|_| is_share && after.len() >= LEVEL) else { return 0.0 };
        let sign = signal.binding.direction.sign();
        let nearest = after.iter().map(|value| sign * value).fold(f64::NEG_INFINITY, f64::max);
        (sign * self.peak - nearest) * 2.0 * f64::from(tasks).sqrt() - stats::excess_of_best(1.0, self.looks)
    }

    /// Share of the gain from start to peak that was lost; infinite when there was none.
    pub fn share_of_gain(&self) -> f64 {
        level::ratio(self.lost(), (self.peak - self.first).abs()).max(0.0)
    }
}

/// 1 for a metric that is better where it is higher, -1 where it is lower; `None` where neither is better.
fn sign(signal: &MetricSeries<'_>) -> Option<f64> {
    match signal.binding.direction {
        Direction::Up => Some(1.0),
        Direction::Down => Some(-1.0),
        Direction::Neutral => None,
    }
}

/// The fall of a signal from its best level; `None` with too few points, or where neither direction is better.
pub(crate) fn drop_from_peak(signal: &MetricSeries<'_>) -> Option<DropFromPeak> {
    let sign = sign(signal)?;
    let evaluated = signal.repeats_tasks();
    let (head, tail) = windows(signal.len(), evaluated);
    let first = stats::mean(signal.values.get(..head)?)?;
    let floor = noise_floor(signal);
    let pair = level::change_of(signal, tail, tail, floor)?;
    let half = (tail / 2).max(1);
    let levels = stats::running_mean(&signal.values, half);
    let before = levels.get(..levels.len().checked_sub(tail)?)?;
    let at = (0..before.len()).max_by(|a, b| {
        let place = |index: &usize| before.get(*index).map_or(f64::NEG_INFINITY, |level| sign * level);
        // Of equal levels the later one: the fall begins behind it.
        place(a).total_cmp(&place(b))
    })?;
    let highest = before.get(at).copied()?;
    // A policy that gets worse at once was best at its start, which is shorter than a window.
    let (at, peak, change) = if sign * first > sign * highest {
        (0, first, level::change_of(signal, head, tail, floor)?)
    } else {
        // The rise to the best level is most of the scatter of few evaluations.
        let since =
            signal.values.get(at.saturating_sub(half)..).filter(|since| evaluated && since.len() >= POINTS_AFTER_PEAK);
        let since = since.and_then(|since| level::change(since, tail, tail, floor));
        (at, highest, since.filter(|since| since.error < pair.error).unwrap_or(pair))
    };
    let fallen = sign * (peak - pair.last);
    let looks = signal.len() as f64 / tail as f64;
    let luck = stats::excess_of_best(change.error, looks) / std::f64::consts::SQRT_2;
    let place = onset::of_change(&signal.values, at, peak, pair.last).min(signal.len().saturating_sub(1));
    // A slow decline seems to begin where it is halfway down: what is lost by then is lost, too.
    let before = signal.values.get(place.saturating_sub(half).max(at)..place).and_then(stats::mean);
    let slow = evaluated && before.is_some_and(|before| sign * (peak - before) > SLOW * fallen);
    let place = if slow { (at + half).min(place) } else { place };
    let low = peak - sign * MOSTLY_FALLEN * fallen;
    let down = levels.iter().skip(at).position(|level| sign * level <= sign * low).map_or(at, |index| at + index);
    Some(DropFromPeak {
        first,
        peak,
        peak_step: signal.step(at),
        last: pair.last,
        looks,
        z: change.deviate((fallen - luck).max(0.0)).min(largest_deviate(signal, fallen)),
        onset: signal.step(place),
        down: signal.step(down),
        at,
        place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_stats::testing::white;
    use rundown_vocabulary::Binding;
    use rundown_vocabulary::Concept;

    fn of(values: Vec<f64>) -> DropFromPeak {
        let binding = Binding::unscaled(Concept::Reward, "reward", Unit::Plain, Direction::Up);
        let steps = (0..values.len()).map(|step| step as f64).collect();
        drop_from_peak(&MetricSeries::new(&binding, Series::new(steps, values))).unwrap()
    }

    #[test]
    fn luck_is_no_peak() {
        let alarms = (0..300).filter(|seed| of(white(*seed, 200)).z >= 3.0).count();
        assert!(alarms <= 3, "{alarms}");
    }

    #[test]
    fn a_start_that_is_lost_at_once_is_the_peak() {
        let level = |at: f64| 0.1 + 0.4 * libm::exp(-at / 3.0);
        let fall = of(white(5, 200).iter().enumerate().map(|(at, noise)| level(at as f64) + 0.005 * noise).collect());
        assert!(fall.peak > 0.15 && fall.peak_step == 0.0 && fall.onset <= 4.0, "{fall:?}");
        assert!(fall.share_of_gain() > 1.0);
    }

    #[test]
    fn a_fall_is_measured_from_the_best_level_and_begins_where_it_begins() {
        let level = |at: f64| if at < 100.0 { at / 20.0 } else { 5.0 - (at - 100.0) / 25.0 };
        let values = white(5, 200).iter().enumerate().map(|(at, noise)| level(at as f64) + 0.2 * noise).collect();
        let fall = of(values);
        assert!(fall.z > 5.0 && (4.2..5.0).contains(&fall.peak), "{fall:?}");
        assert!((85.0..=108.0).contains(&fall.onset), "{fall:?}");
    }

    #[test]
    fn values_that_stay_lower_make_a_fall_sure() {
        let book = Rulebook::default();
        let sure = |noise: f64, drop: f64| {
            let values: Vec<f64> = white(11, 24)
                .iter()
                .enumerate()
                .map(|(at, draw)| {
                    0.6 - 0.25 * libm::exp(-(at as f64) / 4.0) - if at > 13 { drop } else { 0.0 } + noise * draw
                })
                .collect();
            let steps = (0..24).map(f64::from).collect();
            let binding = Binding::unscaled(Concept::Reward, "reward", Unit::Plain, Direction::Up);
            let signal = MetricSeries::new(&binding, Series::new(steps, values));
            drop_from_peak(&signal).unwrap().is_sure(&signal, &book)
        };
        assert!(sure(0.02, 0.08) && !sure(0.02, 0.0));
    }

    fn sure(accuracies: [f64; 11]) -> bool {
        let binding = Binding::unscaled(Concept::Evaluation, "accuracy", Unit::Share, Direction::Up);
        let signal = MetricSeries::new(&binding, Series::new((0..11).map(f64::from).collect(), accuracies.to_vec()));
        drop_from_peak(&signal).unwrap().is_sure(&signal, &Rulebook::default())
    }

    #[test]
    fn a_fall_by_a_few_tasks_is_not_sure_however_steady() {
        let of_64 = |right: [u32; 11]| sure(right.map(|right| f64::from(right) / 64.0));
        assert!(!of_64([1, 2, 3, 3, 3, 2, 1, 1, 1, 1, 1]));
        assert!(of_64([31, 40, 41, 41, 40, 30, 22, 20, 20, 20, 20]));
    }

    #[test]
    fn a_collapse_is_no_noise_of_the_evaluations_before_it() {
        let collapsed = [0.156, 0.408, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert!(sure(collapsed));
        // Lower from the middle on, and scattered more widely than its tasks explain.
        assert!(sure([0.504, 0.56, 0.548, 0.552, 0.536, 0.3, 0.352, 0.1, 0.352, 0.28, 0.352]));
        assert!(!sure([0.504, 0.56, 0.352, 0.552, 0.1, 0.3, 0.552, 0.1, 0.352, 0.48, 0.352]));
        assert!(!sure([0.156, 0.208, 0.18, 0.14, 0.2, 0.16, 0.176, 0.18, 0.16, 0.196, 0.172]));
    }

    #[test]
    fn the_rise_to_the_best_level_is_no_noise_of_what_follows() {
        assert!(sure([0.102, 0.5, 0.486, 0.464, 0.474, 0.44, 0.42, 0.418, 0.398, 0.38, 0.366]));
        assert!(!sure([0.102, 0.5, 0.486, 0.464, 0.484, 0.47, 0.49, 0.464, 0.478, 0.47, 0.466]));
    }

    #[test]
    fn a_slow_decline_of_evaluations_begins_at_the_best() {
        let level = |at: f64| if at < 20.0 { 0.4 + 0.01 * at } else { 0.6 - 0.004 * (at - 20.0) };
        let values = white(3, 60).iter().enumerate().map(|(at, draw)| level(at as f64) + 0.02 * draw).collect();
        let binding = Binding::unscaled(Concept::Evaluation, "reward", Unit::Plain, Direction::Up);
        let steps = (0..60).map(f64::from).collect();
        let fall = drop_from_peak(&MetricSeries::new(&binding, Series::new(steps, values))).unwrap();
        assert!((15.0..=34.0).contains(&fall.onset), "{fall:?}");
    }
}
