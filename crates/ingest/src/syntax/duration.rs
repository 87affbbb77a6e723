//! Durations as programs print them, which no number alone tells: `45m 20s`, `1d 2h 3m 4s`, `0:05:18`, `1 day, 2:03:04`.

/// The units of a duration in parts, largest first, and their seconds.
const UNITS: [(char, f64); 4] = [('d', 86_400.0), ('h', 3_600.0), ('m', 60.0), ('s', 1.0)];

/// Seconds of a text that is a duration and nothing else.
pub(crate) fn duration(text: &str) -> Option<f64> {
    let (seconds, rest) = leading_duration(text.trim())?;
    rest.is_empty().then_some(seconds)
}

/// Seconds of the duration that a text begins with, and what follows it.
pub(crate) fn leading_duration(text: &str) -> Option<(f64, &str)> {
    in_parts(text).or_else(|| as_clock(text))
}

/// `1d 2h 3m 4s`, of which any part may be missing.
fn in_parts(text: &str) -> Option<(f64, &str)> {
    let mut found: Option<f64> = None;
    let mut rest = text;
    for (unit, seconds) in UNITS {
        let part = found.map_or(rest, |_| rest.strip_prefix(' ').unwrap_or(rest));
        let Some((number, behind)) = unsigned_decimal(part) else { continue };
        // `ms` and `min` are other units.
        let is_end = |behind: &&str| !behind.starts_with(char::is_alphabetic);
        let Some(behind) = behind.strip_prefix(unit).filter(is_end) else { continue };
        found = Some(found.unwrap_or(0.0) + number * seconds);
        rest = behind;
    }
    Some((found?, rest))
}

/// `H:MM:SS`, with days before it as Python writes them. `MM:SS` may be hours and minutes.
fn as_clock(text: &str) -> Option<(f64, &str)> {
    let days = text.split_once(" day").and_then(|(days, behind)| {
        let clock = behind.strip_prefix('s').unwrap_or(behind).strip_prefix(", ")?;
        Some((days.parse::<u32>().ok()?, clock))
    });
    let (days, clock) = days.unwrap_or((0, text));
    let mut parts = clock.splitn(3, ':');
    let mut whole = || parts.next()?.parse::<u32>().ok();
    let (hours, minutes) = (whole()?, whole()?);
    let (seconds, rest) = unsigned_decimal(parts.next()?)?;
    let is_clock = minutes < 60 && seconds < 60.0 && !rest.starts_with(|c: char| c == ':' || c.is_alphanumeric());
    let [days, hours, minutes] = [days, hours, minutes].map(f64::from);
    is_clock.then_some((((days * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds, rest))
}

/// The number without a sign that a text begins with, and what follows it.
fn unsigned_decimal(text: &str) -> Option<(f64, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some((text.strip_suffix(rest)?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_parts_and_as_a_clock() {
        for (text, seconds) in [
            ("39s", 39.0),
            ("45m 20s", 2_720.0),
            ("08h 36m 42s", 31_002.0),
            ("1h 2m 3s", 3_723.0),
            ("2d 0h 18m 21s", 173_901.0),
            ("2h3m", 7_380.0),
            ("1.5s", 1.5),
            ("0:05:18", 318.0),
            ("27:00:01.5", 97_201.5),
            ("1 day, 2:03:04", 93_784.0),
            ("3 days, 0:00:01", 259_201.0),
        ] {
            assert_eq!(duration(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_durations() {
        for text in [
            "", "5", "5ms", "5min", "05:18", "1:99:00", "1:2:3:4", "20s 45m", "3m later", "m", "s", "v1.2", "-5s",
            "2026-01-02 10:00:00", "1:02:03pm", "a day, 1:02:03",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn what_follows_a_duration_is_given_back() {
        assert_eq!(leading_duration("08h 36m 42s, Avg Reward 0.5"), Some((31_002.0, ", Avg Reward 0.5")));
        assert_eq!(leading_duration("0:05:18 | loss 1"), Some((318.0, " | loss 1")));
        assert_eq!(leading_duration("1m 2 apples"), Some((60.0, " 2 apples")));
    }
}
