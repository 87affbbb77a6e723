//! Columns of cells over positions: what heat maps and histograms over time share.

use rundown_stats::CompactSort as _;

/// Narrowest column in pixels, and most of them.
const COLUMN: (f64, usize) = (5.0, 140);

/// Neighbouring positions that are drawn as one column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellColumns {
    /// First position of each column, ascending.
    pub first: Vec<f64>,
    /// Last position of each column.
    pub last: Vec<f64>,
    /// Column of each position that was given; `None` for one that is not finite.
    pub of: Vec<Option<usize>>,
}

impl CellColumns {
    /// Splits positions into columns that `width_px` has room for, equally many positions each.
    pub fn new(positions: &[f64], width_px: f64) -> Self {
        let mut order: Vec<usize> =
            positions.iter().enumerate().filter(|(_, x)| x.is_finite()).map(|(place, _)| place).collect();
        let at = |place: &usize| positions.get(*place).copied().unwrap_or_default();
        order.compact_sort_by(|a, b| at(a).total_cmp(&at(b)));
        let most = ((width_px / COLUMN.0) as usize).clamp(1, COLUMN.1);
        let pace = order.len().div_ceil(most).max(1);
        let mut columns = Self { first: Vec::new(), last: Vec::new(), of: vec![None; positions.len()] };
        for (column, places) in order.chunks(pace).enumerate() {
            columns.first.extend(places.first().map(at));
            columns.last.extend(places.last().map(at));
            for place in places {
                if let Some(of) = columns.of.get_mut(*place) {
                    *of = Some(column);
                }
            }
        }
        columns
    }

    /// Number of columns.
    pub fn count(&self) -> usize {
        self.first.len()
    }

    /// The mean of the finite `values` of each column, NaN where there is none. One value for each position.
    pub fn means(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.count()];
        for (column, value) in self.of.iter().zip(values) {
            if let Some(sum) = column.and_then(|column| sums.get_mut(column)).filter(|_| value.is_finite()) {
                // A running mean: the sum of two of the largest numbers is infinite.
                sum.1 += 1.0;
                sum.0 += (value - sum.0) / sum.1;
            }
        }
        sums.into_iter().map(|(mean, count)| if count > 0.0 { mean } else { f64::NAN }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_sorted_into_columns() {
        let columns = CellColumns::new(&[3.0, 1.0, f64::NAN, 2.0], 500.0);
        assert_eq!(
            (columns.first.clone(), columns.of.clone()),
            (vec![1.0, 2.0, 3.0], vec![Some(2), Some(0), None, Some(1)])
        );
        let means = columns.means(&[30.0, 10.0, 5.0, f64::NAN]);
        assert_eq!((means[0], means[2]), (10.0, 30.0));
        assert!(means[1].is_nan());
        let many: Vec<f64> = (0..100_000).map(f64::from).collect();
        assert!(CellColumns::new(&many, 500.0).count() <= 100);
        assert_eq!(CellColumns::new(&[], 500.0).means(&[]), Vec::<f64>::new());
    }
}
