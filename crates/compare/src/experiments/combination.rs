//! The experiment that an ablation leaves open: its best run with a second change that helped by itself.

use super::{Experiment, ExperimentContext, ExperimentReason};
use crate::{Parameter, is_shown_alike, is_sure_lead, outcome};

/// Most runs among which changes of one setting are looked for, as their pairs are compared: of more the effects tell.
const MOST_RUNS: usize = 100;

/// The best run and another one each change one setting of a third and are better than it: no run has both changes.
pub(super) fn combination(context: &ExperimentContext<'_>) -> Option<Experiment> {
    let runs: Vec<(usize, f64)> = context.eligible.iter().copied().filter(|run| context.is_comparable(run.0)).collect();
    let best = context.best().map(|(run, _, value)| (run, value)).filter(|_| runs.len() <= MOST_RUNS)?;
    let changes = |base: (usize, f64)| {
        let own = gain(context, base, best).and_then(|_| sole_change(context, base.0, best.0));
        let others = runs.iter().filter_map(move |other| {
            let change = sole_change(context, base.0, other.0)?;
            let gain = gain(context, base, *other)?;
            is_new(context, own?, change, best.0, other.0).then_some((base.0, other.0, change, gain))
        });
        others.collect::<Vec<_>>()
    };
    let all = runs.iter().flat_map(|base| changes(*base));
    let (base, other, change, gain) = all.reduce(|most, next| if next.3 > most.3 { next } else { most })?;
    let name = |run: usize| context.summaries.get(run).map_or_else(String::new, |run| run.name_or_id().to_owned());
    let text = |run: usize| Some(change.value_of(run)?.text().into_owned());
    let reason = ExperimentReason::CombinedChanges { best: name(best.0), base: name(base), other: name(other), gain };
    Some(Experiment::of(context, change, (text(best.0)?, vec![text(other)?]), reason, 0.78))
}

/// The one setting in which two runs differ.
fn sole_change<'c>(context: &'c ExperimentContext<'_>, from: usize, to: usize) -> Option<&'c Parameter> {
    let parameters = context.analysis.effects.iter().map(|effect| &effect.parameter);
    let mut different = parameters.filter(|parameter| parameter.level_of(from) != parameter.level_of(to));
    let sole = different.next().filter(|parameter| parameter.same.is_empty())?;
    different.next().is_none().then_some(sole)
}

/// By how much a run is better than another one, where it is so beyond the noise of both.
fn gain(context: &ExperimentContext<'_>, base: (usize, f64), better: (usize, f64)) -> Option<f64> {
    let result = |run: usize| outcome(context.summaries.get(run)?, &context.metric);
    let is_within_noise =
        result(better.0).zip(result(base.0)).is_some_and(|(one, other)| is_sure_lead(&one, &other) == Some(false));
    let is_gain = context.target.is_better(better.1, base.1) && !is_shown_alike(better.1, base.1);
    (is_gain && !is_within_noise).then(|| (better.1 - base.1).abs())
}

/// True for two settings of which no run, broken ones included, has the value of the best run and that of the other.
fn is_new(context: &ExperimentContext<'_>, own: &Parameter, change: &Parameter, best: usize, other: usize) -> bool {
    let has_both =
        |run: usize| own.level_of(run) == own.level_of(best) && change.level_of(run) == change.level_of(other);
    own.key != change.key && !(0..context.summaries.len()).any(has_both)
}

#[cfg(test)]
mod tests {
    use crate::testing::{refs, summary};
    use crate::{Experiment, ExperimentReason, RunSummary, Target, advise};
    use rundown_run::ConfigValue;
    use rundown_vocabulary::Direction;

    /// Of runs with a learning rate, a group size and an outcome: the proposed change and its expected gain.
    fn proposed(runs: &[(f64, f64, f64)]) -> Option<(String, f64)> {
        let summaries: Vec<RunSummary> = runs
            .iter()
            .map(|(rate, group, _)| {
                let of = |value: f64| ConfigValue::Number(value);
                summary(&[("learning_rate", of(*rate)), ("num_generations", of(*group))])
            })
            .collect();
        let values: Vec<Option<f64>> = runs.iter().map(|run| Some(run.2)).collect();
        let target = Target { key: "eval/accuracy", direction: Direction::Up, values: &values };
        let combined = |experiment: &Experiment| match experiment.reason {
            ExperimentReason::CombinedChanges { gain, .. } => {
                Some((format!("{} {} -> {}", experiment.words, experiment.from, experiment.to.concat()), gain))
            }
            _ => None,
        };
        advise(&refs(&summaries), &target).experiments.iter().find_map(combined)
    }

    #[test]
    fn two_changes_that_helped_apart_are_proposed_together() {
        let ablation = [(1e-6, 8.0, 0.5), (2e-6, 8.0, 0.75), (1e-6, 16.0, 0.625), (1e-6, 4.0, 0.25)];
        let (change, gain) = proposed(&ablation).unwrap();
        assert_eq!((change.as_str(), gain), ("responses per prompt 8 -> 16", 0.125));
        let tried = [&ablation[..], &[(2e-6, 16.0, 0.25)]].concat();
        assert_eq!(proposed(&tried), None, "they were tried together");
        let worse = [(1e-6, 8.0, 0.5), (2e-6, 8.0, 0.75), (1e-6, 16.0, 0.375)];
        assert_eq!(proposed(&worse), None);
    }
}
