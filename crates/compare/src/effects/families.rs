//! Correction of p for the number of settings: hyperparameters that the program knows are one family of tests, all other
//! keys another.
//!
//! A config may hold thousands of keys, of which a dozen are hyperparameters. As one family none of these could be
//! claimed: the smallest p of a permutation test is 1/4,001, and 0.05 / 2,000 is less. What two families gain and cost is in
//! docs/decisions/answers-of-many-runs.md.

use super::{Effect, SIGNIFICANCE};
use rundown_stats as stats;

/// Corrects the p of the tested effects: Benjamini and Hochberg's procedure within each family, at the level times the share of
/// families that have a discovery at all (Benjamini and Bogomolov 2014, J. R. Stat. Soc. B 76:297). Where no setting has an
/// effect, the chance of any claim stays that of one family.
pub(super) fn correct(effects: &mut [Effect]) {
    let (p, is_known): (Vec<f64>, Vec<bool>) =
        effects.iter().filter_map(|effect| Some((effect.p?, effect.parameter.hyperparameter.is_some()))).unzip();
    for (effect, q) in effects.iter_mut().filter(|effect| effect.p.is_some()).zip(corrected(&p, &is_known)) {
        effect.q = Some(q);
    }
}

/// The corrected p, in the order given: those below [`SIGNIFICANCE`] are claimed.
fn corrected(p: &[f64], is_known: &[bool]) -> Vec<f64> {
    let family = |wanted: bool| -> Vec<f64> {
        let own = p.iter().zip(is_known).filter(|(_, is_known)| **is_known == wanted);
        stats::benjamini_hochberg(&own.map(|(p, _)| *p).collect::<Vec<_>>())
    };
    let (known, others) = (family(true), family(false));
    // The least corrected p of a family is Simes' p of its having no effect at all.
    let has_discovery = |family: &[f64]| family.iter().any(|q| *q < SIGNIFICANCE);
    let is_alone = known.is_empty() || others.is_empty();
    let factor = if is_alone || has_discovery(&known) && has_discovery(&others) { 1.0 } else { 2.0 };
    let (mut known, mut others) = (known.into_iter(), others.into_iter());
    let next = |is_known: &bool| if *is_known { known.next() } else { others.next() };
    is_known.iter().filter_map(next).map(|q| (factor * q).min(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::white;

    /// Known hyperparameters and other keys, and how many of each have an effect, which shifts the statistic by so many standard errors.
    struct Study {
        known: usize,
        others: usize,
        effects: (usize, usize),
        z: f64,
    }

    /// Shares of the trials.
    #[derive(Debug)]
    struct Rates {
        /// Share of the known effects, and of the others, that are claimed.
        power: (f64, f64),
        /// A claim without an effect.
        any_false: f64,
        /// False claims of all, and of those of known hyperparameters.
        false_discovery: (f64, f64),
    }

    type Correction = fn(&[f64], &[bool]) -> Vec<f64>;

    fn one_family(p: &[f64], _: &[bool]) -> Vec<f64> {
        stats::benjamini_hochberg(p)
    }

    fn simulated(study: &Study, correction: Correction) -> Rates {
        const TRIALS: u64 = 300;
        let Study { known, others, effects, z } = *study;
        let is_known: Vec<bool> = (0..known + others).map(|place| place < known).collect();
        let is_effect = |place: usize| place < effects.0 || (known..known + effects.1).contains(&place);
        let mut sums = [0.0; 5];
        for seed in 0..TRIALS {
            let shifted = |(place, noise): (usize, f64)| noise + if is_effect(place) { z } else { 0.0 };
            let statistics = white(seed, known + others).into_iter().enumerate().map(shifted);
            // Two tests of 4,000 permutations have no smaller p.
            let p: Vec<f64> =
                statistics.map(|z| libm::erfc(z.abs() / std::f64::consts::SQRT_2).max(2.0 / 4001.0)).collect();
            let q = correction(&p, &is_known);
            let claims = |places: std::ops::Range<usize>, wanted: bool| {
                places.filter(|place| q[*place] < SIGNIFICANCE && is_effect(*place) == wanted).count() as f64
            };
            let ([right, wrong], [right_other, wrong_other]) = (
                [true, false].map(|is| claims(0..known, is)),
                [true, false].map(|is| claims(known..known + others, is)),
            );
            let wrong_of_all = wrong + wrong_other;
            let found = [
                right / effects.0.max(1) as f64,
                right_other / effects.1.max(1) as f64,
                f64::from(u8::from(wrong_of_all > 0.0)),
                wrong_of_all / (right + right_other + wrong_of_all).max(1.0),
                wrong / (right + wrong).max(1.0),
            ];
            sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += found / TRIALS as f64);
        }
        let [known, others, any_false, of_all, of_known] = sums;
        Rates { power: (known, others), any_false, false_discovery: (of_all, of_known) }
    }

    /// Prints the table of docs/decisions/answers-of-many-runs.md with `--nocapture`.
    #[test]
    fn a_known_effect_among_thousands_of_keys_is_claimed_and_false_claims_stay_rare() {
        let study = |known, others, effects, z| Study { known, others, effects, z };
        let studies = [
            study(10, 10, (0, 0), 0.0),
            study(10, 2000, (0, 0), 0.0),
            study(10, 10, (1, 0), 3.5),
            study(10, 10, (1, 1), 3.5),
            study(10, 50, (1, 0), 3.5),
            study(10, 50, (0, 1), 3.5),
            study(10, 50, (1, 1), 3.5),
            study(10, 2000, (1, 0), 3.5),
            study(10, 2000, (1, 100), 3.5),
        ];
        for study in &studies {
            let [one, two] = [one_family as Correction, corrected].map(|correction| simulated(study, correction));
            let Study { known, others, effects, .. } = study;
            println!("{known} known of {} settings, effects {effects:?}\n  {one:.2?}\n  {two:.2?}", known + others);
            let (of_all, of_known) = two.false_discovery;
            assert!(of_all < 0.07 && of_known < 0.07, "{two:?}");
            assert!(*effects != (0, 0) || two.any_false < 0.07, "{two:?}");
            assert!(two.power.0 > one.power.0 - 0.05 && two.power.1 > one.power.1 - 0.12, "{two:?} {one:?}");
            if *others >= 2000 && effects.0 > 0 {
                assert!(one.power.0 == 0.0 || effects.1 > 0);
                assert!(two.power.0 > 0.6, "{two:?}");
            }
        }
    }

    #[test]
    fn a_single_family_is_corrected_as_such() {
        let p = [0.04, 0.01, 0.03];
        for is_known in [true, false] {
            assert_eq!(corrected(&p, &[is_known; 3]), stats::benjamini_hochberg(&p));
        }
        assert!(corrected(&[], &[]).is_empty());
        assert_eq!(corrected(&[0.01, 0.01], &[true, false]), [0.01, 0.01], "both have a discovery");
        assert_eq!(corrected(&[0.01, 0.9], &[true, false]), [0.02, 1.0]);
    }
}
