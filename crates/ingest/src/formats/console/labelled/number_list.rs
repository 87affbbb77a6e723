//! A list of numbers as one metric: `rewards=[0.0, 1.0, 1.0, 0.5]`, the rewards of a group, is their mean and their spread.

use crate::rows::reward_group::mean_and_spread;
use crate::syntax::python;

/// Longest list, in bytes.
const MAX_LIST: usize = 4096;

/// A list of numbers.
#[derive(Debug)]
pub(super) struct NumberList {
    pub mean: f64,
    /// Population standard deviation.
    pub spread: f64,
    /// Bytes with the closing bracket.
    pub length: usize,
}

impl NumberList {
    /// The list whose opening bracket `before` ends with and whose numbers `text` begins with; `None` where fewer than two
    /// numbers and nothing else stand in the brackets.
    pub(super) fn of(before: &str, text: &str) -> Option<Self> {
        if !before.ends_with('[') {
            return None;
        }
        let end = memchr::memchr(b']', text.as_bytes().get(..MAX_LIST).unwrap_or(text.as_bytes()))?;
        let values: Option<Vec<f64>> = text.get(..end)?.split(',').map(|word| python::number(word.trim())).collect();
        let (mean, spread) = mean_and_spread(&values?)?;
        Some(Self { mean, spread, length: end + 1 })
    }
}
