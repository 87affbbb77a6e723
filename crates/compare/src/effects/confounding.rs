//! Confounding: effects that may be those of something else, such as another setting, longer training, or an outcome
//! that the setting itself defines.

use super::{Effect, EffectColumns, MIN_RUNS_FOR_EFFECTS, SIGNIFICANCE, binned};
use crate::ranking::ranking;
use crate::run_summary::unshared_part;
use crate::sample::RunSample;
use crate::settings::{SettingColumn, names_tasks};
use crate::{Metric, Parameter, RunSummary, SettingRole, role_of};
use rundown_diagnose::{Hyperparameter, hyperparameter_of};
use rundown_stats::CompactSort as _;
use rundown_stats::{self as stats, SplitMix64};
use rundown_vocabulary::Concept;

/// Most claimed effects that are compared in pairs, the smallest p first.
const MAX_COMPARED: usize = 12;
/// P within the groups of another setting from which on an effect is explained by it. A smaller one that is not significant
/// decides nothing: runs in small groups show little, and of settings without an effect of their own one in five has it (ours).
const EXPLAINED: f64 = 0.2;
/// The name of the run length among inseparable settings.
const STEP_COUNT_NAME: &str = "number of steps";
/// Words in the keys of settings that define the reward.
const REWARD_WORDS: [&str; 7] = ["reward", "rewards", "rubric", "verifier", "scorer", "grader", "judge"];
/// Words beside `lambda` in the keys of other weights: terms of the loss, regularisers, estimators and schedules.
const NO_REWARD_TERMS: [&str; 31] = [
    "actor", "adv", "advantage", "aux", "bc", "ce", "critic", "decay", "discount", "distill", "ent", "entropy", "gae",
    "gp", "kd", "l1", "l2", "lm", "loss", "lr", "mse", "policy", "ppo", "reg", "return", "returns", "sft", "td",
    "trace", "value", "vf",
];
/// Settings that define the number of steps: comparing them at equal steps would remove their effect.
const STEP_SETTINGS: [Hyperparameter; 5] = [
    Hyperparameter::Batch,
    Hyperparameter::Generations,
    Hyperparameter::PlannedSteps,
    Hyperparameter::Epochs,
    Hyperparameter::EpochsPerBatch,
];

/// Why a significant effect is not claimed.
#[derive(Debug, Clone, PartialEq)]
pub enum Confounding {
    /// The setting changes what the outcome measures, or always changed together with one that does.
    OutcomeRedefined {
        /// The key of the setting of the reward or the tasks.
        by: String,
    },
    /// No difference at the last step that all runs reached: the runs differ in length.
    RunLength {
        /// The last common step.
        step: f64,
        /// Runs that reached it.
        runs: usize,
    },
    /// No difference among runs with the same value of another setting.
    OtherSetting {
        /// The key of the other setting.
        key: String,
    },
}

/// Withdraws the claims of confounded effects, and lists the settings from which an effect cannot be separated.
pub(super) fn check_confounding(effects: &mut [Effect], sample: &RunSample, random: &mut SplitMix64) {
    for effect in effects.iter_mut() {
        // Among runs with one value of it the outcome is the same measure.
        let redefining = redefines_outcome(&effect.parameter).filter(|_| sample.is_reward && effect.bins.len() > 1);
        if let Some(by) = redefining.map(str::to_owned) {
            withdraw(effect, Confounding::OutcomeRedefined { by });
        } else if effect.is_claimed {
            match holds_at_equal_steps(effect, sample, random) {
                None => {}
                Some(true) => effect.inseparable.push(STEP_COUNT_NAME.to_owned()),
                Some(false) => {
                    let (step, runs) = reached_by_all(effect, sample);
                    withdraw(effect, Confounding::RunLength { step, runs });
                }
            }
        }
    }
    check_rewards(effects, sample, random);
    check_pairs(effects, sample, random);
}

/// Withdraws the claim of an effect on a reward that another setting defines, where the two are associated and runs with one value of
/// the other do not show it: levels of other rewards are no evidence.
fn check_rewards(effects: &mut [Effect], sample: &RunSample, random: &mut SplitMix64) {
    let of = |effect: &Effect| (effect.parameter.key.clone(), BinnedRuns::new(effect, sample));
    let rewards: Vec<(String, BinnedRuns)> =
        effects.iter().filter(|effect| effect.is_outcome_redefined()).map(of).collect();
    for effect in effects.iter_mut().filter(|effect| effect.is_claimed) {
        let own = BinnedRuns::new(effect, sample);
        let mut explains = |reward: &BinnedRuns| {
            let Some(both) = both(&own, reward) else { return false };
            let depend = stats::groups_depend(&both.one, &both.other, random).is_some_and(|p| p < SIGNIFICANCE);
            depend && p_within(&both.ranking, &both.one, &both.other, random) >= SIGNIFICANCE
        };
        if let Some((key, _)) = rewards.iter().find(|(_, reward)| explains(reward)) {
            withdraw(effect, Confounding::OtherSetting { key: key.clone() });
        }
    }
}

/// The p of a difference between groups among runs that are alike in something else.
fn p_within(ranking: &[f64], groups: &[usize], within: &[usize], random: &mut SplitMix64) -> f64 {
    let blocks: Vec<Option<usize>> = within.iter().copied().map(Some).collect();
    stats::within_blocks(ranking, groups, &blocks, random).unwrap_or(1.0)
}

/// The last step that all runs with a setting reached, and how many these are: a run that broke may have ended before, and
/// of one without a curve no last step is known.
fn reached_by_all(effect: &Effect, sample: &RunSample) -> (f64, usize) {
    let Some(equal) = &sample.equal else { return (f64::NAN, 0) };
    let has_end = |(run, end): &(&usize, &f64)| end.is_finite() && effect.parameter.level_of(**run).is_some();
    (equal.step, sample.runs.iter().zip(&equal.ends).filter(has_end).count())
}

fn withdraw(effect: &mut Effect, why: Confounding) {
    effect.is_claimed = false;
    effect.confounding = Some(why);
}

/// The first setting of the reward, by key, in which runs differ: their rewards are not comparable then. Asked are the
/// runs, by their places, that have the reward.
pub fn rewarded_by<'e>(settings: &[SettingColumn<'e>], has_reward: impl Fn(usize) -> bool) -> Option<&'e str> {
    let is_reward_setting = |key: &str| is_reward(key) && role_of(key) == SettingRole::Hyperparameter;
    let varies = |column: &&SettingColumn<'e>| {
        let mut values = column.values.iter().filter(|(run, _)| has_reward(*run)).map(|(_, value)| value);
        values.next().is_some_and(|first| values.any(|value| value != first))
    };
    settings.iter().filter(|column| is_reward_setting(column.key)).find(varies).map(|column| column.key)
}

/// The name of a part of the reward that some of these runs have and others do not, where runs are compared by the reward, of those
/// that log it under the key of the metric with parts: their rewards are not comparable.
pub fn differing_part<'s>(summaries: &[&'s RunSummary], metric: &Metric) -> Option<&'s str> {
    if metric.concept != Some(Concept::Reward) {
        return None;
    }
    let mut rewarded = summaries.iter().filter_map(|summary| summary.with_parts(summary.trace(&metric.key)));
    let first = rewarded.next()?;
    rewarded.find_map(|other| unshared_part(first, other))
}

/// Which runs can be compared by a metric: all, but by rewards of different parts those that have the parts of the best run, and
/// none where no other run has them.
pub fn comparable(summaries: &[&RunSummary], metric: &Metric) -> Vec<bool> {
    if differing_part(summaries, metric).is_none() {
        return vec![true; summaries.len()];
    }
    let rows = ranking(summaries, Some(metric));
    let best = rows.iter().find(|row| row.outcome.is_some()).and_then(|row| summaries.get(row.index));
    let is_alike = |run: &&RunSummary| {
        metric.trace_in(run).is_some() && best.is_some_and(|best| differing_part(&[*best, *run], metric).is_none())
    };
    let found: Vec<bool> = summaries.iter().map(is_alike).collect();
    if found.iter().filter(|is_alike| **is_alike).count() > 1 { found } else { vec![false; summaries.len()] }
}

/// The key of a setting of the reward or the tasks: that of the parameter, or one that always changed together with it.
fn redefines_outcome(parameter: &Parameter) -> Option<&str> {
    let is_weights = parameter.hyperparameter == Some(Hyperparameter::RewardWeights);
    let mut keys = [&parameter.key].into_iter().chain(&parameter.same);
    keys.find(|key| is_weights || is_reward(key)).map(String::as_str)
}

fn is_reward(key: &str) -> bool {
    // How advantages are scaled changes no reward.
    if hyperparameter_of(key) == Some(Hyperparameter::ScaleRewards) {
        return false;
    }
    if names_tasks(key) {
        return true;
    }
    let lower = key.to_ascii_lowercase();
    // A KL penalty on the reward is a regulariser and no part of the task.
    let is_named = lower.split(['.', '_', '/', '-', ' ']).any(|word| REWARD_WORDS.contains(&word));
    (is_named || is_weight_of_reward(&lower)) && !lower.contains("kl")
}

/// True for the weight of a term that is named after it, as in `lambda_format`: of the reward, unless its word is one of the loss or
/// of an estimator. A `lambda` alone is that of GAE, and so is `lambda_`, as Python has a keyword of that name.
fn is_weight_of_reward(key: &str) -> bool {
    let last = key.rsplit(['.', '/']).next().unwrap_or(key);
    let words = || last.split(['_', '-', ' ']);
    let mut terms = words().filter(|word| !word.is_empty() && *word != "lambda").peekable();
    let is_weight = words().any(|word| word == "lambda") && terms.peek().is_some();
    is_weight && terms.all(|word| !NO_REWARD_TERMS.contains(&word))
}

/// Whether an effect is significant at the last step that all runs reached; `None` where run length does not depend on
/// the setting.
fn holds_at_equal_steps(effect: &Effect, sample: &RunSample, random: &mut SplitMix64) -> Option<bool> {
    let equal = sample.equal.as_ref()?;
    if effect.parameter.hyperparameter.is_some_and(|hyperparameter| STEP_SETTINGS.contains(&hyperparameter)) {
        return None;
    }
    let BinnedRuns { columns: found, bins: of } = BinnedRuns::new(effect, sample);
    let at = |values: &[f64]| -> Vec<f64> {
        let place = |run: &usize| sample.runs.binary_search(run).ok().and_then(|place| values.get(place).copied());
        found.runs.iter().map(|run| place(run).unwrap_or(f64::NAN)).collect()
    };
    let (ranking, ends) = (at(&equal.ranking), at(&equal.ends));
    // Run length can confound only where it depends on the setting.
    let of_ends = ends.iter().zip(&of).filter(|(end, _)| end.is_finite());
    let (ends, groups): (Vec<f64>, Vec<usize>) = of_ends.map(|(end, of)| (*end, *of)).unzip();
    if stats::rank_tests(&stats::ranks(&ends), None, &groups, &[], random) >= SIGNIFICANCE {
        return None;
    }
    let x = effect.parameter.is_ordered().then(|| found.ranks());
    Some(stats::rank_tests(&stats::ranks(&ranking), x.as_deref(), &of, &[], random) < SIGNIFICANCE)
}

/// Compares claimed effects in pairs: of two associated settings, one without an effect within the groups of the other
/// is explained by it. Where neither has one, or that is not clear, they are inseparable.
fn check_pairs(effects: &mut [Effect], sample: &RunSample, random: &mut SplitMix64) {
    let mut claimed: Vec<(usize, f64)> = (effects.iter().enumerate())
        .filter(|(_, effect)| effect.is_claimed)
        .map(|(place, effect)| (place, effect.p.unwrap_or(1.0)))
        .collect();
    claimed.compact_sort_by(|a, b| a.1.total_cmp(&b.1));
    claimed.truncate(MAX_COMPARED);
    let claimed: Vec<(usize, BinnedRuns)> = (claimed.iter())
        .filter_map(|(place, _)| Some((*place, BinnedRuns::new(effects.get(*place)?, sample))))
        .collect();
    for (rank, (one, by_one)) in claimed.iter().enumerate() {
        for (other, by_other) in claimed.iter().skip(rank + 1) {
            let (Some(a), Some(b)) = (effects.get(*one), effects.get(*other)) else { continue };
            if !a.is_claimed || !b.is_claimed {
                continue;
            }
            let Some(both) = both(by_one, by_other) else { continue };
            let depend = stats::groups_depend(&both.one, &both.other, random).is_some_and(|p| p < SIGNIFICANCE);
            if !depend {
                continue;
            }
            let one_p = p_within(&both.ranking, &both.one, &both.other, random);
            let other_p = p_within(&both.ranking, &both.other, &both.one, random);
            let (a_key, b_key) = (a.parameter.key.clone(), b.parameter.key.clone());
            let mut at = |place: usize, act: &mut dyn FnMut(&mut Effect)| {
                effects.get_mut(place).into_iter().for_each(act);
            };
            match (one_p < SIGNIFICANCE, other_p < SIGNIFICANCE) {
                (true, true) => {}
                (true, false) if other_p >= EXPLAINED => {
                    at(*other, &mut |effect| withdraw(effect, Confounding::OtherSetting { key: a_key.clone() }))
                }
                (false, true) if one_p >= EXPLAINED => {
                    at(*one, &mut |effect| withdraw(effect, Confounding::OtherSetting { key: b_key.clone() }))
                }
                (one_holds, other_holds) => {
                    if !one_holds {
                        at(*one, &mut |effect| effect.inseparable.push(b_key.clone()));
                    }
                    if !other_holds {
                        at(*other, &mut |effect| effect.inseparable.push(a_key.clone()));
                    }
                }
            }
        }
    }
}

/// The runs that have both of two settings, with the bin of each.
struct SharedRuns {
    ranking: Vec<f64>,
    one: Vec<usize>,
    other: Vec<usize>,
}

/// The runs of a setting, with the bin of each.
struct BinnedRuns {
    columns: EffectColumns,
    bins: Vec<usize>,
}

impl BinnedRuns {
    fn new(effect: &Effect, sample: &RunSample) -> Self {
        let columns = EffectColumns::of(&effect.parameter, sample);
        let (_, bins) = binned(&effect.parameter, &columns);
        Self { columns, bins }
    }
}

fn both(a: &BinnedRuns, b: &BinnedRuns) -> Option<SharedRuns> {
    let mut both = SharedRuns { ranking: Vec::new(), one: Vec::new(), other: Vec::new() };
    for ((run, ranking), bin) in a.columns.runs.iter().zip(&a.columns.ranking).zip(&a.bins) {
        let Ok(place) = b.columns.runs.binary_search(run) else { continue };
        let Some(other) = b.bins.get(place) else { continue };
        both.ranking.push(*ranking);
        both.one.push(*bin);
        both.other.push(*other);
    }
    (both.ranking.len() >= MIN_RUNS_FOR_EFFECTS).then_some(both)
}
