//! A chart in words, for who can't see it.

use super::XKind;
use super::clock::moment;
use rundown_format::{counted, elapsed, large_count, number};

/// What the drawn part of a line says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// First finite point.
    pub first: (f64, f64),
    /// Last finite point.
    pub last: (f64, f64),
    /// Lowest point, the first of equals.
    pub low: (f64, f64),
    /// Highest point, the first of equals.
    pub high: (f64, f64),
}

impl Summary {
    /// Of the finite points of `(x, y)`; `None` when there is none.
    pub fn of(x: &[f64], y: &[f64]) -> Option<Self> {
        let mut summary: Option<Self> = None;
        for point in x.iter().copied().zip(y.iter().copied()).filter(|(_, value)| value.is_finite()) {
            let Some(summary) = &mut summary else {
                summary = Some(Self { first: point, last: point, low: point, high: point });
                continue;
            };
            summary.last = point;
            if point.1 < summary.low.1 {
                summary.low = point;
            }
            if point.1 > summary.high.1 {
                summary.high = point;
            }
        }
        summary
    }

    /// One sentence: "reward: 160 points; first 0.41 at step 1, last 3.2 at step 160, lowest …, highest …".
    pub fn sentence(&self, key: &str, points: u64, kind: XKind) -> String {
        let place = |(x, y): (f64, f64)| format!("{} at {}", number(y), position(x, kind));
        format!(
            "{key}: {}; first {}, last {}, lowest {}, highest {}",
            counted(points as usize, "point"),
            place(self.first),
            place(self.last),
            place(self.low),
            place(self.high)
        )
    }
}

/// A position in words: `step 31`, `1h 30m`.
pub fn position(x: f64, kind: XKind) -> String {
    match kind {
        XKind::Number => format!("step {}", number(x)),
        XKind::Tokens => format!("{} tokens", large_count(x)),
        XKind::Seconds => elapsed(x),
        XKind::Clock => moment(x),
        XKind::Value => number(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_described_in_one_sentence() {
        let summary = Summary::of(&[1.0, 2.0, 3.0, 4.0], &[0.5, f64::NAN, 3.25, -1.0]).unwrap();
        assert_eq!(
            summary.sentence("reward", 4, XKind::Number),
            "reward: 4 points; first 0.5 at step 1, last -1 at step 4, lowest -1 at step 4, highest 3.25 at step 3"
        );
        assert_eq!(Summary::of(&[1.0], &[f64::INFINITY]), None);
    }

    #[test]
    fn a_position_is_written_in_full() {
        assert_eq!(position(166_649.0, XKind::Number), "step 166649");
        assert_eq!(position(12.5, XKind::Number), "step 12.5");
        assert_eq!(position(90.0, XKind::Seconds), "1m 30s");
        assert_eq!(position(0.0, XKind::Clock), "1970-01-01 00:00:00 UTC");
        assert_eq!(position(0.25, XKind::Value), "0.25");
    }
}
