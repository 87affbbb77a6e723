//! Histograms as they were logged, and what follows from their bins: quantiles, and shares on other bins.

use serde::{Deserialize, Serialize};

use rundown_format::exact;

/// A histogram that was logged at one row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Row of the run in which it was logged.
    pub row: u32,
    /// Bin edges, ascending, one more than counts.
    #[serde(with = "exact::list")]
    pub edges: Vec<f64>,
    /// Weight of each bin.
    #[serde(with = "exact::list")]
    pub counts: Vec<f64>,
}

impl Histogram {
    /// A histogram, where edges and counts fit together: finite, as many as need be, the edges ascending.
    pub fn checked(row: u32, edges: Vec<f64>, counts: Vec<f64>) -> Option<Self> {
        let is_sound = !counts.is_empty()
            && edges.len() == counts.len() + 1
            && edges.iter().chain(&counts).all(|value| value.is_finite())
            && edges.is_sorted();
        is_sound.then_some(Self { row, edges, counts })
    }

    /// The values below which these shares (0 to 1) of the weight lie, evenly within each bin; `None` without weight or
    /// with broken edges.
    pub fn quantiles<const N: usize>(&self, shares: [f64; N]) -> Option<[f64; N]> {
        let total = self.weight()?;
        let mut found = [f64::NAN; N];
        for (place, share) in found.iter_mut().zip(shares) {
            let mut below = 0.0;
            for (low, high, count) in self.filled() {
                if below + count >= share * total {
                    *place = low + (high - low) * ((share * total - below) / count).clamp(0.0, 1.0);
                    break;
                }
                below += count;
            }
        }
        found.iter().all(|value| value.is_finite()).then_some(found)
    }

    /// The range of the bins that hold weight; `None` without weight or with broken edges.
    pub fn extent(&self) -> Option<(f64, f64)> {
        self.weight()?;
        let (low, first, _) = self.filled().next()?;
        let high = self.filled().last().map_or(first, |(_, high, _)| high);
        Some((low, high))
    }

    /// The share of the weight between each of these ascending edges and the next, evenly within each own bin; weight
    /// beyond them is left out. `None` without weight or with broken edges.
    pub fn shares(&self, edges: &[f64]) -> Option<Vec<f64>> {
        let total = self.weight()?;
        let mut shares = vec![0.0; edges.len().saturating_sub(1)];
        let last = shares.len().saturating_sub(1);
        for (low, high, count) in self.filled() {
            let first = edges.partition_point(|edge| *edge <= low).saturating_sub(1).min(last);
            let bins = edges.iter().zip(edges.iter().skip(1)).zip(&mut shares).skip(first);
            for ((from, to), share) in bins {
                *share += count / total * covered((low, high), (*from, *to));
                if *to >= high {
                    break;
                }
            }
        }
        Some(shares)
    }

    /// The sum of the counts; `None` where there is none, or where the histogram is not sound.
    fn weight(&self) -> Option<f64> {
        let total: f64 = self.counts.iter().sum();
        let is_sound = self.edges.len() == self.counts.len() + 1
            && self.edges.is_sorted()
            && self.edges.iter().all(|edge| edge.is_finite())
            && self.counts.iter().all(|count| *count >= 0.0);
        (is_sound && total > 0.0 && total.is_finite()).then_some(total)
    }

    /// Low edge, high edge and count of each bin that holds weight.
    fn filled(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let bins = self.edges.iter().zip(self.edges.iter().skip(1)).zip(&self.counts);
        bins.map(|((low, high), count)| (*low, *high, *count)).filter(|(_, _, count)| *count > 0.0)
    }
}

/// The part of a bin that lies within another one, 0 to 1. A bin without width lies where its value does.
fn covered((low, high): (f64, f64), (from, to): (f64, f64)) -> f64 {
    // Halves: the difference of the largest numbers is infinite.
    let width = high / 2.0 - low / 2.0;
    if width <= 0.0 {
        return f64::from(u8::from(low >= from && low <= to));
    }
    ((high.min(to) / 2.0 - low.max(from) / 2.0) / width).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram(edges: &[f64], counts: &[f64]) -> Histogram {
        Histogram { row: 0, edges: edges.to_vec(), counts: counts.to_vec() }
    }

    #[test]
    fn quantiles_lie_within_their_bins() {
        let [low, quarter, middle, three, high] =
            histogram(&[0.0, 1.0, 2.0, 3.0], &[50.0, 0.0, 50.0]).quantiles([0.05, 0.25, 0.5, 0.75, 0.95]).unwrap();
        assert!((low - 0.1).abs() < 1e-12 && (quarter - 0.5).abs() < 1e-12 && (middle - 1.0).abs() < 1e-12);
        assert!((three - 2.5).abs() < 1e-12 && (high - 2.9).abs() < 1e-12);
        for broken in [
            histogram(&[0.0], &[1.0]),
            histogram(&[0.0, f64::NAN], &[1.0]),
            histogram(&[0.0, 1.0], &[0.0]),
            histogram(&[0.0, 1.0], &[f64::NAN]),
            histogram(&[], &[]),
        ] {
            assert_eq!((broken.quantiles([0.5]), broken.extent(), broken.shares(&[0.0, 1.0])), (None, None, None));
        }
    }

    #[test]
    fn empty_bins_do_not_belong_to_the_extent() {
        let one = histogram(&[0.0, 1.0, 2.0, 3.0, 4.0], &[0.0, 2.0, 2.0, 0.0]);
        assert_eq!(one.extent(), Some((1.0, 3.0)));
    }

    #[test]
    fn weight_goes_to_the_bins_that_it_overlaps() {
        let one = histogram(&[0.0, 1.0, 2.0], &[3.0, 1.0]);
        assert_eq!(one.shares(&[0.0, 1.0, 2.0]), Some(vec![0.75, 0.25]), "its own bins");
        assert_eq!(one.shares(&[0.0, 0.5, 1.5, 2.0]), Some(vec![0.375, 0.5, 0.125]));
        assert_eq!(one.shares(&[-1.0, 0.0, 4.0]), Some(vec![0.0, 1.0]));
        assert_eq!(one.shares(&[1.5, 2.0]), Some(vec![0.125]), "what lies beyond is left out");
        assert_eq!(one.shares(&[]), Some(vec![]));
        let spike = histogram(&[1.0, 1.0], &[2.0]);
        assert_eq!(spike.shares(&[0.0, 0.5, 1.5]), Some(vec![0.0, 1.0]));
        assert_eq!(spike.shares(&[0.0, 1.0]), Some(vec![1.0]), "the last bin holds its upper edge");
        assert_eq!(spike.shares(&[2.0, 3.0]), Some(vec![0.0]));
    }

    proptest! {
        #[test]
        fn no_weight_is_lost_or_made(
            mut edges in prop::collection::vec(-1e308..1e308f64, 3..12),
            counts in prop::collection::vec(0.0..1e6f64, 2..11),
            bins in 1..40_u32,
        ) {
            edges.sort_by(f64::total_cmp);
            edges.truncate(counts.len() + 1);
            let one = histogram(&edges, &counts[..edges.len() - 1]);
            let Some((low, high)) = one.extent() else { return Ok(()) };
            let at = |place: u32| {
                let part = f64::from(place) / f64::from(bins);
                low * (1.0 - part) + high * part
            };
            let shares = one.shares(&(0..=bins).map(at).collect::<Vec<_>>()).unwrap();
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{:?}", shares);
            prop_assert!(shares.iter().all(|share| (0.0..=1.0 + 1e-9).contains(share)));
        }
    }
}
