//! What turns a logged number into the unit of its concept.
//!
//! Some frameworks log percent where others log shares, the share that is kept where others log the share that is
//! lost, or a learning rate in units of 1e-4. A check must not care.

/// A straight line from logged values to shown ones: `value * factor + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Multiplies the logged value.
    pub factor: f64,
    /// Added after that.
    pub offset: f64,
    /// What it does in a few words, for the reason of a binding; empty for the scale that changes nothing.
    pub why: &'static str,
}

impl Scale {
    /// Values as they were logged.
    pub const ONE: Scale = Scale::new(1.0, 0.0, "");
    /// Percent, read as a share.
    pub const PERCENT: Scale = Scale::new(0.01, 0.0, "logged in percent, read as a share");
    /// The other part of a share.
    pub const COMPLEMENT: Scale = Scale::new(-1.0, 1.0, "read as 1 minus the logged share");
    /// The other part of a share that was logged in percent.
    pub const PERCENT_COMPLEMENT: Scale = Scale::new(-0.01, 1.0, "logged in percent, read as 1 minus that share");
    /// Units of 1e-4.
    pub const TEN_THOUSANDTH: Scale = Scale::new(1e-4, 0.0, "logged in units of 1e-4");
    /// Milliseconds, read as seconds.
    pub const MILLISECONDS: Scale = Scale::new(1e-3, 0.0, "logged in milliseconds, read as seconds");

    const fn new(factor: f64, offset: f64, why: &'static str) -> Self {
        Self { factor, offset, why }
    }

    /// The shown value of a logged one.
    pub fn apply(self, value: f64) -> f64 {
        value * self.factor + self.offset
    }

    /// The shown size of a logged step between two values, such as the resolution of a log.
    pub fn apply_to_gap(self, gap: f64) -> f64 {
        gap * self.factor.abs()
    }
}

impl Default for Scale {
    fn default() -> Self {
        Scale::ONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_their_other_part() {
        assert_eq!(Scale::default().apply(0.3), 0.3);
        assert_eq!(Scale::PERCENT.apply(25.0), 0.25);
        assert_eq!(Scale::COMPLEMENT.apply(0.25), 0.75);
        assert_eq!(Scale::PERCENT_COMPLEMENT.apply(100.0), 0.0);
        assert_eq!(Scale::PERCENT_COMPLEMENT.apply_to_gap(1.0), 0.01);
        assert!((Scale::TEN_THOUSANDTH.apply(0.01) - 1e-6).abs() < 1e-18);
        assert!(Scale::COMPLEMENT.apply(f64::NAN).is_nan());
    }
}
