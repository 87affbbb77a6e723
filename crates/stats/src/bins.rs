//! Quantile bins of a parameter's values, so that an effect can be shown without assuming its form.

use super::describe::{ascending, quantile};

/// Values in bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    /// Smallest and largest value of each bin, ascending.
    pub ranges: Vec<(f64, f64)>,
    /// The bin of each value.
    pub of: Vec<usize>,
}

/// At most `most` bins: each distinct value its own where there are as few, else cut at the quantiles i / `most`
/// (numpy's default; a bin holds what lies above one cut up to and with the next). Bins without a value are left out.
///
/// `None` without values, for a NaN, or for `most` = 0. O(n log n).
pub fn quantile_bins(x: &[f64], most: usize) -> Option<Bins> {
    if x.is_empty() || most == 0 || x.iter().any(|value| value.is_nan()) {
        return None;
    }
    quantile_bins_of_sorted(x, &ascending(x.iter().map(|value| value + 0.0)), most)
}

/// [`quantile_bins`] of values that are known in ascending order as well, none of them NaN or -0.
pub fn quantile_bins_of_sorted(x: &[f64], sorted: &[f64], most: usize) -> Option<Bins> {
    if sorted.is_empty() || sorted.len() != x.len() || most == 0 {
        return None;
    }
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    let cuts: Vec<f64> = if distinct.len() <= most {
        distinct
    } else {
        let mut cuts: Vec<f64> = (1..=most).filter_map(|part| quantile(sorted, part as f64 / most as f64)).collect();
        cuts.dedup();
        cuts
    };
    let raw: Vec<usize> = x.iter().map(|value| cuts.partition_point(|cut| cut < value)).collect();
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); cuts.len() + 1];
    for (value, bin) in x.iter().zip(&raw) {
        if let Some((low, high)) = ranges.get_mut(*bin) {
            *low = low.min(*value);
            *high = high.max(*value);
        }
    }
    let mut places = Vec::with_capacity(ranges.len());
    let mut used = 0;
    for (low, high) in &ranges {
        places.push(used);
        used += usize::from(low <= high);
    }
    ranges.retain(|(low, high)| low <= high);
    let of = raw.iter().filter_map(|bin| places.get(*bin).copied()).collect();
    Some(Bins { ranges, of })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn few_values_are_bins_of_their_own() {
        let bins = quantile_bins(&[0.2, 0.0, 0.02, 0.2], 5).unwrap();
        assert_eq!(bins.ranges, [(0.0, 0.0), (0.02, 0.02), (0.2, 0.2)]);
        assert_eq!(bins.of, [2, 0, 1, 2]);
        assert_eq!(quantile_bins(&[], 5), None);
        assert_eq!(quantile_bins(&[f64::NAN], 5), None);
    }

    #[test]
    fn many_values_share_bins_of_equal_size() {
        let x: Vec<f64> = (0..100).map(|place| f64::from(place * 37 % 100)).collect();
        let bins = quantile_bins(&x, 5).unwrap();
        let sizes: Vec<usize> = (0..5).map(|bin| bins.of.iter().filter(|of| **of == bin).count()).collect();
        assert_eq!(sizes, [20; 5]);
        // Most values equal: fewer bins.
        let skewed: Vec<f64> = (0..100).map(|place| if place < 90 { 1.0 } else { f64::from(place) }).collect();
        assert_eq!(quantile_bins(&skewed, 5).unwrap().ranges.len(), 2);
    }

    proptest! {
        #[test]
        fn every_value_lies_in_its_bin(x in prop::collection::vec(-1e300_f64..1e300, 1..60), most in 1_usize..9) {
            let bins = quantile_bins(&x, most).unwrap();
            prop_assert_eq!(bins.of.len(), x.len());
            prop_assert!(bins.ranges.len() <= most);
            for (value, bin) in x.iter().zip(&bins.of) {
                let (low, high) = bins.ranges[*bin];
                prop_assert!(low <= *value && *value <= high);
            }
        }
    }
}
