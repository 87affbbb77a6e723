//! The tails behind every p: normal, Student's t, chi-square and binomial.
//!
//! They are written out on `libm`, because the crates for it (`statrs`, with which the tests compare them) call the
//! platform's logarithm, whose last bit differs between a native build and wasm. Relative errors stay below 1e-9 for the sizes that occur here.

/// Where a series or fraction is taken as converged, and the most terms of one: enough for a million degrees of
/// freedom.
const PRECISION: f64 = 1e-15;
const MOST_TERMS: usize = 10_000;

/// Upper tail of the standard normal distribution, P(Z > z).
pub fn normal_sf(z: f64) -> f64 {
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

/// Two-sided p of a standard normal `z`: P(|Z| > |z|).
pub fn normal_p(z: f64) -> f64 {
    libm::erfc(z.abs() / std::f64::consts::SQRT_2).min(1.0)
}

/// Two-sided p of Student's `t`: P(|T| > |t|) with `degrees` of freedom, which need not be whole. NaN unless
/// degrees > 0.
pub fn student_p(t: f64, degrees: f64) -> f64 {
    if degrees.is_nan() || degrees <= 0.0 || t.is_nan() {
        return f64::NAN;
    }
    if t.is_infinite() {
        return 0.0;
    }
    let square = t * t;
    if square.is_infinite() {
        return 0.0;
    }
    incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + square), square / (degrees + square))
}

/// The t that a share `p` of |T| exceeds: `student_quantile(0.05, degrees)` gives the half width of a 95 % interval in
/// standard errors. By bisection. NaN unless 0 < p < 1 and degrees > 0.
pub fn student_quantile(p: f64, degrees: f64) -> f64 {
    if !(p > 0.0 && p < 1.0 && degrees > 0.0) {
        return f64::NAN;
    }
    let (mut low, mut high) = (0.0, 2.0);
    while student_p(high, degrees) > p && high < 1e15 {
        (low, high) = (high, high * 2.0);
    }
    for _ in 0..64 {
        let middle = low + (high - low) / 2.0;
        if student_p(middle, degrees) > p { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// Upper tail of chi-square with `degrees` of freedom, P(X > x). NaN unless degrees > 0; 1 for x <= 0.
pub fn chi_square_sf(x: f64, degrees: f64) -> f64 {
    if degrees.is_nan() || degrees <= 0.0 || x.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    upper_gamma(degrees / 2.0, x / 2.0)
}

/// P(X >= k) for a binomial X of `n` trials with success probability `p`. `k` and `n` are whole numbers.
pub fn binomial_sf(k: f64, n: f64, p: f64) -> f64 {
    if k <= 0.0 {
        return 1.0;
    }
    if k > n {
        return 0.0;
    }
    incomplete_beta(k, n - k + 1.0, p, 1.0 - p)
}

/// Regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22, evaluated as Lentz
/// does). `rest` is 1 - x, which the caller often knows with more digits.
fn incomplete_beta(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    // The fraction converges quickly only below the mean.
    if x > (a + 1.0) / (a + b + 2.0) { 1.0 - beta_tail(b, a, rest, x) } else { beta_tail(a, b, x, rest) }
}

fn beta_tail(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    let ln_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = libm::exp(a * libm::log(x) + b * libm::log(rest) - ln_beta) / a;
    let mut c = 1.0;
    let mut d = invert(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for term in 1..MOST_TERMS {
        let m = term as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = invert(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        fraction *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = invert(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() < PRECISION {
            break;
        }
    }
    (front * fraction).clamp(0.0, 1.0)
}

/// Regularised upper incomplete gamma function Q(a, x): the series below the mean, the continued fraction above.
fn upper_gamma(a: f64, x: f64) -> f64 {
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 {
        let mut term = 1.0 / a;
        let mut sum = term;
        for count in 1..MOST_TERMS {
            term *= x / (a + count as f64);
            sum += term;
            if term < sum * PRECISION {
                break;
            }
        }
        return (1.0 - front * sum).clamp(0.0, 1.0);
    }
    let mut base = x + 1.0 - a;
    let mut c = 1.0 / f64::MIN_POSITIVE;
    let mut d = invert(base);
    let mut fraction = d;
    for count in 1..MOST_TERMS {
        let count = count as f64;
        let numerator = -count * (count - a);
        base += 2.0;
        d = invert(base + numerator * d);
        c = away_from_zero(base + numerator / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() < PRECISION {
            break;
        }
    }
    (front * fraction).clamp(0.0, 1.0)
}

fn away_from_zero(value: f64) -> f64 {
    if value.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { value }
}

fn invert(value: f64) -> f64 {
    1.0 / away_from_zero(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

    #[test]
    fn known_tails() {
        assert_eq!(normal_sf(0.0), 0.5);
        assert!((normal_sf(1.959_963_984_540_054) - 0.025).abs() < 1e-15);
        assert!(normal_sf(40.0) >= 0.0);
        // Student's t with one degree of freedom is Cauchy's distribution: P(|T| > 1) = 1/2.
        assert!((student_p(1.0, 1.0) - 0.5).abs() < 1e-14);
        assert!((student_quantile(0.05, 1.0) - 12.706_204_736_174_7).abs() < 1e-9);
        assert!((chi_square_sf(2.0, 2.0) - libm::exp(-1.0)).abs() < 1e-14);
        assert!((binomial_sf(8.0, 10.0, 0.5) - 56.0 / 1024.0).abs() < 1e-14);
    }

    #[test]
    fn many_degrees_of_freedom_are_normal() {
        for z in [0.1, 1.0, 3.0, 5.0] {
            assert!((student_p(z, 1e7) / normal_p(z) - 1.0).abs() < 1e-4, "{z}");
        }
    }

    #[test]
    fn the_ends() {
        assert_eq!((student_p(0.0, 5.0), student_p(1e308, 5.0), student_p(f64::INFINITY, 2.0)), (1.0, 0.0, 0.0));
        assert!(
            student_p(1.0, 0.0).is_nan() && student_quantile(0.0, 3.0).is_nan() && chi_square_sf(1.0, 0.0).is_nan()
        );
        assert_eq!((chi_square_sf(0.0, 3.0), chi_square_sf(1e300, 3.0)), (1.0, 0.0));
        assert_eq!(
            (binomial_sf(0.0, 5.0, 0.1), binomial_sf(6.0, 5.0, 0.1), binomial_sf(2.0, 5.0, 0.0)),
            (1.0, 0.0, 0.0)
        );
    }

    proptest! {
        #[test]
        fn tails_are_those_of_statrs(t in 0.0_f64..30.0, degrees in 1.0_f64..500.0, n in 1_u64..300, p in 0.01_f64..0.99) {
            let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= 1e-9 * theirs.abs() + 1e-12;
            prop_assert!(close(normal_sf(t), Normal::standard().sf(t)));
            prop_assert!(close(student_p(t, degrees), 2.0 * StudentsT::new(0.0, 1.0, degrees).unwrap().sf(t)));
            prop_assert!(close(chi_square_sf(t, degrees), ChiSquared::new(degrees).unwrap().sf(t)));
            let k = n / 2 + 1;
            prop_assert!(close(binomial_sf(k as f64, n as f64, p), Binomial::new(p, n).unwrap().sf(k - 1)));
        }

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
    }
}
