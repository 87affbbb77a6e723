//! Runs that are the same data: a log that was copied, or the same seed run again. They are one draw and not two.

use std::collections::BTreeMap;

use super::{RunSummary, Trace};
use rundown_stats::SplitMix64;
use rundown_vocabulary::Concept;

/// Fewer points, or fewer different values, may agree by chance.
const FEWEST_POINTS: usize = 20;
const FEWEST_VALUES: usize = 5;

/// For each run the place of an earlier one whose curves have the same numbers to the last digit, whatever its config
/// says.
pub fn copies(summaries: &[&RunSummary]) -> Vec<Option<usize>> {
    let mut first: BTreeMap<u64, usize> = BTreeMap::new();
    let original = |(place, summary): (usize, &&RunSummary)| {
        let first = *first.entry(summary.curve_fingerprint?).or_insert(place);
        (first < place).then_some(first)
    };
    summaries.iter().enumerate().map(original).collect()
}

/// A hash of all curves of a run; `None` where they hold too little to be told from others. What the clock measures is
/// left out. O(points).
pub(crate) fn curve_fingerprint(traces: &[Trace]) -> Option<u64> {
    let by_clock = |concept: Concept| matches!(concept, Concept::StepTime | Concept::Throughput);
    let (mut sum, mut points, mut varied) = (0_u64, 0, 0);
    for trace in traces.iter().filter(|trace| !by_clock(trace.concept)) {
        let mut hash = trace.key.bytes().fold(trace.points as u64, |hash, byte| mixed(hash, u64::from(byte)));
        let mut different = 0;
        let mut before = None;
        for value in trace.steps.iter().chain(&trace.values).chain([&trace.last, &trace.best, &trace.tail]) {
            hash = mixed(hash, value.to_bits());
        }
        for value in &trace.values {
            different += usize::from(before.replace(value) != Some(value));
        }
        points += trace.points;
        varied = varied.max(different);
        // A sum, so that the order of the curves does not matter.
        sum = sum.wrapping_add(hash);
    }
    (points >= FEWEST_POINTS && varied >= FEWEST_VALUES).then_some(sum)
}

/// A hash with one more part.
pub(crate) fn mixed(hash: u64, part: u64) -> u64 {
    SplitMix64::new(hash ^ part.rotate_left(17)).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestRun, refs};
    use rundown_stats::testing::white;

    #[test]
    fn the_same_numbers_are_one_run() {
        let summary =
            |name: &str, values: &[f64]| RunSummary::of(0, TestRun::new(name).reward("reward", values).diagnosed());
        let (one, other) = (white(1, 30), white(2, 30));
        let summaries = [summary("a", &one), summary("b", &other), summary("c", &one), summary("d", &one[..29])];
        assert_eq!(copies(&refs(&summaries)), [None, None, Some(0), None]);
        // A reward that never moved is no evidence.
        let flat = [summary("a", &[0.5; 30]), summary("b", &[0.5; 30])];
        assert_eq!(copies(&refs(&flat)), [None, None]);
        assert_eq!(copies(&[&RunSummary::default(), &RunSummary::default()]), [None, None]);
    }
}
