//! Importance of parameters for an outcome, by a random forest (Breiman 2001): it finds effects that bend and effects
//! of one parameter that depend on another, which correlations miss.
//!
//! Every tree is tested on the rows that it did not grow on ("out of bag"). A parameter matters as far as shuffling it
//! there makes the predictions worse; where these rows are predicted badly in the first place, the forest has learned
//! nothing and its importances mean nothing.
//!
//! smartcore 0.7 has random forests with out-of-bag predictions, but no permutation importance and no missing values,
//! and it makes its own generator: here the caller passes one in, so that a report can be made again.

mod tree;

use super::bins::quantile_bins;
use super::describe::{mean, std_dev};
use super::random::{SplitMix64, shuffle};
use tree::{Binned, MAX_BINS, Tree, TreeGrowth};

/// Most features: a tree keeps those that it uses in 64 bits.
pub const MAX_FEATURES: usize = 64;
/// Bins of a number: more find no better splits in as many rows as a project has.
const NUMBER_BINS: usize = 32;
/// Rows times features tried, over all trees: what bounds the time to grow them.
const MAX_WORK: usize = 1_000_000;
/// In place of a feature whose bin is replaced.
const NO_REPLACEMENT: (usize, u8) = (usize::MAX, 0);
/// Rows that a tree grows on, at most: more make it hardly better, and each takes its time.
const MAX_DRAWN: usize = 512;
/// Rows on which importances are measured: more make them hardly surer.
const MAX_ROWS: usize = 100;
/// Features whose importance is measured, by how much their splits explain; the others are of none.
const MAX_MEASURED: usize = 10;
/// Random orders of each feature.
const PERMUTATIONS: usize = 30;
/// Up to so many features all are tried for each split; of more a third (Breiman's default for regression).
const MAX_TRIED_WHOLE: usize = 8;

/// A parameter of every row.
#[derive(Debug, Clone, Copy)]
pub struct Feature<'a> {
    /// Its values; NaN where a row lacks it. Of a category any number that stands for it.
    pub values: &'a [f64],
    /// True when values have no order.
    pub is_category: bool,
}

/// What a forest found.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// Share of the outcome's variance that is predicted on rows that trees did not see; 0 or less: nothing was
    /// learned.
    pub oob_r2: f64,
    /// Trees that were grown.
    pub trees: usize,
    /// By feature.
    pub importances: Vec<Importance>,
}

/// What one feature adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Importance {
    /// How much the out-of-bag R² falls when the feature is shuffled: mean over 30 random orders.
    pub mean: f64,
    /// Standard deviation over these orders.
    pub std_dev: f64,
}

/// Grows a forest that predicts `y` from up to 64 features, with leaves of three rows at least, and measures how much
/// each of them matters. Deterministic for a state of `random`.
///
/// 200 trees, down to 60 smaller ones for many rows and features, so that a thousand rows with fifty features take
/// about a tenth of a second. `None` with fewer than ten rows, without features, for different lengths, or when `y` is
/// constant, not finite, or too large to square.
pub fn forest(features: &[Feature<'_>], y: &[f64], random: &mut SplitMix64) -> Option<Forest> {
    let n = y.len();
    if n < 10 || features.is_empty() || features.len() > MAX_FEATURES {
        return None;
    }
    let centre = mean(y)?;
    let y: Vec<f64> = y.iter().map(|value| value - centre).collect();
    let scale = std_dev(&y)?;
    if !(scale > 0.0 && scale.is_finite()) {
        return None;
    }
    let y: Vec<f64> = y.iter().map(|value| value / scale).collect();
    let binned: Vec<Binned> = features.iter().map(|feature| bin(feature, n)).collect::<Option<_>>()?;
    let growth = TreeGrowth {
        min_leaf: 3.max(n / 100),
        tried: if binned.len() <= MAX_TRIED_WHOLE {
            binned.len()
        } else {
            MAX_TRIED_WHOLE.max(binned.len().div_ceil(3))
        },
    };
    let codes_of = |row: usize| binned.iter().filter_map(|feature| feature.codes.get(row).copied()).collect();
    let rows = (0..n).map(codes_of).collect();
    let mut grove = Grove { trees: Vec::new(), in_bag: Vec::new(), gains: vec![0.0; binned.len()], rows };
    for _ in 0..(MAX_WORK / (n * growth.tried)).clamp(60, 200) {
        grove.grow(&binned, &y, growth, random);
    }
    let oob_r2 = grove.oob_r2(&y);
    let importances = grove.importances(&y, random);
    Some(Forest { oob_r2, trees: grove.trees.len(), importances })
}

/// A feature in bins: the first holds what is missing.
fn bin(feature: &Feature<'_>, n: usize) -> Option<Binned> {
    if feature.values.len() != n {
        return None;
    }
    let numbers: Vec<f64> = feature.values.iter().copied().filter(|value| !value.is_nan()).collect();
    let most = if feature.is_category { MAX_BINS - 1 } else { NUMBER_BINS };
    let mut bins = quantile_bins(&numbers, most).map(|bins| bins.of).unwrap_or_default().into_iter();
    let code = |value: &f64| if value.is_nan() { 0 } else { bins.next().map_or(0, |bin| bin as u8 + 1) };
    let codes: Vec<u8> = feature.values.iter().map(code).collect();
    let bins = codes.iter().max().map_or(0, |most| usize::from(*most) + 1);
    Some(Binned { codes, bins, is_category: feature.is_category })
}

struct Grove {
    trees: Vec<Tree>,
    /// For each tree which rows it grew on.
    in_bag: Vec<Vec<bool>>,
    /// Squares that splits on each feature took away.
    gains: Vec<f64>,
    /// The bins of each row, one for each feature.
    rows: Vec<Vec<u8>>,
}

/// A row that importances are measured on.
struct MeasuredRow<'a> {
    codes: &'a [u8],
    y: f64,
    /// Trees that did not grow on it, with their prediction and the features behind it.
    trees: Vec<(&'a Tree, f64, u64)>,
}

impl Grove {
    fn grow(&mut self, features: &[Binned], y: &[f64], growth: TreeGrowth, random: &mut SplitMix64) {
        let mut in_bag = vec![false; y.len()];
        let drawn = y.len().min(MAX_DRAWN);
        let mut rows: Vec<u32> = (0..drawn).map(|_| random.below(y.len()) as u32).collect();
        for row in &rows {
            if let Some(inside) = in_bag.get_mut(*row as usize) {
                *inside = true;
            }
        }
        self.trees.push(Tree::grow(features, y, &mut rows, growth, &mut self.gains, random));
        self.in_bag.push(in_bag);
    }

    /// Share of the squares of `y` that the predictions out of bag explain.
    fn oob_r2(&self, y: &[f64]) -> f64 {
        let (mut unexplained, mut total) = (0.0, 0.0);
        for (at, (y, codes)) in y.iter().zip(&self.rows).enumerate() {
            let outside = self.trees.iter().zip(&self.in_bag).filter(|(_, in_bag)| in_bag.get(at) == Some(&false));
            let (mut sum, mut trees) = (0.0, 0);
            for (tree, _) in outside {
                sum += tree.predict(codes, NO_REPLACEMENT).0;
                trees += 1;
            }
            if trees > 0 {
                let error = y - sum / f64::from(trees);
                unexplained += error * error;
                total += y * y;
            }
        }
        if total > 0.0 { 1.0 - unexplained / total } else { 0.0 }
    }

    fn measured(&self, y: &[f64], rows: &[u32]) -> Vec<MeasuredRow<'_>> {
        let of = |row: &u32| {
            let at = *row as usize;
            let codes = self.rows.get(at)?.as_slice();
            let outside = self.trees.iter().zip(&self.in_bag).filter(|(_, in_bag)| in_bag.get(at) == Some(&false));
            let trees = outside.map(|(tree, _)| {
                let (predicted, met) = tree.predict(codes, NO_REPLACEMENT);
                (tree, predicted, met)
            });
            Some(MeasuredRow { codes, y: *y.get(at)?, trees: trees.collect() })
        };
        rows.iter().filter_map(of).filter(|measured| !measured.trees.is_empty()).collect()
    }

    fn importances(&self, y: &[f64], random: &mut SplitMix64) -> Vec<Importance> {
        let mut rows: Vec<u32> = (0..y.len() as u32).collect();
        if rows.len() > MAX_ROWS {
            shuffle(&mut rows, random);
            rows.truncate(MAX_ROWS);
        }
        let measured = self.measured(y, &rows);
        let base = squares(&measured, None);
        let mut ranked = self.gains.clone();
        ranked.sort_by(f64::total_cmp);
        let least = ranked.iter().rev().nth(MAX_MEASURED - 1).copied().unwrap_or(0.0);
        let measure = |(index, gain): (usize, &f64)| {
            if *gain <= 0.0 || *gain < least {
                return Importance { mean: 0.0, std_dev: 0.0 };
            }
            let mut codes: Vec<u8> = measured.iter().filter_map(|row| row.codes.get(index).copied()).collect();
            let losses: Vec<f64> = (0..PERMUTATIONS)
                .map(|_| {
                    shuffle(&mut codes, random);
                    // The outcome has variance 1, so that this is a share of it.
                    squares(&measured, Some((index, &codes))) - base
                })
                .collect();
            Importance { mean: mean(&losses).unwrap_or(0.0), std_dev: std_dev(&losses).unwrap_or(0.0) }
        };
        self.gains.iter().enumerate().map(measure).collect()
    }
}

/// Mean square of the error out of bag, with the bins of one feature replaced, one for each of the rows.
fn squares(measured: &[MeasuredRow<'_>], shuffled: Option<(usize, &[u8])>) -> f64 {
    let mut total = 0.0;
    for (place, row) in measured.iter().enumerate() {
        let replaced = shuffled.and_then(|(feature, codes)| Some((feature, *codes.get(place)?)));
        let mut sum = 0.0;
        for (tree, predicted, met) in &row.trees {
            // What did not meet the feature stays as it is.
            sum += match replaced {
                Some((feature, code)) if met >> feature & 1 == 1 => tree.predict(row.codes, (feature, code)).0,
                _ => *predicted,
            };
        }
        let error = row.y - sum / row.trees.len().max(1) as f64;
        total += error * error;
    }
    total / measured.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    fn uniform(seed: u64, n: usize) -> Vec<f64> {
        let mut random = SplitMix64::new(seed);
        (0..n).map(|_| random.uniform()).collect()
    }

    fn of(columns: &[Vec<f64>], y: &[f64]) -> Forest {
        let features: Vec<Feature<'_>> = columns.iter().map(|values| Feature { values, is_category: false }).collect();
        forest(&features, y, &mut SplitMix64::new(7)).unwrap()
    }

    #[test]
    fn it_finds_bends_and_directions() {
        let columns: Vec<Vec<f64>> = (0..4).map(|seed| uniform(seed, 150)).collect();
        let y: Vec<f64> = (0..150)
            .map(|row| 4.0 * (columns[0][row] - 0.5) * (columns[0][row] - 0.5) - 0.5 * columns[1][row])
            .collect();
        let found = of(&columns, &y);
        assert!(found.oob_r2 > 0.9, "{found:?}");
        let mean: Vec<f64> = found.importances.iter().map(|importance| importance.mean).collect();
        assert!(mean[0] > mean[1] && mean[1] > 0.05 && mean[2].abs() < 0.05 && mean[3].abs() < 0.05, "{found:?}");
        assert_eq!(found, of(&columns, &y), "the same seed gives the same forest");
    }

    #[test]
    fn noise_is_not_learned() {
        for seed in 0..5 {
            let columns: Vec<Vec<f64>> = (0..5).map(|column| uniform(10 * seed + column, 40)).collect();
            let found = of(&columns, &white(seed, 40));
            assert!(found.oob_r2 < 0.1, "{found:?}");
        }
    }

    #[test]
    fn categories_need_no_order_and_values_may_lack() {
        let category: Vec<f64> = (0..90).map(|row| f64::from(row * 7 % 6)).collect();
        let y: Vec<f64> = category.iter().zip(white(1, 90)).map(|(c, e)| f64::from(*c as u8 % 2) + 0.1 * e).collect();
        let mut gaps = uniform(3, 90);
        gaps[5] = f64::NAN;
        let features =
            [Feature { values: &category, is_category: true }, Feature { values: &gaps, is_category: false }];
        let found = forest(&features, &y, &mut SplitMix64::new(7)).unwrap();
        assert!(found.oob_r2 > 0.8 && found.importances[0].mean > 10.0 * found.importances[1].mean, "{found:?}");
    }

    #[test]
    fn the_edges() {
        let x = uniform(1, 20);
        let feature = [Feature { values: &x, is_category: false }];
        let mut random = SplitMix64::new(1);
        assert_eq!(forest(&feature, &[1.0; 20], &mut random), None);
        assert_eq!(forest(&feature, &x[..9], &mut random), None);
        assert_eq!(forest(&[], &x, &mut random), None);
        assert_eq!(forest(&feature, &[1e308; 20], &mut random), None);
        assert_eq!(forest(&feature, &uniform(2, 19), &mut random), None);
        assert!(forest(&[Feature { values: &[f64::NAN; 20], is_category: false }], &x, &mut random).is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 10..14)) {
            let features = [Feature { values: &y, is_category: false }];
            let _ = forest(&features, &y, &mut SplitMix64::new(1));
        }
    }
}
