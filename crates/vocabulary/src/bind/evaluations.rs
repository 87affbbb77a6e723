//! Metrics that say that they were measured on held-out tasks; the best of them is the primary metric.

use super::{Binder, Meaning, rule};
use crate::detect::Similarity;
use crate::evaluation::{Rank, evaluation, is_highest, task_share};
use crate::table::Keys;
use crate::task_sets::{is_general_set, is_small_set, is_task_set};
use crate::{Concept, Direction, Scale, Unit};
use rundown_stats::CompactSort as _;

impl Binder<'_> {
    #[inline(never)]
    pub(super) fn evaluations(&mut self, keys: &Keys<'_>, like: &Similarity) {
        let mut found: Vec<Found<'_>> = keys
            .iter()
            .filter(|(normal, key)| !self.keys.contains(**key) && like.holds_out(normal))
            .filter_map(|(normal, key)| {
                let (rank, name) = evaluation(normal)?;
                // In another scale it may be anything that is counted.
                let rank = match rank {
                    _ if task_share(&name) && !self.is_share(key) => Rank::Other,
                    Rank::Accuracy if is_task_set(&name) && !self.is_share(key) => Rank::Reward,
                    rank => rank,
                };
                let (points, is_fixed) = (self.finite(key).count(), rank != Rank::Other && self.is_fixed(key));
                let (is_general, auxiliary) = (is_general_set(&name), normal.starts_with("val-aux/"));
                Some(Found { rank, is_fixed, name, auxiliary, is_general, points, key })
            })
            .collect();
        // Beside a share of the tasks that were solved, whole numbers are how many these were: the next set may be of more tasks.
        let is_accuracy = |found: &Found<'_>| found.rank == Rank::Accuracy && found.points > 0;
        if found.iter().any(|found| is_accuracy(found) && self.is_share(found.key)) {
            for count in found.iter_mut().filter(|found| is_accuracy(found) && self.is_count(found.key)) {
                count.rank = Rank::Other;
            }
        }
        found.compact_sort_by(|a, b| a.order().cmp(&b.order()).then_with(|| a.key.cmp(b.key)));
        let chosen = self.bindings.first(Concept::Evaluation).is_some();
        for (place, Found { rank, name, key, .. }) in found.into_iter().enumerate() {
            let by_rank = match rank {
                Rank::Fault => Direction::Down,
                Rank::Other => Direction::Neutral,
                _ => Direction::Up,
            };
            let direction = rule(self.run, key).unwrap_or(by_rank);
            let kind = match rank {
                Rank::Accuracy => "a share of tasks solved",
                Rank::Reward => "a reward",
                Rank::Several => "a share of tasks solved in several tries",
                Rank::Fault => "how much goes wrong, so less is better",
                Rank::Other => "neither an accuracy nor a reward",
            };
            let best = if place == 0 && !chosen && direction != Direction::Neutral {
                ", and the best primary metric here"
            } else {
                ""
            };
            let why = format!("Measured on held-out tasks, by its prefix: {kind}{best}.");
            let solved = matches!(rank, Rank::Accuracy | Rank::Several);
            let scale = self.scale_of_share(key).filter(|_| solved);
            let unit = if scale.is_some() { Unit::Share } else { Unit::Plain };
            let (concept, scale) = (Concept::Evaluation, scale.unwrap_or(Scale::One));
            self.push(key, Meaning { concept, direction, unit, scale, name: Some(name) }, why);
        }
    }
}

/// An evaluation before it is known which of them is the primary one.
struct Found<'r> {
    rank: Rank,
    /// [`Binder::is_fixed`].
    is_fixed: bool,
    name: String,
    auxiliary: bool,
    is_general: bool,
    points: usize,
    key: &'r str,
}

impl Found<'_> {
    /// Best rank, verl's core metrics before its others, general knowledge last, what changes, most points, all tasks before single
    /// ones, what is reached at the end before the highest, large sets before small ones, then plain names.
    fn order(&self) -> (Rank, bool, bool, bool, std::cmp::Reverse<usize>, [bool; 3], usize) {
        let single = !self.name.split('/').any(|part| part == "all");
        let lesser = [single, is_highest(&self.name), is_small_set(&self.name)];
        let points = std::cmp::Reverse(self.points);
        (self.rank, self.auxiliary, self.is_general, self.is_fixed, points, lesser, self.key.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::bind;
    use super::super::tests::{first, run};
    use crate::{Concept, Direction};

    #[test]
    fn of_several_evaluations_the_last_and_the_largest_is_the_primary_one() {
        let primary = |keys: &[&str]| first(&bind(&run(keys)), Concept::Evaluation).map(str::to_owned);
        let summary = ["best_validation_accuracy", "final_validation_accuracy"];
        assert_eq!(primary(&summary).as_deref(), Some("final_validation_accuracy"));
        assert_eq!(primary(&summary[..1]).as_deref(), Some("best_validation_accuracy"), "better than none");
        assert_eq!(primary(&["eval_amc23", "eval_math500", "eval_aime24"]).as_deref(), Some("eval_math500"));
    }

    #[test]
    fn a_number_of_right_answers_beside_their_share_is_no_accuracy() {
        let of = |key: &str, other: &str, values: [f64; 3]| {
            let mut run = run(&[other]);
            (0..).zip(values).for_each(|(row, value)| run.push_value(key, row, value));
            let bindings = bind(&run);
            let is_first = first(&bindings, Concept::Evaluation) == Some(key);
            let found = bindings.all(Concept::Evaluation).iter().find(|binding| binding.key == key);
            (is_first, found.map(|binding| binding.direction))
        };
        let of_correct = |other: &str, values: [f64; 3]| of("eval/correct", other, values);
        let counts = [158.0, 155.0, 1101.0];
        assert_eq!(of_correct("eval/accuracy", counts), (false, Some(Direction::Neutral)));
        assert_eq!(of_correct("eval/accuracy", [0.0, 0.5, 1.0]), (true, Some(Direction::Up)), "a share itself");
        assert_eq!(of_correct("eval/reward", counts), (true, Some(Direction::Up)), "nothing better is there");
        let small = [40.0, 45.0, 50.0];
        assert_eq!(of_correct("eval/accuracy", small), (false, Some(Direction::Neutral)));
        assert_eq!(of("eval/pass@1", "eval/accuracy", small).1, Some(Direction::Up), "whole percents");
    }
}
