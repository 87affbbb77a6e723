//! The time since the start as words and units give it: `Time 08h 36m 42s, Avg Reward 0.064`. One number, not three.

use super::{CounterKind, LabelledNumber};
use crate::rows::names::is_one_of;
use crate::syntax::duration::leading_duration;

/// What it is called from here on, whose values are the times of rows where they rise.
pub(super) const ELAPSED_TIME: &str = "elapsed_time";
/// Names before it; lower case.
const NAMES: [&str; 4] = ["time", "elapsed", ELAPSED_TIME, "time_elapsed"];
/// The name that the duration of an epoch or of a step has as well; lower case.
const BARE_NAME: &str = "time";

/// The seconds of the clock that a text begins with behind such a name, and its bytes. It has hours, minutes and seconds.
/// `before` is the number that stands before it in the line: behind a counter a bare `time` may be what that took.
pub(super) fn elapsed_clock(label: &str, text: &str, before: Option<&LabelledNumber<'_>>) -> Option<(f64, usize)> {
    // Nearly no number has this unit: the others are spared the rest.
    if !text.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('h') {
        return None;
    }
    let (seconds, rest) = leading_duration(text)?;
    let clock = text.strip_suffix(rest)?;
    let name = label.rsplit(['|', ',', ';', ')', ']']).next().unwrap_or(label).trim_matches([' ', '\t', ':', '=']);
    let is_counter =
        |number: &LabelledNumber<'_>| number.is_counter || CounterKind::of(number.name) != CounterKind::Other;
    let is_elapsed = is_one_of(name, &NAMES) && !(is_one_of(name, &[BARE_NAME]) && before.is_some_and(is_counter));
    let is_clock = clock.contains('m') && clock.ends_with('s') && !rest.starts_with(char::is_alphanumeric);
    (is_clock && is_elapsed).then_some((seconds, clock.len()))
}

#[cfg(test)]
mod tests {
    use super::super::numbers;

    fn pairs(line: &str) -> Vec<(&str, f64)> {
        numbers(line).into_iter().map(|number| (number.name, number.value)).collect()
    }

    #[test]
    fn hours_minutes_and_seconds_are_one_number() {
        assert_eq!(
            pairs("Time 08h 36m 42s, Avg Reward 0.064, Avg Ep length 5.26"),
            [("elapsed_time", 31_002.0), ("Avg Reward", 0.064), ("Avg Ep length", 5.26)]
        );
        assert_eq!(pairs("step: 3 | Elapsed: 1h02m03s"), [("step", 3.0), ("elapsed_time", 3723.0)]);
        for line in ["Step time 00h 01m 20s", "Time 36m 42s", "Time 08h 36m", "Time 1h 2m 3sec", "Time 2h, 3m, 4s"] {
            assert!(pairs(line).iter().all(|(name, _)| *name != "elapsed_time"), "{line}");
        }
        for line in ["Epoch 3 | Time 0h 1m 20s", "step: 3, time: 0h 1m 20s", "Epoch 3/9 Time: 0h 1m 20s"] {
            assert!(pairs(line).iter().all(|(name, _)| *name != "elapsed_time"), "{line}: perhaps of the epoch");
        }
    }
}
