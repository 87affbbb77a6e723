//! The default config that the runs support, with the origin of each value, or why there is none.

use std::collections::BTreeMap;

use super::experiments::ExperimentContext;
use super::matched_runs::{MatchedRuns, added_by_level};
use super::sample::{RunSample, Target, is_broken};
use super::settings::words_of;
use super::{Effect, EffectAnalysis, MIN_RUNS_OF_GROUP, Parameter, RunSummary};
use rundown_diagnose::{Hyperparameter, setting};
use rundown_stats::median;

/// A difference below this share of the value itself is rounding.
const ROUNDING: f64 = 1e-9;
/// Most other values that are listed.
const MAX_OTHER_VALUES: usize = 6;

/// Where a value comes from, with the numbers that a report gives.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueOrigin {
    /// Best of matched runs, which differ in this setting only.
    MatchedRuns {
        /// Sets of matched runs.
        sets: usize,
        /// Runs in all of them.
        runs: usize,
        /// Median outcome of the value.
        outcome: f64,
        /// Other values with their median outcomes.
        others: Vec<(String, f64)>,
        /// True where these outcomes are what a value adds to the level of a set: sets with other values are as good or bad
        /// by something else, so that the medians themselves would have another order.
        is_relative: bool,
        /// Number of other values beyond these.
        more: usize,
    },
    /// The middle of the best bin of a claimed effect.
    BestBin {
        /// The bin.
        label: String,
        /// Its median outcome.
        median: f64,
        /// Its runs.
        runs: usize,
    },
    /// The median of the top runs.
    MedianOfTopRuns {
        /// Number of top runs.
        runs: usize,
    },
    /// The most frequent value of the top runs.
    MostOfTopRuns {
        /// Top runs that have it.
        having: usize,
        /// Number of top runs.
        runs: usize,
    },
    /// That of the runs that have the chosen value of another setting, with which it always changed together.
    ChangedTogether {
        /// The key of the other setting.
        with: String,
    },
    /// The only value that was ever tried.
    OnlyTried,
}

/// Why the data support no default config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoBestConfig {
    /// No run has an outcome.
    NoOutcome,
    /// Every run with an outcome is ugly.
    AllUgly,
    /// Most of the runs broke.
    MostBroke,
    /// No settings of these runs are known.
    NoSettings,
    /// The runs differ in no setting.
    NoVariation,
    /// Too few runs have an outcome.
    TooFewRuns,
    /// No setting has two values among enough runs with an outcome: no effect was tested.
    NothingTested,
    /// No setting of the best run has a claimed effect.
    NoEffect,
}

/// One value of the config.
#[derive(Debug, Clone, PartialEq)]
pub struct BestValue {
    /// Key as the runs have it.
    pub key: String,
    /// The setting in words.
    pub words: String,
    /// The value to use.
    pub value: String,
    /// Where it comes from.
    pub origin: ValueOrigin,
    /// Keys of the settings that always changed together with it.
    pub same: Vec<String>,
    /// True when its effect is significant and not confounded.
    pub is_claimed: bool,
}

/// The suggested default config.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BestConfig {
    /// Values: what varied first, then known settings that all runs share. Empty when the data support none.
    pub values: Vec<BestValue>,
    /// The run that has these values of all that varied; `None` where nobody ran them together.
    pub run: Option<usize>,
    /// Why there is none.
    pub none: Option<NoBestConfig>,
    /// The run with the best outcome that is not ugly, of those whose config is known and that have data enough for a verdict
    /// where one is; whether or not a config is suggested.
    pub best_run: Option<usize>,
}

/// The config that these runs support.
pub fn best_config(
    summaries: &[&RunSummary],
    target: &Target<'_>,
    analysis: &EffectAnalysis,
    sample: &RunSample,
) -> BestConfig {
    let context = ExperimentContext::new(summaries, target, analysis, sample);
    let mut found = BestConfig { best_run: context.best().map(|(run, _, _)| run), ..BestConfig::default() };
    found.none = unsupported(&context);
    if found.none.is_some() {
        return found;
    }
    // What is claimed is settled first; the rest among the runs that agree with it.
    let mut settled: Vec<(&Effect, usize)> = Vec::new();
    let by_claim = analysis.effects.iter().filter(|effect| effect.is_claimed);
    for effect in by_claim.chain(analysis.effects.iter().filter(|effect| !effect.is_claimed)) {
        if let Some((level, value)) = choose(&context, effect, &settled) {
            settled.push((effect, level));
            found.values.push(value);
            found.values.extend(changed_together(&context, effect, level));
        }
    }
    let has_all = |run: &usize| settled.iter().all(|(effect, level)| effect.parameter.level_of(*run) == Some(*level));
    // The best of them; an ugly one where no other has these values.
    let eligible = context.eligible.iter().map(|(run, _)| *run);
    found.run = eligible.chain(sample.runs.iter().copied()).find(has_all);
    for constant in &analysis.constant {
        let Some(hyperparameter) =
            constant.hyperparameter.filter(|hyperparameter| *hyperparameter != Hyperparameter::Seed)
        else {
            continue;
        };
        // A hyperparameter may have several keys, of which one counts, and a null sets nothing.
        let counts = context.best().and_then(|(_, summary, _)| setting(&summary.config, hyperparameter));
        if counts.is_none_or(|counts| counts.key != constant.key) {
            continue;
        }
        found.values.push(BestValue {
            key: constant.key.clone(),
            words: hyperparameter.words().to_owned(),
            value: constant.text.clone(),
            origin: ValueOrigin::OnlyTried,
            same: Vec::new(),
            is_claimed: false,
        });
    }
    found
}

/// Why the data support no default.
fn unsupported(context: &ExperimentContext<'_>) -> Option<NoBestConfig> {
    let analysis = context.analysis;
    if context.sample.runs.is_empty() {
        return Some(NoBestConfig::NoOutcome);
    }
    if context.best().is_none() {
        return Some(NoBestConfig::AllUgly);
    }
    let broken = |summary: &&&RunSummary| is_broken(summary);
    if context.summaries.iter().filter(broken).count() * 2 > context.summaries.len() {
        return Some(NoBestConfig::MostBroke);
    }
    if analysis.has_no_settings() {
        return Some(NoBestConfig::NoSettings);
    }
    if analysis.effects.is_empty() {
        return Some(NoBestConfig::NoVariation);
    }
    if analysis.runs < super::MIN_RUNS_FOR_EFFECTS {
        return Some(NoBestConfig::TooFewRuns);
    }
    if !analysis.is_any_tested() {
        return Some(NoBestConfig::NothingTested);
    }
    let counts = |effect: &Effect| effect.is_claimed && !is_of_another_kind(context, &effect.parameter);
    (!analysis.effects.iter().any(counts)).then_some(NoBestConfig::NoEffect)
}

/// The value of a parameter, given those that are settled.
fn choose(
    context: &ExperimentContext<'_>,
    effect: &Effect,
    settled: &[(&Effect, usize)],
) -> Option<(usize, BestValue)> {
    let parameter = &effect.parameter;
    // What changes the outcome's meaning can't be chosen by the outcome.
    if effect.is_outcome_redefined() || is_of_another_kind(context, parameter) {
        return None;
    }
    // What only ugly runs have is no default, however well it scored.
    let is_eligible = |found: &(usize, ValueOrigin)| {
        context.eligible.iter().any(|(run, _)| parameter.level_of(*run) == Some(found.0))
    };
    let (level, origin) = in_matched_runs(context, effect, settled)
        .filter(is_eligible)
        .or_else(|| if effect.is_claimed { in_best_bin(context, effect) } else { None })
        .or_else(|| among_top_runs(context, parameter))?;
    let value = parameter.levels.get(level)?.text().into_owned();
    let (key, words) = (parameter.key.clone(), parameter.words.clone());
    Some((level, BestValue { key, words, value, origin, same: parameter.same.clone(), is_claimed: effect.is_claimed }))
}

/// True for a setting that the best run lacks, and that no run has along with one of the best run: nothing is known of both together.
fn is_of_another_kind(context: &ExperimentContext<'_>, parameter: &Parameter) -> bool {
    let Some((best, ..)) = context.best() else { return false };
    let is_apart = |other: &Parameter| {
        let both = |run: &usize| parameter.level_of(*run).is_some() && other.level_of(*run).is_some();
        other.level_of(best).is_some() && !context.sample.runs.iter().any(both)
    };
    parameter.level_of(best).is_none() && context.analysis.effects.iter().any(|effect| is_apart(&effect.parameter))
}

/// The values of the settings that always changed together with a parameter, as a run with its chosen level has them:
/// without them the config would be one that nobody ran.
fn changed_together(context: &ExperimentContext<'_>, effect: &Effect, level: usize) -> Vec<BestValue> {
    let parameter = &effect.parameter;
    let has_level = |run: &usize| parameter.level_of(*run) == Some(level);
    let summary = context.sample.runs.iter().copied().find(has_level).and_then(|run| context.summaries.get(run));
    let value = |key: &String| {
        let value = summary?.config.get(key)?.to_string();
        let origin = ValueOrigin::ChangedTogether { with: parameter.key.clone() };
        Some(BestValue { key: key.clone(), words: words_of(key), value, origin, same: Vec::new(), is_claimed: false })
    };
    parameter.same.iter().filter_map(value).collect()
}

/// The best value among matched runs: over all sets for a claimed effect, else over those with the settled values.
fn in_matched_runs(
    context: &ExperimentContext<'_>,
    effect: &Effect,
    settled: &[(&Effect, usize)],
) -> Option<(usize, ValueOrigin)> {
    let parameter = &effect.parameter;
    let agrees = |run: &usize| settled.iter().all(|(other, level)| other.parameter.level_of(*run) == Some(*level));
    let sets: Vec<&MatchedRuns> = effect.matched.iter().filter(|set| set.runs.iter().all(&agrees)).collect();
    let (count, runs) = (sets.len(), sets.iter().map(|set| set.runs.len()).sum::<usize>());
    // A pair among fifty runs says less than the fifty do.
    if effect.is_claimed && runs * 2 < effect.runs {
        return None;
    }
    let mut outcomes: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (level, value) in sets.iter().flat_map(|set| &set.levels) {
        outcomes.entry(*level).or_default().push(*value);
    }
    let added = added_by_level(&sets);
    let of_level = |(level, raw): (&usize, &Vec<f64>)| Some((*level, median(raw)?, *added.get(level)?));
    // Of values that hardly repeat each is a draw or two: the best of many of them is the luckiest.
    let is_binned = effect.is_claimed && parameter.is_number() && parameter.levels.len() > effect.bins.len();
    let having = |level| sets.iter().flat_map(|set| &set.runs).filter(move |run| parameter.level_of(**run) == level);
    let repeats = |level: usize| !is_binned || having(Some(level)).count() >= MIN_RUNS_OF_GROUP;
    let levels: Vec<_> = outcomes.iter().filter(|(level, _)| repeats(**level)).filter_map(of_level).collect();
    let mut top = *levels.first().filter(|_| levels.len() > 1)?;
    for level in &levels {
        if context.target.is_better(level.2, top.2) {
            top = *level;
        }
    }
    let is_relative = levels.iter().any(|level| context.target.is_better(level.1, top.1));
    let shown = |(_, raw, centred): &(usize, f64, f64)| match is_relative {
        // What is left of numbers of this size is rounding.
        true if centred.abs() < ROUNDING * raw.abs() => 0.0,
        true => *centred,
        false => *raw,
    };
    let text = |level: usize| parameter.levels.get(level).map_or_else(String::new, |level| level.text().into_owned());
    let others = levels.iter().filter(|level| level.0 != top.0);
    let mut others: Vec<(String, f64)> = others.map(|level| (text(level.0), shown(level))).collect();
    let more = others.len().saturating_sub(MAX_OTHER_VALUES);
    others.truncate(MAX_OTHER_VALUES);
    Some((top.0, ValueOrigin::MatchedRuns { sets: count, runs, outcome: shown(&top), others, is_relative, more }))
}

/// The level in the best bin of a claimed effect: that of the middle of its good runs.
fn in_best_bin(context: &ExperimentContext<'_>, effect: &Effect) -> Option<(usize, ValueOrigin)> {
    let parameter = &effect.parameter;
    let bin = effect.bins.get(effect.best?)?;
    let inside = |level: usize| parameter.levels.get(level).filter(|value| bin.contains(value)).map(|_| level);
    let mut levels: Vec<usize> =
        context.eligible.iter().filter_map(|(run, _)| inside(parameter.level_of(*run)?)).collect();
    levels.truncate((levels.len() / 2).max(3));
    levels.sort_unstable();
    let level = *levels.get(levels.len().checked_sub(1)? / 2)?;
    let origin = ValueOrigin::BestBin { label: bin.label.clone(), median: bin.median, runs: bin.runs };
    Some((level, origin))
}

/// The median of the top runs, or their most frequent value.
fn among_top_runs(context: &ExperimentContext<'_>, parameter: &Parameter) -> Option<(usize, ValueOrigin)> {
    let mut levels: Vec<usize> = context.top_runs().iter().filter_map(|(run, _)| parameter.level_of(*run)).collect();
    let runs = levels.len();
    let first = *levels.first()?;
    levels.sort_unstable();
    if parameter.is_number() {
        let level = *levels.get((levels.len() - 1) / 2)?;
        return Some((level, ValueOrigin::MedianOfTopRuns { runs }));
    }
    let count = |level: usize| levels.iter().filter(|other| **other == level).count();
    let mut best = first;
    for level in &levels {
        if count(*level) > count(best) {
            best = *level;
        }
    }
    Some((best, ValueOrigin::MostOfTopRuns { having: count(best), runs }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refs, summary};
    use crate::{effects_of, parameters, sample};
    use rundown_run::ConfigValue;
    use rundown_vocabulary::Direction;

    /// What is asked of runs with such outcomes.
    fn asked<T>(made: &[RunSummary], values: &[f64], ask: impl FnOnce(&ExperimentContext<'_>) -> T) -> T {
        let (made, values) = (refs(made), values.iter().copied().map(Some).collect::<Vec<_>>());
        let target = Target { key: "eval/accuracy", direction: Direction::Up, values: &values };
        let sample = sample(&made, &target);
        let analysis = effects_of(parameters(&made), &sample, &target);
        ask(&ExperimentContext::new(&made, &target, &analysis, &sample))
    }

    /// The KL coefficient that matched runs choose, as a place among its levels, where each has a batch size beside it.
    fn chosen(settings: &[(f64, f64)], values: &[f64], is_claimed: bool) -> Option<(usize, ValueOrigin)> {
        let number = |value: &f64| ConfigValue::Number(*value);
        let run = |(batch, beta): &(f64, f64)| summary(&[("batch_size", number(batch)), ("beta", number(beta))]);
        asked(&settings.iter().map(run).collect::<Vec<_>>(), values, |context| {
            let beta = context.analysis.effects.iter().find(|effect| effect.parameter.key == "beta").unwrap();
            in_matched_runs(context, &Effect { is_claimed, ..beta.clone() }, &[])
        })
    }

    #[test]
    fn the_numbers_of_a_value_are_those_that_chose_it() {
        // The sets differ by more than the values in them do, and neither holds all three.
        let tried = [(32.0, 0.0), (32.0, 0.001), (64.0, 0.001), (64.0, 0.01)].repeat(4);
        let (level, origin) = chosen(&tried, &[0.30, 0.20, 0.90, 0.80].repeat(4), false).unwrap();
        let ValueOrigin::MatchedRuns { outcome, others, is_relative: true, sets: 2, .. } = origin else {
            panic!("{origin:?}")
        };
        let others: Vec<f64> = others.iter().map(|(_, value)| *value).collect();
        assert!(level == 0 && (outcome - 0.1).abs() < 1e-3, "{level} {outcome}");
        assert!(others[0] == 0.0 && (others[1] + 0.1).abs() < 1e-3, "{others:?}");
        // Where the medians say the same they are shown.
        let agreed = chosen(&tried, &[0.9, 0.5, 0.5, 0.5].repeat(4), false).unwrap();
        assert!(matches!(agreed, (0, ValueOrigin::MatchedRuns { outcome: 0.9, is_relative: false, .. })), "{agreed:?}");
    }

    #[test]
    fn matched_runs_decide_among_many_values_that_repeat() {
        // The better batch size was run with the worse coefficients only.
        let small = [0.0, 0.001, 0.002, 0.003, 0.004, 0.005].map(|beta| (32.0, beta));
        let tried = [&small[..], &[(64.0, 0.003), (64.0, 0.004), (64.0, 0.005)][..]].concat();
        let best = |repeats: usize, single: &[(f64, f64)]| {
            let tried = [&tried.repeat(repeats)[..], single].concat();
            let values: Vec<f64> = tried.iter().map(|(batch, beta)| batch / 64.0 - 50.0 * beta).collect();
            chosen(&tried, &values, true).map(|(level, _)| level)
        };
        assert_eq!([2, 5].map(|repeats| best(repeats, &[])), [None, Some(0)]);
        assert_eq!(best(5, &[(32.0, -0.01)]), Some(1), "a value of one run is neither chosen nor in the way");
    }

    #[test]
    fn a_setting_of_another_kind_of_run_is_no_part_of_the_config() {
        let number = |place: u32| ConfigValue::Number(f64::from(place % 2));
        let run = |place: u32| {
            let own = if place < 8 { "ppo_margin" } else { "grpo_margin" };
            summary(&[(own, number(place)), ("margin", number(place / 2))])
        };
        let (made, values): (Vec<RunSummary>, Vec<f64>) = (0..16).map(|place| (run(place), -f64::from(place))).unzip();
        asked(&made, &values, |context| {
            let only = |key: &str| {
                let mut analysis = context.analysis.clone();
                analysis.effects.iter_mut().for_each(|effect| effect.is_claimed = effect.parameter.key == key);
                unsupported(&ExperimentContext::new(context.summaries, context.target, &analysis, context.sample))
            };
            assert_eq!(["margin", "ppo_margin", "grpo_margin"].map(only), [None, None, Some(NoBestConfig::NoEffect)]);
        });
    }
}
