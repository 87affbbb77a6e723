//! What turns a logged number into the unit of its concept.
//!
//! Some frameworks log percent where others log shares, the share that is kept where others log the share that is
//! lost, or a learning rate in units of 1e-4. A check must not care.

/// A straight line from logged values to shown ones: `value * factor + offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Values as they were logged.
    #[default]
    One,
    /// Percent, read as a share.
    Percent,
    /// The other part of a share.
    Complement,
    /// The other part of a share that was logged in percent.
    PercentComplement,
    /// Units of 1e-4.
    TenThousandth,
    /// Milliseconds, read as seconds.
    Milliseconds,
    /// The opposite sign: a loss, where others log what it rewards.
    Negative,
}

impl Scale {
    /// What it does in a few words, for the reason of a binding; empty for the scale that changes nothing.
    pub fn why(self) -> &'static str {
        match self {
            Scale::One => "",
            Scale::Percent => "logged in percent, read as a share",
            Scale::Complement => "read as 1 minus the logged share",
            Scale::PercentComplement => "logged in percent, read as 1 minus that share",
            Scale::TenThousandth => "logged in units of 1e-4",
            Scale::Milliseconds => "logged in milliseconds, read as seconds",
            Scale::Negative => "read with the opposite sign",
        }
    }

    /// The shown value of a logged one.
    pub fn apply(self, value: f64) -> f64 {
        let (factor, offset) = self.line();
        value * factor + offset
    }

    /// The shown size of a logged step between two values, such as the resolution of a log.
    pub fn apply_to_gap(self, gap: f64) -> f64 {
        gap * self.line().0.abs()
    }

    fn line(self) -> (f64, f64) {
        match self {
            Scale::One => (1.0, 0.0),
            Scale::Percent => (0.01, 0.0),
            Scale::Complement => (-1.0, 1.0),
            Scale::PercentComplement => (-0.01, 1.0),
            Scale::TenThousandth => (1e-4, 0.0),
            Scale::Milliseconds => (1e-3, 0.0),
            Scale::Negative => (-1.0, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_their_other_part() {
        assert_eq!(Scale::default().apply(0.3), 0.3);
        assert_eq!(Scale::Percent.apply(25.0), 0.25);
        assert_eq!(Scale::Complement.apply(0.25), 0.75);
        assert_eq!(Scale::PercentComplement.apply(100.0), 0.0);
        assert_eq!(Scale::PercentComplement.apply_to_gap(1.0), 0.01);
        assert!((Scale::TenThousandth.apply(0.01) - 1e-6).abs() < 1e-18);
        assert!(Scale::Complement.apply(f64::NAN).is_nan());
    }
}
