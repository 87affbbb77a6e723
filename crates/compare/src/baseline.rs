//! Runs against one of them: by how much, by how many percent, and whether that is more than noise.

use super::RunOutcome;

/// A run's level against the baseline's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The run's level at the end minus the baseline's.
    pub absolute: f64,
    /// The difference as a share of the baseline, 0.1 for 10 % above it; `None` where that would mislead: a baseline of
    /// zero or not told from zero, values of different sign, or a share that is not finite.
    pub relative: Option<f64>,
    /// True when the difference is beyond the intervals of both; `None` where one has none.
    pub is_beyond_noise: Option<bool>,
}

/// One outcome against another; `None` when a level is not finite.
pub fn difference(value: &RunOutcome, baseline: &RunOutcome) -> Option<Difference> {
    let absolute = value.level - baseline.level;
    if !absolute.is_finite() {
        return None;
    }
    // Errors of independent numbers add up in squares.
    let noise = match (value.interval, baseline.interval) {
        (Some((low, high)), Some((base_low, base_high))) => {
            let (half, base_half) = ((high - low) / 2.0, (base_high - base_low) / 2.0);
            Some((half * half + base_half * base_half).sqrt())
        }
        _ => None,
    };
    Some(Difference {
        absolute,
        relative: relative(value.level, baseline),
        is_beyond_noise: noise.map(|noise| absolute.abs() > noise),
    })
}

fn relative(value: f64, baseline: &RunOutcome) -> Option<f64> {
    let base = baseline.level;
    let is_zero = base == 0.0 || baseline.interval.is_some_and(|(low, high)| low < 0.0 && high > 0.0);
    let is_turned = value != 0.0 && (value > 0.0) != (base > 0.0);
    if is_zero || is_turned {
        return None;
    }
    Some((value - base) / base.abs()).filter(|share| share.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRun;
    use crate::{Metric, RunSummary, outcome};

    fn against(value: &[f64], base: &[f64]) -> Difference {
        let summary = |values: &[f64]| RunSummary::of(0, TestRun::new("a").reward("r", values).diagnosed());
        let (value, base) = (summary(value), summary(base));
        let metric = Metric::chosen(&[&base], "r", None);
        difference(&outcome(&value, &metric).unwrap(), &outcome(&base, &metric).unwrap()).unwrap()
    }

    #[test]
    fn percent_with_sign() {
        let up = against(&[0.6; 12], &[0.5; 12]);
        assert!((up.relative.unwrap() - 0.2).abs() < 1e-9 && up.is_beyond_noise.is_none(), "no error is known");
        let noisy = |level: f64| [level - 0.01, level + 0.01].repeat(6);
        assert_eq!(against(&noisy(0.6), &noisy(0.5)).is_beyond_noise, Some(true));
        assert_eq!(against(&noisy(0.5), &noisy(0.5)).is_beyond_noise, Some(false));
        let negative = against(&[-0.6; 12], &[-0.5; 12]);
        assert!((negative.relative.unwrap() + 0.2).abs() < 1e-9);
        let same = against(&[0.5; 12], &[0.5; 12]);
        assert_eq!((same.absolute, same.is_beyond_noise), (0.0, None));
    }

    #[test]
    fn no_percent_that_misleads() {
        assert_eq!(against(&[0.5; 12], &[0.0; 12]).relative, None);
        assert_eq!(against(&[0.5; 12], &[-0.5; 12]).relative, None);
        assert_eq!(against(&[0.0; 12], &[0.5; 12]).relative, Some(-1.0));
        let unsure = [0.1, -0.1, 0.11, -0.09].repeat(4);
        assert_eq!(against(&[0.5; 12], &unsure).relative, None);
        assert_eq!(against(&[1e300; 2], &[1e-300; 2]).relative, None);
        assert_eq!(against(&[1.0, 1.0], &[1.0, 1.0]).is_beyond_noise, None);
    }
}
