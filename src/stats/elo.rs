//! Elo's scale: what a difference in rating means, and how far a few games let one say it.

/// Elo points of one unit of the logistic scale: 400 / ln 10.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Share of points that a player rated `difference` higher is expected to score: 1 / (1 + 10^(-d / 400)).
pub fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-difference / ELO_PER_LOGIT))
}

/// The rating difference at which `score` (0 to 1, both excluded) is expected: the inverse of [`expected_score`].
pub fn rating_difference(score: f64) -> Option<f64> {
    if !(score > 0.0 && score < 1.0) {
        return None;
    }
    Some(ELO_PER_LOGIT * (libm::log(score) - libm::log1p(-score)))
}

/// Standard error in Elo points of a rating difference of `difference` measured by `games` games without draws:
/// 400 / ln 10 / sqrt(N p (1 - p)) (grpo.md 2.20: 400 games at 50 % give 17). `None` unless games > 0.
pub fn elo_error(games: f64, difference: f64) -> Option<f64> {
    if !(games > 0.0 && games.is_finite() && difference.is_finite()) {
        return None;
    }
    // Away from the ends, where p (1 - p) has no digits left.
    let score = expected_score(difference.abs());
    let other = expected_score(-difference.abs());
    Some(ELO_PER_LOGIT / (games * score * other).sqrt())
}

/// Games needed before a true difference of `difference` Elo points is twice its standard error.
pub fn games_needed(difference: f64) -> Option<f64> {
    let error_of_one = elo_error(1.0, difference)?;
    if difference == 0.0 {
        return None;
    }
    let ratio = 2.0 * error_of_one / difference;
    Some((ratio * ratio).ceil())
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
        assert_eq!((rating_difference(0.0), rating_difference(1.0)), (None, None));
        assert_eq!(games_needed(0.0), None);
        let games = games_needed(35.0).unwrap();
        assert!((390.0..410.0).contains(&games), "{games}");
        assert!(elo_error(10.0, 1e308).is_some_and(f64::is_infinite));
    }

    proptest! {
        #[test]
        fn both_ways(difference in -800.0_f64..800.0) {
            let back = rating_difference(expected_score(difference)).unwrap();
            prop_assert!((back - difference).abs() < 1e-9);
            prop_assert!((expected_score(difference) + expected_score(-difference) - 1.0).abs() < 1e-15);
        }
    }
}
