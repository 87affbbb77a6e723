//! A metric that is 0 in every row where that cannot be.
//!
//! # What it checks
//! Entropy, KL to the reference (with a KL term) or gradient norm of exactly 0 in at least 20 points and all of them; a share of clipped
//! ratios of exactly 1; a mean reward below a thousandth of its spread, which was normalised over the batch.
//!
//! # Why it matters
//! A placeholder looks like a collapse (entropy) or like a policy that never moves (KL). Other checks leave such a
//! metric out.
//!
//! # Evidence needed
//! One of these metrics.
//!
//! # Threshold and where it comes from
//! 20 equal values: a computed entropy or KL never repeats to the last digit. A console that prints three decimals
//! shows a small KL as 0.000, which is the other explanation given.
//!
//! # Known false alarms
//! With one update per batch the clip fraction and the KL to the old policy are rightly 0; with a constant reward so are
//! KL and gradient norm; with a KL coefficient of 0 the KL is not needed. All of these are silent.
//!
//! # What to do
//! Compute it, or stop logging it.
//!
//! # References
//! A public Countdown run logs entropy and approx_kl as 0 in all of its 500 rows.

use crate::advice::advice;
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::metric;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::MetricNotComputed, run);

fn run(context: &Context<'_>) -> Outcome {
    let needless = |signal: &&MetricSeries<'_>| {
        signal.binding.concept == Concept::KlToReference && context.kl_coefficient() == Some(0.0)
    };
    let missing: Vec<&MetricSeries<'_>> = context.not_computed().iter().filter(|signal| !needless(signal)).collect();
    let (Some(first), Some(longest)) = (missing.first(), missing.iter().map(|signal| signal.len()).max()) else {
        return Outcome::Quiet(Vec::new());
    };
    let keys: Vec<&str> = missing.iter().map(|signal| signal.key()).collect();
    let verb = if keys.len() == 1 { "is" } else { "are" };
    let is_centred = first.binding.concept == Concept::Reward && missing.len() == 1;
    let title = if is_centred {
        rich!("{} is 0 but for rounding in every row: it was normalised over the batch", metric(first.key()))
    } else {
        let is_zero = missing.iter().all(|signal| signal.max() == 0.0);
        let value = if is_zero { "0" } else { "the same" };
        rich!("{} {} {} in every row: logged, but not computed", keys.join(" and "), verb, value)
    };
    let detail = if is_centred {
        "The mean of a normalised reward is 0 whatever the policy earns. Log the mean before it is normalised."
    } else {
        "A quantity like this is never exactly the same. Checks that need it were skipped rather than misled."
    };
    let evidence = vec![
        Evidence::new("equal values", longest as f64, "").above(context.rulebook.constant_points()),
        Evidence::new("largest of them", first.max(), ""),
    ];
    let finding = Finding::new(Code::MetricNotComputed, Severity::Note, title);
    let mut finding = finding.supported_by(detail, &missing, evidence, 0.9);
    finding.onset = first.steps.first().copied();
    finding.end = Some(first.last_step());
    let change = match is_centred {
        true => rich!("Log the mean of {} before it is normalised", metric(first.key())),
        false => rich!("Compute {} or stop logging it", keys.join(" and ")),
    };
    finding.actions =
        vec![advice(change, "checks that need it can run", "a little time per step", "a value that moves")];
    finding.alternative = "The log may print so few decimals that small values become 0.".into();
    finding.refute = "The code that logs it computes it from the log-probabilities of the batch.".into();
    Outcome::Found(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    #[test]
    fn an_entropy_of_zero_is_a_note() {
        let run = Synthetic::healthy(100).noisy("train/entropy", 0.0, |_| 0.0);
        assert_eq!(run.finding(&CHECK).severity, Severity::Note);
        assert!(Synthetic::healthy(100).quiet(&CHECK));
    }

    #[test]
    fn a_clip_fraction_of_one_and_a_centred_reward_were_not_measured() {
        let clip = Synthetic::healthy(100).every("train/clip_ratio/region_mean", 1, |_| 1.0).finding(&CHECK);
        assert!(clip.title.to_string().contains("the same in every row"), "{}", clip.title);
        let centred = |size: f64| {
            Synthetic::healthy(100).every("train/reward", 1, move |t| size * libm::sin(900.0 * t)).every(
                "train/reward_std",
                1,
                |_| 0.5,
            )
        };
        let found = centred(1e-6).finding(&CHECK);
        assert!(found.title.to_string().contains("normalised over the batch"), "{}", found.title);
        assert!(centred(0.01).quiet(&CHECK));
        let diagnosis = crate::diagnose(&centred(1e-6).without("eval/accuracy").build(), &crate::Rulebook::default());
        assert_eq!(diagnosis.learning.measure, None);
        assert!(diagnosis.learning.why.to_string().contains("normalised"), "{}", diagnosis.learning.why);
    }

    #[test]
    fn what_may_be_zero_is_silent() {
        let unused = Synthetic::healthy(100).noisy("train/kl", 0.0, |_| 0.0).config("beta", 0.0);
        assert!(unused.quiet(&CHECK));
        let constant = Synthetic::healthy(100)
            .noisy("train/kl", 0.0, |_| 0.0)
            .noisy("train/grad_norm", 0.0, |_| 0.0)
            .noisy("train/frac_reward_zero_std", 0.0, |_| 1.0);
        assert!(constant.quiet(&CHECK));
        let clip = Synthetic::healthy(100).noisy("train/clip_ratio/region_mean", 0.0, |_| 0.0);
        assert!(clip.quiet(&CHECK));
    }
}
