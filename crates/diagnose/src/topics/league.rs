//! The policy's Elo against what never changes.
//!
//! Elo is relative, and in a closed pool zero-sum: ratings settle for a while after the start (a base model rises
//! when weak bots fall), newcomers inherit points, and older checkpoints fall because newer ones win. Only the
//! difference to a fixed opponent means progress.

use crate::context::Context;
use crate::measure::series::MetricSeries;
use rundown_stats as stats;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::{Agent, Concept, agent};

/// Standard errors of a fall that only a trend makes clear.
const HINT: f64 = 1.5;
/// Fewest ratings that are checked.
const RATINGS: usize = 10;

/// Advice for a policy that gains nothing more against its opponents: change, effect, risk, what to watch.
pub(crate) const MORE_OPPONENTS: [&str; 4] = [
    "Add opponents of other strength and style to the league: frozen checkpoints of several ages, bots, the base model",
    "the policy meets play that it does not beat yet",
    "fewer games against each opponent",
    "win rate against each opponent by itself",
];

/// True for a run that plays games for ratings: one that logs the Elo of any agent.
pub(crate) fn is_league(context: &Context<'_>) -> bool {
    [Concept::Elo, Concept::ReferenceElo, Concept::EloGap].into_iter().any(|concept| context.signal(concept).is_some())
}

/// The policy's Elo minus that of a fixed reference, over the steps at which the policy was rated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EloGapSeries<'s> {
    /// Steps.
    pub steps: Vec<f64>,
    /// Elo points.
    pub values: Vec<f64>,
    /// Standard error of one value.
    pub error: f64,
    /// The policy's rating and the reference's.
    pub signals: Vec<&'s MetricSeries<'s>>,
    /// What it is measured against, in words.
    pub against: &'static str,
}

impl<'s> EloGapSeries<'s> {
    /// The gap of a run; `None` without a policy and a fixed reference that were rated ten times.
    pub fn of(context: &'s Context<'_>) -> Option<Self> {
        let (steps, values, signals, against) = measured(context)?;
        if values.len() < RATINGS {
            return None;
        }
        let error = error(context, &values);
        Some(Self { steps, values, error, signals, against })
    }

    /// Ratings of a level: a tenth of them, three at least.
    pub fn width(&self) -> usize {
        (self.values.len() / 10).max(3)
    }

    /// Mean of the last tenth.
    pub fn last(&self) -> f64 {
        self.end(self.width())
    }

    /// Mean of the last ratings.
    pub fn end(&self, ratings: usize) -> f64 {
        let from = self.values.len().saturating_sub(ratings);
        self.values.get(from..).and_then(stats::mean).unwrap_or(f64::NAN)
    }

    /// Where the gap began: at 0 unless the first rating is beyond its error, for agents enter a league as equals.
    pub fn first(&self) -> f64 {
        self.values.first().copied().filter(|first| first.abs() > 3.0 * self.error).unwrap_or(0.0)
    }

    /// Highest level that lasted for a tenth of the ratings, and its place.
    pub fn peak(&self) -> (usize, f64) {
        let levels = stats::running_mean(&self.values, self.width() / 2);
        let top = levels.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        top.map_or((0, f64::NAN), |(place, level)| (place, *level))
    }

    /// The trend of the gap from its highest level on, as a normal deviate.
    fn trend_after_peak(&self) -> f64 {
        let after = self.values.get(self.peak().0..).unwrap_or(&[]);
        stats::mann_kendall_corrected(after).unwrap_or(0.0)
    }

    /// How far the gap fell from its highest level, when that is beyond its errors and beyond a slight decline.
    pub fn fall(&self, context: &Context<'_>) -> Option<f64> {
        let book = context.rulebook;
        let (lead, fall) = (self.peak().1 - self.first(), self.peak().1 - self.last());
        // Levels are means, but neighbouring ratings share their games. The peak was picked from many, so a lead has
        // to stand out by more than one that was not.
        let z = book.elo_z().value;
        let clear = fall >= z * self.error || (fall >= HINT * self.error && self.trend_after_peak() <= -z);
        let sure = clear && lead >= (z + 1.0) * self.error;
        (sure && fall >= book.elo_change().value && fall >= book.elo_lost().value * lead).then_some(fall)
    }
}

type LeagueSeries<'s> = (Vec<f64>, Vec<f64>, Vec<&'s MetricSeries<'s>>, &'static str);

fn measured<'s>(context: &'s Context<'_>) -> Option<LeagueSeries<'s>> {
    let (steps, ratings, rated) = match policy(context) {
        Some(policy) => policy,
        None => {
            let gap = context.signal(Concept::EloGap)?;
            return Some((gap.steps.to_vec(), gap.values.to_vec(), vec![gap], "as the run logs it"));
        }
    };
    let references = context.signals(Concept::ReferenceElo);
    let base = references.iter().find(|signal| !signal.is_empty() && kind(signal) == Agent::Fixed(true));
    let (levels, reference, against) = match base {
        Some(base) => (forward_filled(base, &steps), base, "the base model"),
        None => (mean_reference(context, &steps)?, references.first()?, "the mean of the fixed opponents"),
    };
    let mut kept = Vec::new();
    let mut values = Vec::new();
    for ((step, rating), other) in steps.iter().zip(&ratings).zip(&levels) {
        if other.is_finite() {
            kept.push(*step);
            values.push(rating - other);
        }
    }
    Some((kept, values, vec![rated, reference], against))
}

fn kind(signal: &MetricSeries<'_>) -> Agent {
    signal.binding.name.as_deref().map_or(Agent::Policy, agent)
}

/// The rating of the policy itself, else of its newest checkpoint at each step.
fn policy<'s>(context: &'s Context<'_>) -> Option<(Vec<f64>, Vec<f64>, &'s MetricSeries<'s>)> {
    let rated = || context.signals(Concept::Elo).iter().filter(|signal| !signal.is_empty());
    if let Some(itself) = rated().find(|signal| kind(signal) == Agent::Policy) {
        return Some((itself.steps.to_vec(), itself.values.to_vec(), itself));
    }
    let mut points: Vec<(f64, u64, f64)> = Vec::new();
    let mut newest = None;
    for signal in rated() {
        let Agent::Checkpoint(version) = kind(signal) else { continue };
        newest = newest.or(Some(signal));
        points.extend(signal.steps.iter().zip(signal.values.iter()).map(|(step, value)| (*step, version, *value)));
    }
    points.compact_sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    points.dedup_by(|later, first| later.0 == first.0);
    let (steps, values) = points.iter().map(|(step, _, value)| (*step, *value)).unzip();
    newest.map(|newest| (steps, values, newest))
}

/// The latest value of a signal at each step; NaN before its first.
fn forward_filled(signal: &MetricSeries<'_>, steps: &[f64]) -> Vec<f64> {
    stats::forward_fill(&signal.steps, &signal.values, steps)
}

/// Mean rating of the fixed opponents at each step. Among themselves they are zero-sum: only games against the policy
/// and its checkpoints move their mean.
pub(crate) fn mean_reference(context: &Context<'_>, steps: &[f64]) -> Option<Vec<f64>> {
    let references: Vec<&MetricSeries<'_>> =
        context.signals(Concept::ReferenceElo).iter().filter(|signal| !signal.is_empty()).collect();
    if references.is_empty() {
        return None;
    }
    let mut sums = vec![0.0; steps.len()];
    for reference in &references {
        for (sum, value) in sums.iter_mut().zip(forward_filled(reference, steps)) {
            *sum += value;
        }
    }
    Some(sums.iter().map(|sum| sum / references.len() as f64).collect())
}

/// Games that each agent played so far, on average: each game has two players. `None` where games are not logged.
pub(crate) fn games_each(context: &Context<'_>) -> Option<f64> {
    let counted = context.signals(Concept::Games).iter().find(|signal| signal.binding.name.is_none())?;
    // Whoever is rated played; the best of a league is one of the others, picked after the fact.
    let rated = context.signals(Concept::Elo).iter().chain(context.signals(Concept::ReferenceElo));
    let agents = rated.filter(|signal| !signal.is_empty() && kind(signal) != Agent::Best).count();
    let games = counted.max();
    (agents >= 2 && games > 0.0).then(|| 2.0 * games / agents as f64)
}

/// Standard error of a rating after `games` at even chances, in Elo points.
pub(crate) fn rating_error(games: f64) -> f64 {
    stats::elo_error(games.max(1.0), 0.0).unwrap_or(f64::NAN)
}

/// Standard error of a gap: from the games where they are counted, and from the scatter of the ratings themselves.
fn error(context: &Context<'_>, values: &[f64]) -> f64 {
    let by_games = games_each(context).map_or(0.0, |games| std::f64::consts::SQRT_2 * rating_error(games));
    let scatter = stats::running_residuals(values, (values.len() / 6).max(2));
    by_games.max(stats::std_dev(&scatter).unwrap_or(0.0))
}
