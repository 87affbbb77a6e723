//! Nonlinear least squares for curves of three parameters: the Levenberg-Marquardt method with bounds.
//!
//! No crate has the bounds, without which a fit of few points ends at a ceiling of a million: levenberg-marquardt 0.15
//! has none and brings nalgebra, argmin 0.11 has no bounded least squares. Three parameters make the algebra small
//! enough to write out.

/// Steps after which the search ends at the latest.
const MAX_STEPS: usize = 200;

/// Relative gain below which it has converged.
const CONVERGED_GAIN: f64 = 1e-13;

/// A curve: its value at x and the derivatives for its parameters.
pub(super) type Curve = fn(parameters: [f64; 3], x: f64) -> (f64, [f64; 3]);

/// What is to be fitted.
pub(super) struct FitProblem<'a> {
    pub(super) curve: Curve,
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) low: [f64; 3],
    pub(super) high: [f64; 3],
}

/// Where the squared error is least.
pub(super) struct Optimum {
    pub(super) parameters: [f64; 3],
    pub(super) sse: f64,
    /// Which parameters lie on a bound.
    pub(super) at_bound: [bool; 3],
    /// Inverse of the normal matrix by rows: times the residual variance, the covariance of the parameters. `None` where
    /// the data do not tell the parameters apart.
    pub(super) inverse: Option<[[f64; 3]; 3]>,
}

/// The normal equations at one place.
#[derive(Clone, Copy)]
struct Normal {
    /// Upper triangle of J'J by rows.
    matrix: [f64; 6],
    /// J' times the residuals: the direction of descent.
    slope: [f64; 3],
    sse: f64,
}

impl FitProblem<'_> {
    /// Searches downhill from `start`, which is moved into the bounds.
    pub(super) fn solve(&self, start: [f64; 3]) -> Optimum {
        let mut at = self.clamp(start);
        let mut here = self.normal(at);
        let mut damping = 1e-3;
        for _ in 0..MAX_STEPS {
            let Some(step) = here.step(damping, self.fixed_at_bound(at, here.slope)) else {
                damping *= 10.0;
                if damping > 1e12 {
                    break;
                }
                continue;
            };
            let next = self.clamp(sum(at, step));
            let there = self.normal(next);
            if there.sse < here.sse {
                let gain = here.sse - there.sse;
                let enough = gain > CONVERGED_GAIN * here.sse;
                (at, here) = (next, there);
                damping = (damping / 10.0).max(1e-12);
                if !enough {
                    break;
                }
            } else {
                damping *= 10.0;
                if damping > 1e12 {
                    break;
                }
            }
        }
        let at_bound = self.on_bound(at);
        Optimum { parameters: at, sse: here.sse, at_bound, inverse: here.inverse() }
    }

    fn normal(&self, at: [f64; 3]) -> Normal {
        let mut total = Normal { matrix: [0.0; 6], slope: [0.0; 3], sse: 0.0 };
        for (x, y) in self.x.iter().zip(self.y) {
            let (value, [a, b, c]) = (self.curve)(at, *x);
            let residual = y - value;
            for (sum, product) in total.matrix.iter_mut().zip([a * a, a * b, a * c, b * b, b * c, c * c]) {
                *sum += product;
            }
            for (sum, product) in total.slope.iter_mut().zip([a, b, c]) {
                *sum += product * residual;
            }
            total.sse += residual * residual;
        }
        total
    }

    fn clamp(&self, at: [f64; 3]) -> [f64; 3] {
        let mut inside = at;
        for ((value, low), high) in inside.iter_mut().zip(self.low).zip(self.high) {
            // Not `clamp`: it panics on bounds the wrong way round.
            *value = value.max(low).min(high);
        }
        inside
    }

    fn on_bound(&self, at: [f64; 3]) -> [bool; 3] {
        let mut on = [false; 3];
        for (((on, value), low), high) in on.iter_mut().zip(at).zip(self.low).zip(self.high) {
            *on = value <= low || value >= high;
        }
        on
    }

    /// Parameters on a bound that descent would push through it: they stay where they are.
    fn fixed_at_bound(&self, at: [f64; 3], slope: [f64; 3]) -> [bool; 3] {
        let mut fixed = [false; 3];
        for ((((fixed, value), slope), low), high) in fixed.iter_mut().zip(at).zip(slope).zip(self.low).zip(self.high) {
            *fixed = (value <= low && slope <= 0.0) || (value >= high && slope >= 0.0);
        }
        fixed
    }
}

impl Normal {
    /// The damped step; fixed parameters do not move. `None` where the equations have no solution.
    fn step(&self, damping: f64, [hold_a, hold_b, hold_c]: [bool; 3]) -> Option<[f64; 3]> {
        let keep = |fixed: bool| if fixed { 0.0 } else { 1.0 };
        let (a, b, c) = (keep(hold_a), keep(hold_b), keep(hold_c));
        let scale = self.scale();
        let [aa, ab, ac, bb, bc, cc] = self.scaled(scale);
        let [slope_a, slope_b, slope_c] = product(self.slope, scale);
        // A held row becomes that of the unit matrix, with nothing on the other side.
        let grow = |diagonal: f64, kept: f64| if kept > 0.0 { diagonal + damping } else { 1.0 };
        let matrix = [grow(aa, a), ab * a * b, ac * a * c, grow(bb, b), bc * b * c, grow(cc, c)];
        let step = solve(matrix, [slope_a * a, slope_b * b, slope_c * c])?;
        Some(product(step, scale))
    }

    /// 1 / sqrt of the diagonal: parameters of very different sizes are brought to one.
    fn scale(&self) -> [f64; 3] {
        let [aa, _, _, bb, _, cc] = self.matrix;
        [aa, bb, cc].map(|square| if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 })
    }

    fn scaled(&self, [a, b, c]: [f64; 3]) -> [f64; 6] {
        let [aa, ab, ac, bb, bc, cc] = self.matrix;
        [aa * a * a, ab * a * b, ac * a * c, bb * b * b, bc * b * c, cc * c * c]
    }

    fn inverse(&self) -> Option<[[f64; 3]; 3]> {
        let scale = self.scale();
        let matrix = self.scaled(scale);
        let [a, b, c] = scale;
        let row = |unit: [f64; 3], own: f64| Some(product(product(solve(matrix, unit)?, scale), [own; 3]));
        Some([row([1.0, 0.0, 0.0], a)?, row([0.0, 1.0, 0.0], b)?, row([0.0, 0.0, 1.0], c)?])
    }
}

/// Solves a symmetric, positive system by Cholesky's method. `None` when it is singular.
fn solve([aa, ab, ac, bb, bc, cc]: [f64; 6], [x, y, z]: [f64; 3]) -> Option<[f64; 3]> {
    let root = |square: f64| if square > 1e-14 { Some(square.sqrt()) } else { None };
    let l_aa = root(aa)?;
    let (l_ab, l_ac) = (ab / l_aa, ac / l_aa);
    let l_bb = root(bb - l_ab * l_ab)?;
    let l_bc = (bc - l_ab * l_ac) / l_bb;
    let l_cc = root(cc - l_ac * l_ac - l_bc * l_bc)?;
    let first = x / l_aa;
    let second = (y - l_ab * first) / l_bb;
    let third = (z - l_ac * first - l_bc * second) / l_cc;
    let c = third / l_cc;
    let b = (second - l_bc * c) / l_bb;
    let a = (first - l_ab * b - l_ac * c) / l_aa;
    Some([a, b, c])
}

fn sum([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [a + x, b + y, c + z]
}

fn product([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [a * x, b * y, c * z]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a exp(-b x) + c.
    fn decay([a, b, c]: [f64; 3], x: f64) -> (f64, [f64; 3]) {
        let shape = libm::exp(-b * x);
        (a * shape + c, [shape, -a * x * shape, 1.0])
    }

    fn data() -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..40).map(|place| f64::from(place) * 0.1).collect();
        let y = x.iter().map(|x| decay([2.0, 1.3, 0.5], *x).0).collect();
        (x, y)
    }

    #[test]
    fn parameters_are_recovered() {
        let (x, y) = data();
        let problem = FitProblem { curve: decay, x: &x, y: &y, low: [-10.0; 3], high: [10.0; 3] };
        let found = problem.solve([1.0, 0.3, 0.0]);
        assert!(found.sse < 1e-18, "{}", found.sse);
        for (value, expected) in found.parameters.into_iter().zip([2.0, 1.3, 0.5]) {
            assert!((value - expected).abs() < 1e-8);
        }
        assert_eq!(found.at_bound, [false; 3]);
        assert!(found.inverse.is_some());
    }

    #[test]
    fn a_bound_is_kept_and_the_others_follow() {
        let (x, y) = data();
        let problem = FitProblem { curve: decay, x: &x, y: &y, low: [-10.0; 3], high: [10.0, 1.0, 10.0] };
        let found = problem.solve([1.0, 0.3, 0.0]);
        assert_eq!(found.at_bound, [false, true, false]);
        assert_eq!(found.parameters[1], 1.0);
        // With the rate held, the rest is linear regression on exp(-x).
        let shapes: Vec<f64> = x.iter().map(|x| libm::exp(-x)).collect();
        let line = crate::least_squares(&shapes, &y).unwrap();
        assert!((found.parameters[0] - line.slope).abs() < 1e-6 && (found.parameters[2] - line.intercept).abs() < 1e-6);
    }

    #[test]
    fn what_the_data_do_not_tell_apart_has_no_spread() {
        let (x, y) = ([1.0; 5], [2.0; 5]);
        let problem = FitProblem { curve: decay, x: &x, y: &y, low: [-10.0; 3], high: [10.0; 3] };
        assert!(problem.solve([1.0, 1.0, 0.0]).inverse.is_none());
        let empty = FitProblem { curve: decay, x: &[], y: &[], low: [0.0; 3], high: [1.0; 3] };
        assert_eq!(empty.solve([f64::NAN; 3]).sse, 0.0);
    }
}
