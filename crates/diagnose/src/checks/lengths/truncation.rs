//! Responses are cut off at the length limit.
//!
//! # What it checks
//! The share of responses that hit the limit, smoothed, at the end of the run: a note from 5 %, a warning from 10 % (or
//! from 20 % where something is learned all the same), critical from 80 % where nothing is learned. It stays a note where the
//! task is learned for the most part, unless the share grew to more than twice that of the start.
//!
//! # Why it matters
//! An answer that is cut off has no result, so it mostly scores as wrong however good it was. The reward then measures the
//! limit, and long reasoning is punished.
//!
//! # Evidence needed
//! The share of truncated responses; five points are enough where at least 80 % are cut off at the end and half in each, or
//! 80 % in all but the first; ten where at least 20 % are cut off in each, or where the share rose to that far beyond its noise.
//!
//! # Threshold and where it comes from
//! 5 %: AReaL. 10 to 15 % go with destabilised training. 30 % severe, 80 % unusable: Axolotl's guide.
//!
//! # Known false alarms
//! Early steps of a model that rambles: only a share that lasts to the end counts. Masked truncated responses waste
//! time but do not mislead. Responses that something else than the limit ended are `end_token_missing`.
//!
//! # What to do
//! Raise the limit while longer responses help; penalise the last fifth of the budget; mask what is cut off.
//!
//! # References
//! arXiv 2503.14476 (DAPO, soft overlong punishment); Axolotl docs/training_stability.qmd; AReaL, no_eos ratio.

use crate::advice::{Advice, FindingTexts, LONGER_RESPONSES, NewValue};
use crate::context::Context;
use crate::measure::onset;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::end_token::{NEARLY_ALL, SAMPLE_LONGER, missing_end_token};
use crate::topics::threshold_rule::stretch;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{percent, step};
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_metric(Code::Truncation, Concept::TruncatedShare, run);

/// Points whose mean is the start, of a third of the run at most.
const START: usize = 10;
/// Points that are enough where nearly all responses are cut off at the end, and most of them in each.
const MIN_POINTS_ALL_CUT: usize = 5;
/// Share of the responses that is most of them.
const MAJORITY: f64 = 0.5;
/// Rise of the share that its title names.
const RISE: f64 = 0.1;
/// Share of the points above the note from which on a run was cut off all along: fewer than a tenth are short interruptions, as
/// batches of few responses have by chance.
const ALL_ALONG: f64 = 0.9;

fn run(context: &Context<'_>, share: &MetricSeries<'_>) -> Outcome {
    let book = context.rulebook;
    let last = share.end_level();
    let quiet = || {
        let end = Evidence::new("truncation rate at the end", last, "").above(book.truncation_note());
        let points = Evidence::new("points of the truncation rate", share.len() as f64, "").below(book.points_needed());
        let is_short = (share.len() as f64) < book.points_needed().value;
        let reason = if is_short { QuietReason::TooFewPoints } else { QuietReason::NotLasting };
        let shown = if last >= book.truncation_note().value { vec![end, points] } else { vec![end] };
        Outcome::QuietBecause(reason, shown)
    };
    if missing_end_token(context, share).is_some() {
        return Outcome::Quiet(vec![Evidence::new("share without an end token, whatever the length", last, "")]);
    }
    let unusable = book.length_unusable().value;
    let all_cut = share.len() >= MIN_POINTS_ALL_CUT
        && last >= unusable
        && (share.min() >= MAJORITY || share.values.iter().skip(1).all(|share| *share >= unusable));
    // Few points are enough where none has a tolerable share, or where the share rose far beyond its noise.
    let severe = book.truncation_severe().value;
    let is_clear = all_cut || last >= severe && context.shows_level(share, Direction::Up, severe);
    let long = is_clear || share.len() as f64 >= book.points_needed().value;
    let found = stretch(share, 0, Direction::Up, book.truncation_note().value);
    let Some(found) = found.filter(|found| found.holds && long && last >= book.truncation_note().value) else {
        return quiet();
    };
    let stuck = matches!(context.learning.state, LearningState::Flat | LearningState::Declined);
    let learned = context.learning.state == LearningState::Improved || !context.learning.room;
    let start = share.start_level(START.min((share.len() / 3).max(1)));
    // What was cut off from the start did not keep the task from being learned.
    let grew = start < 0.5 * last;
    let (severity, passed) = match last {
        last if last >= book.length_unusable().value && stuck => (Severity::Critical, book.length_unusable()),
        _ if context.gained_much() && !grew => (Severity::Note, book.truncation_note()),
        last if last >= book.truncation_severe().value => (Severity::Warning, book.truncation_severe()),
        last if last >= book.truncation_warning().value && !learned => (Severity::Warning, book.truncation_warning()),
        _ => (Severity::Note, book.truncation_note()),
    };
    let severity = if is_clear || context.is_long_enough() { severity } else { Severity::Note };
    let severity = match severity {
        Severity::Critical if are_masked(context) => Severity::Warning,
        Severity::Warning if are_masked(context) => Severity::Note,
        severity => severity,
    };
    let rose = onset::of_change(&share.values, 0, start, last);
    let onset = match start < book.truncation_note().value {
        true => share.step(rose.min(share.len() - 1)),
        false if found.share >= ALL_ALONG => share.step(0),
        false => found.from,
    };
    let evidence = vec![
        Evidence::new("truncation rate at the end", last, "").above(passed),
        Evidence::new("truncation rate at the start", start, ""),
        Evidence::new(rich!("share of the points above {}", percent(book.truncation_note().value)), found.share, ""),
    ];
    Outcome::Found(vec![finding(context, share, severity, (onset, start), evidence)])
}

/// True where the config says that the loss leaves out what was cut off.
fn are_masked(context: &Context<'_>) -> bool {
    context.setting(Hyperparameter::MaskTruncated).is_some_and(|setting| setting.value == 1.0)
}

const WATCH: &str = "truncation rate below 5 %";
const PENALISE: Advice = Advice::Do([
    "Penalise the last 20 % of the length budget",
    "responses end before the limit",
    "too short reasoning",
    "truncation rate below 5 %, evaluation not lower",
]);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::MaxResponse, "The limit at which responses are cut off."),
        (Hyperparameter::Temperature, "At a high temperature responses ramble and miss the EOS token."),
    ],
    actions: &[
        Advice::Change(&LONGER_RESPONSES, WATCH),
        PENALISE,
        Advice::Set {
            keys: &["mask_truncated_completions"],
            words: "mask truncated responses in the loss",
            to: NewValue::Text("true"),
            texts: [
                "what is cut off no longer counts as wrong",
                "their share of the batch is wasted, the KL may drift",
                "truncation rate, KL",
            ],
        },
    ],
    alternative: "The model repeats itself and would not end under any limit.",
    refute: "Responses sampled with twice the limit are not longer and do not score higher.",
    references: &["arXiv 2503.14476 (DAPO)", "Axolotl docs/training_stability.qmd", "AReaL docs (no_eos ratio)"],
};

/// Where nearly all are cut off, a loss without those that are would be one of next to nothing.
const ALL_CUT: FindingTexts =
    FindingTexts { actions: &[SAMPLE_LONGER, Advice::Change(&LONGER_RESPONSES, WATCH), PENALISE], ..TEXTS };

fn finding(
    context: &Context<'_>,
    share: &MetricSeries<'_>,
    severity: Severity,
    (onset, start): (f64, f64),
    evidence: Vec<Evidence>,
) -> Finding {
    let last = share.end_level();
    let cut = rich!("{} of the responses are cut off at the length limit", percent(last));
    let title = match last - start > RISE && start > 0.0 {
        true => rich!("{}, {} at the start, beginning at step {}", cut, percent(start), step(onset)),
        false => rich!("{}, from step {} on", cut, step(onset)),
    };
    let texts = if last >= NEARLY_ALL { &ALL_CUT } else { &TEXTS };
    let finding = context.finding(Code::Truncation, severity, title, Some(onset), texts);
    let wrong = "A response that is cut off mostly scores as wrong, however good it was: ";
    let detail = match severity {
        _ if are_masked(context) => {
            "The loss leaves them out: they do not mislead, but what they took to generate is lost.".into()
        }
        Severity::Note if context.learning.state == LearningState::Improved => {
            "The task is learned nevertheless.".into()
        }
        Severity::Note => "So few truncated responses do not explain a lack of learning.".into(),
        _ if last < MAJORITY => rich!("{}up to {} of the answers lose their score to the limit.", wrong, percent(last)),
        _ => rich!("{}the reward measures the limit.", wrong),
    };
    finding.supported_by(detail, &[Some(share), context.signal(Concept::ResponseLength)], evidence, 0.9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, edited, jump};

    fn cut(level: impl Fn(f64) -> f64) -> Synthetic {
        let run = Synthetic::healthy(300).every("train/completions/mean_length", 1, |_| 120.0);
        run.noisy("train/completions/clipped_ratio", 0.01, level)
    }

    #[test]
    fn responses_that_the_loss_leaves_out_do_not_mislead() {
        let run = || cut(|t| 0.05 + 0.3 * t).every("eval/accuracy", 10, |_| 0.5);
        assert_eq!(run().finding(&CHECK).severity, Severity::Warning);
        let masked = run().config("mask_truncated_completions", 1.0).finding(&CHECK);
        assert_eq!(masked.severity, Severity::Note);
        assert!(masked.detail.to_string().contains("leaves them out"), "{}", masked.detail);
    }

    #[test]
    fn severity_follows_the_share_and_what_is_learned() {
        let stuck = |level: fn(f64) -> f64| cut(level).every("eval/accuracy", 10, |_| 0.48);
        let found = stuck(|t| 0.02 + 0.2 * jump(t, 0.5)).finding(&CHECK);
        assert_eq!(found.severity, Severity::Warning);
        assert!(found.detail.to_string().contains("of the answers lose their score"), "{}", found.detail);
        assert!((147.0..=156.0).contains(&found.onset.unwrap()), "{:?}", found.onset);
        assert_eq!(stuck(|_| 0.95).finding(&CHECK).severity, Severity::Critical);
        let first_action = |share: f64| change(&cut(move |_| share).finding(&CHECK).actions[0]).0;
        assert_eq!(first_action(0.4), "max_completion_length");
        assert!(first_action(0.99).starts_with("Sample a few responses"), "{}", first_action(0.99));
        assert_eq!(cut(|_| 0.2).finding(&CHECK).severity, Severity::Note);
        assert_eq!(cut(|_| 0.9).finding(&CHECK).severity, Severity::Note, "learned all the same");
    }

    #[test]
    fn few_points_are_enough_where_all_of_them_show_it() {
        let of = |points: usize, share: f64| {
            let run = Synthetic::healthy(points).every("train/completions/mean_length", 1, |_| 120.0);
            run.every("train/completions/clipped_ratio", 1, move |_| share).check(&CHECK)
        };
        assert!(matches!(of(10, 0.5), Outcome::Found(found) if found[0].severity == Severity::Warning));
        assert!(matches!(of(9, 0.5), Outcome::Quiet(_)));
        let cut_at = |limit: f64| Synthetic::healthy(10).every("train/completions/mean_length", 1, move |_| limit);
        let short =
            |share: f64| cut_at(120.0).every("train/completions/clipped_ratio", 1, move |_| share).check(&CHECK);
        assert!(matches!(short(1.0), Outcome::Found(found) if found[0].severity > Severity::Note));
        assert!(matches!(short(0.1), Outcome::Quiet(_)));
        let most = |step: f64| if step < 0.5 { 0.6 } else { 1.0 };
        let mixed = cut_at(120.0).every("train/completions/clipped_ratio", 1, most).check(&CHECK);
        assert!(matches!(mixed, Outcome::Found(_)), "{mixed:?}");
        let of_five = |shares: [f64; 5]| {
            let run = Synthetic::healthy(5).every("train/completions/mean_length", 1, |_| 120.0);
            let at = move |t: f64| shares[((5.0 * t) as usize).min(4)];
            run.every("train/completions/clipped_ratio", 1, at).check(&CHECK)
        };
        let collapsed = of_five([0.3, 0.97, 0.99, 1.0, 0.99]);
        let Outcome::Found(found) = &collapsed else { panic!("{collapsed:?}") };
        assert!(found[0].severity > Severity::Note && found[0].title.to_string().contains("30 % at the start"));
        assert!(matches!(of_five([0.3, 0.6, 0.7, 0.9, 0.99]), Outcome::Quiet(_)));
    }

    #[test]
    fn a_short_interruption_is_no_later_beginning() {
        let onset = |shares: fn(u32) -> f64| {
            let run = Synthetic::healthy(45).every("train/completions/mean_length", 1, |_| 120.0);
            let at = move |t: f64| shares((45.0 * t).round() as u32);
            run.every("train/completions/clipped_ratio", 1, at).finding(&CHECK).onset
        };
        assert_eq!(onset(|step| if [31, 33, 35].contains(&step) { 0.0 } else { 0.75 }), Some(1.0));
        let paused = onset(|step| if (10..25).contains(&step) { 0.0 } else { 0.45 });
        assert!(paused > Some(20.0), "{paused:?}");
    }

    #[test]
    fn the_evidence_names_the_rulebooks_share() {
        let finding = cut(|_| 0.4).finding_by(&edited("truncation_note", 0.08), &CHECK);
        let names: Vec<String> = finding.evidence.iter().map(|evidence| evidence.name.to_string()).collect();
        assert!(names.iter().any(|name| name.contains("above 8 %")), "{names:?}");
    }

    #[test]
    fn few_and_early_ones_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(cut(|t| 0.5 * (1.0 - 4.0 * t).max(0.0)).quiet(&CHECK));
        let gone = Synthetic::healthy(300).without("train/completions/clipped_ratio").check(&CHECK);
        assert!(matches!(gone, Outcome::Skipped(_)));
    }
}
