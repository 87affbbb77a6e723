//! Parts of a reward under any names: metrics of which it is the sum in every row.
//!
//! A loop of one's own calls them as it likes (`format_mean`, `args_mean` beside `total_reward`). That the numbers of every row add
//! up proves it, where no part of the reward is known by its name.

use super::{Binder, Meaning};
use crate::component::{is_function, without_mean};
use crate::table::{Keys, has_any, words};
use crate::{Concept, Unit};
use rundown_run::Column;

/// Fewest rows that prove a sum.
const MIN_ROWS: usize = 10;
/// Most metrics of which sums are tried: all of their sets are.
const MAX_PARTS: usize = 8;
/// Distance of a sum from the total that comes of rounding, as a part of the larger of both and 1: a total that was printed with three
/// digits, or added up in single precision.
const ROUNDING: f64 = 2e-3;
/// Words of metrics that are no parts of a reward, beside those of statistics; lower case. A baseline and what the reward is above it
/// add up to the reward as well.
const OTHERS: [&str; 21] = [
    "time", "seconds", "sec", "step", "steps", "epoch", "episode", "episodes", "token", "tokens", "len", "length",
    "num", "loss", "lr", "grad", "norm", "gb", "logprob", "baseline", "adv",
];

/// A metric that may be a part of the reward.
struct Part<'r> {
    key: String,
    name: String,
    column: &'r Column,
}

impl Binder<'_> {
    /// Binds the metrics that add up to the reward in all of its rows, two at least, where no part of it is known.
    #[inline(never)]
    pub(super) fn summed_parts(&mut self, keys: &Keys<'_>) {
        let run = self.run;
        if self.bindings.first(Concept::RewardComponent).is_some() {
            return;
        }
        let total = self.bindings.first(Concept::Reward).and_then(|binding| run.columns.get(&binding.key));
        let Some(total) = total.filter(|total| total.len() >= MIN_ROWS) else { return };
        let largest = total.values().iter().fold(1.0, |largest: f64, value| largest.max(value.abs()));
        // What rounding hides could stand in any sum, and could be any sum.
        let is_visible = |column: &Column| range(column) > 2.0 * ROUNDING * largest;
        if !is_visible(total) {
            return;
        }
        let part = |(normal, key): (&String, &&str)| {
            let name = without_mean(normal);
            let may_be = !self.keys.contains(*key) && is_function(name) && !has_any(&words(name), &OTHERS);
            let column = run.columns.get(*key).filter(|column| may_be && column.rows() == total.rows())?;
            is_visible(column).then(|| Part { key: (*key).to_owned(), name: name.to_owned(), column })
        };
        let found: Vec<Part<'_>> = keys.iter().filter_map(part).collect();
        let Some(set) = summing_set(total, &found) else { return };
        for Part { key, name, .. } in chosen(&found, set) {
            let why = "One of the metrics that add up to the reward in every row.";
            let meaning = Meaning::plain(Concept::RewardComponent, Unit::Plain, Some(name.clone()));
            self.push(key, meaning, why.to_owned());
        }
    }
}

/// Largest minus smallest value; 0 where some value is not finite.
fn range(column: &Column) -> f64 {
    let values = || column.values().iter().copied();
    let range = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
    if values().all(f64::is_finite) { range } else { 0.0 }
}

/// The first set of metrics, a bit for each, whose sum is the total in every row; `None` without one, or where too many sets would
/// have to be tried.
fn summing_set(total: &Column, parts: &[Part<'_>]) -> Option<u32> {
    if parts.len() > MAX_PARTS {
        return None;
    }
    let is_sum = |set: &u32| {
        total.values().iter().enumerate().all(|(row, total)| {
            let value = |part: &Part<'_>| part.column.values().get(row).copied().unwrap_or(f64::NAN);
            let sum: f64 = chosen(parts, *set).map(value).sum();
            (sum - total).abs() <= ROUNDING * sum.abs().max(total.abs()).max(1.0)
        })
    };
    (1_u32..1 << parts.len()).filter(|set| set.count_ones() > 1).find(is_sum)
}

/// The metrics of a set.
fn chosen<'p, 'r>(parts: &'p [Part<'r>], set: u32) -> impl Iterator<Item = &'p Part<'r>> {
    let is_in = move |(place, _): &(usize, &Part<'r>)| (set >> place) & 1 == 1;
    parts.iter().enumerate().filter(is_in).map(|(_, part)| part)
}

#[cfg(test)]
mod tests {
    use super::super::bind;
    use crate::Concept;
    use rundown_run::Run;

    fn parts(rows: u32, names: [&str; 3], total: impl Fn(f64, f64) -> f64) -> Vec<String> {
        let mut run = Run::default();
        for step in 0..rows {
            let row = run.push_row(f64::from(step), f64::NAN);
            let (form, task) = (1.0 - 0.01 * f64::from(step), f64::from(step * 37 % 11) / 10.0);
            run.push_value(names[0], row, form);
            run.push_value(names[1], row, task);
            run.push_value(names[2], row, 0.3 * f64::from(step % 4));
            run.push_value("total_reward", row, total(form, task));
        }
        run.choose_axis();
        bind(&run).all(Concept::RewardComponent).iter().map(|binding| binding.key.clone()).collect()
    }

    #[test]
    fn metrics_that_add_up_to_the_reward_are_its_parts() {
        let names = ["format_mean", "args_mean", "other_mean"];
        assert_eq!(parts(40, names, |form, task| form + task), ["args_mean", "format_mean"]);
        assert!(parts(40, names, |form, task| form + 0.5 * task).is_empty(), "weights are not known");
        assert!(parts(5, names, |form, task| form + task).is_empty(), "too few rows");
        assert!(parts(40, ["format_std", "args_mean", "other_mean"], |form, task| form + task).is_empty());
        let baseline = ["baseline", "above_mean", "other_mean"];
        assert!(parts(40, baseline, |form, task| form + task).is_empty(), "what the reward is compared with");
        let named = ["format_reward", "args_mean", "other_mean"];
        assert_eq!(parts(40, named, |form, task| form + task), ["format_reward"], "what is known by its name stays");
    }

    #[test]
    fn a_reward_that_rounding_hides_is_no_sum() {
        let mut run = Run::default();
        for step in 0..40_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            let up = f64::from(step * 37 % 11) / 10.0;
            run.push_value("drift_up", row, up);
            run.push_value("drift_down", row, -up);
            run.push_value("total_reward", row, if step == 20 { 1e-3 } else { 0.0 });
        }
        run.choose_axis();
        assert!(bind(&run).all(Concept::RewardComponent).is_empty());
    }
}
