//! Points in time as exports write them: ISO 8601, Unix seconds or milliseconds.

pub(crate) use rundown_run::{day_start, iso_seconds};

/// Unix seconds when the number can only be a time: seconds, milliseconds, microseconds or nanoseconds from 2001
/// to 2286.
pub(crate) fn unix_seconds(value: f64) -> Option<f64> {
    match value {
        1e9..1e10 => Some(value),
        1e12..1e13 => Some(value / 1e3),
        1e15..1e16 => Some(value / 1e6),
        1e18..1e19 => Some(value / 1e9),
        _ => None,
    }
}

/// Unix seconds of a time in any of these forms.
pub(crate) fn any_seconds(text: &str) -> Option<f64> {
    iso_seconds(text).or_else(|| text.trim().parse().ok().and_then(unix_seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_can_only_be_times_are() {
        assert_eq!(any_seconds("1793491222500"), Some(1_793_491_222.5));
        assert_eq!(any_seconds("2026-11-01T00:00:22Z"), Some(1_793_491_222.0));
        assert_eq!(any_seconds("12"), None);
    }
}
