//! The runs of a report side by side: leaderboard, Pareto front, effects of settings, groups, next experiments.

use serde::{Deserialize, Serialize};

use super::Number;

/// The comparison; of a single run the leaderboard alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Runs in their order.
    pub leaderboard: Vec<LeaderboardReport>,
    /// Quality against cost.
    pub pareto: Vec<ParetoReport>,
    /// `null` where the runs share no outcome.
    pub signals: Option<SignalsReport>,
    /// Repeats and whether groups differ; `null` where no two runs belong together.
    pub groups: Option<GroupsReport>,
    /// Next experiments, the most informative first.
    pub recommendations: Vec<ExperimentReport>,
    /// Best values of what was varied.
    pub best_default_config: Option<BestConfigReport>,
}

/// A run by its id and name: neither alone need be unique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunName {
    /// Id.
    pub id: String,
    /// Name.
    pub name: String,
}

/// A row of the leaderboard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeaderboardReport {
    /// Place, from 1.
    pub rank: usize,
    /// The run.
    #[serde(flatten)]
    pub run: RunName,
    /// Its verdict.
    pub verdict: String,
    /// Key of the measure, the same in all rows; `null` when the runs share none.
    pub measure: Option<String>,
    /// `up` where more is better, `down` where less is.
    pub direction: Option<String>,
    /// Last value.
    pub value: Option<f64>,
    /// Mean of the last part, by which runs are ordered.
    pub level: Option<f64>,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub high: Option<f64>,
    /// Best value.
    pub best: Option<f64>,
    /// Its step.
    pub best_step: Option<f64>,
    /// The best value, corrected for the selection of the best of many.
    pub best_corrected: Option<f64>,
    /// Last step of the run.
    pub last_step: Option<f64>,
    /// Codes of the worst root causes.
    pub worst: Vec<String>,
    /// Left out without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_baseline: Option<DifferenceReport>,
}

/// The difference to the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DifferenceReport {
    /// The baseline.
    pub baseline: RunName,
    /// In the unit of the measure.
    pub absolute: Number,
    /// Share of the baseline; `null` where that would mislead.
    pub relative: Option<f64>,
    /// `null` where the noise is unknown.
    pub is_beyond_noise: Option<bool>,
}

/// A run of the Pareto front's plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParetoReport {
    /// The run.
    #[serde(flatten)]
    pub run: RunName,
    /// Level of the measure.
    pub quality: Number,
    /// Lower end of the 95 % interval.
    pub low: Number,
    /// Upper end of the 95 % interval.
    pub high: Number,
    /// What is spent: `Hours`, `Tokens`.
    pub cost: String,
    /// How much.
    pub spent: Number,
    /// No other run is as good for as little.
    pub is_on_front: bool,
    /// No run of at most the same cost leads it beyond the 99 % interval of the difference.
    pub is_near_front: bool,
}

/// A next experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentReport {
    /// Key of the setting, or words.
    pub change: String,
    /// The setting in words.
    pub setting: String,
    /// Present value.
    pub from: String,
    /// Values to try.
    pub to: Vec<String>,
    /// The evidence for it.
    pub evidence: String,
    /// What is expected.
    pub hypothesis: String,
    /// What to watch.
    pub watch: String,
    /// When to stop.
    pub stop: String,
    /// Expected gain.
    pub expected: String,
    /// Risk.
    pub risk: String,
    /// By which experiments are ordered.
    pub score: Number,
}

/// The best default config.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestConfigReport {
    /// Settings with their values.
    pub values: Vec<BestValueReport>,
    /// The run that has all of what was varied.
    pub run: Option<RunName>,
    /// Why there is none; empty when there is one.
    pub why_none: String,
    /// What to log or run first, where there is none.
    pub instead: Vec<String>,
    /// The run that leads.
    pub best_run: Option<RunName>,
}

/// A setting of the best default config.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestValueReport {
    /// Key of the setting.
    pub key: String,
    /// The setting in words.
    pub setting: String,
    /// Value.
    pub value: String,
    /// Where the value is from.
    pub origin: String,
    /// Shown beyond chance.
    pub is_claimed: bool,
    /// Why.
    pub why: String,
}

/// Groups of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupsReport {
    /// Groups of two runs and more, the largest first.
    pub levels: Vec<GroupReport>,
    /// One against another, the most certain first.
    pub contrasts: Vec<ContrastReport>,
}

/// A group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupReport {
    /// What the members share.
    pub label: String,
    /// Its members.
    pub runs: Vec<RunName>,
    /// Runs behind the numbers: those that are still running, stopped early or lack the metric are not among them.
    #[serde(default)]
    pub compared: usize,
    /// Those among them that broke before the metric was logged, and count as the worst of all.
    #[serde(default)]
    pub broken: usize,
    /// Different seeds.
    pub seeds: usize,
    /// Mean.
    pub mean: Number,
    /// Interquartile mean.
    pub iqm: Number,
    /// Lower end of the 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub high: Option<f64>,
    /// Standard deviation.
    pub std_dev: Number,
}

/// One group against another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContrastReport {
    /// Label of the better group.
    pub better: String,
    /// Label of the other.
    pub worse: String,
    /// Better minus worse.
    pub difference: Option<Interval>,
    /// Probability that a run of the better group beats one of the other.
    pub probability_of_improvement: Option<Interval>,
    /// p value.
    pub p: Number,
    /// p value, corrected for multiple comparisons.
    pub p_corrected: Number,
    /// What the data show.
    pub claim: String,
}

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Value.
    pub value: Number,
    /// Lower end of the 95 % interval.
    pub low: Number,
    /// Upper end of the 95 % interval.
    pub high: Number,
}

/// What settings did to the outcome: association, not proof of cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalsReport {
    /// Key of the outcome.
    pub measure: String,
    /// Number of runs that the effects were estimated from.
    pub runs: usize,
    /// Those of the runs that broke before they had an outcome.
    pub broken: usize,
    /// Caveats of all of it.
    pub notes: Vec<String>,
    /// Out-of-bag R² of the forest behind the importances.
    pub forest_r2: Option<f64>,
    /// The setting that goes with each finding, where one significantly does: the smallest p first.
    #[serde(default)]
    pub failures: Vec<FailureReport>,
    /// One for each setting that differs: claimed ones first, then by p.
    pub settings: Vec<SignalReport>,
    /// Settings that are the same in all runs.
    pub constant: Vec<ConstantReport>,
    /// Keys that are no settings.
    pub dropped: Vec<DroppedReport>,
}

/// A finding that comes more often with some values of a setting than with its others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureReport {
    /// Code of the finding.
    pub code: String,
    /// Key of the setting.
    pub key: String,
    /// Runs with these values that have the finding.
    pub failed: usize,
    /// Runs with these values.
    pub runs: usize,
    /// Runs with other values that have the finding.
    pub other_failed: usize,
    /// Runs with other values.
    pub other_runs: usize,
    /// P of Fisher's exact test, corrected for splits, settings and findings.
    pub p_corrected: f64,
    /// The same in words, with the values.
    pub sentence: String,
}

/// The effect of one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalReport {
    /// Key of the setting.
    pub key: String,
    /// The setting in words.
    pub setting: String,
    /// `number`, `logarithm`, `switch` or `category`.
    pub kind: String,
    /// Number of runs.
    pub runs: usize,
    /// Pearson correlation.
    pub pearson: Option<Interval>,
    /// Spearman correlation.
    pub spearman: Option<Interval>,
    /// p value.
    pub p: Option<f64>,
    /// Corrected for the number of settings.
    pub p_corrected: Option<f64>,
    /// Shown beyond chance.
    pub is_claimed: bool,
    /// Strength of the effect.
    pub strength: String,
    /// Shape of the effect.
    pub shape: String,
    /// Where a step lies.
    pub threshold: Option<f64>,
    /// Outcome by bins of the setting.
    pub bins: Vec<BinReport>,
    /// Best value.
    pub best: Option<String>,
    /// Permutation importance in the forest.
    pub importance: Option<f64>,
    /// Settings whose effects can't be told from this one's.
    pub confounded_with: Vec<String>,
    /// The effect in one sentence.
    pub sentence: String,
}

/// Runs by a bin of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BinReport {
    /// Range of values, or the value, of the bin.
    pub label: String,
    /// Number of runs.
    pub runs: usize,
    /// Median outcome.
    pub median: Number,
    /// Lower end of the 95 % interval.
    pub low: Number,
    /// Upper end of the 95 % interval.
    pub high: Number,
}

/// A setting that is the same in all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConstantReport {
    /// Key of the setting.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// A key that is no setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DroppedReport {
    /// Key of the setting.
    pub key: String,
    /// Why.
    pub why: String,
}
