//! What came of a run: one metric for all of them, its level at the end with its uncertainty, its best checkpoint.
//!
//! A list of runs shows one number for all of them. It has to mean the same in each, so it is one metric key, and a
//! measure of the task is better than the reward that was trained on. The user may choose another one.

use super::run_summary::usual_direction;
use super::settings::names_other_tasks;
use super::{KeyPlaces, RunSummary, Trace};
use rundown_diagnose::{Verdict, Z_95};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, Quantity, Unit, is_held_out, is_of_training};

/// The metric that runs are compared by.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its key, such as `eval/accuracy`.
    pub key: String,
    /// Its concept, where the vocabulary has one.
    pub concept: Option<Concept>,
    /// Which way is better; [`Direction::Neutral`] is ranked as [`Direction::Up`].
    pub direction: Direction,
    /// How many of the runs have it.
    pub runs: usize,
    /// What it measures, where it is the primary metric of a concept: runs without the key have it under their own.
    pub quantity: Option<Quantity>,
}

impl Metric {
    /// The metric that the user chose. Without a direction it is that of the vocabulary, or the harmless one of a metric
    /// that has none; else more is better.
    pub fn chosen(summaries: &[&RunSummary], key: &str, direction: Option<Direction>) -> Self {
        let known = summaries.iter().find_map(|summary| summary.trace(key));
        let primary = |summary: &&RunSummary| {
            let first = summary.traces_of(summary.trace(key)?.concept).next();
            first.filter(|first| first.key == key).map(Trace::quantity)
        };
        let usual = || match known.map(|trace| (trace.direction, trace.concept)) {
            Some((direction, concept)) => usual_direction(concept, direction),
            None if summaries.iter().any(|summary| summary.is_lower_better(key)) => Direction::Down,
            None => Direction::Up,
        };
        let mut metric = Self {
            key: key.to_owned(),
            concept: known.map(|trace| trace.concept),
            direction: direction.unwrap_or_else(usual),
            runs: 0,
            quantity: summaries.iter().find_map(primary),
        };
        let has = |summary: &&&RunSummary| summary.last.contains_key(key) || metric.trace_in(summary).is_some();
        metric.runs = summaries.iter().filter(has).count();
        metric
    }

    /// The curve of the metric in a run; of a run without the key, which is of another framework, that of its primary metric of
    /// the same quantity.
    pub fn trace_in<'s>(&self, summary: &'s RunSummary) -> Option<&'s Trace> {
        if let Some(trace) = summary.trace(&self.key) {
            return Some(trace);
        }
        let quantity = self.quantity.as_ref().filter(|_| !summary.last.contains_key(&self.key))?;
        summary.traces_of(quantity.concept).next().filter(|trace| trace.quantity() == *quantity)
    }

    /// The key under which a run has the metric.
    pub fn key_in<'s>(&'s self, summary: &'s RunSummary) -> &'s str {
        self.trace_in(summary).map_or(&self.key, |trace| &trace.key)
    }

    /// 1 where more is better, -1 where less is.
    pub fn sign(&self) -> f64 {
        self.direction.sign()
    }

    /// True for the reward that is trained on, or a part of it.
    pub fn is_reward(&self) -> bool {
        matches!(self.concept, Some(Concept::Reward | Concept::RewardComponent))
    }

    /// Which runs are known to be on other tasks than one, where the level depends on them: that of a reward, of the return of an
    /// environment, or of another score that is not said to be held out.
    pub fn on_other_tasks<'s>(&self, than: &'s RunSummary) -> impl Fn(&RunSummary) -> bool + use<'s> {
        let is_share = self.trace_in(than).is_some_and(|trace| trace.unit == Unit::Share);
        let is_alike = is_held_out(&self.key) && (is_share || !than.acts_in_environment);
        let depends_on_tasks = self.is_reward() || (self.concept == Some(Concept::Evaluation) && !is_alike);
        let is_other = names_other_tasks(than);
        move |run: &RunSummary| depends_on_tasks && is_other(run)
    }

    /// True when `value` is strictly better than `other`.
    pub fn is_better(&self, value: f64, other: f64) -> bool {
        self.sign() * value > self.sign() * other
    }
}

/// The metric that most of the runs share.
///
/// An evaluation that more than half of the runs have; else such a key of the reward; else whichever of them two runs
/// at least have in common (evaluation first). An evaluation whose better direction is unknown comes last, and an accuracy
/// in training is none where a good run lacks it. Runs that log the same quantity under another key count as having it.
/// The key that more runs call their primary one wins a tie, then the alphabet. For a single run, its own primary
/// evaluation or reward. `None` when the runs share nothing.
pub fn primary_metric(summaries: &[&RunSummary]) -> Option<Metric> {
    let has_direction = |trace: &Trace| trace.direction != Direction::Neutral;
    let reward = most_shared(summaries, Concept::Reward, has_direction);
    let evaluation = most_shared(summaries, Concept::Evaluation, has_direction);
    let leaves_out =
        |found: &Metric| reward.as_ref().is_some_and(|reward| leaves_out_a_good_run(summaries, found, reward));
    let evaluation = evaluation.filter(|found| !leaves_out(found));
    let both = || evaluation.iter().chain(&reward);
    let most = both().find(|metric| metric.runs * 2 > summaries.len());
    if let Some(found) = most.or_else(|| both().find(|metric| metric.runs >= 2)) {
        return Some(found.clone());
    }
    // The last resort: the user has to choose its better direction.
    let other = most_shared(summaries, Concept::Evaluation, |trace| !has_direction(trace))?;
    (other.runs * 2 > summaries.len() || other.runs >= 2).then_some(other)
}

/// True for an accuracy of the training's own prompts that leaves out a good run, and no fewer runs have the reward: it says no
/// more of the task.
fn leaves_out_a_good_run(summaries: &[&RunSummary], evaluation: &Metric, reward: &Metric) -> bool {
    let is_left_out = |summary: &&RunSummary| {
        summary.verdict == Verdict::Good && evaluation.trace_in(summary).is_none() && reward.trace_in(summary).is_some()
    };
    reward.runs >= evaluation.runs && is_of_training(&evaluation.key) && summaries.iter().any(is_left_out)
}

/// How many runs have a metric, and call it their primary one; its direction in the first of them.
struct MetricVotes {
    runs: usize,
    primary: usize,
    direction: Direction,
}

fn most_shared(summaries: &[&RunSummary], concept: Concept, counts: impl Fn(&Trace) -> bool) -> Option<Metric> {
    let mut keys = KeyPlaces::default();
    let mut votes: Vec<MetricVotes> = Vec::new();
    for summary in summaries {
        keys.next_run();
        for (rank, trace) in summary.traces_of(concept).enumerate().filter(|(_, trace)| counts(trace)) {
            let place = keys.place(&trace.key);
            if place == votes.len() {
                votes.push(MetricVotes { runs: 0, primary: 0, direction: trace.direction });
            }
            if let Some(vote) = votes.get_mut(place) {
                vote.runs += 1;
                vote.primary += usize::from(rank == 0);
            }
        }
    }
    // Of equal ones the first of the alphabet.
    let votes = keys.keys().iter().zip(votes);
    let (key, MetricVotes { direction, .. }) = votes.max_by(|(a_key, a), (b_key, b)| {
        (a.runs, a.primary).cmp(&(b.runs, b.primary)).then_with(|| b_key.cmp(a_key))
    })?;
    Some(Metric { concept: Some(concept), ..Metric::chosen(summaries, key, Some(direction)) })
}

/// What came of a run by one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// Last finite value.
    pub last: f64,
    /// Mean of the last part: the number to compare by. The last value where no curve is known.
    pub level: f64,
    /// 95 % interval of the level; `None` where its error is unknown.
    pub interval: Option<(f64, f64)>,
    /// The best checkpoint; `None` without a curve.
    pub best: Option<BestCheckpoint>,
}

impl RunOutcome {
    /// Half of an interval around the level that holds the whole 95 % interval: its longer side, as those of a share near 0
    /// or 1 differ. NaN where it is unknown.
    pub fn half(&self) -> f64 {
        self.interval.map_or(f64::NAN, |interval| longer_side(self.level, interval))
    }
}

/// How far the further end of an interval lies from a level in it.
pub fn longer_side(level: f64, (low, high): (f64, f64)) -> f64 {
    (level - low).max(high - level)
}

/// The best checkpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestCheckpoint {
    /// Its value as it was measured.
    pub value: f64,
    /// Its step.
    pub step: f64,
    /// The value corrected for the selection of the best of so many, and no worse than the level at the end.
    pub corrected: f64,
}

/// What came of a run by a metric; `None` for a run that lacks it.
pub fn outcome(summary: &RunSummary, metric: &Metric) -> Option<RunOutcome> {
    let Some(trace) = metric.trace_in(summary) else {
        let last = *summary.last.get(&metric.key)?;
        return Some(RunOutcome { last, level: last, interval: None, best: None });
    };
    let level = trace.tail;
    let tasks = tasks_of(summary, trace);
    let scatter = trace.tail_half();
    let interval = match tasks {
        // All evaluations of a run ask the same tasks, so their mean is no surer than one of them.
        Some(tasks) => {
            let n = f64::from(tasks);
            let (low, high) = stats::wilson(level * n, n, Z_95)?;
            // The error of a level that still moves is larger than that of its tasks.
            let half = if scatter.is_finite() { scatter } else { 0.0 };
            Some((low.min(level - half), high.max(level + half)))
        }
        // Values that never differ give no error.
        None => (scatter.is_finite() && scatter > 0.0).then_some((level - scatter, level + scatter)),
    };
    // Where the last value alone is known, nothing says whether it was the best.
    let best = (trace.points > 1).then(|| best(trace, metric, tasks, level));
    Some(RunOutcome { last: trace.last, level, interval, best })
}

/// The tasks of an evaluation whose values are shares of them.
fn tasks_of(summary: &RunSummary, trace: &Trace) -> Option<u32> {
    let is_primary = summary.traces_of(Concept::Evaluation).next().is_some_and(|primary| primary.key == trace.key);
    let is_share = trace.unit == Unit::Share && (0.0..=1.0).contains(&trace.tail);
    summary.tasks.filter(|tasks| is_primary && is_share && *tasks > 0)
}

fn best(trace: &Trace, metric: &Metric, tasks: Option<u32>, level: f64) -> BestCheckpoint {
    let sign = metric.sign();
    // The curve knows the best by its own direction; the user may have chosen the other one.
    let is_turned = (trace.direction == Direction::Down) != (sign < 0.0);
    let (value, step) = if is_turned { best_of_curve(trace, sign) } else { (trace.best, trace.best_step) };
    let luck = stats::excess_of_best(error_of_one_look(trace, tasks, level), trace.points as f64);
    let fair = value - sign * luck;
    let corrected = if sign * fair > sign * level { fair } else { level };
    // An end as good as the best value is no worse than it.
    let corrected = if sign * corrected > sign * value { value } else { corrected };
    BestCheckpoint { value, step, corrected }
}

fn best_of_curve(trace: &Trace, sign: f64) -> (f64, f64) {
    let points = trace.values.iter().copied().zip(trace.steps.iter().copied());
    let best = points.reduce(|best, point| if sign * point.0 > sign * best.0 { point } else { best });
    best.unwrap_or((trace.last, trace.best_step))
}

/// Standard error of a single value: of its tasks, else of the scatter around the moving level.
fn error_of_one_look(trace: &Trace, tasks: Option<u32>, level: f64) -> f64 {
    if let Some(tasks) = tasks {
        let n = f64::from(tasks);
        // At 0 and 1 the formula would give an error of 0.
        let share = level.clamp(0.5 / n, 1.0 - 0.5 / n);
        return (share * (1.0 - share) / n).sqrt();
    }
    let joined = trace.points as f64 / trace.values.len().max(1) as f64;
    trace.noise * joined.max(1.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRun;
    use rundown_stats::testing::white;

    fn summary(test_run: &TestRun) -> RunSummary {
        RunSummary::of(0, test_run.diagnosed())
    }

    fn shared(test_runs: &[TestRun]) -> Option<(String, Option<Concept>, usize)> {
        let summaries: Vec<RunSummary> = test_runs.iter().map(summary).collect();
        let metric = primary_metric(&summaries.iter().collect::<Vec<_>>())?;
        Some((metric.key, metric.concept, metric.runs))
    }

    #[test]
    fn the_task_goes_before_the_reward_and_many_before_few() {
        let test_run = |name: &str| TestRun::new(name).reward("reward", &[1.0]);
        let both = |key| [test_run("a").evaluation(key, &[0.5]), test_run("b").evaluation(key, &[0.5]), test_run("c")];
        assert_eq!(shared(&both("eval/acc")), Some(("eval/acc".into(), Some(Concept::Evaluation), 2)));
        let few = [test_run("a").evaluation("eval/acc", &[0.5]), test_run("b"), test_run("c")];
        assert_eq!(shared(&few), Some(("reward".into(), Some(Concept::Reward), 3)));
        // An accuracy in training is no reason to leave out a good run.
        assert_eq!(shared(&both("train/accuracy")), Some(("reward".into(), Some(Concept::Reward), 3)));
        let with_bad = both("train/accuracy").map(|run| run.verdict(Verdict::Bad));
        assert_eq!(shared(&with_bad), Some(("train/accuracy".into(), Some(Concept::Evaluation), 2)));
        let other = TestRun::new("b").metric(Concept::StepTime, "s", &[1.0]);
        assert_eq!(shared(&[TestRun::new("a").reward("r", &[1.0]), other]), None);
        assert_eq!(shared(&[]), None);
        // One run alone has its own.
        assert_eq!(shared(&[test_run("a")]), Some(("reward".into(), Some(Concept::Reward), 1)));
    }

    #[test]
    fn runs_of_another_framework_have_the_metric_under_their_own_key() {
        let trl = |name: &str| TestRun::new(name).reward("train/reward", &[0.25]);
        let verl = |name: &str| TestRun::new(name).reward("critic/rewards/mean", &[0.75]);
        let found = shared(&[trl("a"), verl("b"), trl("c")]);
        assert_eq!(found, Some(("train/reward".into(), Some(Concept::Reward), 3)));
        assert_eq!(shared(&[trl("a"), verl("b")]), Some(("critic/rewards/mean".into(), Some(Concept::Reward), 2)));
        let metric = primary_metric(&[&summary(&trl("a")), &summary(&trl("c"))]).unwrap();
        let own = |run: &TestRun| {
            let summary = summary(run);
            (outcome(&summary, &metric).map(|found| found.level), metric.key_in(&summary).to_owned())
        };
        assert_eq!(own(&verl("b")), (Some(0.75), "critic/rewards/mean".to_owned()));
        assert_eq!(own(&trl("a").reward("own", &[9.0])), (Some(0.25), "train/reward".to_owned()));
        // Neither what is better where it is less, nor another quantity, nor a reward that is not the primary one.
        let none = (None, "train/reward".to_owned());
        assert_eq!(own(&verl("b").direction(Direction::Down)), none);
        assert_eq!(own(&TestRun::new("b").evaluation("eval/acc", &[0.5])), none);
        let metric = Metric::chosen(&[&summary(&trl("a").reward("own", &[9.0]))], "own", None);
        assert_eq!(outcome(&summary(&verl("b")), &metric), None);
    }

    #[test]
    fn what_has_no_better_side_comes_last() {
        let mut summaries = [summary(&TestRun::new("a").reward("reward", &[1.0]).evaluation("eval/format", &[0.5]))];
        summaries[0].traces.iter_mut().filter(|trace| trace.key == "eval/format").for_each(|trace| {
            trace.direction = Direction::Neutral;
        });
        let key =
            |summaries: &[RunSummary]| primary_metric(&summaries.iter().collect::<Vec<_>>()).map(|metric| metric.key);
        assert_eq!(key(&summaries), Some("reward".into()));
        summaries[0].traces.retain(|trace| trace.key != "reward");
        assert_eq!(key(&summaries), Some("eval/format".into()));
    }

    #[test]
    fn the_user_may_choose() {
        let summary =
            summary(&TestRun::new("a").reward("reward", &[1.0, 2.0]).metric(Concept::StepTime, "odd", &[3.0]));
        let metric = Metric::chosen(&[&summary], "odd", Some(Direction::Down));
        assert_eq!((metric.runs, metric.direction), (1, Direction::Down));
        assert!(metric.is_better(1.0, 2.0));
        let kl = TestRun::new("a").metric(Concept::KlToReference, "kl", &[0.1, 0.2]).direction(Direction::Neutral);
        assert_eq!(Metric::chosen(&[&self::summary(&kl)], "kl", None).direction, Direction::Down, "no one leads by it");
        for (concept, direction, better) in [
            (Concept::TruncatedShare, Direction::Down, Direction::Down),
            (Concept::PolicyLoss, Direction::Neutral, Direction::Down),
            (Concept::ExplainedVariance, Direction::Up, Direction::Up),
        ] {
            // Such a metric has no curve here.
            let run = self::summary(&TestRun::new("a").metric(concept, "m", &[0.1, 0.2]).direction(direction));
            assert!(run.trace("m").is_none() && run.last.contains_key("m"));
            assert_eq!(Metric::chosen(&[&summary, &run], "m", None).direction, better, "{concept:?}");
        }
        let none = Metric::chosen(&[&summary], "none", None);
        assert_eq!((none.runs, outcome(&summary, &none)), (0, None));
        let mut bare = summary.clone();
        bare.traces.clear();
        let bare = outcome(&bare, &metric).unwrap();
        assert_eq!((bare.level, bare.interval, bare.best), (3.0, None, None));
    }

    #[test]
    fn an_evaluation_is_as_sure_as_its_tasks() {
        let mut summary = summary(&TestRun::new("a").evaluation("eval/acc", &[&[0.25], [0.5; 11].as_slice()].concat()));
        summary.traces[0].unit = Unit::Share;
        summary.tasks = Some(64);
        let metric = primary_metric(&[&summary]).unwrap();
        let found = outcome(&summary, &metric).unwrap();
        assert_eq!((found.last, found.level), (0.5, 0.5));
        let (low, high) = found.interval.unwrap();
        assert!((low - 0.381).abs() < 0.001 && (high - 0.619).abs() < 0.001, "{low} {high}");
        let all_wrong = RunOutcome { level: 0.0, interval: Some((0.0, 0.114)), ..found.clone() };
        assert_eq!(all_wrong.half(), 0.114, "the interval has one side only");
        assert!(RunOutcome { interval: None, ..found.clone() }.half().is_nan());
        summary.tasks = None;
        assert_ne!(outcome(&summary, &metric).unwrap().interval, found.interval, "of the scatter");
    }

    #[test]
    fn a_level_of_few_points_is_less_sure_than_the_normal_distribution_has_it() {
        let summary =
            summary(&TestRun::new("a").reward("r", &[[0.5; 15].as_slice(), &[0.4, 0.6, 0.5, 0.7, 0.3]].concat()));
        let (low, high) = outcome(&summary, &primary_metric(&[&summary]).unwrap()).unwrap().interval.unwrap();
        // Five points: Student's t of four degrees of freedom, 2.776.
        let in_errors = (high - low) / 2.0 / summary.traces[0].tail_error;
        assert!((in_errors - 2.776).abs() < 0.01, "{in_errors}");
    }

    #[test]
    fn the_luck_of_the_best_look_is_taken_off() {
        let noise: Vec<f64> = white(3, 60).iter().map(|value| 0.5 + 0.02 * value).collect();
        let of = |values: &[f64]| {
            let summary = summary(&TestRun::new("a").reward("reward", values));
            outcome(&summary, &primary_metric(&[&summary]).unwrap()).unwrap()
        };
        let lucky = of(&noise).best.unwrap();
        assert!(lucky.value > lucky.corrected, "{lucky:?}");
        let mut real = noise.clone();
        real[20..30].iter_mut().for_each(|value| *value += 0.4);
        let peak = of(&real).best.unwrap();
        assert!(peak.corrected > 0.8 && peak.corrected < peak.value, "{peak:?}");
        let rising: Vec<f64> = (0..40).map(f64::from).collect();
        let end = of(&rising).best.unwrap();
        assert!(end.corrected <= end.value && end.step == 40.0);
    }
}
