//! Runs that are the same data: a log that was copied, or the same seed run again. They are one draw and not two.

use std::collections::BTreeMap;

use super::RunSummary;

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
