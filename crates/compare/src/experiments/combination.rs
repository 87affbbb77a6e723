//! The experiment that an ablation leaves open: its best run with a second change that helped by itself.

use super::{Experiment, ExperimentContext, ExperimentReason};
use crate::{Parameter, is_shown_alike, is_sure_lead, outcome};
use rundown_stats as stats;

/// Most runs among which changes of one setting are looked for. All pairs of runs are compared; where there are more runs, the effects of
/// settings tell the same.
const MOST_RUNS: usize = 100;

/// The best run and another one each change one setting of a third and are better than it: no run has both changes.
pub(super) fn combination(context: &ExperimentContext<'_>) -> Option<Experiment> {
    let has_result = |run: usize| context.summaries.get(run).is_some_and(|summary| !summary.has_no_result());
    let is_compared = |run: &&(usize, f64)| context.is_comparable(run.0) && has_result(run.0);
    let runs: Vec<(usize, f64)> = context.eligible.iter().filter(is_compared).copied().collect();
    let (best, ..) = context.best().filter(|_| runs.len() <= MOST_RUNS)?;
    // One run of each config stands for all of them.
    let is_first =
        |run: &usize| runs.iter().find(|other| is_alike(context, *run, other.0)).is_some_and(|it| it.0 == *run);
    let configs: Vec<usize> = runs.iter().map(|run| run.0).filter(is_first).collect();
    let changes = |base: usize| {
        let own = sole_change(context, base, best).filter(|_| gain(context, &runs, base, best).is_some());
        let Some(own) = own else { return Vec::new() };
        let others = configs.iter().filter_map(|other| {
            let change = sole_change(context, base, *other)?;
            let is_new = is_new(context, own, change, best, *other);
            let gain = is_new.then(|| gain(context, &runs, base, *other)).flatten()?;
            Some((base, *other, change, gain))
        });
        others.collect::<Vec<_>>()
    };
    let all = configs.iter().flat_map(|base| changes(*base));
    let (base, other, change, gain) = all.reduce(|most, next| if next.3 > most.3 { next } else { most })?;
    let name = |run: usize| context.name_of(run);
    let text = |run: usize| Some(change.value_of(run)?.text().into_owned());
    let reason = ExperimentReason::CombinedChanges { best: name(best), base: name(base), other: name(other), gain };
    Some(Experiment::of(context, change, (text(best)?, vec![text(other)?]), reason, 0.78))
}

/// The one setting in which two runs differ, where both record it.
fn sole_change<'c>(context: &'c ExperimentContext<'_>, from: usize, to: usize) -> Option<&'c Parameter> {
    let parameters = context.analysis.effects.iter().map(|effect| &effect.parameter);
    let mut different = parameters.filter(|parameter| parameter.level_of(from) != parameter.level_of(to));
    let is_recorded = |parameter: &Parameter| parameter.level_of(from).and(parameter.level_of(to)).is_some();
    let sole = different.next().filter(|parameter| parameter.same.is_empty() && is_recorded(parameter))?;
    different.next().is_none().then_some(sole)
}

/// True for two runs with the same values of all settings that vary.
fn is_alike(context: &ExperimentContext<'_>, one: usize, other: usize) -> bool {
    let mut parameters = context.analysis.effects.iter().map(|effect| &effect.parameter);
    parameters.all(|parameter| parameter.level_of(one) == parameter.level_of(other))
}

/// By how much the runs with the settings of one are better in the mean than those with the settings of another, where each of them is
/// better than each of those: seeds of one config may differ by more than two configs do.
fn gain(context: &ExperimentContext<'_>, runs: &[(usize, f64)], base: usize, better: usize) -> Option<f64> {
    let alike = |run: usize| runs.iter().copied().filter(move |other| is_alike(context, run, other.0));
    let (base, better): (Vec<_>, Vec<_>) = (alike(base).collect(), alike(better).collect());
    let is_better = base.iter().all(|base| better.iter().all(|better| is_gain(context, *base, *better)));
    let mean = |runs: &[(usize, f64)]| stats::mean(&runs.iter().map(|run| run.1).collect::<Vec<f64>>());
    let gain = (mean(&better)? - mean(&base)?).abs();
    is_better.then_some(gain)
}

/// True for a run that is better than another one, beyond the noise of both.
fn is_gain(context: &ExperimentContext<'_>, base: (usize, f64), better: (usize, f64)) -> bool {
    let result = |run: usize| outcome(context.summaries.get(run)?, &context.metric);
    let is_within_noise =
        || result(better.0).zip(result(base.0)).is_some_and(|(one, other)| is_sure_lead(&one, &other) == Some(false));
    context.target.is_better(better.1, base.1) && !is_shown_alike(better.1, base.1) && !is_within_noise()
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
                let settings = [("learning_rate", of(*rate)), ("num_generations", of(*group))];
                // A rate of NaN is not recorded.
                summary(settings.get(usize::from(rate.is_nan())..).unwrap_or_default())
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

    #[test]
    fn configs_are_compared_by_all_of_their_runs() {
        let seeds = [(1e-6, 8.0, 0.5), (1e-6, 8.0, 0.5625), (2e-6, 8.0, 0.75), (1e-6, 16.0, 0.625)];
        let steady = [&seeds[..], &[(1e-6, 16.0, 0.6875), (1e-6, 4.0, 0.25)]].concat();
        assert_eq!(proposed(&steady).map(|(_, gain)| gain), Some(0.125));
        let scattered = [&seeds[..], &[(1e-6, 8.0, 0.6875), (1e-6, 4.0, 0.25)]].concat();
        assert_eq!(proposed(&scattered), None, "a run without the change is better than the one with it");
    }

    #[test]
    fn a_setting_that_one_run_does_not_record_is_no_change() {
        let unknown = [(f64::NAN, 8.0, 0.5), (2e-6, 8.0, 0.75), (f64::NAN, 16.0, 0.625), (1e-6, 4.0, 0.25)];
        assert_eq!(proposed(&unknown), None);
    }
}
