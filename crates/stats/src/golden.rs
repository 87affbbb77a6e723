//! Expected values from other programs, for the tests of this crate.

use serde_json::Value;

/// The expected values that `tests/golden/make_stats.py` made with numpy, scipy and statsmodels.
pub(crate) fn golden() -> Value {
    serde_json::from_str(include_str!("../../../tests/golden/stats.json")).expect("golden/stats.json is JSON")
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
