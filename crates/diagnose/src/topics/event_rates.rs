//! Outcomes of single events as rates, and metrics of the pipeline against a threshold.
//!
//! Exported event logs hold one point an event: 1 for a response that could be parsed, 0 for one that could not. The
//! median of such points is 1 whatever the rate, so they are averaged in blocks first, and a rate on the wrong side
//! of a threshold counts only when its interval is there too.

use crate::Outcome;
use crate::context::Context;
use crate::measure::Z_95;
use crate::measure::Z_PICKED;
use crate::measure::series::MetricSeries;
use crate::topics::threshold_rule::{Stretch, ThresholdRule};
use rundown_stats as stats;
use rundown_stats::block_means;
use rundown_vocabulary::{Direction, Unit};

/// Fewest events that make a rate.
const EVENTS: usize = 40;
/// Fewest events in a block, and most blocks of a series.
const BLOCK: usize = 20;
const BLOCKS: usize = 60;
/// Fewest points of a metric that are checked, and fewest rows of the run: cold starts are not news.
const POINTS: usize = 10;
const ROWS: usize = 30;
/// True when every point is 0 or 1 and there are enough of them: outcomes of single events.
pub fn are_outcomes(values: &[f64]) -> bool {
    values.len() >= EVENTS && values.iter().all(|value| *value == 0.0 || *value == 1.0)
}

/// Outcomes as rates over blocks of events; each block stands at its first step.
pub(crate) fn rates<'a>(signal: &MetricSeries<'a>) -> MetricSeries<'a> {
    let blocks = (signal.len() / BLOCK).clamp(1, BLOCKS);
    let values = block_means(&signal.values, blocks);
    let steps = (0..values.len()).map(|block| signal.step(block * signal.len() / blocks)).collect();
    signal.with_points(steps, values, None)
}

/// Whether `share` of `events` is beyond the threshold with its whole 95 % interval (Wilson).
pub(crate) fn is_proven(share: f64, events: usize, wrong: Direction, threshold: f64) -> bool {
    let n = events as f64;
    let interval = stats::wilson((share * n).clamp(0.0, n), n, Z_95);
    interval.is_some_and(|(low, high)| if wrong == Direction::Up { low > threshold } else { high < threshold })
}

/// True when a metric of the pipeline, one point a step, has enough points to be checked.
pub(crate) fn is_long_enough(context: &Context<'_>, signal: &MetricSeries<'_>) -> bool {
    signal.len() >= POINTS && context.run.axis.steps.len() >= ROWS
}

/// Assesses each signal that stands for all (none of a group) by a rule: outcomes as rates, the others as they are.
pub(crate) fn assess(rule: &ThresholdRule, context: &Context<'_>, signals: &[MetricSeries<'_>]) -> Outcome {
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    for signal in signals.iter().filter(|signal| !signal.is_empty() && signal.binding.name.is_none()) {
        let shown = if are_outcomes(&signal.values) { rates(signal) } else { signal.clone() };
        match beyond(rule, context, signal) {
            Some(stretch) => findings.push(rule.finding(context, &shown, stretch)),
            None => quiet.push(rule.calm(context, &shown)),
        }
    }
    match (findings.is_empty(), quiet.is_empty()) {
        (false, _) => Outcome::Found(findings),
        (true, false) => Outcome::Quiet(quiet),
        (true, true) => Outcome::Skipped(context.need(&[rule.concept])),
    }
}

/// Several outcomes of one check as one: what any found, else what made all quiet.
pub(crate) fn joined(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
    outcomes.into_iter().fold(Outcome::Quiet(Vec::new()), |all, next| match (all, next) {
        (Outcome::Found(mut all), Outcome::Found(next)) => {
            all.extend(next);
            Outcome::Found(all)
        }
        (Outcome::Quiet(mut all), Outcome::Quiet(next)) => {
            all.extend(next);
            Outcome::Quiet(all)
        }
        (Outcome::Quiet(all), Outcome::Skipped(_)) if !all.is_empty() => Outcome::Quiet(all),
        (found @ Outcome::Found(_), _) => found,
        (_, next) => next,
    })
}

/// The stretch of a signal beyond the thresholds of a rule: of rates where its points are outcomes.
pub(crate) fn beyond(rule: &ThresholdRule, context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<Stretch> {
    if !are_outcomes(&signal.values) {
        return is_long_enough(context, signal).then(|| rule.beyond(context, signal)).flatten();
    }
    rule.lines(context).find_map(|threshold| rate_beyond(rule, signal, threshold))
}

/// The stretch of outcomes whose rate is proven to be beyond a threshold.
fn rate_beyond(rule: &ThresholdRule, signal: &MetricSeries<'_>, threshold: f64) -> Option<Stretch> {
    let proven = |from: usize, to: usize| {
        let events = signal.values.get(from..to)?;
        let level = stats::mean(events)?;
        is_proven(level, events.len(), rule.wrong, threshold).then(|| Stretch {
            from: signal.step(from),
            to: signal.step(to.saturating_sub(1)),
            level,
            share: events.len() as f64 / signal.len() as f64,
            holds: to == signal.len(),
        })
    };
    // From a change of the rate to the end, from the start to the end, or an episode in between.
    if let Some(split) = worsened(signal, rule.wrong)
        && let Some(stretch) = proven(split, signal.len())
    {
        return Some(stretch);
    }
    proven(0, signal.len()).or_else(|| {
        let episode = rule.beyond_line(&rates(signal), threshold)?;
        let from = signal.steps.partition_point(|step| *step < episode.from);
        proven(from, signal.steps.partition_point(|step| *step <= episode.to))
    })
}

/// Where the rate of outcomes changed for the worse, beyond its chance: the split of largest binomial likelihood.
fn worsened(signal: &MetricSeries<'_>, wrong: Direction) -> Option<usize> {
    let (all, total) = (signal.len() as f64, signal.values.iter().sum::<f64>());
    let least = EVENTS as f64 / 2.0;
    let (mut before, mut successes) = (0.0, 0.0);
    let mut best: Option<(usize, f64, f64)> = None;
    for (place, value) in signal.values.iter().enumerate() {
        if before >= least && all - before >= least {
            let fit = likelihood(successes, before) + likelihood(total - successes, all - before);
            if best.is_none_or(|(_, known, _)| fit > known) {
                best = Some((place, fit, successes));
            }
        }
        before += 1.0;
        successes += value;
    }
    let (place, _, successes) = best?;
    let z = stats::two_proportion_z(successes, place as f64, total - successes, all - place as f64)?;
    let sign = if wrong == Direction::Up { 1.0 } else { -1.0 };
    (sign * z >= Z_PICKED).then_some(place)
}

/// Log-likelihood of `k` successes in `n` at their own rate.
fn likelihood(k: f64, n: f64) -> f64 {
    let part = |count: f64| if count > 0.0 { count * libm::log(count / n) } else { 0.0 };
    part(k) + part(n - k)
}

/// The same outcomes the other way round: 1 for a failure where 1 was a success.
pub(crate) fn complement<'a>(signal: &MetricSeries<'a>) -> MetricSeries<'a> {
    signal.map(|value| 1.0 - value)
}

/// True when a signal is a share and not a number of things.
pub(crate) fn is_share(signal: &MetricSeries<'_>) -> bool {
    signal.binding.unit == Unit::Share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;
    use crate::diagnose;
    use crate::{Check, Code, Rulebook, checks};
    use proptest::prelude::*;
    use rundown_run::Run;
    use rundown_stats::testing::white;

    const KEYS: [&str; 18] = [
        "axiom/rollout/success", "axiom/rollout/duration_s", "rollout/max_total_s", "rollout/failed_count",
        "timing/weight_sync", "step_time", "timing/rollout", "pipeline/overlap", "perf/cpu_memory_used_gb",
        "extraction/rate", "extraction/empty_responses", "cache/hit_rate", "elo/challenger", "elo/base_model",
        "elo/games_played", "power_law/cumulative_flops", "benchmark/reward_mean", "criteria/a/b_mean",
    ];

    proptest! {
        /// Whatever a pipeline logs, its checks end and say nothing that is not a number.
        #[test]
        fn any_pipeline_is_assessed(
            rows in prop::collection::vec(
                (0..KEYS.len(), 0_u16..60, prop_oneof![0.0..2.0_f64, Just(0.0), Just(1.0), prop::num::f64::ANY]),
                0..500,
            ),
        ) {
            let mut run = Run::default();
            for (key, step, value) in rows {
                let row = run.push_row(f64::from(step), f64::NAN);
                run.push_value(KEYS[key], row, value);
            }
            run.choose_axis();
            for finding in diagnose(&run, &Rulebook::default()).findings {
                prop_assert!((0.0..=1.0).contains(&finding.confidence) && !finding.title.is_empty());
            }
        }
    }

    fn events(rate: f64) -> Synthetic {
        let draws = white(11, 600);
        let rank = stats::quantile(&draws, rate).unwrap();
        Synthetic::new(600)
            .noisy("axiom/rollout/success", 0.0, move |t| f64::from(draws[(t * 600.0).round() as usize] < rank))
    }

    fn error_rate() -> &'static Check {
        checks::ALL.iter().find(|check| check.code == Code::ErrorRateHigh).unwrap()
    }

    #[test]
    fn outcomes_count_by_their_rate() {
        let finding = events(0.92).finding(error_rate());
        let level = finding.evidence[0].value;
        assert!((0.05..0.12).contains(&level), "{level}");
        assert!(events(0.995).quiet(error_rate()));
    }

    #[test]
    fn a_change_of_the_rate_is_placed() {
        let draws = white(12, 900);
        let success = move |t: f64| {
            let place = (t * 900.0).round() as usize;
            f64::from(u8::from(draws[place] < if place < 500 { 3.0 } else { 1.2 }))
        };
        let onset = Synthetic::new(900).noisy("axiom/rollout/success", 0.0, success).finding(error_rate()).onset;
        assert!((480.0..=527.0).contains(&onset.unwrap()), "{onset:?}");
    }

    #[test]
    fn a_rate_needs_its_interval_beyond() {
        assert!(is_proven(0.08, 400, Direction::Up, 0.01));
        assert!(!is_proven(0.02, 50, Direction::Up, 0.01));
        assert!(is_proven(0.90, 1500, Direction::Down, Rulebook::default().extraction_rate().value));
    }
}
