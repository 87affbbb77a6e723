//! What the tests of this module share: noise, the same numbers for the same seed, and golden values.

use serde_json::Value;

/// `n` values of standard normal white noise (sums of uniform numbers: near enough, and quick).
pub(crate) fn white(seed: u64, n: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect()
}

/// `n` values of a stationary AR(1) process with lag-1 correlation `r` and variance 1.
pub(crate) fn ar1(seed: u64, n: usize, r: f64) -> Vec<f64> {
    let mut last = 0.0;
    let noise = white(seed, n + 100);
    let process = noise.iter().map(|value| {
        last = r * last + (1.0 - r * r).sqrt() * value;
        last
    });
    process.skip(100).collect()
}

/// The expected values that `tests/golden/make_stats.py` made with numpy, scipy and statsmodels.
pub(crate) fn golden() -> Value {
    serde_json::from_str(include_str!("../../tests/golden/stats.json")).expect("golden/stats.json is JSON")
}

/// A list of numbers of the golden values.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// Asserts that a value agrees with a golden one to nine digits.
#[track_caller]
pub(crate) fn close(what: &str, got: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap_or_else(|| panic!("{what}: nothing expected"));
    assert!((got - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{what}: {got} instead of {expected}");
}
