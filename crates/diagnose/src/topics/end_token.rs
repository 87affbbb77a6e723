//! Whether the responses that count as cut off are those at the length limit.
//!
//! TRL, and who took its metrics over, counts each response without an end-of-sequence token (`clipped_ratio`). Where a stop
//! string, a limit of turns or another end token ends them, that share says nothing of the limit.

use crate::advice::Advice;
use crate::context::Context;
use crate::measure::matched::matched;
use crate::measure::series::MetricSeries;
use crate::signals::length_limit::{TOLERANCE, limit_of_cut_off};
use rundown_vocabulary::Concept;

/// Share of the responses at the limit from which on a higher limit may be no cure: a model that never ends an answer, for
/// want of the end token or of the chat template that it was trained with, fills any limit.
pub(crate) const NEARLY_ALL: f64 = 0.95;

/// What tells whether they would end at all.
pub(crate) const SAMPLE_LONGER: Advice = Advice::Do([
    "Sample a few responses with a limit several times as high, and look whether and how they end",
    "shows whether the limit is too low, or the end token, the padding or the chat template is wrong",
    "none",
    "some responses end by themselves",
]);

/// What those metrics are called.
const KEY: &str = "clipped_ratio";
/// Fewest points that have a share and a length.
const MIN_POINTS: usize = 5;
/// Share of the responses that is all of them, as printed.
const ALL: f64 = 0.999;
/// Tokens by which the mean of equal lengths may differ from the longest.
const ROUNDING: f64 = 2.0;

/// The share of the responses without an end token, and their lengths, where these show that no limit cut them off.
pub(crate) struct MissingEndToken<'c, 'a> {
    /// Mean length of the responses.
    pub length: &'c MetricSeries<'a>,
    /// The limit, or the longest response where it is not known.
    pub limit: f64,
}

/// A limit cuts a response off at its own length: the mean length is at least the share of those times the limit, which no
/// response passes. `None` where the lengths say nothing or most points keep to that.
pub(crate) fn missing_end_token<'c, 'a>(
    context: &'c Context<'a>,
    share: &MetricSeries<'_>,
) -> Option<MissingEndToken<'c, 'a>> {
    if !share.key().ends_with(KEY) {
        return None;
    }
    let length = context.signal(Concept::ResponseLength)?;
    let limit = limit_of_cut_off(context, length);
    let [steps, shares, lengths] = matched(share, length);
    let longest_at = |at: f64| {
        let longest = context.signal(Concept::ResponseLengthMax)?;
        longest.values.get(longest.steps.binary_search_by(|step| step.total_cmp(&at)).ok()?).copied()
    };
    let contradicts = |((step, share), length): ((&f64, &f64), &f64)| {
        // Where all are cut off none is shorter than the longest.
        let differ = *share >= ALL && longest_at(*step).is_some_and(|longest| *length < longest - ROUNDING);
        (*share > 0.0).then_some(differ || *length < TOLERANCE * share * limit)
    };
    let points: Vec<bool> = steps.iter().zip(&*shares).zip(&*lengths).filter_map(contradicts).collect();
    let contradicting = points.iter().filter(|contradicts| **contradicts).count();
    (points.len() >= MIN_POINTS && 2 * contradicting > points.len()).then_some(MissingEndToken { length, limit })
}
