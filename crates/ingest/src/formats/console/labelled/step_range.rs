//! The steps that the numbers of a line are of: `steps 0..10 reward=0.5`, `Episodes 101-200 | Avg reward: 3.2`. The last of them is
//! the step of the row.

use super::STEP_NAMES;
use crate::formats::console::progress::leading_number;
use crate::rows::names::is_one_of;

/// What stands between the first and the last step.
const SIGNS: [&str; 3] = ["..", "-", "–"];
/// What is counted in such ranges besides steps; lower case.
const EPISODE: &str = "episode";

/// The name of the counter without its plural, the last step of the range that a text begins with, and its bytes.
pub(super) fn step_range<'l>(label: &'l str, text: &str) -> Option<(&'l str, f64, usize)> {
    let (first, rest) = leading_number(text)?;
    let (last, behind) = SIGNS.iter().find_map(|sign| leading_number(rest.strip_prefix(sign)?))?;
    let word = label.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    let name = word.strip_suffix(['s', 'S'])?;
    let is_counter = is_one_of(name, &STEP_NAMES) || name.eq_ignore_ascii_case(EPISODE);
    // `steps 1-3.5` and `steps 2026-01-02` are no range.
    let is_end = !behind.starts_with(|c: char| c.is_alphanumeric() || "._-/%".contains(c));
    (is_counter && is_end && first < last).then_some((name, last as f64, text.len() - behind.len()))
}

#[cfg(test)]
mod tests {
    use super::super::numbers;

    fn pairs(line: &str) -> Vec<(&str, f64)> {
        numbers(line).into_iter().map(|number| (number.name, number.value)).collect()
    }

    #[test]
    fn the_last_step_of_a_range_is_the_step() {
        assert_eq!(pairs("[diag] steps 0..10 invalid=0.456"), [("step", 10.0), ("invalid", 0.456)]);
        assert_eq!(pairs("Episodes 101-200 | Avg reward: 3.5"), [("Episode", 200.0), ("Avg reward", 3.5)]);
        assert!(numbers("steps 0..10 reward=0.5").iter().any(|number| number.is_counter));
        for line in
            ["steps 3-1 reward=0.5", "steps 2026-01-02 reward=0.5", "layers 1-8 reward=0.5", "steps 1-3% reward=0.5"]
        {
            assert_eq!(pairs(line), [("reward", 0.5)], "{line}");
        }
    }
}
