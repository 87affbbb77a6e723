//! The entropy law R = -a exp(H) + b (Cui et al. 2025, arXiv 2505.22617): performance is bought with entropy, so the
//! rate so far says what is left to buy.

use super::line::of_points;
use super::{Unfit, points};

/// Fewest points, and the share of variance explained and the share of the rewards' own width that the step from the
/// last point to the ceiling may have, for a ceiling to be told (grpo.md 2.2).
const FEWEST: usize = 30;
const LEAST_R2: f64 = 0.8;

/// A fitted entropy law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntropyLaw {
    /// Reward lost for one unit of exp(H): positive where reward rises as entropy falls.
    pub a: f64,
    /// Lower end of the 95 % interval of `a`, which allows for autocorrelation.
    pub a_low: f64,
    /// Upper end.
    pub a_high: f64,
    /// Reward at exp(H) = 0, which no policy reaches: the ceiling is b - a.
    pub b: f64,
    /// Share of the reward's variance explained.
    pub r2: f64,
    /// Root mean square of the residuals.
    pub rmse: f64,
    /// Points used, after averaging in blocks.
    pub n: usize,
}

impl EntropyLaw {
    /// Reward expected at entropy `h` (nats per token).
    pub fn at(&self, h: f64) -> f64 {
        self.b - self.a * libm::exp(h)
    }

    /// Reward when all entropy is spent (H = 0), b - a. `None` unless a > 0 for certain and the law explains at least
    /// 80 % of the variance: else entropy is not what the reward was bought with.
    pub fn ceiling(&self) -> Option<f64> {
        if self.a_low > 0.0 && self.r2 >= LEAST_R2 { Some(self.b - self.a) } else { None }
    }
}

/// Least squares of the reward on exp(entropy), in the order of time. At least 30 points; beyond 256 they are averaged
/// in blocks.
///
/// # Errors
/// Different lengths, values that are not finite, entropy above 300 nats, too few points, or a side that does not vary.
pub fn entropy_law(entropy: &[f64], reward: &[f64]) -> Result<EntropyLaw, Unfit> {
    if entropy.iter().any(|h| *h > 300.0) {
        return Err(Unfit::BadValues);
    }
    let spent: Vec<f64> = entropy.iter().map(|h| libm::exp(*h)).collect();
    let points = points(&spent, reward, false, FEWEST)?;
    let (line, _) = of_points(&points.x, &points.y)?;
    Ok(EntropyLaw {
        a: -line.slope,
        a_low: -line.high,
        a_high: -line.low,
        b: line.intercept,
        r2: line.r2,
        rmse: line.rmse,
        n: line.n,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::white;
    use proptest::prelude::*;

    fn run(n: u32, noise: f64) -> (Vec<f64>, Vec<f64>) {
        let entropy: Vec<f64> = (0..n).map(|step| 0.6 * libm::exp(-f64::from(step) / 60.0) + 0.02).collect();
        let reward = entropy.iter().zip(white(3, n as usize)).map(|(h, e)| 1.5 - 0.6 * libm::exp(*h) + noise * e);
        let reward = reward.collect();
        (entropy, reward)
    }

    #[test]
    fn the_ceiling_is_found_from_a_part_of_the_run() {
        let (entropy, reward) = run(60, 0.01);
        let law = entropy_law(&entropy, &reward).unwrap();
        assert!((law.a - 0.6).abs() < 0.05, "{law:?}");
        assert!((law.ceiling().unwrap() - 0.9).abs() < 0.03, "{law:?}");
        assert!((law.at(0.0) - law.ceiling().unwrap()).abs() < 1e-12);
    }

    #[test]
    fn no_ceiling_without_the_law() {
        let (entropy, _) = run(100, 0.0);
        assert_eq!(entropy_law(&entropy, &white(4, 100)).unwrap().ceiling(), None);
        // Reward falls with entropy: a collapse, not a purchase.
        let falling: Vec<f64> = entropy.iter().map(|h| 0.2 + 0.5 * h).collect();
        assert_eq!(entropy_law(&entropy, &falling).unwrap().ceiling(), None);
    }

    #[test]
    fn refused() {
        let (entropy, reward) = run(40, 0.1);
        assert_eq!(entropy_law(&entropy[..20], &reward[..20]), Err(Unfit::TooFewPoints));
        assert_eq!(entropy_law(&[0.0; 40], &reward), Err(Unfit::NoSpread));
        assert_eq!(entropy_law(&[1e308; 40], &reward), Err(Unfit::BadValues));
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..50)) {
            let _ = entropy_law(&y, &y);
        }
    }
}
