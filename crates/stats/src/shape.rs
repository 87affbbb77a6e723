//! What form the effect of a parameter has: rising, falling, best or worst in the middle, or a step.
//!
//! Four models of the outcome's ranks are compared by Akaike's criterion; ranks, so that one collapsed run does not
//! decide. That a middle is best is only said when both sides of it show it by themselves.

use super::bins::quantile_bins;
use super::correlation::{ranks, spearman, spearman_test};
use super::describe::{mean, median};
use super::fit::aicc;

/// How much lower the criterion of a more complicated model must be: a difference below 2 decides nothing (Burnham and
/// Anderson 2002).
const AICC_MARGIN: f64 = 2.0;
/// One-sided level of each side of a U (Simonsohn 2018, "Two lines"): both must hold, so their levels do not add up.
const U_SIDE_SIGNIFICANCE: f64 = 0.05;
/// Fewest distinct places for a step: with fewer a step and a slope cannot be told apart.
const STEP_PLACES: usize = 3;

/// The form of an effect, in the outcome's own values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// No form that the values support.
    None,
    /// Higher with more.
    Rising,
    /// Lower with more.
    Falling,
    /// Highest in the middle.
    InvertedU,
    /// Lowest in the middle.
    U,
    /// One level up to a place, another beyond.
    Threshold {
        /// Halfway between the two places around the step.
        at: f64,
        /// True when the outcome is higher beyond.
        rises: bool,
    },
}

/// The form of `y` over `x`, which the caller has put on a fitting scale. [`Shape::None`] for different lengths, fewer
/// than five pairs, or values that are not finite in `x`.
pub fn shape(x: &[f64], y: &[f64]) -> Shape {
    let n = x.len();
    if n != y.len() || n < 5 || x.iter().any(|value| !value.is_finite()) {
        return Shape::None;
    }
    let shared = ranks(y);
    let Some(places) = standard(x) else { return Shape::None };
    let squares: Vec<f64> = places.iter().map(|place| place * place).collect();
    let total = rest(&shared, &[]);
    let (line, curve) = (rest(&shared, &[&places]), rest(&shared, &[&places, &squares]));
    let constant = aicc(total, n, 1);
    let line = aicc(line, n, 2);
    let curve = aicc(curve, n, 3);
    let step = step(x, &shared);
    let step_criterion = step.map_or(f64::INFINITY, |(sse, _, _)| aicc(sse, n, 3));
    if curve < line.min(constant) - AICC_MARGIN
        && curve <= step_criterion + AICC_MARGIN
        && let Some(found) = bend(x, &shared)
    {
        return found;
    }
    // A curve that bends without turning is no step: it levels off.
    if let Some((_, at, rises)) = step
        && step_criterion < line.min(constant) - AICC_MARGIN
        && step_criterion < curve + AICC_MARGIN
    {
        return Shape::Threshold { at, rises };
    }
    let r = spearman(x, &shared).unwrap_or(0.0);
    if line < constant && r != 0.0 {
        return if r > 0.0 { Shape::Rising } else { Shape::Falling };
    }
    Shape::None
}

/// A U or its inverse, where both sides of the middle hold by themselves.
fn bend(x: &[f64], y: &[f64]) -> Option<Shape> {
    let bins = quantile_bins(x, 5)?;
    let levels: Vec<f64> = (0..bins.ranges.len())
        .filter_map(|bin| {
            let inside: Vec<f64> = y.iter().zip(&bins.of).filter(|(_, of)| **of == bin).map(|(y, _)| *y).collect();
            median(&inside)
        })
        .collect();
    [(1.0, Shape::InvertedU), (-1.0, Shape::U)].into_iter().find_map(|(sign, shape)| {
        let mut best: Option<(usize, f64)> = None;
        for (bin, level) in levels.iter().enumerate() {
            if best.is_none_or(|(_, top)| sign * level > top) {
                best = Some((bin, sign * level));
            }
        }
        let (bin, _) = best.filter(|(bin, _)| *bin > 0 && bin + 1 < levels.len())?;
        let (low, high) = *bins.ranges.get(bin)?;
        let holds = |side: &dyn Fn(f64) -> bool, wanted: f64| {
            let (x, y): (Vec<f64>, Vec<f64>) = x.iter().zip(y).filter(|(x, _)| side(**x)).unzip();
            spearman_test(&x, &y)
                .is_some_and(|found| found.r * wanted > 0.0 && found.p / 2.0 <= U_SIDE_SIGNIFICANCE * (1.0 + 1e-9))
        };
        (holds(&|x| x <= high, sign) && holds(&|x| x >= low, -sign)).then_some(shape)
    })
}

/// Least squares of two levels with a cut between distinct places: what is left, the cut, and whether it rises. Each
/// side has a tenth of the values, two at least.
fn step(x: &[f64], y: &[f64]) -> Option<(f64, f64, bool)> {
    let mut pairs: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    if pairs.chunk_by(|a, b| a.0 == b.0).count() < STEP_PLACES {
        return None;
    }
    let n = pairs.len() as f64;
    let (sum, square) = y.iter().fold((0.0, 0.0), |(sum, square), y| (sum + y, square + y * y));
    let (mut before, mut left) = (0.0, 0.0);
    let mut best: Option<(f64, f64, bool)> = None;
    for (pair, next) in pairs.iter().zip(pairs.iter().skip(1)) {
        before += 1.0;
        left += pair.1;
        let after = n - before;
        if pair.0 == next.0 || before.min(after) < (n / 10.0).max(2.0) {
            continue;
        }
        let right = sum - left;
        let sse = (square - left * left / before - right * right / after).max(1e-9);
        if best.is_none_or(|(least, _, _)| sse < least) {
            best = Some((sse, pair.0 + (next.0 - pair.0) / 2.0, right / after > left / before));
        }
    }
    best
}

/// `x` around its middle, in units of its range; `None` where it does not vary.
fn standard(x: &[f64]) -> Option<Vec<f64>> {
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let (centre, half) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
    if half > 0.0 { Some(x.iter().map(|x| (x - centre) / half).collect()) } else { None }
}

/// Squares that a least-squares fit on a constant and `columns` leaves; never quite 0, for its logarithm.
fn rest(y: &[f64], columns: &[&[f64]]) -> f64 {
    let centred = |column: &[f64]| -> Vec<f64> {
        let centre = mean(column).unwrap_or(0.0);
        column.iter().map(|value| value - centre).collect()
    };
    let mut left = centred(y);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for column in columns {
        let mut column = centred(column);
        for unit in &basis {
            remove(&mut column, unit);
        }
        let length = column.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length > 1e-9 {
            column.iter_mut().for_each(|value| *value /= length);
            remove(&mut left, &column);
            basis.push(column);
        }
    }
    left.iter().map(|value| value * value).sum::<f64>().max(1e-9)
}

/// Takes the part along a unit column out.
fn remove(column: &mut [f64], unit: &[f64]) {
    let share: f64 = column.iter().zip(unit).map(|(value, unit)| value * unit).sum();
    for (value, unit) in column.iter_mut().zip(unit) {
        *value -= share * unit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    fn of(f: impl Fn(f64) -> f64, noise: f64, seed: u64) -> Shape {
        let x: Vec<f64> = (0..40).map(|place| f64::from(place * 17 % 40) / 40.0).collect();
        let y: Vec<f64> = x.iter().zip(white(seed, 40)).map(|(x, e)| f(*x) + noise * e).collect();
        shape(&x, &y)
    }

    #[test]
    fn forms_are_distinguished() {
        for seed in 0..10 {
            assert_eq!(of(|x| x, 0.15, seed), Shape::Rising, "{seed}");
            assert_eq!(of(|x| -x, 0.15, seed), Shape::Falling, "{seed}");
            assert_eq!(of(|x| -(x - 0.5) * (x - 0.5), 0.02, seed), Shape::InvertedU, "{seed}");
            assert_eq!(of(|x| (x - 0.45) * (x - 0.45), 0.02, seed), Shape::U, "{seed}");
            let step = of(|x| if x < 0.6 { 1.0 } else { 0.0 }, 0.1, seed);
            assert!(matches!(step, Shape::Threshold { at, rises: false } if (at - 0.59).abs() < 0.03), "{step:?}");
        }
    }

    #[test]
    fn three_values_show_a_peak_only_when_both_sides_do() {
        let x = [-5.0, -5.0, -5.0, -4.0, -4.0, -4.0, -3.0, -3.0, -3.0];
        assert_eq!(shape(&x, &[0.80, 0.81, 0.82, 0.90, 0.91, 0.92, 0.1, 0.2, 0.3]), Shape::InvertedU);
        assert_eq!(shape(&x, &[0.80, 0.91, 0.82, 0.90, 0.81, 0.92, 0.1, 0.2, 0.3]), Shape::None);
    }

    #[test]
    fn noise_has_no_peak() {
        let bent = (0..100).filter(|seed| matches!(of(|_| 0.0, 1.0, *seed), Shape::InvertedU | Shape::U)).count();
        assert!(bent <= 3, "{bent}");
        assert_eq!(shape(&[1.0; 9], &[1.0; 9]), Shape::None);
        assert_eq!(shape(&[], &[]), Shape::None);
    }

    proptest! {
        #[test]
        fn never_panics(x in prop::collection::vec(prop::num::f64::ANY, 0..30)) {
            let reversed: Vec<f64> = x.iter().rev().copied().collect();
            let _ = shape(&x, &reversed);
        }
    }
}
