//! The time since the start as words and units give it: `Time 08h 36m 42s, Avg Reward 0.064`. It is one number, and no three.

use crate::formats::console::progress::leading_number;
use crate::rows::names::is_one_of;

/// What it is called from here on, whose values are the times of rows where they rise.
pub(super) const ELAPSED_TIME: &str = "elapsed_time";
/// Names before it; lower case.
const NAMES: [&str; 4] = ["time", "elapsed", ELAPSED_TIME, "time_elapsed"];
/// Units in their order, each with its seconds.
const UNITS: [(char, f64); 3] = [('h', 3600.0), ('m', 60.0), ('s', 1.0)];

/// The seconds of the clock that a text begins with behind such a name, and its bytes. It has hours, minutes and seconds.
pub(super) fn elapsed_clock(label: &str, text: &str) -> Option<(f64, usize)> {
    let (mut seconds, mut rest) = (0.0, text);
    for (unit, length) in UNITS {
        let (number, behind) = leading_number(rest.trim_start_matches(' '))?;
        seconds += number as f64 * length;
        rest = behind.strip_prefix(unit)?;
    }
    // After the units, which nearly no number has.
    let name = label.rsplit(['|', ',', ';', ')', ']']).next().unwrap_or(label).trim_matches([' ', '\t', ':', '=']);
    let is_clock = !rest.starts_with(char::is_alphanumeric) && is_one_of(name, &NAMES);
    is_clock.then_some((seconds, text.len() - rest.len()))
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
    }
}
