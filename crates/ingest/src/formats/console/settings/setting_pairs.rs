//! Settings that a script prints on one line, as in `GRPO: num_generations=4, max_steps=75, lr=3e-06`.
//!
//! Metrics are printed in the same way, so that all pairs of the line must be known settings of a training, and one of
//! them a setting that no loop prints as a metric.

use crate::setting_names::{is_also_metric, is_no_metric};
use crate::syntax::json::Json;
use crate::syntax::python;

/// Fewest pairs of a line.
const MIN_PAIRS: usize = 3;
/// Longest line looked at, in bytes.
const MAX_LINE: usize = 2_000;
/// Words that may stand before the first pair.
const MAX_TITLE: usize = 6;

/// The settings of a line; none of any other line.
pub(super) fn pairs(line: &str) -> Option<Vec<(String, Json)>> {
    if line.len() > MAX_LINE || memchr::memchr_iter(b'=', line.as_bytes()).take(MIN_PAIRS).count() < MIN_PAIRS {
        return None;
    }
    let mut words = line.split([',', ';', '|', ' ', '\t']).filter(|word| !word.is_empty()).peekable();
    for _ in 0..MAX_TITLE {
        words.next_if(|word| !word.contains('='));
    }
    let found: Vec<(String, Json)> = words.map(pair).collect::<Option<_>>()?;
    let is_setting = found.iter().any(|(key, _)| is_no_metric(key));
    (is_setting && found.len() >= MIN_PAIRS).then_some(found)
}

/// A known setting with a literal value.
fn pair(word: &str) -> Option<(String, Json)> {
    let (key, value) = word.split_once('=')?;
    if !is_no_metric(key) && !is_also_metric(key) {
        return None;
    }
    Some((key.to_owned(), python::literal(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Vec<String>> {
        let found = pairs(line)?;
        Some(found.into_iter().map(|(key, value)| format!("{key}={}", value.into_config_value())).collect())
    }

    #[test]
    fn a_line_of_settings_is_read() {
        let line = "GRPO: num_generations=8, max_steps=60, lr=2e-06, beta=0.01, loss_type='dapo'";
        let expected = ["num_generations=8", "max_steps=60", "lr=2e-6", "beta=0.01", "loss_type=dapo"];
        assert_eq!(of(line).as_deref(), Some(expected.map(str::to_owned).as_slice()));
        assert!(of("config | batch_size=8 | lr=1e-5 | seed=1").is_some());
    }

    #[test]
    fn lines_of_metrics_and_of_other_settings_are_none() {
        for line in [
            "lr=1e-6, beta=0.04, temperature=1.0",
            "step=1, max_steps=60, lr=1e-6, loss=0.5",
            "max_steps=60, lr=1e-6",
            "max_steps=60, lr=f(1), beta=0.1",
            "max_steps=60, lr=rate, beta=0.1",
            "a b c d e f g max_steps=60, lr=1, beta=0.1",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
