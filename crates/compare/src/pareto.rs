//! Quality against a cost: which runs nobody beats in both.

use super::baseline::Z_99_OVER_Z_95;
use super::{Metric, RunSummary, comparable, is_sure, of_both, outcome};
use rundown_diagnose::{Code, Severity, Verdict};
use rundown_stats::CompactSort as _;

/// Fewest rows of a run on the front: fewer are a start that was given up, or a table of results, and cost next to nothing.
pub const MIN_ROWS_ON_FRONT: usize = 5;

/// What quality is weighed against.
#[derive(Debug, Clone, PartialEq)]
pub enum CostMeasure {
    /// Steps.
    Steps,
    /// Hours by the clock.
    Hours,
    /// GPU-hours.
    GpuHours,
    /// Tokens.
    Tokens,
    /// Money.
    Money,
    /// The level of a metric at the end, such as the response length or the KL.
    Metric(Metric),
}

impl CostMeasure {
    /// What a run cost; less is better. `None` where it is not known.
    pub fn of(&self, summary: &RunSummary) -> Option<f64> {
        let spent = &summary.spent;
        match self {
            CostMeasure::Steps => Some(spent.steps),
            CostMeasure::Hours => spent.hours,
            CostMeasure::GpuHours => spent.gpu_hours,
            CostMeasure::Tokens => spent.tokens,
            CostMeasure::Money => spent.money,
            // Neither way is better for a KL or a length as such, but here less is.
            CostMeasure::Metric(metric) => Some(outcome(summary, metric)?.level),
        }
    }
}

/// A run between quality and cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParetoPoint {
    /// Place in the summaries that were given.
    pub index: usize,
    /// Level of the metric at the end.
    pub quality: f64,
    /// Its 95 % interval; the level twice where none is known.
    pub interval: (f64, f64),
    /// Its cost; less is better.
    pub cost: f64,
    /// False for a run that is neither on the front nor keeps others from it: its cost is not the price of its quality.
    pub is_candidate: bool,
    /// True when no candidate is at least as good in both and better in one.
    pub is_on_front: bool,
    /// True where no candidate of at most the same cost leads beyond the error of the difference ([`is_sure`]): on the front as
    /// far as can be told.
    pub is_near_front: bool,
}

/// False for a run that is no choice whatever it cost: an ugly one, and one that an error or a signal ended or that logged a few
/// rows, which was cheap because it stopped.
fn is_candidate(summary: &RunSummary) -> bool {
    // Of a run without a history the summary tells the cost.
    let has_few_rows = (1..MIN_ROWS_ON_FRONT).contains(&summary.points);
    let mut findings = summary.findings.iter();
    let was_ended = findings.any(|found| found.code == Code::RunCrashed && found.severity > Severity::Note);
    summary.verdict != Verdict::Ugly && !has_few_rows && !was_ended
}

/// Weighs quality against cost: runs by rising cost, the better ones of equal cost first. Runs that lack one of them
/// are left out, and so are those that are not [`comparable`]. O(n log n), and n times the few runs that may lead another one.
pub fn pareto(summaries: &[&RunSummary], metric: &Metric, cost: &CostMeasure) -> Vec<ParetoPoint> {
    let runs = summaries.iter().zip(comparable(summaries, metric)).enumerate();
    let weighed = runs.filter(|(_, (_, is_comparable))| *is_comparable).filter_map(|(index, (summary, _))| {
        let found = outcome(summary, metric)?;
        let cost = cost.of(summary).filter(|cost| cost.is_finite())?;
        let interval = found.interval.unwrap_or((found.level, found.level));
        let is_finite = found.level.is_finite() && interval.0.is_finite() && interval.1.is_finite();
        is_finite.then_some(ParetoPoint {
            index,
            quality: found.level,
            interval,
            cost,
            is_candidate: is_candidate(summary),
            is_on_front: true,
            is_near_front: true,
        })
    });
    let mut weighed: Vec<ParetoPoint> = weighed.collect();
    // Among nothing but such runs the front is theirs.
    if weighed.iter().all(|run| !run.is_candidate) {
        weighed.iter_mut().for_each(|run| run.is_candidate = true);
    }
    rank(&mut weighed, metric.sign());
    weighed
}

/// Sorts by cost and marks the runs on the front.
fn rank(runs: &mut [ParetoPoint], sign: f64) {
    runs.compact_sort_by(|a, b| {
        a.cost.total_cmp(&b.cost).then((sign * b.quality).total_cmp(&(sign * a.quality))).then(a.index.cmp(&b.index))
    });
    // Quality and cost of the best run so far, the cheapest of equal ones.
    let mut best: Option<(f64, f64)> = None;
    let mut rivals = Rivals::default();
    for same_cost in runs.chunk_by_mut(|a, b| a.cost == b.cost) {
        // Runs of one cost are rivals of each other, in whatever order they stand.
        let candidates = same_cost.iter().filter(|run| run.is_candidate);
        candidates.for_each(|run| rivals.add(sign * run.quality, half_towards(run, -sign)));
        for run in same_cost {
            let quality = sign * run.quality;
            if !run.is_candidate {
                (run.is_on_front, run.is_near_front) = (false, false);
                continue;
            }
            if best.is_none_or(|(best, _)| quality > best) {
                best = Some((quality, run.cost));
            }
            run.is_on_front = best == Some((quality, run.cost));
            run.is_near_front = !rivals.any_leads(quality, half_towards(run, sign));
        }
    }
}

/// Half of the interval of a run's quality on its upper side (1) or its lower one (-1).
fn half_towards(run: &ParetoPoint, side: f64) -> f64 {
    if side > 0.0 { run.interval.1 - run.quality } else { run.quality - run.interval.0 }
}

/// Qualities, more is better, with the halves of their intervals on the worse side: of the runs so far those that may lead
/// another one beyond the error of the difference.
///
/// A run whose quality and whose 99 % bound are no better than another's leads no run that the other does not lead: the other
/// one's larger half weighs most against a run without any error, and there the bounds alone decide.
#[derive(Default)]
struct Rivals(Vec<(f64, f64)>);

impl Rivals {
    fn add(&mut self, quality: f64, half: f64) {
        let bound = |(quality, half): (f64, f64)| quality - Z_99_OVER_Z_95 * half;
        let own = bound((quality, half));
        if self.0.iter().any(|other| other.0 >= quality && bound(*other) >= own) {
            return;
        }
        self.0.retain(|other| other.0 > quality || bound(*other) > own);
        self.0.push((quality, half));
    }

    fn any_leads(&self, quality: f64, half: f64) -> bool {
        self.0.iter().any(|rival| is_sure(rival.0 - quality, of_both(rival.1, half)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestRun, critical, refs};
    use crate::{FindingSummary, RunOutcome, is_sure_lead};
    use proptest::prelude::*;
    use rundown_vocabulary::Concept;

    #[test]
    fn runs_are_weighed_against_the_best_one_with_the_same_parts_of_the_reward() {
        let weighed = |runs: &[(&str, f64)]| {
            let made = |(part, level): &(&str, f64)| {
                let values = [*level; 12];
                let run = TestRun::new("a").reward("r", &values).metric(Concept::RewardComponent, part, &values);
                RunSummary::of(0, run.diagnosed())
            };
            let runs: Vec<RunSummary> = runs.iter().map(made).collect();
            let (all, metric) = (refs(&runs), Metric::chosen(&refs(&runs), "r", None));
            let target = crate::common_target(&all, &metric);
            let reached = target.as_ref().map_or(0, |target| target.reached.iter().flatten().count());
            (pareto(&all, &metric, &CostMeasure::Steps).len(), target.map(|target| target.level), reached)
        };
        assert_eq!(weighed(&[("a", 0.5), ("a", 0.5)]), (2, Some(0.5), 2));
        assert_eq!(weighed(&[("a", 0.5), ("b", 0.5)]), (0, None, 0));
        assert_eq!(weighed(&[("a", 0.5), ("b", 0.25), ("a", 0.5)]), (2, Some(0.5), 2), "one odd run");
        assert_eq!(weighed(&[("b", 0.25), ("a", 0.5), ("b", 0.75), ("b", 0.75)]), (3, Some(0.75), 2));
    }

    fn runs(points: &[(f64, f64, f64)]) -> Vec<ParetoPoint> {
        let run = |(index, (cost, quality, error)): (usize, &(f64, f64, f64))| ParetoPoint {
            index,
            quality: *quality,
            interval: (quality - error, quality + error),
            cost: *cost,
            is_candidate: true,
            is_on_front: true,
            is_near_front: true,
        };
        points.iter().enumerate().map(run).collect()
    }

    #[test]
    fn the_front_and_what_is_near_it() {
        let mut weighed = runs(&[(1.0, 0.5, 0.1), (2.0, 0.45, 0.1), (2.0, 0.8, 0.1), (3.0, 0.2, 0.1), (3.0, 0.2, 0.1)]);
        rank(&mut weighed, 1.0);
        let found: Vec<(usize, bool, bool)> =
            weighed.iter().map(|run| (run.index, run.is_on_front, run.is_near_front)).collect();
        let beaten = |index| (index, false, false);
        assert_eq!(found, [(0, true, true), (2, true, true), beaten(1), beaten(3), beaten(4)]);
        let mut weighed = runs(&[(1.0, 0.5, 0.1), (2.0, 0.45, 0.1)]);
        rank(&mut weighed, 1.0);
        assert!(!weighed[1].is_on_front && weighed[1].is_near_front, "not worse beyond the noise");
        // Intervals that touch, of a difference beyond its own.
        let mut weighed = runs(&[(1.0, 0.8, 0.1), (2.0, 0.605, 0.1), (2.0, 0.62, 0.1)]);
        rank(&mut weighed, 1.0);
        assert_eq!([weighed[1].is_near_front, weighed[2].is_near_front], [true, false]);
    }

    #[test]
    fn runs_that_stopped_or_broke_are_not_on_the_front() {
        let run = |steps: f64, level: f64| {
            let mut summary = RunSummary::of(0, TestRun::new("a").reward("reward", &[level; 12]).diagnosed());
            (summary.points, summary.spent.steps) = (12, steps);
            summary
        };
        let on_front = |summaries: &[RunSummary]| {
            let summaries = refs(summaries);
            let metric = Metric::chosen(&summaries, "reward", None);
            let weighed = pareto(&summaries, &metric, &CostMeasure::Steps);
            assert_eq!(weighed.len(), summaries.len());
            let mut found: Vec<usize> = weighed.iter().filter(|run| run.is_on_front).map(|run| run.index).collect();
            assert!(weighed.iter().all(|run| run.is_candidate || !run.is_near_front));
            found.sort_unstable();
            found
        };
        let mut summaries = [run(1.0, 0.9), run(2.0, 0.9), run(3.0, 0.9), run(100.0, 0.5), run(200.0, 0.6)];
        assert_eq!(on_front(&summaries), [0]);
        summaries[0].points = 2;
        summaries[1].verdict = Verdict::Ugly;
        summaries[2].findings = vec![critical(Code::RunCrashed)];
        assert_eq!(on_front(&summaries), [3, 4]);
        // An end by hand is a note; last values alone have no rows; and nothing but such runs are compared as they are.
        summaries[2].findings = vec![FindingSummary { severity: Severity::Note, ..critical(Code::RunCrashed) }];
        assert_eq!(on_front(&summaries), [2]);
        summaries[0].points = 0;
        assert_eq!(on_front(&summaries), [0]);
        assert_eq!(on_front(&summaries[1..2]), [0]);
    }

    #[test]
    fn costs_of_runs() {
        let test_run = TestRun::new("a")
            .reward("reward", &[1.0, 2.0])
            .metric(Concept::KlToReference, "kl", &[0.1, 0.1])
            .metric(Concept::ResponseLength, "length", &[200.0, 200.0]);
        let mut summary = RunSummary::of(0, test_run.diagnosed());
        let metric = Metric::chosen(&[&summary], "reward", None);
        assert_eq!(CostMeasure::Hours.of(&summary), None);
        assert!(pareto(&[&summary], &metric, &CostMeasure::Hours).is_empty());
        summary.spent.hours = Some(2.0);
        assert_eq!(pareto(&[&summary], &metric, &CostMeasure::Hours)[0].cost, 2.0);
        let kl = Metric::chosen(&[&summary], "kl", None);
        assert_eq!(pareto(&[&summary], &metric, &CostMeasure::Metric(kl))[0].cost, 0.1);
        let length = Metric::chosen(&[&summary], "length", None);
        assert_eq!(
            pareto(&[&summary], &metric, &CostMeasure::Metric(length))[0].cost,
            200.0,
            "short answers cost less"
        );
    }

    proptest! {
        #[test]
        fn as_compared_pair_by_pair(points in prop::collection::vec((0..6_u8, 0..6_u8, 0..3_u8), 0..25), down: bool) {
            let points: Vec<(f64, f64, f64)> = points.iter().map(|(c, q, e)| (f64::from(*c), f64::from(*q), f64::from(*e) * 0.4)).collect();
            let sign = if down { -1.0 } else { 1.0 };
            let mut ranked = runs(&points);
            rank(&mut ranked, sign);
            for run in &ranked {
                let beats = |other: &ParetoPoint| {
                    let (better, worse) = (sign * other.quality, sign * run.quality);
                    other.cost <= run.cost && better >= worse && (other.cost < run.cost || better > worse)
                };
                prop_assert_eq!(run.is_on_front, !ranked.iter().any(beats));
                let outcome = |run: &ParetoPoint| RunOutcome {
                    last: run.quality, level: run.quality, interval: Some(run.interval), best: None,
                };
                let leads = |other: &ParetoPoint| {
                    other.cost <= run.cost
                        && sign * other.quality > sign * run.quality
                        && is_sure_lead(&outcome(other), &outcome(run)) == Some(true)
                };
                prop_assert_eq!(run.is_near_front, !ranked.iter().any(leads));
            }
        }
    }
}
