//! Responses of any length count as cut off.
//!
//! # What it checks
//! The share of responses without an end-of-sequence token, at the end of the run, where the response lengths contradict
//! that they were cut off at a limit: a note from 5 %, a warning where the loss leaves them out.
//!
//! # Why it matters
//! The share does not measure the length limit, and whatever goes by it goes wrong: `mask_truncated_completions` leaves
//! complete responses out of the loss, and the policy is never trained to end an answer itself.
//!
//! # Evidence needed
//! TRL's `completions/clipped_ratio` and the mean response length, in five points or more.
//!
//! # Threshold and where it comes from
//! Arithmetic: if a share of the responses had the length of the limit, the mean length would be at least that share of
//! the limit, and the limit is the longest response of a step. More than half of the points must contradict it.
//!
//! # Known false alarms
//! A limit that was raised late in the run.
//!
//! # What to do
//! Let the sampler end at the tokenizer's end token, or keep `mask_truncated_completions` off.
//!
//! # References
//! TRL trainer/grpo_trainer.py (completions/clipped_ratio, mask_truncated_completions).

use crate::advice::{Advice, FindingTexts, NewValue};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::end_token::missing_end_token;
use crate::{Check, Code, Evidence, Outcome, QuietReason, Severity, settings};
use rundown_format::rich;
use rundown_format::rich_text::percent;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::EndTokenMissing, Concept::TruncatedShare, run);

/// TRL's switch that leaves truncated responses out of the loss.
const MASK: &str = "mask_truncated_completions";

fn run(context: &Context<'_>, share: &MetricSeries<'_>) -> Outcome {
    let line = context.rulebook.truncation_note();
    let last = share.end_level();
    let end = Evidence::new("share without an end token at the end", last, "").above(line);
    let Some(missing) = missing_end_token(context, share).filter(|_| last >= line.value) else {
        return Outcome::QuietBecause(QuietReason::LengthLimit, vec![end]);
    };
    let masked = settings::switch(&context.run.config, MASK) == Some(true);
    let (severity, texts, detail) = match masked {
        true => (Severity::Warning, &MASKED, "The loss leaves them out as truncated, though no limit cut them off."),
        false => (
            Severity::Note,
            &COUNTED,
            "They count as truncated, but no limit cut them off: the share says nothing of it.",
        ),
    };
    let title = rich!("{} of the responses have no end-of-sequence token, whatever their length", percent(last));
    let finding = context.finding(Code::EndTokenMissing, severity, title, Some(share.step(0)), texts);
    let evidence = vec![
        end,
        Evidence::new("mean length at the end", missing.length.end_level(), "tokens"),
        Evidence::new("the limit, or the longest response", missing.limit, "tokens"),
    ];
    let finding = finding.supported_by(detail, &[Some(share), Some(missing.length)], evidence, 0.9);
    Outcome::Found(vec![finding])
}

const END: Advice = Advice::Do([
    "Compare what ends a response (stop strings, limit of turns, chat template) with the tokenizer's end token",
    "complete responses no longer count as truncated",
    "none",
    "the share falls to that of the responses at the limit",
]);

const COUNTED: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[END],
    alternative: "The limit is one for the prompt and the response together, or was raised during the run.",
    refute: "Responses decoded with their special tokens end with the tokenizer's end-of-sequence token.",
    references: &["TRL trainer/grpo_trainer.py (completions/clipped_ratio)"],
};

const MASKED: FindingTexts = FindingTexts {
    actions: &[
        Advice::Set {
            keys: &[MASK],
            words: MASK,
            to: NewValue::Text("false"),
            texts: [
                "complete responses count in the loss again",
                "responses that are cut off count as well",
                "the loss and the gradient are no longer zero",
            ],
        },
        END,
    ],
    ..COUNTED
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Finding;
    use crate::checks::lengths::truncation;
    use crate::checks::testing::Synthetic;
    use rundown_run::ConfigValue;

    fn run_of(length: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(60)
            .every("train/completions/clipped_ratio", 1, |_| 0.9)
            .every("train/completions/max_length", 1, |_| 900.0)
            .every("train/completions/mean_length", 1, length)
    }

    fn found(run: Synthetic) -> Finding {
        run.finding(&CHECK)
    }

    #[test]
    fn lengths_that_no_limit_explains_show_that_the_end_token_is_missing() {
        let finding = found(run_of(|t| 200.0 + 400.0 * t));
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.title.to_string().starts_with("90 %"), "{}", finding.title);
        assert!(run_of(|t| 200.0 + 400.0 * t).quiet(&truncation::CHECK));
    }

    #[test]
    fn responses_at_the_limit_are_cut_off() {
        let at_limit = || run_of(|t| 815.0 + 20.0 * t);
        assert!(at_limit().quiet(&CHECK));
        assert!(matches!(at_limit().check(&truncation::CHECK), Outcome::Found(_)));
    }

    #[test]
    fn where_all_are_cut_off_none_is_shorter_than_the_longest() {
        let run = |below: f64| {
            Synthetic::healthy(60)
                .every("train/completions/clipped_ratio", 1, |_| 1.0)
                .every("train/completions/max_length", 1, |t| 270.0 + 10.0 * t)
                .every("train/completions/mean_length", 1, move |t| 270.0 + 10.0 * t - below)
        };
        assert!(found(run(8.0)).title.to_string().starts_with("100 %"));
        assert!(run(8.0).quiet(&truncation::CHECK));
        assert!(run(1.0).quiet(&CHECK));
    }

    #[test]
    fn masked_ones_are_a_warning() {
        let mut run = run_of(|_| 300.0);
        run.run.config.insert(MASK, ConfigValue::Bool(true));
        assert_eq!(found(run).severity, Severity::Warning);
    }
}
