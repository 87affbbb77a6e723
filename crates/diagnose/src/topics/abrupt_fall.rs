//! The largest fall of a reward between two neighbouring windows, and whether it is abrupt: a policy changes over many
//! updates, so that what falls within a step or two has another cause.

use crate::Evidence;
use crate::context::Context;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use rundown_stats as stats;

/// Points on each side within which a break is abrupt.
const ABRUPT: usize = 3;

/// Of the last [`ABRUPT`] points, those that are lower than all before a fall that is not over yet.
const MIN_NEW: usize = 2;

/// Points at the start that are checked by themselves as well.
const EARLY: usize = 100;

/// A fall between two neighbouring windows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AbruptFall {
    /// First point after it.
    pub(crate) index: usize,
    pub(crate) before: f64,
    pub(crate) after: f64,
    /// Difference of the means, which single points take part in; `before` and `after` may be medians.
    pub(crate) size: f64,
    /// Standard deviation of a point around its level.
    pub(crate) sigma: f64,
    /// Points in each window.
    pub(crate) width: usize,
    /// Share of the fall that happens within [`ABRUPT`] points.
    abrupt: f64,
    /// That part in robust standard deviations of all such falls of the run.
    unusual: f64,
    /// True when the level stays below the middle for a while after.
    lasts: bool,
}

impl AbruptFall {
    /// True for one fall that the rulebook calls a break.
    pub(crate) fn is_break(&self, context: &Context<'_>) -> bool {
        let book = context.rulebook;
        level::ratio(self.size, self.sigma) >= book.break_size().value
            && self.unusual >= book.break_unusual().value
            && self.abrupt >= book.break_abruptness().value
            && self.lasts
    }

    /// The numbers that it was judged by.
    pub(crate) fn evidence(&self, context: &Context<'_>) -> Vec<Evidence> {
        let book = context.rulebook;
        let mut evidence = vec![
            Evidence::new("reward before the largest fall", self.before, ""),
            Evidence::new("reward after the largest fall", self.after, ""),
            Evidence::new(
                "largest fall of the mean",
                level::ratio(self.size, self.sigma),
                "standard deviations of a step",
            )
            .above(book.break_size()),
            Evidence::new("share of the largest fall within 3 points", self.abrupt, "").above(book.break_abruptness()),
        ];
        // Where no other values differ there is nothing to compare with.
        if self.unusual.is_finite() {
            let unit = "robust standard deviations";
            let unusual = Evidence::new("largest fall against others over 3 points", self.unusual, unit);
            evidence.push(unusual.above(book.break_unusual()));
        }
        evidence
    }
}

/// The fall of a reward that is a break; `None` where none is, or for too few points.
pub(crate) fn abrupt_fall(context: &Context<'_>, reward: &MetricSeries<'_>) -> Option<AbruptFall> {
    if (reward.len() as f64) < context.rulebook.points_needed().value {
        return None;
    }
    let fallen = |values: &[f64]| largest_fall(values).filter(|fall| fall.after < fall.before);
    // A break near the start is one to narrow windows only: those of the run as it was short.
    let early = || fallen(reward.values.get(..EARLY)?).filter(|fall| fall.is_break(context));
    let largest = fallen(&reward.values)?;
    if largest.is_break(context) { Some(largest) } else { early().or_else(|| at_end(context, &reward.values)) }
}

/// A break in the last points, too few for a window: the run was stopped in it, or is still in it.
fn at_end(context: &Context<'_>, values: &[f64]) -> Option<AbruptFall> {
    let (count, width) = (values.len(), window(values.len()));
    let from = count.checked_sub(2 * width)?;
    let change = stats::single_change(values.get(from..)?, ABRUPT)?;
    let index = from + change.index;
    let fall = fall_at(values, index, width).filter(|_| index > count - width)?;
    // A mean of so few points is low by a single one: two of them must be lower than any before.
    let lowest = values.get(..index)?.iter().copied().fold(f64::INFINITY, f64::min);
    let is_new = values.get(count - ABRUPT..)?.iter().filter(|value| **value < lowest).count() >= MIN_NEW;
    (is_new && fall.is_break(context)).then_some(fall)
}

/// The largest fall between windows of equal width side by side. Linear in the number of points.
pub(crate) fn largest_fall(values: &[f64]) -> Option<AbruptFall> {
    let (count, width) = (values.len(), window(values.len()));
    if count < 2 * width {
        return None;
    }
    let sums: Vec<f64> = std::iter::once(0.0)
        .chain(values.iter().scan(0.0, |sum, value| {
            *sum += value;
            Some(*sum)
        }))
        .collect();
    let mean = |from: usize, to: usize| Some((sums.get(to)? - sums.get(from)?) / (to - from) as f64);
    let drop = |index: usize| Some(mean(index - width, index)? - mean(index, index + width)?);
    let coarse = (width..=count - width).max_by(|a, b| {
        let size = |index: &usize| drop(*index).unwrap_or(f64::NEG_INFINITY);
        size(a).total_cmp(&size(b))
    })?;
    fall_at(values, refine(values, coarse, width), width)
}

/// Points in a window of a series of so many.
fn window(count: usize) -> usize {
    (count / 20).clamp(5, 20)
}

/// The fall from the window before a place to the one behind it, which ends with the series.
fn fall_at(values: &[f64], index: usize, width: usize) -> Option<AbruptFall> {
    let window = |from: usize, to: usize| values.get(from..to.min(values.len()));
    let mean = |from: usize, to: usize| stats::mean(window(from, to)?);
    let (before, after) = (window(index.checked_sub(width)?, index)?, window(index, index + width)?);
    let size = stats::mean(before)? - stats::mean(after)?;
    let (before, after) = (level_of(before)?, level_of(after)?);
    let near_fall = |index: usize| Some(mean(index - ABRUPT, index)? - mean(index, index + ABRUPT)?);
    let near = near_fall(index)?;
    let usual = stats::mad_sigma(&(ABRUPT..=values.len() - ABRUPT).filter_map(near_fall).collect::<Vec<f64>>());
    Some(AbruptFall {
        index,
        before,
        after,
        sigma: spread(values, index, width),
        width,
        size,
        abrupt: level::ratio(near, size),
        unusual: level::ratio(near, usual.unwrap_or(0.0)),
        lasts: lasts(values, index, width, 0.5 * (before + after)),
    })
}

/// The level of a window: its mean, or its median where one outlier pulls the mean beyond the second lowest or second highest point.
/// Where those two are equal the outlier is a rare success, and the mean stays.
fn level_of(window: &[f64]) -> Option<f64> {
    let mean = stats::mean(window)?;
    match stats::ascending(window.iter().copied()).as_slice() {
        [_, low, _, .., high, _] if low < high && !(*low..=*high).contains(&mean) => stats::median(window),
        _ => Some(mean),
    }
}

/// The exact place of a change of level near `coarse`, by least squares, kept a window away from both ends.
fn refine(values: &[f64], coarse: usize, width: usize) -> usize {
    let from = coarse - width;
    let found = values
        .get(from..coarse + width)
        .and_then(|window| stats::single_change(window, ABRUPT))
        .map_or(coarse, |change| from + change.index);
    found.clamp(width, values.len() - width)
}

/// Standard deviation of a point: of neighbours over the whole series, or around the levels of the two windows,
/// whichever is larger. A series that is constant for a time has no noise from neighbours.
fn spread(values: &[f64], index: usize, width: usize) -> f64 {
    let window =
        |from: usize, to: usize| values.get(from..to.min(values.len())).and_then(stats::std_dev).unwrap_or(0.0);
    let (before, after) = (window(index - width, index), window(index, index + width));
    let local = ((before * before + after * after) / 2.0).sqrt();
    local.max(level::noise(values))
}

/// True when most points of the next stretch, twice a window or what is left, lie below the middle. Some may not: a
/// policy that was damaged recovers.
fn lasts(values: &[f64], index: usize, width: usize, middle: f64) -> bool {
    let end = (index + 2 * width).min(values.len());
    let next = values.get(index..end).unwrap_or(&[]);
    let below = next.iter().filter(|value| **value < middle).count();
    10 * below >= 7 * next.len()
}
