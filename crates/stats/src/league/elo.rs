//! The Elo scale: the expected score of a rating difference, and its standard error after so many games.

/// Elo points of one unit of the logistic scale: 400 / ln 10.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Share of points that a player rated `difference` higher is expected to score: 1 / (1 + 10^(-d / 400)).
pub fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-difference / ELO_PER_LOGIT))
}

/// Standard error in Elo points of a rating difference of `difference` measured by `games` games without draws:
/// 400 / ln 10 / sqrt(N p (1 - p)) (the delta method; 400 games at 50 % give 17). `None` unless games > 0.
pub fn elo_error(games: f64, difference: f64) -> Option<f64> {
    if !(games > 0.0 && games.is_finite() && difference.is_finite()) {
        return None;
    }
    // Away from the ends, where p (1 - p) has no digits left.
    let score = expected_score(difference.abs());
    let other = expected_score(-difference.abs());
    Some(ELO_PER_LOGIT / (games * score * other).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        assert_eq!(expected_score(0.0), 0.5);
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((elo_error(400.0, 0.0).unwrap() - 17.37).abs() < 0.01);
        assert_eq!(elo_error(0.0, 0.0), None);
        assert!(elo_error(10.0, 1e308).is_some_and(f64::is_infinite));
    }

    proptest! {
        #[test]
        fn both_sides_share_one_point(difference in -800.0_f64..800.0) {
            prop_assert!((expected_score(difference) + expected_score(-difference) - 1.0).abs() < 1e-15);
        }
    }
}
