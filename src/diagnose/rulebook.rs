//! Every number that a check compares with, and where it comes from.
//!
//! A user may edit a rulebook, save it and load it; thresholds that a loaded one does not name keep their defaults.

use std::borrow::Cow;

use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::num;

/// One number of the rulebook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The number.
    pub value: f64,
    /// Its unit; empty for a plain number.
    #[serde(default)]
    pub unit: Cow<'static, str>,
    /// Where it comes from.
    #[serde(default)]
    pub source: Cow<'static, str>,
}

impl Threshold {
    /// As evidence cites a number that must not be exceeded: `> 2 nats/token (source)`.
    pub fn over(&self) -> String {
        self.cite(">")
    }

    /// As evidence cites a number that must be reached: `< 0.01 nats/token (source)`.
    pub fn under(&self) -> String {
        self.cite("<")
    }

    fn cite(&self, relation: &str) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let source = if self.source.is_empty() { "edited by the user" } else { &self.source };
        format!("{relation} {}{unit} ({source})", num(self.value))
    }
}

/// A name, a version, and the thresholds: each is a method of that name.
///
/// Saved as one map: `name`, `version`, and for each threshold its value, unit and source.
#[derive(Debug, Clone, PartialEq)]
pub struct Rulebook {
    /// Name, `default` for the one that is built in.
    pub name: String,
    /// Version of it.
    pub version: u32,
    thresholds: Vec<Threshold>,
}

/// A threshold that no rulebook has: never exceeded and never reached.
const NONE: Threshold = Threshold { value: f64::NAN, unit: Cow::Borrowed(""), source: Cow::Borrowed("") };

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $value:literal $unit:literal, $source:literal;)+) => {
        /// Places of the thresholds in a rulebook.
        #[expect(non_camel_case_types, reason = "named as the methods that read them")]
        #[derive(Clone, Copy)]
        enum Place { $($name,)+ }

        /// Name, value, unit and source of each threshold that is built in.
        const DEFAULTS: &[(&str, f64, &str, &str)] = &[$((stringify!($name), $value, $unit, $source),)+];

        impl Rulebook {
            $($(#[doc = $doc])+ pub fn $name(&self) -> &Threshold { self.at(Place::$name) })+
        }
    };
}

impl Default for Rulebook {
    fn default() -> Self {
        let thresholds = DEFAULTS.iter().map(|(_, value, unit, source)| Threshold {
            value: *value,
            unit: Cow::Borrowed(unit),
            source: Cow::Borrowed(source),
        });
        Self { name: "default".to_owned(), version: 1, thresholds: thresholds.collect() }
    }
}

impl Rulebook {
    /// Name and version, as a report cites it.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Every threshold with its name, in order.
    pub fn thresholds(&self) -> impl Iterator<Item = (&'static str, &Threshold)> {
        DEFAULTS.iter().map(|known| known.0).zip(&self.thresholds)
    }

    /// The threshold of that name, to edit it.
    pub fn threshold_mut(&mut self, name: &str) -> Option<&mut Threshold> {
        let place = DEFAULTS.iter().position(|known| known.0 == name)?;
        self.thresholds.get_mut(place)
    }

    fn at(&self, place: Place) -> &Threshold {
        self.thresholds.get(place as usize).unwrap_or(&NONE)
    }
}

impl Serialize for Rulebook {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2 + self.thresholds.len()))?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("version", &self.version)?;
        for (name, threshold) in self.thresholds() {
            map.serialize_entry(name, threshold)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Rulebook {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Rulebook;

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("a rulebook: name, version and thresholds")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Rulebook, A::Error> {
        let mut book = Rulebook::default();
        while let Some(key) = entries.next_key::<String>()? {
            match key.as_str() {
                "name" => book.name = entries.next_value()?,
                "version" => book.version = entries.next_value()?,
                name => {
                    let Some(threshold) = book.threshold_mut(name) else {
                        return Err(A::Error::custom(format_args!("no threshold is called {name}")));
                    };
                    *threshold = entries.next_value()?;
                }
            }
        }
        Ok(book)
    }
}

// Grouped by check. "measured" means: on public logs of GRPO and PPO runs with known outcome.
rules! {
    /// Fewest logged points of the reward or the evaluation before a run is judged.
    points_needed = 30.0 "points", "fewer give no stable first and last fifth";
    /// Fewest points after the end of the warm-up.
    points_after_warmup = 20.0 "points", "before that the learning rate, not the task, sets the curves";

    /// Fewest equal values that make a metric not computed.
    constant_points = 20.0 "equal values", "a computed entropy or KL never repeats to the last digit";

    /// Factor on the confidence of findings on spikes, jumps and breaks in sampled history.
    sampled_confidence = 0.7 "of the confidence", "a bucket keeps the level and loses the order of its rows";

    /// Non-finite points at the end of a run that make it lost.
    nonfinite_tail = 2.0 "points in a row up to the end", "the optimiser does not come back from NaN parameters";
    /// Share of non-finite points, not at the end, that needs action.
    nonfinite_share = 0.05 "of the points", "single skipped steps are routine in mixed precision";

    /// KL to the reference, per token, at which the policy has left the reference for good.
    kl_critical = 2.0 "nats/token", "Axolotl training_stability: red above 2.0";
    /// KL per token above which a jump is worth a warning.
    kl_warning = 0.5 "nats/token", "Axolotl training_stability: healthy 0 to 0.5; measured healthy ends 0.02 to 0.32";
    /// How many times its earlier level a KL must jump to.
    kl_jump = 5.0 "times its earlier level", "HotpotQA GRPO runs: 0.48 to 2.57 in one step of the log, against a paired healthy run";
    /// Share of the run that the KL must stay up.
    kl_sustained = 0.1 "of the points", "shorter excursions are single tokens of the k3 estimate, which recover";

    /// KL per token below which a policy has not moved.
    conservative_kl = 0.01 "nats/token", "GRPO logs: below 0.01 the outputs are those of the reference";
    /// Relative change of entropy below which a policy has not moved.
    conservative_entropy = 0.1 "of its start", "GRPO logs: entropy of a run that learns changes by half or more";
    /// KL coefficient from which it holds the policy back.
    conservative_beta = 0.1 "", "usual 0 to 0.05; above 0.1 runs underfit";
    /// Fewest training steps logged before a policy must have moved.
    conservative_points = 60.0 "points", "movement is expected within 50 steps";

    /// Relative loss of entropy that is a collapse when learning has stopped.
    entropy_drop = 0.8 "of its start", "entropy mechanism paper (arXiv 2505.22617); measured 0.8 to 0.95 in runs that are spent";
    /// Entropy per token that is a collapse when learning has stopped.
    entropy_low = 0.05 "nats/token", "Axolotl training_stability: healthy 0.05 to 0.5";
    /// Entropy per token at the start below which there was nothing to lose.
    entropy_start = 0.05 "nats/token", "a policy this peaked before training has no exploration to lose";

    /// Share of the reward's gain that must come from the form of the answer.
    hacking_form_share = 0.7 "of the gain", "notebook runs: 0.9 of the gain from tag counts with no right answer";
    /// Change of a task reward, in parts of its observed range, below which it did not move.
    hacking_task_change = 0.1 "of its range", "smaller than the spread between batches";
    /// Share of the reward's best gain that must still be there at the end.
    hacking_kept = 0.6 "of the best gain", "a policy keeps to a shortcut that pays; a damaged one loses reward and task";
    /// Relative loss of the evaluation that tells hacking from over-training, when no reward function is known by name.
    hacking_evaluation_loss = 0.25 "of its start", "over-training on few prompts loses some points, a hacked reward most of the skill";

    /// Share of groups without variance that needs action.
    zero_variance_warning = 0.8 "of the groups", "Axolotl training_stability: above 0.8 little is left to learn from";
    /// Share of groups without variance, over half of the run, that leaves no signal.
    zero_variance_critical = 0.99 "of the groups in the median step", "no group, no gradient";

    /// Growth of the mean response length.
    length_growth = 1.5 "times its earlier level", "GPG on MATH: 218 to 327 tokens in two steps, then cut off; R1-like growth comes with a better evaluation";
    /// Growth of the mean response length that is an explosion even when it takes the whole run.
    length_growth_slow = 2.0 "times its start", "Verilog GRPO run: 163 to 1917 tokens while the reward fell";
    /// Rise of the truncated share.
    length_truncation = 0.1 "more truncated responses", "ScaleRL: truncation above 10 to 15 % destabilises";
    /// Truncated share at which the reward measures the length limit.
    length_unusable = 0.8 "of the responses", "Axolotl training_stability: above 0.8 unusable";

    /// Size of a break, in standard deviations of a single step.
    break_size = 3.0 "standard deviations of a step", "a level change that shows without statistics";
    /// Size of a break against all falls of the run over three points.
    break_unusual = 5.0 "robust standard deviations of such falls", "one in three million steps by noise alone, whatever its autocorrelation";
    /// Share of a break that must happen within three points.
    break_abruptness = 0.6 "of the change within 3 points", "a slow decline has 0.1 to 0.3";

    /// Spikes within a window that make a cluster.
    spike_cluster = 5.0 "spikes", "measured: healthy runs have 3 to 4 at most in such a window";
    /// Width of the window, in points; or 5 % of the run when that is more.
    spike_window = 20.0 "points", "as for the cluster";
    /// Share of a window that must be spikes; decides in long runs, where the window is wide.
    spike_density = 0.15 "of the window", "heavy-tailed but harmless norms have 1 % of spikes spread over the run";
    /// Spread of the gradient norm that needs no single spikes: median absolute deviation of its logarithm.
    spike_spread = 1.2 "of the natural logarithm", "HotpotQA GRPO run: norms to 1927 throughout; measured there 1.6, healthy 0.1 to 0.6";

    /// Significance of a change of level.
    learning_z = 3.0 "standard errors", "one false alarm in 370 quiet runs";
    /// Significance that needs a trend over the whole run beside it.
    learning_likely_z = 2.0 "standard errors", "two such signs together are as rare as one of three standard errors";
    /// Significance from which a gain is not ruled out.
    learning_hint_z = 1.5 "standard errors", "a weak sign of a gain keeps a run from being called flat";
    /// Smallest change of a share that counts.
    learning_share = 0.02 "", "one to two percentage points are within the noise of evaluations of hundreds of tasks";
    /// Smallest change of another measure that counts, in standard deviations of a point.
    learning_effect = 0.2 "standard deviations of a point", "GRPO logs: below 0.2 no trend is visible";
    /// Level of a share from which there is no room for learning.
    learning_room = 0.95 "", "the rest is label noise in most tasks";
    /// Share of a gain that must be lost again for a run to have declined.
    learning_lost = 0.5 "of the gain", "half of what was learned is gone";
    /// Gain that must be ruled out before a share is called flat.
    learning_missed_share = 0.08 "", "a run that could hide a gain of eight points is not called flat";
    /// The same for another measure, in standard deviations of a point.
    learning_missed = 1.0 "standard deviations of a point", "as for shares: a gain that shows in the plain curve";
    /// Fewest evaluations that are judged; with fewer the reward is.
    learning_evaluations = 5.0 "evaluations", "three or four points show no noise to compare with";

    /// Share of errors that needs action.
    error_rate = 0.01 "", "experiment-analysis guide: below 1 % healthy, below 5 % degraded";
    /// Share of errors that spoils the batch.
    error_rate_critical = 0.2 "", "a fifth of the batch is missing, and not at random";

    // Pipeline, extraction, cache, league, scaling and rubric.
    /// 95th percentile of the duration of a rollout that needs action.
    rollout_p95 = 120.0 "s", "experiment-analysis guide: p95 below 120 s";
    /// Share of rollouts that may take longer than that.
    rollout_slow_share = 0.05 "of the rollouts", "what a 95th percentile means";
    /// Output tokens per second below which the sampling engine is slow.
    rollout_tokens = 50.0 "tokens/s", "experiment-analysis guide: output above 50 tokens/s";
    /// Share of steps with failed rollouts.
    rollout_failed_steps = 0.1 "of the steps", "analyze-experiment guide: failed rollouts 0 or minimal; single ones are retried";
    /// Share of rollouts that fail.
    rollout_failed_share = 0.05 "of the rollouts", "prime-rl monitoring skill: above 5 % is a smell";
    /// Share of a step that reloading weights takes.
    reload_share = 0.2 "of the step", "a fifth of all machine time is a fifth of its price";
    /// Shortest single reload that counts, where other reloads are much shorter.
    reload_spike = 10.0 "s", "shorter waits are scheduling";
    /// Share of the run's time that outliers must take to need action.
    outlier_share = 0.2 "of the time", "a fifth of all machine time is a fifth of its price";
    /// Loss of throughput that counts.
    throughput_loss = 0.15 "of its earlier level", "smaller changes are within the spread of prompts";
    /// Share of a step that one side may wait for the other.
    wait_share = 0.3 "of the step", "asynchronous trainers: above 0.3 one side is too small";
    /// Share of sampling in a step from which it is the bottleneck.
    rollout_share = 0.9 "of the step", "70 % and more is usual for long reasoning";
    /// Share of updates in a step from which they are the bottleneck.
    train_share = 0.7 "of the step", "sampling is the longer part of most GRPO steps";
    /// Overlap of sampling and training that is little, as a share of the shorter one.
    overlap_low = 0.3 "of the shorter phase", "analyze-experiment guide: low overlap is a bottleneck; half and more is usual where there is any";
    /// Growth of memory that is worth a look.
    memory_growth = 0.2 "of its start", "Search-R1 run: 74 to 147 GB of host memory; without a leak it settles";
    /// Percent of the memory at which processes are killed.
    memory_full = 95.0 "%", "the kernel and the caches need the rest";

    /// Share of outputs that must be extracted.
    extraction_rate = 0.95 "", "experiment-analysis and analyze-experiment guides: above 95 %";
    /// Share of extracted outputs at which the reward measures the parser.
    extraction_critical = 0.5 "", "more answers are lost than judged";
    /// Share of empty responses.
    responses_empty = 0.05 "", "experiment-analysis guide: below 5 %";
    /// Share of partial responses.
    responses_partial = 0.1 "", "experiment-analysis guide: below 10 %";
    /// Growth of a number of bad responses of which no share is known.
    responses_growth = 3.0 "times their earlier number", "analyze-experiment guide: sudden spikes suggest a problem of the outputs";

    /// Part of the run in which a cache may be cold.
    cache_warm_up = 0.2 "of the points", "analyze-experiment guide judges after the warm-up";
    /// Hit rate of a warm cache.
    cache_warm = 0.5 "", "analyze-experiment guide: above 50 % after the warm-up";
    /// Hit rate that is low.
    cache_low = 0.3 "", "analyze-experiment guide: below 30 % check the prompt's structure";
    /// Change of a hit rate that counts.
    cache_change = 0.1 "", "smaller changes come with the mix of prompts";

    /// Gain over the base model to be expected after 50 steps, at the least; twice as much at best.
    elo_gain_50 = 20.0 "Elo", "experiment-analysis guide: 20 to 50 at 50 steps";
    /// The same after 200 steps.
    elo_gain_200 = 50.0 "Elo", "experiment-analysis guide: 50 to 100 at 200 steps";
    /// The same after 500 steps.
    elo_gain_500 = 100.0 "Elo", "experiment-analysis guide: 100 to 200 at 500 steps and more";
    /// Change of a rating that is more than a slight one.
    elo_change = 20.0 "Elo", "experiment-analysis guide: within 20 of the peak is a slight decline";
    /// Share of a gain that must be lost again.
    elo_lost = 0.3 "of the gain", "less is within the wander of ratings between games";
    /// Significance of a change of ratings.
    elo_z = 3.0 "standard errors", "one false alarm in 370 quiet leagues";
    /// Standard error of a difference of ratings from which no usual gain can be told.
    elo_error = 50.0 "Elo", "as large as the gain to be expected after 200 steps";
    /// Win rate at even strength.
    win_rate_even = 0.5 "", "equal strength wins half of the games";

    /// Deviation from the usual compute of a step.
    compute_deviation = 0.2 "of the usual compute", "analyze-experiment guide: compute per step should be consistent";
    /// Share of steps that may deviate.
    compute_uneven = 0.05 "of the steps", "single steps are restarts and last batches";
    /// Powers of ten of compute that a power law needs.
    power_law_span = 1.0 "powers of ten", "over less any curve is straight";
    /// Share of the variance that a power law must explain.
    power_law_fit = 0.5 "of the variance", "below it noise decides the exponent";
    /// Slope after a bend at which scaling has ended.
    scaling_flat = 0.25 "of the slope before", "four times the compute for what one bought before";
    /// Strength of a bend.
    scaling_bend = 20.0 "F", "noise alone seldom passes 10";

    /// Change of a criterion that counts.
    criterion_change = 0.05 "of the scale", "the wander of a mean of 20 scores";
    /// Gain of the other criteria from which a stuck one stands out.
    criterion_gain = 0.1 "of the scale", "twice the change that counts";
    /// Share of the others' gain that a stuck criterion has at most.
    criterion_stuck = 0.2 "of the others' gain", "a fifth of what training can do for a criterion";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_rulebook_loads_again() {
        let mut book = Rulebook { name: "strict".to_owned(), ..Rulebook::default() };
        book.threshold_mut("kl_critical").unwrap().value = 1.0;
        assert_eq!(book.kl_critical().value, 1.0);
        let text = serde_json::to_string(&book).unwrap();
        assert_eq!(serde_json::from_str::<Rulebook>(&text).unwrap(), book);
    }

    #[test]
    fn a_partial_rulebook_keeps_the_other_defaults() {
        let book: Rulebook = serde_json::from_str(r#"{"name":"mine","kl_warning":{"value":0.3}}"#).unwrap();
        assert_eq!(book.kl_warning().value, 0.3);
        assert_eq!(book.kl_warning().over(), "> 0.3 (edited by the user)");
        assert_eq!(book.kl_critical(), Rulebook::default().kl_critical());
        assert!(serde_json::from_str::<Rulebook>(r#"{"kl_waning":{"value":0.3}}"#).is_err());
    }

    #[test]
    fn every_threshold_has_a_source() {
        let book = Rulebook::default();
        for (name, threshold) in book.thresholds() {
            assert!(!threshold.source.is_empty() && threshold.value.is_finite(), "{name}");
        }
        assert_eq!(book.title(), "default 1");
    }
}
