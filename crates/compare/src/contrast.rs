//! Groups of runs as one number each, and whether one is better than another.

use std::slice::from_ref;

use super::{Metric, RunGroup, RunSummary, Target, differing_part, outcome, sample};
use rundown_stats::CompactSort as _;
use rundown_stats::{self as stats, IntervalEstimate, MANY_SCORES, SplitMix64};

/// Fewest runs of a group of which anything is claimed: five seeds of one algorithm can already look like two
/// (Henderson et al. 2018, arXiv 1709.06560).
pub const MIN_RUNS_OF_GROUP: usize = 5;
/// Largest p, corrected for the number of comparisons, at which a difference is claimed.
const LARGEST_P: f64 = 0.05;
/// The same where one group has fewer than [`ENOUGH_RUNS`]. Nothing can be seen of how so few values are spread, and
/// of five against five one run more or less in its place takes Mann and Whitney's p from 0.02 to 0.06.
const LARGEST_P_OF_FEW: f64 = 0.03;
const ENOUGH_RUNS: usize = 10;
/// Replicates of a bootstrap of few runs.
const REPLICATES: usize = 2000;
/// Values drawn for all comparisons, so that the time for a thousand runs is that for ten.
const MAX_DRAWN: usize = 300_000;
/// Groups that are compared with each other: the largest, and of equally large ones the better.
pub const MAX_COMPARED_GROUPS: usize = 30;

/// The level of a group of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupLevel {
    /// Levels at the end of the runs that are compared, as [`sample`] chooses them; of a run that broke before it had one,
    /// the worst of all runs.
    pub levels: Vec<f64>,
    /// How many of them broke before they had a level.
    pub broken: usize,
    /// Their mean; NaN without any.
    pub mean: f64,
    /// Their interquartile mean; NaN without any.
    pub iqm: f64,
    /// Standard deviation; NaN with fewer than two.
    pub spread: f64,
    /// 95 % interval of the interquartile mean, by a bootstrap below [`MANY_SCORES`] runs; `None` with fewer than
    /// [`MIN_RUNS_OF_GROUP`] runs. With fewer than ten it is too narrow rather than too wide.
    pub interval: Option<IntervalEstimate>,
}

/// One group against another.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupContrast {
    /// Place of the group with the better interquartile mean.
    pub better: usize,
    /// Place of the other one.
    pub worse: usize,
    /// Probability that a random run of the better group beats one of the other, with its interval; `None`
    /// with fewer than two runs in one.
    pub improvement: Option<IntervalEstimate>,
    /// Difference of the interquartile means, with its interval.
    pub gain: Option<IntervalEstimate>,
    /// Two-sided p of Mann and Whitney's test.
    pub p: f64,
    /// The same, corrected for all comparisons made here (Holm).
    pub p_corrected: f64,
    /// Which of the two is better, as far as the data show it.
    pub claim: ContrastClaim,
}

/// What the data of two groups allow to claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContrastClaim {
    /// Fewer than [`MIN_RUNS_OF_GROUP`] runs in one of them: nothing.
    TooFew,
    /// No difference was shown, which does not show that there is none.
    NoDifference,
    /// The one is better than the other.
    Better,
}

impl ContrastClaim {
    /// The claim in words, for a table.
    pub fn as_str(self) -> &'static str {
        match self {
            ContrastClaim::TooFew => "too few runs",
            ContrastClaim::NoDifference => "not significant",
            ContrastClaim::Better => "better",
        }
    }
}

/// The level of each group by a metric. The generator is seeded by the caller.
pub fn group_levels(
    summaries: &[&RunSummary],
    groups: &[RunGroup],
    metric: &Metric,
    random: &mut SplitMix64,
) -> Vec<GroupLevel> {
    let own: Vec<Option<f64>> = summaries.iter().map(|summary| Some(outcome(summary, metric)?.level)).collect();
    let compared = sample(summaries, &Target { key: &metric.key, direction: metric.direction, values: &own });
    let place = |run: &usize| compared.runs.binary_search(run).ok();
    let level = |run: &usize| compared.values.get(place(run)?).copied();
    let rank = |run: &usize| compared.ranking.get(place(run)?).copied();
    let is_broken = |run: &&usize| rank(run).is_some_and(f64::is_infinite);
    let of_group = |group: &RunGroup| {
        let broken = group.members.iter().filter(is_broken).count();
        GroupLevel { broken, ..group_level(group.members.iter().filter_map(level).collect(), random) }
    };
    groups.iter().map(of_group).collect()
}

/// The level of a group whose runs have these levels.
pub fn group_level(levels: Vec<f64>, random: &mut SplitMix64) -> GroupLevel {
    let interval = match levels.len() {
        // Of fewer a bootstrap gives hardly more than their range.
        ..MIN_RUNS_OF_GROUP => None,
        MANY_SCORES.. => stats::iqm_of_many(&levels),
        runs => {
            let replicates = replicates(MAX_DRAWN, runs);
            stats::stratified_bootstrap(from_ref(&levels), replicates, random)
        }
    };
    let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let (mean, iqm) = (or_nan(stats::mean(&levels)), or_nan(stats::iqm(&levels)));
    GroupLevel { mean, iqm, spread: or_nan(stats::std_dev(&levels)), interval, broken: 0, levels }
}

/// Replicates that draw so many values in all; statistics keeps to its own least number.
fn replicates(most_drawn: usize, drawn_by_one: usize) -> usize {
    (most_drawn / drawn_by_one.max(1)).min(REPLICATES)
}

/// Every group with a level against every other, the most certain first. Two groups whose rewards have different parts are not
/// compared by their reward. Of more groups [`MAX_COMPARED_GROUPS`] are compared. `levels` are the [`group_levels`] of these
/// groups.
///
/// A difference is claimed when both have five runs and Mann and Whitney's p, corrected for all of these comparisons,
/// is below 0.05 (0.03 where one has fewer than ten). It takes runs as independent, which repeats with other seeds are.
pub fn contrasts(
    summaries: &[&RunSummary],
    groups: &[RunGroup],
    levels: &[GroupLevel],
    metric: &Metric,
    random: &mut SplitMix64,
) -> Vec<GroupContrast> {
    let members = |place: usize| groups.get(place).into_iter().flat_map(|group| &group.members);
    let are_comparable = |one: usize, other: usize| {
        let both = members(one).chain(members(other)).filter_map(|run| summaries.get(*run).copied());
        differing_part(&both.collect::<Vec<_>>(), metric).is_none()
    };
    contrasts_with(levels, metric, MAX_DRAWN, &are_comparable, random)
}

fn contrasts_with(
    groups: &[GroupLevel],
    metric: &Metric,
    most_drawn: usize,
    are_comparable: &dyn Fn(usize, usize) -> bool,
    random: &mut SplitMix64,
) -> Vec<GroupContrast> {
    let mut places: Vec<usize> = (0..groups.len()).collect();
    let runs = |place: &usize| groups.get(*place).map_or(0, |group| group.levels.len());
    places.retain(|place| runs(place) > 0);
    if places.len() > MAX_COMPARED_GROUPS {
        let level = |place: &usize| groups.get(*place).map_or(f64::NAN, |group| metric.sign() * group.iqm);
        places.compact_sort_by(|a, b| runs(b).cmp(&runs(a)).then(level(b).total_cmp(&level(a))));
        places.truncate(MAX_COMPARED_GROUPS);
    }
    places.compact_sort_by(|a, b| runs(b).cmp(&runs(a)).then(a.cmp(b)));
    // Each group meets every other one.
    let drawn = places.iter().map(runs).sum::<usize>() * places.len().saturating_sub(1);
    let replicates = replicates(most_drawn, drawn);
    let mut found = Vec::new();
    for (rank, first) in places.iter().enumerate() {
        for second in places.iter().skip(rank + 1).filter(|second| are_comparable(*first, **second)) {
            let (Some(a), Some(b)) = (groups.get(*first), groups.get(*second)) else { continue };
            let is_turned = metric.is_better(b.iqm, a.iqm);
            let (better, worse) = if is_turned { (*second, *first) } else { (*first, *second) };
            let (high, low) = if is_turned { (b, a) } else { (a, b) };
            let mut contrast = contrast((better, high), (worse, low));
            resample(&mut contrast, (high, low), metric, replicates, random);
            found.push(contrast);
        }
    }
    // Comparisons that could not be claimed anyway ask for no correction.
    let counted = |contrast: &GroupContrast| contrast.claim != ContrastClaim::TooFew;
    let p: Vec<f64> = found.iter().filter(|contrast| counted(contrast)).map(|contrast| contrast.p).collect();
    for (contrast, p) in found.iter_mut().filter(|contrast| counted(contrast)).zip(stats::holm(&p)) {
        contrast.p_corrected = p;
        let runs = [contrast.better, contrast.worse].iter().map(runs).min().unwrap_or(0);
        let largest = if runs < ENOUGH_RUNS { LARGEST_P_OF_FEW } else { LARGEST_P };
        contrast.claim = if p < largest { ContrastClaim::Better } else { ContrastClaim::NoDifference };
    }
    found.compact_sort_by(|a, b| a.p_corrected.total_cmp(&b.p_corrected).then(a.p.total_cmp(&b.p)));
    found
}

fn contrast((better, high): (usize, &GroupLevel), (worse, low): (usize, &GroupLevel)) -> GroupContrast {
    let is_few = high.levels.len().min(low.levels.len()) < MIN_RUNS_OF_GROUP;
    let p = stats::dominance(&low.levels, &high.levels).map_or(1.0, |dominance| dominance.p);
    let claim = if is_few { ContrastClaim::TooFew } else { ContrastClaim::NoDifference };
    GroupContrast { better, worse, improvement: None, gain: None, p, p_corrected: p, claim }
}

fn resample(
    contrast: &mut GroupContrast,
    (high, low): (&GroupLevel, &GroupLevel),
    metric: &Metric,
    replicates: usize,
    random: &mut SplitMix64,
) {
    // Turned around where less is better, so that "greater" is "better".
    let turned = |levels: &[f64]| levels.iter().map(|level| metric.sign() * level).collect::<Vec<f64>>();
    let (x, y) = (turned(&high.levels), turned(&low.levels));
    if x.len().min(y.len()) >= MANY_SCORES {
        contrast.improvement = stats::improvement_of_many(&x, &y);
        contrast.gain = stats::gain_of_many(&high.levels, &low.levels);
        return;
    }
    contrast.improvement = stats::bootstrap_improvement(from_ref(&x), from_ref(&y), replicates, random);
    let (x, y) = (from_ref(&high.levels), from_ref(&low.levels));
    contrast.gain = stats::bootstrap_gain(x, y, replicates, random);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FindingSummary;
    use crate::testing::{TestRun, critical, refs};
    use rundown_diagnose::Code;
    use rundown_run::RunState;
    use rundown_stats::testing::white;
    use rundown_vocabulary::{Concept, Direction};

    fn metric(direction: Direction) -> Metric {
        Metric { key: "m".into(), concept: None, direction, runs: 0, quantity: None }
    }

    /// The contrast of two groups of `n` normal levels, the second `apart` standard deviations above the first.
    fn drawn(seed: u64, n: usize, apart: f64, direction: Direction) -> GroupContrast {
        let mut random = SplitMix64::new(seed);
        let levels = white(seed * 7919 + 13, 2 * n);
        let second = levels[n..].iter().map(|level| level + apart).collect();
        let group = |levels: Vec<f64>| GroupLevel {
            mean: 0.0,
            iqm: stats::iqm(&levels).unwrap(),
            spread: 1.0,
            interval: None,
            broken: 0,
            levels,
        };
        let groups = [group(levels[..n].to_vec()), group(second)];
        contrasts_with(&groups, &metric(direction), 0, &|_, _| true, &mut random).remove(0)
    }

    #[test]
    fn groups_of_one_distribution_seldom_differ() {
        let claimed = |draws: u64, n: usize| {
            (1..=draws).filter(|seed| drawn(*seed, n, 0.0, Direction::Up).claim == ContrastClaim::Better).count()
        };
        for n in [5, 7] {
            let found = claimed(200, n);
            assert!(found <= 10, "{found} of 200 with {n} runs each");
        }
        // From ten runs on the test has its full level of 5 %: 30 are expected, with a deviation of 5.3.
        let found = claimed(600, 12);
        assert!(found <= 43, "{found} of 600");
    }

    #[test]
    fn broken_runs_count_as_the_worst_and_running_ones_not_at_all() {
        let run = |level: Option<f64>, state: RunState, findings: Vec<FindingSummary>| {
            let last = level.map(|level| ("m".to_owned(), level)).into_iter().collect();
            RunSummary { state, findings, last, ..RunSummary::default() }
        };
        let nan = || vec![critical(Code::NonfiniteValues)];
        let mut runs: Vec<RunSummary> = (0..5).map(|_| run(Some(0.8), RunState::Finished, Vec::new())).collect();
        runs.extend((0..5).map(|_| run(None, RunState::Finished, nan())));
        runs.extend((0..10).map(|place| run(Some(0.7 + 0.001 * f64::from(place)), RunState::Finished, Vec::new())));
        runs.push(run(Some(0.1), RunState::Running, Vec::new()));
        let group =
            |members: std::ops::Range<usize>| RunGroup { label: String::new(), members: members.collect(), seeds: 0 };
        let metric = metric(Direction::Up);
        let mut random = SplitMix64::new(1);
        let groups = [group(0..10), group(10..21)];
        let levels = group_levels(&refs(&runs), &groups, &metric, &mut random);
        assert_eq!((levels[0].levels.len(), levels[0].broken, levels[0].levels[5]), (10, 5, 0.7));
        assert_eq!((levels[1].levels.len(), levels[1].broken), (10, 0), "one still runs");
        let found = contrasts(&refs(&runs), &groups, &levels, &metric, &mut random);
        assert_eq!(found[0].claim, ContrastClaim::NoDifference, "{found:?}");
    }

    #[test]
    fn of_many_groups_of_one_size_the_better_are_compared() {
        let mut random = SplitMix64::new(1);
        let level = |place: usize| group_level(vec![place as f64], &mut random);
        let levels: Vec<GroupLevel> = (0..MAX_COMPARED_GROUPS + 10).map(level).collect();
        let found = contrasts_with(&levels, &metric(Direction::Up), 0, &|_, _| true, &mut SplitMix64::new(1));
        assert_eq!(found.iter().map(|found| found.worse).min(), Some(10));
        let found = contrasts_with(&levels, &metric(Direction::Down), 0, &|_, _| true, &mut SplitMix64::new(1));
        assert_eq!(found.iter().map(|found| found.worse).max(), Some(MAX_COMPARED_GROUPS - 1));
    }

    #[test]
    fn groups_with_other_rewards_are_not_compared() {
        let run = |part: &str| {
            let run = TestRun::new("a").reward("r", &[0.5; 12]).metric(Concept::RewardComponent, part, &[0.5; 12]);
            RunSummary::of(0, run.diagnosed())
        };
        let runs = ["a", "a", "a", "a", "b", "b"].map(run);
        let groups = [[0, 1], [2, 3], [4, 5]];
        let groups = groups.map(|members| RunGroup { label: String::new(), members: members.to_vec(), seeds: 0 });
        let (all, mut random) = (refs(&runs), SplitMix64::new(1));
        let metric = Metric::chosen(&all, "r", None);
        let levels = group_levels(&all, &groups, &metric, &mut random);
        let found = contrasts(&all, &groups, &levels, &metric, &mut random);
        let pairs: Vec<usize> = found.iter().map(|found| found.better + found.worse).collect();
        assert_eq!(pairs, [1], "the first two");
    }

    #[test]
    fn groups_apart_differ() {
        let found = (1..=200).filter(|seed| {
            let contrast = drawn(*seed, 10, 1.5, Direction::Up);
            contrast.claim == ContrastClaim::Better && contrast.better == 1
        });
        let found = found.count();
        assert!(found >= 160, "{found} of 200");
    }

    #[test]
    fn less_can_be_better() {
        let contrast = drawn(3, 10, 3.0, Direction::Down);
        assert_eq!((contrast.better, contrast.claim), (0, ContrastClaim::Better));
        assert!(contrast.improvement.unwrap().low > 0.5);
        assert!(contrast.gain.unwrap().high < 0.0, "the better one is lower");
    }

    #[test]
    fn few_runs_claim_nothing() {
        assert_eq!(drawn(1, 4, 50.0, Direction::Up).claim, ContrastClaim::TooFew);
        let mut random = SplitMix64::new(1);
        let lone = [
            group_level(vec![1.0], &mut random),
            group_level(vec![2.0], &mut random),
            group_level(vec![], &mut random),
        ];
        let found = contrasts(&[], &[], &lone, &metric(Direction::Up), &mut random);
        assert_eq!((found.len(), found[0].better, found[0].claim), (1, 1, ContrastClaim::TooFew));
        assert!(lone[2].mean.is_nan() && lone[0].interval.is_none() && found[0].improvement.is_none());
    }

    #[test]
    fn many_comparisons_are_corrected_for() {
        let mut random = SplitMix64::new(2);
        let groups: Vec<GroupLevel> = (0..20).map(|seed| group_level(white(900 + seed, 6), &mut random)).collect();
        let found = contrasts_with(&groups, &metric(Direction::Up), 0, &|_, _| true, &mut random);
        assert_eq!(found.len(), 190);
        assert!(found.iter().all(|contrast| contrast.claim == ContrastClaim::NoDifference));
    }
}
