//! The power law with an offset, y = a + b x^c: what a reward follows whose zero is arbitrary. On logarithms such a law
//! bends, and the slope of a straight line through it is not its exponent.

use super::line::of_points;
use super::{Points, Unfit, effective_size, points, student_quantile};

/// Fewest points, and the least ratio of the largest to the smallest x.
const FEWEST: usize = 15;
const LEAST_SPAN: f64 = 3.0;

/// Exponents that are tried, and how finely at first.
const EXPONENTS: (f64, f64) = (0.02, 3.0);
const GRID: u32 = 48;
/// Halvings of a bracket: to a part in a million of the grid's width.
const HALVINGS: u32 = 20;

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
    /// Share of the variance explained.
    pub r2: f64,
    /// Points used, after averaging in blocks.
    pub n: usize,
}

impl OffsetPower {
    /// Value at `x` > 0.
    pub fn at(&self, x: f64) -> f64 {
        self.offset + self.factor * libm::pow(x, self.exponent)
    }

    /// True when the data bound the exponent from both sides.
    pub fn is_bounded(&self) -> bool {
        self.low > EXPONENTS.0 && self.high < EXPONENTS.1
    }
}

/// Fits the law: for a given exponent a and b follow by linear regression, so the squared error is a function of the
/// exponent alone. The interval holds the exponents whose squared error is at most sse (1 + t^2 / (effective n - 3)),
/// with Student's t: that of the profile likelihood, with autocorrelated residuals counted once (Seber and Wild,
/// Nonlinear Regression, 5.4).
///
/// `x` is compute, in the order of time; points with x <= 0 are left out. At least 15 points that span a factor of
/// three; beyond 256 they are averaged in blocks.
///
/// # Errors
/// Different lengths, values that are not finite, too few points, a side that does not vary, or too little span.
pub fn fit_offset_power(x: &[f64], y: &[f64]) -> Result<OffsetPower, Unfit> {
    let Points { x, y, .. } = points(x, y, true, FEWEST)?;
    let first = x.iter().copied().fold(f64::INFINITY, f64::min);
    let most = x.iter().copied().fold(0.0, f64::max);
    if most < LEAST_SPAN * first {
        return Err(Unfit::NoSpread);
    }
    // From the first point on: powers of large numbers would lose their digits.
    let distance: Vec<f64> = x.iter().map(|x| libm::log(*x / first)).collect();
    let sse = |exponent: f64| squared_error(&distance, &y, exponent);
    let width = libm::log(EXPONENTS.1 / EXPONENTS.0) / f64::from(GRID);
    let tried = (0..=GRID).map(|place| EXPONENTS.0 * libm::exp(width * f64::from(place)));
    let best = tried.map(|exponent| (exponent, sse(exponent))).min_by(|a, b| a.1.total_cmp(&b.1));
    let (near, _) = best.filter(|(_, error)| error.is_finite()).ok_or(Unfit::NoSpread)?;
    let ratio = libm::exp(width);
    let exponent = least((near / ratio).max(EXPONENTS.0), (near * ratio).min(EXPONENTS.1), &sse);
    let powers: Vec<f64> = distance.iter().map(|distance| libm::exp(exponent * distance)).collect();
    let (line, residuals) = of_points(&powers, &y)?;
    let degrees = (effective_size(&residuals) - 3.0).max(1.0);
    let t = student_quantile(0.05, degrees);
    let limit = sse(exponent) * (1.0 + t * t / degrees);
    Ok(OffsetPower {
        exponent,
        low: crossing(exponent, EXPONENTS.0, limit, &sse),
        high: crossing(exponent, EXPONENTS.1, limit, &sse),
        offset: line.intercept,
        factor: line.slope / libm::pow(first, exponent),
        r2: line.r2,
        n: y.len(),
    })
}

/// Squared error of the best a and b for an exponent; infinite where there are none.
fn squared_error(distance: &[f64], y: &[f64], exponent: f64) -> f64 {
    let powers: Vec<f64> = distance.iter().map(|distance| libm::exp(exponent * distance)).collect();
    of_points(&powers, y).map_or(f64::INFINITY, |(_, residuals)| residuals.iter().map(|r| r * r).sum())
}

/// Where a function with one valley between two places is least, by golden section.
fn least(mut low: f64, mut high: f64, of: &dyn Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    for _ in 0..2 * HALVINGS {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if of(left) < of(right) { high = right } else { low = left }
    }
    0.5 * (low + high)
}

/// Where the error reaches the limit between the best exponent and an end; the end where it does not.
fn crossing(best: f64, end: f64, limit: f64, of: &dyn Fn(f64) -> f64) -> f64 {
    if of(end) <= limit {
        return end;
    }
    let (mut inside, mut outside) = (best, end);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (inside + outside);
        if of(middle) <= limit { inside = middle } else { outside = middle }
    }
    0.5 * (inside + outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::white;
    use proptest::prelude::*;

    fn compute() -> Vec<f64> {
        (1..=200).map(|step| 640.0 * f64::from(step)).collect()
    }

    #[test]
    fn an_exact_law_is_recovered() {
        let y: Vec<f64> = compute().iter().map(|x| 4.0 + 0.5 * libm::pow(*x, 0.3)).collect();
        let fit = fit_offset_power(&compute(), &y).unwrap();
        assert!((fit.exponent - 0.3).abs() < 1e-5 && (fit.offset - 4.0).abs() < 1e-3, "{fit:?}");
        assert!((fit.at(64_000.0) / y[99] - 1.0).abs() < 1e-6 && fit.is_bounded());
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let held = (0..100).filter(|seed| {
            let noise = white(*seed, 200);
            let y: Vec<f64> =
                compute().iter().zip(noise).map(|(x, e)| 4.0 + 0.5 * libm::pow(*x, 0.3) + 0.3 * e).collect();
            let fit = fit_offset_power(&compute(), &y).unwrap();
            fit.low <= 0.3 && 0.3 <= fit.high
        });
        let held = held.count();
        assert!((88..=100).contains(&held), "{held}");
    }

    #[test]
    fn noise_bounds_nothing() {
        let fit = fit_offset_power(&compute(), &white(5, 200)).unwrap();
        assert!(!fit.is_bounded(), "{fit:?}");
        assert_eq!(fit_offset_power(&compute()[..9], &white(5, 9)), Err(Unfit::TooFewPoints));
        assert_eq!(fit_offset_power(&compute(), &[1.0; 200]), Err(Unfit::NoSpread));
        let near: Vec<f64> = (0..20).map(|step| 1000.0 + f64::from(step)).collect();
        assert_eq!(fit_offset_power(&near, &white(5, 20)), Err(Unfit::NoSpread));
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..50)) {
            let x: Vec<f64> = (0..y.len()).map(|place| place as f64).collect();
            let _ = (fit_offset_power(&y, &y), fit_offset_power(&x, &y));
        }
    }
}
