//! Whether the size of the updates follows the learning rate: what is as large at a small rate as at a large one does not
//! come from the rate.
//!
//! Only a schedule that lowers the rate by much can tell. Clipped tokens and the KL to the old policy follow it at once; the KL
//! to the reference adds up, so that its growth follows it; a gradient norm is that of the loss, and says nothing.

use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::{Evidence, Relation};
use rundown_format::rich;
use rundown_format::rich_text::metric;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Rates up to this part of the largest are low. Ours: the KL to the old policy falls with the square of the rate, to a ninth.
const LOW_RATE: f64 = 1.0 / 3.0;
/// Rates from this part of the largest on are high. Ours: twice the low ones at least.
const HIGH_RATE: f64 = 2.0 / 3.0;
/// Part of the size at high rates that is left at low ones where the rate does not set it. Ours: in proportion to
/// the rate a half or less would be left.
const MIN_KEPT: f64 = 0.8;
/// Fewest points of a level: the median of fewer is a single one.
const MIN_POINTS: usize = 5;

/// For a sign of large updates that stays as large where the rate was lowered: what is left of it.
pub(crate) fn does_not_follow(context: &Context<'_>, sign: &MetricSeries<'_>) -> Option<Evidence> {
    let rate = context.signal(Concept::LearningRate)?;
    let (large, small) = at_rates(rate, sign)?;
    let (before, after) = match sign.binding.concept {
        Concept::ClipFraction if clip_range_is_lowered(context) => return None,
        Concept::KlToSampler | Concept::ClipFraction => (stats::median(large.values)?, stats::median(small.values)?),
        Concept::KlToReference => {
            let grown = gain(&small).filter(|gain| *gain >= context.rulebook.kl_watch().value)?;
            // From the first point of the run on: a jump in the first steps is growth at a large rate as well.
            let (first, at) = (sign.steps.first()?, large.steps.last()?);
            (large_gain(sign, &large)? / (at - first).max(f64::MIN_POSITIVE), grown / span(&small))
        }
        _ => return None,
    };
    if before <= 0.0 {
        return None;
    }
    let kept = after / before;
    let name = match sign.binding.concept {
        Concept::KlToReference => rich!("growth of {} per step at a third of the learning rate", metric(sign.key())),
        _ => rich!("{} at a third of the learning rate", metric(sign.key())),
    };
    let source = "ours: in proportion to the learning rate a half or less would be left";
    let evidence = Evidence::new(name, kept, "of that at the large rate").limited(Relation::Below, MIN_KEPT, source);
    (kept >= MIN_KEPT).then_some(evidence)
}

/// True where a schedule lowers the clip range as well, as PPO for games often does: smaller updates then reach it as often.
fn clip_range_is_lowered(context: &Context<'_>) -> bool {
    let is_range = |key: &str| matches!(key.rsplit(['/', '.']).next(), Some("clip_range" | "cliprange"));
    context.run.columns.iter().filter(|(key, _)| is_range(key)).any(|(_, column)| {
        let largest = column.values().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        column.last().is_some_and(|last| last <= HIGH_RATE * largest)
    })
}

/// Some points in a row.
struct Part<'s> {
    steps: &'s [f64],
    values: &'s [f64],
}

/// The points up to the last at a large rate, from its peak on, and those from the first at a small one on; `None` where the
/// rate was not lowered so far, or for too few points.
fn at_rates<'s>(rate: &MetricSeries<'_>, sign: &'s MetricSeries<'_>) -> Option<(Part<'s>, Part<'s>)> {
    let largest = rate.max();
    let peak = rate.values.iter().position(|value| *value == largest)?;
    let lowered = rate.values.iter().rposition(|value| *value > LOW_RATE * largest)? + 1;
    let held = rate.values.iter().rposition(|value| *value >= HIGH_RATE * largest)?;
    let (from, to, then) = (rate.steps.get(peak)?, rate.steps.get(held)?, rate.steps.get(lowered)?);
    let place = |step: f64| sign.steps.partition_point(|at| *at < step);
    let part = |from: usize, to: usize| {
        let part = Part { steps: sign.steps.get(from..to)?, values: sign.values.get(from..to)? };
        (part.values.len() >= MIN_POINTS).then_some(part)
    };
    let large = part(place(*from), sign.steps.partition_point(|at| at <= to))?;
    Some((large, part(place(*then), sign.len())?))
}

/// By how much the last points are above the first.
fn gain(part: &Part<'_>) -> Option<f64> {
    Some(end_level(part)? - stats::median(part.values.get(..width(part))?)?)
}

/// By how much the last points at a large rate are above the first point of the run.
fn large_gain(sign: &MetricSeries<'_>, large: &Part<'_>) -> Option<f64> {
    Some(end_level(large)? - sign.values.first()?)
}

fn end_level(part: &Part<'_>) -> Option<f64> {
    stats::median(part.values.get(part.values.len() - width(part)..)?)
}

/// Points of a level: a fifth of them.
fn width(part: &Part<'_>) -> usize {
    (part.values.len() / 5).max(MIN_POINTS).min(part.values.len())
}

fn span(part: &Part<'_>) -> f64 {
    let ends = part.steps.first().zip(part.steps.last());
    ends.map_or(f64::NAN, |(first, last)| last - first).max(f64::MIN_POSITIVE)
}
