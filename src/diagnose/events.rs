//! Outcomes of single events as rates, and metrics of the pipeline against a threshold.
//!
//! Exported event logs hold one point an event: 1 for a response that could be parsed, 0 for one that could not. The
//! median of such points is 1 whatever the rate, so they are averaged in blocks first, and a rate on the wrong side
//! of a threshold counts only when its interval is there too.

use super::bound::{Bound, Stretch};
use super::context::Context;
use super::signal::{Signal, block_means};
use super::{Evidence, Finding, Outcome};
use crate::stats;
use crate::vocabulary::{Direction, Unit};

/// Fewest events that make a rate.
const EVENTS: usize = 40;
/// Fewest events in a block, and most blocks of a series.
const BLOCK: usize = 20;
const BLOCKS: usize = 60;
/// Fewest points of a metric that are judged, and fewest rows of the run: cold starts are not news.
const POINTS: usize = 10;
const ROWS: usize = 30;
/// 97.5 % quantile of the standard normal distribution.
const Z_95: f64 = 1.96;

impl Finding {
    /// The same finding with its detail, the metrics that show it, its numbers, and how sure it is.
    pub(super) fn with(
        mut self,
        detail: &str,
        signals: &[&Signal<'_>],
        evidence: Vec<Evidence>,
        confidence: f64,
    ) -> Self {
        detail.clone_into(&mut self.detail);
        self.metrics = signals.iter().map(|signal| signal.key().to_owned()).collect();
        self.trend = signals.iter().map(|signal| signal.trend()).collect();
        self.evidence = evidence;
        self.confidence = confidence;
        self
    }
}

/// True when every point is 0 or 1 and there are enough of them: outcomes of single events.
pub(super) fn are_outcomes(signal: &Signal<'_>) -> bool {
    signal.len() >= EVENTS && signal.values.iter().all(|value| *value == 0.0 || *value == 1.0)
}

/// Outcomes as rates over blocks of events; each block stands at its first step.
pub(super) fn rates<'a>(signal: &Signal<'a>) -> Signal<'a> {
    let blocks = (signal.len() / BLOCK).clamp(1, BLOCKS);
    let mut rates = signal.clone();
    rates.values = block_means(&signal.values, blocks);
    rates.steps = (0..rates.len()).map(|block| signal.step(block * signal.len() / blocks)).collect();
    rates.printed_quantum = None;
    rates
}

/// Whether `share` of `events` is beyond the threshold with its whole 95 % interval (Wilson).
pub(super) fn is_proven(share: f64, events: usize, wrong: Direction, threshold: f64) -> bool {
    let n = events as f64;
    let interval = stats::wilson((share * n).clamp(0.0, n), n, Z_95);
    interval.is_some_and(|(low, high)| if wrong == Direction::Up { low > threshold } else { high < threshold })
}

/// True when a metric of the pipeline, one point a step, has enough points to be judged.
pub(super) fn is_long_enough(context: &Context<'_>, signal: &Signal<'_>) -> bool {
    signal.len() >= POINTS && context.run.axis.steps.len() >= ROWS
}

/// Judges each signal that stands for all (none of a group) by a bound: outcomes as rates, the others as they are.
pub(super) fn judge(bound: &Bound, context: &Context<'_>, signals: &[Signal<'_>]) -> Outcome {
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    for signal in signals.iter().filter(|signal| !signal.is_empty() && signal.binding.name.is_none()) {
        let shown = if are_outcomes(signal) { rates(signal) } else { signal.clone() };
        match beyond(bound, context, signal) {
            Some(stretch) => findings.push(bound.finding(context, &shown, stretch)),
            None => quiet.push(bound.calm(context, &shown)),
        }
    }
    match (findings.is_empty(), quiet.is_empty()) {
        (false, _) => Outcome::Found(findings),
        (true, false) => Outcome::Quiet(quiet),
        (true, true) => Outcome::Skipped(context.need(&[bound.concept])),
    }
}

/// The stretch of a signal beyond a bound: of rates where its points are outcomes.
pub(super) fn beyond(bound: &Bound, context: &Context<'_>, signal: &Signal<'_>) -> Option<Stretch> {
    if !are_outcomes(signal) {
        return is_long_enough(context, signal).then(|| bound.beyond(context, signal)).flatten();
    }
    let mut stretch = bound.beyond(context, &rates(signal))?;
    let from = signal.steps.partition_point(|step| *step < stretch.from);
    let to = if stretch.holds { signal.len() } else { signal.steps.partition_point(|step| *step <= stretch.to) };
    let events = signal.values.get(from..to)?;
    stretch.level = stats::mean(events)?;
    stretch.to = signal.step(to.saturating_sub(1));
    let threshold = (bound.warning)(context.rulebook).value;
    is_proven(stretch.level, events.len(), bound.wrong, threshold).then_some(stretch)
}

/// The same outcomes the other way round: 1 for a failure where 1 was a success.
pub(super) fn complement<'a>(signal: &Signal<'a>) -> Signal<'a> {
    let mut other = signal.clone();
    other.values.iter_mut().for_each(|value| *value = 1.0 - *value);
    other
}

/// True when a signal is a share and not a number of things.
pub(super) fn is_share(signal: &Signal<'_>) -> bool {
    signal.binding.unit == Unit::Share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::checks::testing::Synthetic;
    use crate::diagnose::{Rulebook, checks};
    use crate::stats::testing::white;

    fn events(rate: f64) -> Synthetic {
        let draws = white(11, 600);
        let rank = stats::quantile(&draws, rate).unwrap();
        Synthetic::new(600)
            .noisy("axiom/rollout/success", 0.0, move |t| f64::from(draws[(t * 600.0).round() as usize] < rank))
    }

    #[test]
    fn outcomes_are_judged_by_their_rate() {
        let finding = events(0.92).finding(&checks::error_rate_high::CHECK);
        let level = finding.evidence[0].value;
        assert!((0.05..0.12).contains(&level), "{level}");
        assert!(events(0.995).quiet(&checks::error_rate_high::CHECK));
    }

    #[test]
    fn a_rate_needs_its_interval_beyond() {
        assert!(is_proven(0.08, 400, Direction::Up, 0.01));
        assert!(!is_proven(0.02, 50, Direction::Up, 0.01));
        assert!(is_proven(0.90, 1500, Direction::Down, Rulebook::default().extraction_rate().value));
    }
}
