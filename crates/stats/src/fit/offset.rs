//! The power law with an offset, y = a + b x^c: what a reward follows whose zero is arbitrary. On logarithms such a law
//! bends, and the slope of a straight line through it is not its exponent.

use super::{FitError, effective_size, mean, student_quantile, varies};

/// Fewest points, and the least ratio of the largest to the smallest x.
const MIN_POINTS: usize = 15;
const MIN_SPAN: f64 = 3.0;

/// Longer series are averaged in about this many blocks of neighbours; none spans more than this ratio in x, for on a
/// curve the mean of two far points does not lie.
const TARGET_BLOCKS: usize = 128;
const MAX_BLOCK_RATIO: f64 = 1.25;

/// Exponents that are tried, and how finely at first.
const EXPONENT_BOUNDS: (f64, f64) = (0.02, 3.0);
const GRID_STEPS: u32 = 24;
/// Steps of the searches: the exponent is found to a part in ten thousand of itself, its interval to one in a thousand.
const GOLDEN_SECTION_STEPS: u32 = 22;
const BISECTION_STEPS: u32 = 14;

/// A fitted power law with an offset: y = offset + factor x^exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OffsetPower {
    /// c, 0.02 to 3.
    pub exponent: f64,
    /// Lower end of its 95 % interval, by the profile of the squared error; 0.02 where the data set no lower bound.
    pub low: f64,
    /// Upper end; 3 where the data set no upper bound.
    pub high: f64,
    /// a.
    pub offset: f64,
    /// b, not 0; negative where y falls.
    pub factor: f64,
}

impl OffsetPower {
    /// Value at `x` > 0.
    pub fn at(&self, x: f64) -> f64 {
        self.offset + self.factor * libm::pow(x, self.exponent)
    }

    /// True when the data bound the exponent from both sides.
    pub fn is_bounded(&self) -> bool {
        self.low > EXPONENT_BOUNDS.0 && self.high < EXPONENT_BOUNDS.1
    }
}

/// Fits the law: for a given exponent a and b follow by linear regression, so the squared error is a function of the
/// exponent alone. The interval holds the exponents whose squared error is at most sse (1 + t^2 / (effective n - 3)),
/// with Student's t: that of the profile likelihood, with autocorrelated residuals counted once (Seber and Wild,
/// Nonlinear Regression, 5.4).
///
/// `x` is compute, in the order of time; points with x <= 0 are left out. At least 15 points that span a factor of
/// three; beyond 128 neighbours are averaged in blocks, which weigh as much as they hold.
///
/// # Errors
/// Different lengths, values that are not finite, too few points, a side that does not vary, or too little span.
pub fn fit_offset_power(x: &[f64], y: &[f64]) -> Result<OffsetPower, FitError> {
    let blocks = BlockMeans::of(x, y)?;
    let width = libm::log(EXPONENT_BOUNDS.1 / EXPONENT_BOUNDS.0) / f64::from(GRID_STEPS);
    let sse = |exponent: f64| blocks.line(exponent).map_or(f64::INFINITY, |line| line.sse);
    let tried = (0..=GRID_STEPS).map(|place| EXPONENT_BOUNDS.0 * libm::exp(width * f64::from(place)));
    let best = tried.map(|exponent| (exponent, sse(exponent))).min_by(|a, b| a.1.total_cmp(&b.1));
    let (near, _) = best.filter(|(_, error)| error.is_finite()).ok_or(FitError::NoSpread)?;
    let ratio = libm::exp(width);
    let exponent = least((near / ratio).max(EXPONENT_BOUNDS.0), (near * ratio).min(EXPONENT_BOUNDS.1), &sse);
    let line = blocks.line(exponent).ok_or(FitError::NoSpread)?;
    let degrees = (effective_size(&line.residuals) - 3.0).max(1.0);
    let t = student_quantile(0.05, degrees);
    let limit = line.sse * (1.0 + t * t / degrees);
    Ok(OffsetPower {
        exponent,
        low: crossing(exponent, EXPONENT_BOUNDS.0, limit, &sse),
        high: crossing(exponent, EXPONENT_BOUNDS.1, limit, &sse),
        offset: line.intercept,
        factor: line.slope / libm::pow(blocks.first, exponent),
    })
}

/// Means of neighbours, each with its weight.
struct BlockMeans {
    /// Smallest x. Powers are those of x over it: powers of large numbers would lose their digits.
    first: f64,
    /// Logarithm of x over the smallest.
    distance: Vec<f64>,
    y: Vec<f64>,
    /// Number of points of each.
    weight: Vec<f64>,
}

/// A line of y over a power of x, by weighted least squares.
struct Weighted {
    slope: f64,
    intercept: f64,
    sse: f64,
    /// Each times the root of its weight.
    residuals: Vec<f64>,
}

impl BlockMeans {
    fn of(x: &[f64], y: &[f64]) -> Result<Self, FitError> {
        if x.len() != y.len() {
            return Err(FitError::BadValues);
        }
        let (x, y): (Vec<f64>, Vec<f64>) = x.iter().zip(y).filter(|(x, _)| **x > 0.0).unzip();
        // Sums of squares of a million values must stay finite.
        if x.iter().chain(&y).any(|value| value.is_nan() || value.abs() > 1e145) {
            return Err(FitError::BadValues);
        }
        if x.len() < MIN_POINTS {
            return Err(FitError::TooFewPoints);
        }
        let first = x.iter().copied().fold(f64::INFINITY, f64::min);
        let most = x.iter().copied().fold(0.0, f64::max);
        if most < MIN_SPAN * first || !varies(&y) {
            return Err(FitError::NoSpread);
        }
        let size = x.len().div_ceil(TARGET_BLOCKS);
        let mut blocks = Self { first, distance: Vec::new(), y: Vec::new(), weight: Vec::new() };
        let (mut xs, mut ys) = (x.as_slice(), y.as_slice());
        while let Some(start) = xs.first() {
            let near = xs
                .iter()
                .take(size)
                .take_while(|x| **x <= MAX_BLOCK_RATIO * start && **x >= start / MAX_BLOCK_RATIO)
                .count();
            let ((block, rest), (values, others)) = (xs.split_at(near.max(1)), ys.split_at(near.max(1)));
            blocks.distance.push(libm::log(mean(block).unwrap_or(*start) / first));
            blocks.y.push(mean(values).unwrap_or(f64::NAN));
            blocks.weight.push(block.len() as f64);
            (xs, ys) = (rest, others);
        }
        Ok(blocks)
    }

    /// The best line for an exponent; `None` where its powers do not vary or are too large.
    fn line(&self, exponent: f64) -> Option<Weighted> {
        let powers: Vec<f64> = self.distance.iter().map(|distance| libm::exp(exponent * distance)).collect();
        let weights: f64 = self.weight.iter().sum();
        let centre = |values: &[f64]| values.iter().zip(&self.weight).map(|(v, w)| v * w).sum::<f64>() / weights;
        let (x_mean, y_mean) = (centre(&powers), centre(&self.y));
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for ((x, y), weight) in powers.iter().zip(&self.y).zip(&self.weight) {
            xx += weight * (x - x_mean) * (x - x_mean);
            xy += weight * (x - x_mean) * (y - y_mean);
            yy += weight * (y - y_mean) * (y - y_mean);
        }
        if !(xx > 0.0 && xx.is_finite() && yy > 0.0 && yy.is_finite()) {
            return None;
        }
        let slope = xy / xx;
        let points = powers.iter().zip(&self.y).zip(&self.weight);
        let residuals: Vec<f64> =
            points.map(|((x, y), weight)| weight.sqrt() * ((y - y_mean) - slope * (x - x_mean))).collect();
        let sse = residuals.iter().map(|value| value * value).sum();
        Some(Weighted { slope, intercept: y_mean - slope * x_mean, sse, residuals })
    }
}

/// Where a function with one valley between two places is least, by golden section.
fn least(mut low: f64, mut high: f64, of: &dyn Fn(f64) -> f64) -> f64 {
    const INVERSE_GOLDEN_RATIO: f64 = 0.618_033_988_749_894_8;
    let (mut left, mut right) = (high - INVERSE_GOLDEN_RATIO * (high - low), low + INVERSE_GOLDEN_RATIO * (high - low));
    let (mut at_left, mut at_right) = (of(left), of(right));
    for _ in 0..GOLDEN_SECTION_STEPS {
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - INVERSE_GOLDEN_RATIO * (high - low);
            at_left = of(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + INVERSE_GOLDEN_RATIO * (high - low);
            at_right = of(right);
        }
    }
    0.5 * (low + high)
}

/// Where the error reaches the limit between the best exponent and an end; the end where it does not.
fn crossing(best: f64, end: f64, limit: f64, of: &dyn Fn(f64) -> f64) -> f64 {
    if of(end) <= limit {
        return end;
    }
    let (mut inside, mut outside) = (best, end);
    for _ in 0..BISECTION_STEPS {
        let middle = 0.5 * (inside + outside);
        if of(middle) <= limit { inside = middle } else { outside = middle }
    }
    0.5 * (inside + outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    fn compute() -> Vec<f64> {
        (1..=200).map(|step| 640.0 * f64::from(step)).collect()
    }

    #[test]
    fn an_exact_law_is_recovered() {
        let y: Vec<f64> = compute().iter().map(|x| 4.0 + 0.5 * libm::pow(*x, 0.3)).collect();
        let long: Vec<f64> = (1..=4000).map(|step| 32.0 * f64::from(step)).collect();
        let of_long: Vec<f64> = long.iter().map(|x| 4.0 + 0.5 * libm::pow(*x, 0.3)).collect();
        assert!((fit_offset_power(&long, &of_long).unwrap().exponent - 0.3).abs() < 1e-3, "blocks lie on the curve");
        let fit = fit_offset_power(&compute(), &y).unwrap();
        assert!((fit.exponent - 0.3).abs() < 1e-3 && (fit.offset - 4.0).abs() < 2e-2, "{fit:?}");
        assert!((fit.at(64_000.0) / y[99] - 1.0).abs() < 1e-4 && fit.is_bounded());
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let covered = (0..100).filter(|seed| {
            let noise = white(*seed, 200);
            let y: Vec<f64> =
                compute().iter().zip(noise).map(|(x, e)| 4.0 + 0.5 * libm::pow(*x, 0.3) + 0.3 * e).collect();
            let fit = fit_offset_power(&compute(), &y).unwrap();
            fit.low <= 0.3 && 0.3 <= fit.high
        });
        let covered = covered.count();
        assert!((88..=100).contains(&covered), "{covered}");
    }

    #[test]
    fn noise_bounds_nothing() {
        let fit = fit_offset_power(&compute(), &white(5, 200)).unwrap();
        assert!(!fit.is_bounded(), "{fit:?}");
        assert_eq!(fit_offset_power(&compute()[..9], &white(5, 9)), Err(FitError::TooFewPoints));
        assert_eq!(fit_offset_power(&compute(), &[1.0; 200]), Err(FitError::NoSpread));
        let near: Vec<f64> = (0..20).map(|step| 1000.0 + f64::from(step)).collect();
        assert_eq!(fit_offset_power(&near, &white(5, 20)), Err(FitError::NoSpread));
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..50)) {
            let x: Vec<f64> = (0..y.len()).map(|place| place as f64).collect();
            let _ = (fit_offset_power(&y, &y), fit_offset_power(&x, &y));
        }
    }
}
