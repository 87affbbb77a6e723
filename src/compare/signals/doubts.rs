//! Effects that are there but may be those of something else: of another setting, of longer training, or of an outcome
//! that the setting itself defines.

use rustc_hash::FxHashMap;

use super::{Columns, FEWEST_RUNS, LEVEL, Signal, binned, columns};
use crate::compare::sample::Sample;
use crate::compare::{Entry, Parameter, Role, role_of};
use crate::diagnose::{Knob, knob_of};
use crate::run::ConfigValue;
use crate::stats::{self, SplitMix64};

/// Claims that are compared with each other; the surest come first.
const MOST: usize = 12;
/// What is named where longer training goes with a setting.
const STEPS: &str = "number of steps";
/// Words of settings that say what is rewarded.
const REWARDED: [&str; 7] = ["reward", "rewards", "rubric", "verifier", "scorer", "grader", "judge"];
/// Last words of settings that say on what it is rewarded: harder tasks give less.
const TASKS: [&str; 14] = [
    "dataset",
    "datasets",
    "dataset_name",
    "dataset_path",
    "dataset_id",
    "dataset_config",
    "train_files",
    "train_file",
    "train_data",
    "task",
    "task_name",
    "env",
    "env_id",
    "env_name",
];
/// Settings that decide on the number of steps: at equal steps they would not be what they are.
const PACES: [Knob; 5] = [Knob::Batch, Knob::Generations, Knob::PlannedSteps, Knob::Epochs, Knob::UpdatesPerBatch];

/// Why an effect that the numbers show is not claimed.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// The setting changes what the outcome counts.
    Redefines,
    /// At the last step that all runs reached nothing differs.
    Length {
        /// That step.
        step: f64,
    },
    /// Where another setting is the same nothing differs.
    Explained {
        /// Its key.
        key: String,
    },
}

/// Takes back what is claimed without ground, and names the settings that a claim can't be told from.
pub(super) fn examine(signals: &mut [Signal], sample: &Sample, random: &mut SplitMix64) {
    for signal in signals.iter_mut() {
        if sample.is_reward && redefines(&signal.parameter) {
            doubt(signal, Doubt::Redefines);
        } else if signal.is_claimed {
            match holds_at_equal_steps(signal, sample, random) {
                None => {}
                Some(true) => signal.entangled.push(STEPS.to_owned()),
                Some(false) => {
                    let step = sample.equal.as_ref().map_or(f64::NAN, |equal| equal.step);
                    doubt(signal, Doubt::Length { step });
                }
            }
        }
    }
    pairs(signals, sample, random);
}

fn doubt(signal: &mut Signal, why: Doubt) {
    signal.is_claimed = false;
    signal.doubt = Some(why);
}

/// The first setting of what is rewarded in which runs differ: their rewards are not one measure then.
pub fn rewarded_by<'e>(entries: &[&'e Entry]) -> Option<&'e str> {
    // Nothing for settings of anything else.
    let mut first: FxHashMap<&str, Option<&ConfigValue>> = FxHashMap::default();
    for (key, value) in entries.iter().flat_map(|entry| entry.config.iter()) {
        let is_told = || is_reward(key) && role_of(key) == Role::Knob;
        let before = first.entry(key).or_insert_with(|| is_told().then_some(value));
        if before.is_some_and(|before| before != value) {
            return Some(key);
        }
    }
    None
}

/// True for a setting of what is rewarded or on which tasks, or one that was changed together with it.
fn redefines(parameter: &Parameter) -> bool {
    parameter.knob == Some(Knob::RewardWeights)
        || [&parameter.key].into_iter().chain(&parameter.same).any(|key| is_reward(key))
}

fn is_reward(key: &str) -> bool {
    // How advantages are scaled changes no reward.
    if knob_of(key) == Some(Knob::ScaleRewards) {
        return false;
    }
    let lower = key.to_ascii_lowercase();
    if lower.rsplit(['.', '/']).next().is_some_and(|last| TASKS.contains(&last)) {
        return true;
    }
    // The KL that is taken off the reward is a brake and not a part of the task.
    lower.split(['.', '_', '/', '-', ' ']).any(|word| REWARDED.contains(&word)) && !lower.contains("kl")
}

/// Whether an effect is there at the last step that all runs reached; `None` where the lengths of the runs do not go with
/// the setting.
fn holds_at_equal_steps(signal: &Signal, sample: &Sample, random: &mut SplitMix64) -> Option<bool> {
    let equal = sample.equal.as_ref()?;
    if signal.parameter.knob.is_some_and(|knob| PACES.contains(&knob)) {
        return None;
    }
    let Grouped { columns: found, bins: of } = Grouped::new(signal, sample);
    let at = |values: &[f64]| -> Vec<f64> {
        let place = |run: &usize| sample.runs.binary_search(run).ok().and_then(|place| values.get(place).copied());
        found.runs.iter().map(|run| place(run).unwrap_or(f64::NAN)).collect()
    };
    let (ranking, ends) = (at(&equal.ranking), at(&equal.ends));
    // Only where the lengths go with the setting can they be what it shows.
    let of_ends = ends.iter().zip(&of).filter(|(end, _)| end.is_finite());
    let (ends, groups): (Vec<f64>, Vec<usize>) = of_ends.map(|(end, of)| (*end, *of)).unzip();
    if stats::rank_tests(&ends, None, &groups, &[], random).p >= LEVEL {
        return None;
    }
    let x = signal.parameter.is_ordered().then_some(found.x.as_slice());
    Some(stats::rank_tests(&ranking, x, &of, &[], random).p < LEVEL)
}

/// Compares claims by twos: of two settings that go together, the one that shows nothing where the other is the same is
/// explained by it. Where neither does without the other, nobody can tell.
fn pairs(signals: &mut [Signal], sample: &Sample, random: &mut SplitMix64) {
    let mut claimed: Vec<(usize, f64)> = (signals.iter().enumerate())
        .filter(|(_, signal)| signal.is_claimed)
        .map(|(place, signal)| (place, signal.p.unwrap_or(1.0)))
        .collect();
    claimed.sort_by(|a, b| a.1.total_cmp(&b.1));
    claimed.truncate(MOST);
    let claimed: Vec<(usize, Grouped)> =
        (claimed.iter()).filter_map(|(place, _)| Some((*place, Grouped::new(signals.get(*place)?, sample)))).collect();
    for (rank, (one, by_one)) in claimed.iter().enumerate() {
        for (other, by_other) in claimed.iter().skip(rank + 1) {
            let (Some(a), Some(b)) = (signals.get(*one), signals.get(*other)) else { continue };
            if !a.is_claimed || !b.is_claimed {
                continue;
            }
            let Some(both) = both(by_one, by_other) else { continue };
            let depend = stats::groups_depend(&both.one, &both.other, random).is_some_and(|p| p < LEVEL);
            if !depend {
                continue;
            }
            let holds = |groups: &[usize], within: &[usize], random: &mut SplitMix64| {
                let blocks: Vec<Option<usize>> = within.iter().copied().map(Some).collect();
                stats::within_blocks(&both.ranking, groups, &blocks, random).is_some_and(|p| p < LEVEL)
            };
            let one_holds = holds(&both.one, &both.other, random);
            let other_holds = holds(&both.other, &both.one, random);
            let (a_key, b_key) = (a.parameter.key.clone(), b.parameter.key.clone());
            let mut at = |place: usize, act: &mut dyn FnMut(&mut Signal)| {
                signals.get_mut(place).into_iter().for_each(act);
            };
            match (one_holds, other_holds) {
                (true, true) => {}
                (true, false) => at(*other, &mut |signal| doubt(signal, Doubt::Explained { key: a_key.clone() })),
                (false, true) => at(*one, &mut |signal| doubt(signal, Doubt::Explained { key: b_key.clone() })),
                (false, false) => {
                    at(*one, &mut |signal| signal.entangled.push(b_key.clone()));
                    at(*other, &mut |signal| signal.entangled.push(a_key.clone()));
                }
            }
        }
    }
}

/// The runs that have both of two settings.
struct Both {
    ranking: Vec<f64>,
    one: Vec<usize>,
    other: Vec<usize>,
}

/// The runs of a setting and the bin of each.
struct Grouped {
    columns: Columns,
    bins: Vec<usize>,
}

impl Grouped {
    fn new(signal: &Signal, sample: &Sample) -> Self {
        let columns = columns(&signal.parameter, sample);
        let (_, bins) = binned(&signal.parameter, &columns);
        Self { columns, bins }
    }
}

fn both(a: &Grouped, b: &Grouped) -> Option<Both> {
    let mut both = Both { ranking: Vec::new(), one: Vec::new(), other: Vec::new() };
    for ((run, ranking), bin) in a.columns.runs.iter().zip(&a.columns.ranking).zip(&a.bins) {
        let Ok(place) = b.columns.runs.binary_search(run) else { continue };
        let Some(other) = b.bins.get(place) else { continue };
        both.ranking.push(*ranking);
        both.one.push(*bin);
        both.other.push(*other);
    }
    (both.ranking.len() >= FEWEST_RUNS).then_some(both)
}
