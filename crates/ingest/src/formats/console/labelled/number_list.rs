//! A list of numbers as one metric: `rewards=[0.0, 1.0, 1.0, 0.5]`, the rewards of a group, is their mean and their spread. NumPy
//! prints blanks alone between them, and goes on in the next line.

use crate::rows::reward_group::mean_and_spread;
use crate::syntax::python;

/// Longest list, in bytes.
const MAX_LIST: usize = 4096;

/// A list of numbers.
#[derive(Debug)]
pub(super) struct NumberList {
    /// Mean and population standard deviation; `None` where the list goes on in the next line, so that some of it is missing, or is
    /// longer than a group.
    pub statistics: Option<(f64, f64)>,
    /// Bytes with the closing bracket.
    pub length: usize,
}

impl NumberList {
    /// The list whose opening bracket `before` ends with and whose numbers `text` begins with; `None` where fewer than two
    /// numbers and nothing else stand in the brackets.
    pub(super) fn of(before: &str, text: &str) -> Option<Self> {
        if !before.trim_end_matches(' ').ends_with('[') {
            return None;
        }
        let end = memchr::memchr(b']', text.as_bytes().get(..MAX_LIST).unwrap_or(text.as_bytes()));
        let words = text.get(..end.unwrap_or(text.len()))?.split([',', ' ', '\t']).filter(|word| !word.is_empty());
        let values: Option<Vec<f64>> = words.map(python::number).collect();
        let values = values.filter(|values| values.len() > 1)?;
        let statistics = end.and_then(|_| mean_and_spread(&values));
        Some(Self { statistics, length: end.map_or(text.len(), |end| end + 1) })
    }
}
