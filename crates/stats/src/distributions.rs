//! The tails behind every p: normal, Student's t, chi-square, binomial and hypergeometric, by statrs.
//!
//! What statrs asserts is checked here first, so that no data can make it panic. Its logarithms are those of the
//! platform, whose last bits differ between a native build and wasm: every result is [`rounded`] before it decides.

use statrs::distribution::{
    Binomial, ChiSquared, Continuous, ContinuousCDF, Discrete, DiscreteCDF, Hypergeometric, Normal, StudentsT,
};

/// 97.5 % quantile of the standard normal distribution: half of a 95 % interval, in standard errors.
pub(crate) const Z_95: f64 = 1.959_963_984_540_054;

/// Bits of the mantissa that [`rounded`] drops: 40 of 52 stay, which are 12 decimal digits.
const DROPPED_BITS: u32 = 12;

/// From so many degrees of freedom on Student's t is taken as normal: statrs sums at most 140 terms of the incomplete
/// beta function, whose error grows with the degrees (1e-9 here), and the two tails differ by less than 1e-4.
const NORMAL_FROM: f64 = 1e6;

/// Most steps of [`student_quantile`]. It takes 4 to 17; halving the bounds alone would take so many.
const MAX_STEPS: usize = 64;

/// Upper tail of the standard normal distribution, P(Z > z).
pub fn normal_sf(z: f64) -> f64 {
    rounded(Normal::standard().sf(z))
}

/// Two-sided p of a standard normal `z`: P(|Z| > |z|).
pub fn normal_p(z: f64) -> f64 {
    2.0 * normal_sf(z.abs())
}

/// Two-sided p of Student's `t`: P(|T| > |t|) with `degrees` of freedom, which need not be whole. NaN unless
/// degrees > 0.
pub fn student_p(t: f64, degrees: f64) -> f64 {
    if t.is_nan() {
        return f64::NAN;
    }
    student(degrees).map_or(f64::NAN, |distribution| rounded(2.0 * distribution.sf(t.abs())))
}

/// The t that a share `p` of |T| exceeds: `student_quantile(0.05, degrees)` gives the half width of a 95 % interval in
/// standard errors. NaN unless 0 < p < 1 and degrees > 0.
///
/// By Newton's method, held within the bounds that are known: statrs' quantile has five digits, and panics on tiny
/// degrees of freedom. The tail is convex, so that from below no step goes too far.
pub fn student_quantile(p: f64, degrees: f64) -> f64 {
    let Some(student) = student(degrees).filter(|_| p > 0.0 && p < 1.0) else { return f64::NAN };
    let excess = |t: f64| 2.0 * student.sf(t) - p;
    let (mut low, mut high) = (0.0, 2.0);
    while excess(high) > 0.0 && high < 1e15 {
        (low, high) = (high, high * 2.0);
    }
    let mut t = low;
    for _ in 0..MAX_STEPS {
        let above = excess(t);
        if above > 0.0 {
            low = low.max(t)
        } else {
            high = high.min(t)
        }
        let newton = t + above / (2.0 * student.pdf(t));
        let next = if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
        let moved = (next - t).abs();
        t = next;
        if moved <= 1e-14 * t {
            break;
        }
    }
    rounded(t)
}

/// Upper tail of chi-square with `degrees` of freedom, P(X > x). NaN unless degrees > 0; 1 for x <= 0.
pub fn chi_square_sf(x: f64, degrees: f64) -> f64 {
    if x.is_nan() || !degrees.is_finite() {
        return f64::NAN;
    }
    ChiSquared::new(degrees).map_or(f64::NAN, |distribution| rounded(distribution.sf(x)))
}

/// P(X >= k) for a binomial X of `n` trials, up to 100,000, with success probability `p`; NaN unless p is one.
pub fn binomial_sf(k: u64, n: u64, p: f64) -> f64 {
    match (k.checked_sub(1), Binomial::new(p, n)) {
        (_, Err(_)) => f64::NAN,
        (None, _) => 1.0,
        (Some(below), Ok(distribution)) => rounded(distribution.sf(below)),
    }
}

/// P(X = hits) where `marked` of `total` items are marked and `drawn` of them are drawn without replacement; NaN where that cannot be.
pub(crate) fn hypergeometric_pmf(hits: u64, drawn: u64, marked: u64, total: u64) -> f64 {
    let distribution = Hypergeometric::new(total, marked, drawn);
    distribution.map_or(f64::NAN, |distribution| rounded(libm::exp(distribution.ln_pmf(hits))))
}

/// A number without the last twelve bits of its mantissa, rounded to nearest: 12 decimal digits stay.
///
/// Platforms round logarithms and exponentials differently in the last bit, so the same data would give a p that
/// differs in its last digits in the browser and in a terminal; a comparison or a written report must not see that.
fn rounded(value: f64) -> f64 {
    if !value.is_finite() {
        return value;
    }
    let half = 1_u64 << (DROPPED_BITS - 1);
    let kept = value.to_bits().saturating_add(half) >> DROPPED_BITS << DROPPED_BITS;
    f64::from_bits(kept)
}

fn student(degrees: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, if degrees > NORMAL_FROM { f64::INFINITY } else { degrees }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{golden, numbers};
    use proptest::prelude::*;

    #[test]
    fn tails_are_those_of_scipy() {
        type Tail = fn(&[f64]) -> f64;
        let tails: [(&str, Tail); 5] = [
            ("normal_sf", |with| normal_sf(with[0])),
            ("student_p", |with| student_p(with[0], with[1])),
            ("student_quantile", |with| student_quantile(with[0], with[1])),
            ("chi_square_sf", |with| chi_square_sf(with[0], with[1])),
            ("binomial_sf", |with| binomial_sf(with[0] as u64, with[1] as u64, with[2])),
        ];
        for (what, tail) in tails {
            for row in golden()["tails"][what].as_array().unwrap() {
                let row = numbers(row);
                let (expected, with) = row.split_last().unwrap();
                let got = tail(with);
                // The far tail of a sum of a thousand terms keeps fewer digits.
                let error = (got - expected).abs();
                assert!(error <= 1e-9 * expected + 1e-300, "{what} {with:?}: {got} instead of {expected}");
            }
        }
    }

    #[test]
    fn many_degrees_of_freedom_are_normal() {
        for z in [0.1, 1.0, 3.0, 4.0] {
            for degrees in [1e5, 1e6, 2e6] {
                // The first term of the expansion around the normal tail.
                let expected = normal_p(z)
                    + 2.0 * libm::exp(-z * z / 2.0) / 2.506_628_274_631_000_5 * (z * z * z + z) / (4.0 * degrees);
                assert!((student_p(z, degrees) / expected - 1.0).abs() < 1e-4, "{z} {degrees}");
            }
        }
    }

    #[test]
    fn the_ends() {
        assert_eq!((student_p(0.0, 5.0), student_p(1e308, 5.0), student_p(f64::INFINITY, 2.0)), (1.0, 0.0, 0.0));
        assert!(
            student_p(1.0, 0.0).is_nan() && student_quantile(0.0, 3.0).is_nan() && chi_square_sf(1.0, 0.0).is_nan()
        );
        assert_eq!(
            (chi_square_sf(0.0, 3.0), chi_square_sf(1e300, 3.0), chi_square_sf(f64::INFINITY, 3.0)),
            (1.0, 0.0, 0.0)
        );
        assert_eq!((binomial_sf(0, 5, 0.1), binomial_sf(6, 5, 0.1), binomial_sf(2, 5, 0.0)), (1.0, 0.0, 0.0));
        assert!(binomial_sf(1, 5, 2.0).is_nan() && normal_sf(f64::NAN).is_nan());
    }

    #[test]
    fn twelve_digits_stay() {
        assert_eq!(rounded(0.5), 0.5);
        let (value, next) = (1.0 / 3.0, f64::from_bits((1.0_f64 / 3.0).to_bits() + 1));
        assert_eq!(rounded(value), rounded(next));
        assert!((rounded(value) / value - 1.0).abs() < 1e-12);
        assert_eq!((rounded(f64::MAX), rounded(-f64::MAX)), (f64::INFINITY, f64::NEG_INFINITY));
        assert!(rounded(f64::NAN).is_nan());
    }

    proptest! {
        #[test]
        fn tails_are_probabilities_and_fall(t in 0.0_f64..1e3, more in 0.0_f64..10.0, degrees in 0.5_f64..1e6) {
            let (near, far) = (student_p(t, degrees), student_p(t + more, degrees));
            prop_assert!((0.0..=1.0).contains(&near) && far <= near + 1e-12);
            let (near, far) = (chi_square_sf(t, degrees), chi_square_sf(t + more, degrees));
            prop_assert!((0.0..=1.0).contains(&near) && far <= near + 1e-9);
        }

        #[test]
        fn a_quantile_has_its_tail(p in 1e-6_f64..0.999, degrees in 1.0_f64..1e4) {
            prop_assert!((student_p(student_quantile(p, degrees), degrees) / p - 1.0).abs() < 1e-8);
        }

        #[test]
        fn never_panics(a: f64, b: f64, c: f64, k: u64, n: u64) {
            let _ = (normal_p(a), student_p(a, b), student_quantile(a, b), chi_square_sf(a, b), binomial_sf(k, n, c));
        }
    }
}
