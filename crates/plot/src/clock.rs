//! Points in time as an axis and a cursor write them, in UTC. A calendar library would be a tenth of the page.

use super::{Range, Tick};

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3_600.0;
const DAY: f64 = 86_400.0;
/// Distances between two marks.
const STEPS: [f64; 17] = [
    1.0,
    5.0,
    15.0,
    30.0,
    MINUTE,
    5.0 * MINUTE,
    15.0 * MINUTE,
    30.0 * MINUTE,
    HOUR,
    3.0 * HOUR,
    6.0 * HOUR,
    12.0 * HOUR,
    DAY,
    2.0 * DAY,
    7.0 * DAY,
    30.0 * DAY,
    365.0 * DAY,
];
/// Beyond these years the calendar of this file ends: 0001 to 9999.
const YEARS: (f64, f64) = (-62_135_596_800.0, 253_402_300_799.0);

/// Marks for an axis of Unix seconds, at most about `most`: `14:30`, and the date where a day begins.
pub(super) fn clock_ticks(range: Range, most: usize) -> Vec<Tick> {
    let wanted = range.span() / most.clamp(1, 50) as f64;
    let Some(step) = STEPS.into_iter().find(|step| *step >= wanted) else { return Vec::new() };
    let first = libm::ceil(range.low() / step);
    let count = (libm::floor(range.high() / step) - first + 1.0).clamp(0.0, 51.0) as u32;
    let values = (0..count).map(|number| (first + f64::from(number)) * step);
    values.map(|value| Tick { value, label: label(value, step) }).collect()
}

/// `2026-11-20 14:05:59 UTC`; empty outside the calendar.
pub(super) fn moment(unix_seconds: f64) -> String {
    let Some(time) = Civil::of(unix_seconds) else { return String::new() };
    let Civil { year, month, day, hour, minute, second } = time;
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

fn label(value: f64, step: f64) -> String {
    let Some(time) = Civil::of(value) else { return String::new() };
    let Civil { year, month, day, hour, minute, second } = time;
    if step >= 30.0 * DAY {
        return format!("{year:04}-{month:02}-{day:02}");
    }
    match (hour, minute, second) {
        (0, 0, 0) => format!("{month:02}-{day:02}"),
        (_, _, 0) if step >= MINUTE => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    }
}

struct Civil {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl Civil {
    /// Howard Hinnant's `civil_from_days`.
    fn of(unix_seconds: f64) -> Option<Self> {
        if !(unix_seconds >= YEARS.0 && unix_seconds <= YEARS.1) {
            return None;
        }
        let seconds = libm::floor(unix_seconds) as i64;
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Some(Self { year, month, day, hour: rest / 3_600, minute: rest / 60 % 60, second: rest % 60 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0.0, "1970-01-01 00:00:00 UTC"),
            (951_868_799.0, "2000-02-29 23:59:59 UTC"),
            (1_735_646_400.5, "2024-12-31 12:00:00 UTC"),
            (-1.0, "1969-12-31 23:59:59 UTC"),
            (1_795_221_471.9, "2026-11-21 00:37:51 UTC"),
        ] {
            assert_eq!(moment(seconds), text);
        }
        assert_eq!(moment(f64::NAN) + &moment(1e300), "");
    }

    #[test]
    fn marks_are_whole_hours_and_days() {
        let labels = |low, high, most| -> Vec<String> {
            clock_ticks(Range::new(low, high).unwrap(), most).into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(0.0, 6.0 * HOUR, 6), ["01-01", "01:00", "02:00", "03:00", "04:00", "05:00", "06:00"]);
        assert_eq!(labels(0.0, 3.0 * DAY, 4), ["01-01", "01-02", "01-03", "01-04"]);
        assert_eq!(
            labels(60.0, 120.0, 2),
            ["00:01", "00:01:30", "00:02"].map(|text| if text.len() == 5 {
                format!("{text}:00")
            } else {
                text.to_owned()
            })
        );
        assert!(labels(0.0, 1e300, 5).is_empty());
    }
}
