//! Counting the pairs that are out of order, in O(n log n): the heart of Kendall's statistics.

/// Slices up to this length are sorted by insertion, which beats merging there.
const INSERTION_LIMIT: usize = 16;

/// Sorts `values` ascending and returns the number of pairs that were strictly out of order.
///
/// `scratch` is reused between calls and may hold anything. NaN compares as equal to everything: no panic, no sense.
pub(super) fn sort_counting_inversions(values: &mut [f64], scratch: &mut Vec<f64>) -> u64 {
    if values.len() <= INSERTION_LIMIT {
        return insertion(values);
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut inversions = sort_counting_inversions(left, scratch) + sort_counting_inversions(right, scratch);
    scratch.clear();
    let (mut a, mut b) = (&*left, &*right);
    while let (Some((first_a, rest_a)), Some((first_b, rest_b))) = (a.split_first(), b.split_first()) {
        if first_b < first_a {
            inversions += a.len() as u64;
            scratch.push(*first_b);
            b = rest_b;
        } else {
            scratch.push(*first_a);
            a = rest_a;
        }
    }
    scratch.extend_from_slice(a);
    scratch.extend_from_slice(b);
    values.copy_from_slice(scratch);
    inversions
}

fn insertion(values: &mut [f64]) -> u64 {
    let mut inversions = 0;
    for end in 1..values.len() {
        for place in (0..end).rev() {
            let Some([before, after]) = values.get_mut(place..place + 2) else { break };
            if *before <= *after || before.is_nan() || after.is_nan() {
                break;
            }
            std::mem::swap(before, after);
            inversions += 1;
        }
    }
    inversions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_counting_every_pair(values in prop::collection::vec(-20_i32..20, 0..120)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let mut expected = 0;
            for (index, before) in values.iter().enumerate() {
                expected += values[index..].iter().filter(|after| *after < before).count() as u64;
            }
            let mut sorted = values.clone();
            prop_assert_eq!(sort_counting_inversions(&mut sorted, &mut Vec::new()), expected);
            prop_assert!(sorted.is_sorted());
        }
    }

    #[test]
    fn nan_does_not_hang() {
        let mut odd = vec![f64::NAN; 50];
        odd.extend((0..50).map(f64::from));
        sort_counting_inversions(&mut odd, &mut Vec::new());
        assert_eq!(odd.len(), 100);
    }
}
