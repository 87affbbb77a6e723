//! A metric that is 0 in every row where that cannot be.
//!
//! # What it checks
//! Entropy, KL to the reference (with a KL term) or gradient norm of exactly 0 in at least 20 points and all of them.
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
//! With one update per batch the clip fraction and the KL to the sampler are rightly 0; with a constant reward so are
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
use rundown_vocabulary::Concept;

/// The check.
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
    let mut finding = Finding::new(
        Code::MetricNotComputed,
        Severity::Note,
        rich!("{} {} 0 in every row: logged, but not computed", keys.join(" and "), verb),
    );
    finding.detail =
        "A quantity like this is never exactly 0. Checks that need it were skipped rather than misled.".into();
    finding.metrics = keys.iter().map(|key| (*key).to_owned()).collect();
    finding.onset = first.steps.first().copied();
    finding.end = Some(first.last_step());
    finding.evidence = vec![
        Evidence::new("equal values", longest as f64, "").above(context.rulebook.constant_points()),
        Evidence::new("value of all of them", 0.0, ""),
    ];
    finding.trend = missing.iter().map(|signal| signal.trend()).collect();
    finding.actions = vec![advice(
        rich!("Compute {} or stop logging it", keys.join(" and ")),
        "checks that need it can run",
        "a little time per step",
        "a value above 0",
    )];
    finding.alternative = "The log may print so few decimals that small values become 0.".into();
    finding.refute = "The code that logs it computes it from the log-probabilities of the batch.".into();
    finding.confidence = 0.9;
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
