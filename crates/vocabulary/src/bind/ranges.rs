//! What the values of a key tell of its scale: shares, percent, or something that is counted.

use super::Binder;
use crate::generic::SHARE;
use crate::score_words::says_percent;
use crate::table::{has_any, words};
use crate::{Concept, Scale};

/// A value above this is no share that was smoothed or corrected beyond 1.
const BEYOND_SHARES: f64 = 2.0;
/// Words for how many there are.
const COUNTS: [&str; 4] = ["correct", "count", "n", "num"];
/// Difference of two prints of one share, one of them in whole percents.
const PRINTED: f64 = 0.0051;
/// Fewest rows that show two columns to be one.
const ROWS: usize = 5;

/// Fewest points that show that a number never changes: few evaluations may agree by chance.
const FIXED_POINTS: usize = 5;

/// How many times its first value the last one of a sum is, at least: two steps make it twice as much, and times of single steps
/// that only rise differ by less.
const GROWTH: f64 = 1.5;

impl Binder<'_> {
    pub(super) fn finite(&self, key: &str) -> impl Iterator<Item = f64> {
        let values = self.run.columns.get(key).map_or(&[][..], |column| column.values());
        values.iter().copied().filter(|value| value.is_finite())
    }

    /// True for the same number in all of its points, neither 0 nor 1 nor 100 %: a weight or a limit that is logged beside the scores.
    pub(super) fn is_fixed(&self, key: &str) -> bool {
        let first = self.finite(key).next().filter(|first| ![0.0, 1.0, 100.0].contains(first));
        let is_same = |first: f64| self.finite(key).all(|value| value == first);
        first.is_some_and(is_same) && self.finite(key).count() >= FIXED_POINTS
    }

    /// How a share of tasks was logged: as it is, or in percent by the name of an accuracy; `None` where it is a number of tasks.
    pub(super) fn scale_of_share(&self, key: &str) -> Option<Scale> {
        if self.is_share(key) {
            return Some(Scale::One);
        }
        let name = key.to_lowercase();
        let is_rate =
            words(&name).iter().any(|word| says_percent(word) || matches!(word.as_str(), "acc" | "accuracy" | "rate"));
        (is_rate && self.looks_like_percent(key)).then_some(Scale::Percent)
    }

    /// True for whole numbers that are a count: some exceed 100, or 2 where the name has a word for a number (`correct`, `num`), and the
    /// name does not say percent.
    pub(super) fn is_count(&self, key: &str) -> bool {
        let is_whole = self.finite(key).all(|value| value.fract() == 0.0);
        let most = if has_any(&words(key), &COUNTS) { BEYOND_SHARES } else { 100.0 };
        is_whole && self.finite(key).any(|value| value > most) && self.scale_of_share(key).is_none()
    }

    /// True for values of which some are too large for shares, and all are percents.
    pub(super) fn looks_like_percent(&self, key: &str) -> bool {
        let is_percent = |value: f64| (0.0..=100.0).contains(&value);
        self.finite(key).all(is_percent) && self.finite(key).any(|value| value > BEYOND_SHARES)
    }

    /// True for an accuracy that is the reward of the training batch under another name: equal to it in every row that has both,
    /// as far as both were printed.
    pub(super) fn is_the_reward(&self, key: &str, scale: Option<Scale>) -> bool {
        let Some(reward) = self.bindings.first(Concept::Reward) else { return false };
        let Some((accuracies, rewards)) = self.run.pairs(key, &reward.key) else { return false };
        let scale = scale.unwrap_or(Scale::One);
        let mut pairs = accuracies.iter().zip(&rewards);
        let is_common = accuracies.len() >= ROWS && 2 * accuracies.len() > self.finite(key).count();
        is_common && pairs.all(|(accuracy, reward)| (scale.apply(*accuracy) - reward).abs() <= PRINTED)
    }

    /// True when every value lies between 0 and 1.
    pub(super) fn is_share(&self, key: &str) -> bool {
        self.finite(key).all(|value| (0.0..=1.0).contains(&value))
    }

    /// True for a share of groups by its words, or else by its values. Of a key that names several groups some value must then lie
    /// between 0 and 1: a number of groups may never be larger than 1 either.
    pub(super) fn is_share_of_groups(&self, key: &str, normal: &str) -> bool {
        let words = words(normal);
        let may_count = || has_any(&words, &["groups", "prompts"]);
        has_any(&words, SHARE)
            || self.is_share(key) && (!may_count() || self.finite(key).any(|value| value > 0.0 && value < 1.0))
    }

    /// True for numbers that never fall, and grow as a sum does.
    pub(super) fn rises(&self, key: &str) -> bool {
        let values: Vec<f64> = self.finite(key).collect();
        let ends = values.first().zip(values.last());
        values.is_sorted() && ends.is_some_and(|(first, last)| *last > GROWTH * first)
    }

    /// True for a key that says to be in percent and whose values are no shares.
    pub(super) fn is_percent(&self, key: &str, normal: &str) -> bool {
        let says = words(normal).iter().any(|word| says_percent(word));
        says && self.finite(key).any(|value| value > 1.0)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Concept, bind};
    use rundown_run::Run;

    #[test]
    fn a_time_of_training_that_never_falls_is_no_time_of_a_step() {
        let is_bound = |values: &[f64]| {
            let mut run = Run::default();
            for value in values {
                let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
                run.push_value("Training time", row, *value);
            }
            run.choose_axis();
            bind(&run).first(Concept::TrainTime).is_some()
        };
        assert!(is_bound(&[0.42, 0.43, 0.41]) && is_bound(&[0.42, 0.42]));
        assert!(is_bound(&[10.0, 10.4, 10.9]), "steps that take longer and longer");
        assert!(!is_bound(&[10.0, 20.5, 31.0]));
    }

    #[test]
    fn a_number_of_groups_is_no_share_of_them() {
        let is_bound = |key: &str, values: &[f64]| {
            let mut run = Run::default();
            for (step, value) in values.iter().enumerate() {
                let row = run.push_row(step as f64, f64::NAN);
                run.push_value(key, row, *value);
            }
            run.choose_axis();
            bind(&run).first(Concept::ZeroVarianceGroups).is_some()
        };
        assert!(is_bound("zero_adv", &[0.0, 1.0, 0.0]), "a flag, with one group a step");
        assert!(is_bound("zero_adv_groups", &[0.25, 0.5]));
        assert!(is_bound("zero_std_pct", &[25.0, 50.0]));
        assert!(!is_bound("zero_adv_groups", &[0.0, 1.0, 3.0]));
        assert!(!is_bound("zero_adv_groups", &[0.0, 1.0, 0.0]), "one group at most");
        assert!(is_bound("zero_adv_groups_frac", &[0.0, 1.0, 0.0]) && is_bound("frac_zero_std", &[0.9, 1.02]));
    }

    #[test]
    fn a_share_of_groups_with_a_signal_is_the_other_part_of_those_without() {
        let shown = |key: &str, value: f64| {
            let mut run = Run::default();
            for step in 0..3 {
                let row = run.push_row(f64::from(step), f64::NAN);
                run.push_value(key, row, value);
            }
            run.choose_axis();
            bind(&run).first(Concept::ZeroVarianceGroups).map(|binding| binding.scale.apply(value))
        };
        assert_eq!(shown("informative_groups", 0.75), Some(0.25));
        assert_eq!(shown("effective_groups_pct", 75.0), Some(0.25));
        assert_eq!(shown("informative_groups", 24.0), None, "their number");
    }

    #[test]
    fn an_effective_sample_size_is_a_share() {
        let is_bound = |values: [f64; 2]| {
            let mut run = Run::default();
            for value in values {
                let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
                run.push_value("train/ESS", row, value);
            }
            run.choose_axis();
            bind(&run).first(Concept::MismatchSampleSize).is_some()
        };
        assert!(is_bound([1.0, 0.45]) && !is_bound([256.0, 115.0]));
    }

    #[test]
    fn a_weight_that_is_logged_beside_the_scores_is_no_primary_metric() {
        let primary = |weight: f64, points: usize| {
            let mut run = Run::default();
            for step in 0..points {
                let row = run.push_row(step as f64, f64::NAN);
                run.push_value("test/env/w_exact", row, weight);
                run.push_value("test/env/exact_match_raw", row, 0.01 * step as f64);
            }
            run.choose_axis();
            bind(&run).first(Concept::Evaluation).map(|binding| binding.key.clone())
        };
        assert_eq!(primary(0.4, 8).as_deref(), Some("test/env/exact_match_raw"));
        for (weight, points) in [(0.4, 3), (0.0, 8), (1.0, 8)] {
            let key = primary(weight, points);
            assert_eq!(key.as_deref(), Some("test/env/w_exact"), "{weight} in {points} points may be a score");
        }
    }
}
