//! The interquartile mean of samples that are drawn from the same values again and again: the values are sorted once, and
//! a sample holds how often it has each of them.

use crate::compact_sort::CompactSort as _;
use crate::random::SplitMix64;

/// Values in their order.
#[derive(Debug, Clone)]
pub struct OrderedSample {
    /// Ascending, each with the place by which samples count it.
    values: Vec<(f64, usize)>,
}

impl OrderedSample {
    /// The order of values, given with their places.
    pub fn new(values: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let mut values: Vec<(f64, usize)> = values.into_iter().map(|(place, value)| (value, place)).collect();
        values.compact_sort_by(|(a, _), (b, _)| a.total_cmp(b));
        Self { values }
    }

    /// The interquartile mean ([`crate::iqm`]) of a sample that has the value of each place so often; `None` where it has
    /// none of them. O(values).
    pub fn iqm(&self, counts: &[u32]) -> Option<f64> {
        let count_of = |place: usize| counts.get(place).map_or(0, |count| *count as usize);
        let drawn: usize = self.values.iter().map(|(_, place)| count_of(*place)).sum();
        let (first, end) = (drawn / 4, drawn - drawn / 4);
        let (mut passed, mut sum) = (0, 0.0);
        for (value, place) in &self.values {
            let next = passed + count_of(*place);
            // Added one by one, as the mean of the sample written out would be.
            for _ in passed.max(first)..next.min(end) {
                sum += value;
            }
            passed = next;
        }
        (drawn > 0).then(|| sum / (end - first) as f64)
    }
}

/// So many places drawn with replacement out of as many, counted.
pub fn draw_counts(places: usize, random: &mut SplitMix64) -> Vec<u32> {
    let mut counts = vec![0; places];
    for _ in 0..places {
        if let Some(count) = counts.get_mut(random.below(places)) {
            *count += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iqm;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_that_of_the_sample_written_out(values in prop::collection::vec(-50_i32..50, 1..40), seed: u64) {
            let values: Vec<f64> = values.into_iter().map(|value| f64::from(value) / 7.0).collect();
            let mut random = SplitMix64::new(seed);
            let counts = draw_counts(values.len(), &mut random);
            let mut again = SplitMix64::new(seed);
            let drawn: Vec<f64> = values.iter().map(|_| values[again.below(values.len())]).collect();
            let ordered = OrderedSample::new(values.iter().copied().enumerate());
            prop_assert_eq!(ordered.iqm(&counts), iqm(&drawn));
        }
    }

    #[test]
    fn of_nothing_there_is_none() {
        assert_eq!(OrderedSample::new([]).iqm(&[1]), None);
        assert_eq!(OrderedSample::new([(0, 3.0), (1, 4.0)]).iqm(&[0, 2]), Some(4.0));
        assert_eq!(OrderedSample::new([(5, 3.0)]).iqm(&[]), None);
    }
}
