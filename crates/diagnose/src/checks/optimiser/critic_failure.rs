//! The critic predicts worse than a constant.
//!
//! # What it checks
//! The explained variance of the critic, after the first tenth of the run: below 0 and lasting to the end, or for most
//! of the run. Beside it, the share of clipped value predictions above 30 %, and a value loss that rises to three times
//! its best and beyond its start. A warning when the task gains nothing from then on; a note otherwise, and where it was over before
//! the last third of the run without harm.
//!
//! # Why it matters
//! Advantages are returns less what the critic expected. A critic that is worse than the mean return adds noise to
//! every advantage, so that PPO learns slower than without one.
//!
//! # Evidence needed
//! Explained variance, value clip fraction or value loss, of PPO with a critic.
//!
//! # Threshold and where it comes from
//! Explained variance = 1 - Var(return - value) / Var(return): 0 is a constant. Healthy critics reach 0.5 to 0.8; a
//! public PPO run started at -0.65 and was at 0.6 within the first twentieth, so a bad start is left out.
//!
//! # Known false alarms
//! Returns that are all alike (a solved task) have no variance to explain. A value loss grows with the square of the
//! rewards, which is allowed for where they exceed 1, and with what is learned where a replay buffer is (SAC, TD3, DQN):
//! there it is not looked at.
//!
//! # What to do
//! Train the critic alone for 10 to 50 steps, raise its learning rate, or use GRPO, which needs none.
//!
//! # References
//! verl critic (vf_explained_var); Schulman, notes on explained variance.

use crate::advice::{Advice, CRITIC_WARM_UP, FindingTexts, LARGER_BATCH, NewValue, RAISE_CRITIC_LEARNING_RATE};
use crate::context::Context;
use crate::measure::growth::size_growth;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::{Hyperparameter, learns_from_replay};
use crate::topics::threshold_rule::{Stretch, stretch};
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich_text::{number, percent, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::CriticFailure, run);

/// Share of the points in which a new critic may be wrong.
const NEW: f64 = 0.1;
/// Share of the points that is most of the run.
const MAJORITY: f64 = 0.5;
/// A value loss this many times its best has left it.
const LEAVES: f64 = 2.0;

const LAMBDA: Advice = Advice::Set {
    keys: &["algorithm.lam", "lam", "gae_lambda"],
    words: "GAE lambda",
    to: NewValue::Number(1.0),
    texts: ["returns no longer rest on the critic", "more variance", "explained variance above 0.3"],
};

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "The policy may move faster than the critic can follow."),
        (Hyperparameter::Batch, "Small batches have noisy returns."),
    ],
    actions: &[
        Advice::Change(&CRITIC_WARM_UP, "explained variance above 0.3"),
        Advice::Change(&RAISE_CRITIC_LEARNING_RATE, "explained variance above 0.3"),
        LAMBDA,
        Advice::Change(&LARGER_BATCH, "explained variance above 0.3"),
    ],
    alternative: "The returns have almost no variance, so that nothing can be explained.",
    refute: "The returns of a batch hardly differ any more.",
    references: &["verl, critic/vf_explained_var"],
};

/// The same of a critic whose loss grows: larger steps would make it grow faster.
const GROWS: FindingTexts = FindingTexts {
    actions: &[
        Advice::Do([
            "Normalise the returns, or clip the rewards and the value loss",
            "errors of the critic have one scale over the run",
            "large rewards count for less",
            "value loss flat within 50 steps",
        ]),
        Advice::Change(&CRITIC_WARM_UP, "value loss flat within 50 steps"),
        LAMBDA,
        Advice::Change(&LARGER_BATCH, "value loss flat within 50 steps"),
    ],
    alternative: "The returns have grown, and the error of the critic with them.",
    refute: "The value loss over the variance of the returns is as before.",
    ..TEXTS
};

/// What was found: where, and as a sentence says it.
struct Failure {
    from: f64,
    /// Its last step, where it ended before the run did.
    end: Option<f64>,
    /// It was over long before the end of the run, and no decline came of it.
    is_harmless: bool,
    title: RichText,
}

impl Failure {
    fn new(context: &Context<'_>, signal: &MetricSeries<'_>, found: Stretch, title: RichText) -> Self {
        Self { from: found.from, end: found.end(), is_harmless: found.is_over_without_harm(context, signal), title }
    }
}

fn run(context: &Context<'_>) -> Outcome {
    let signals = [Concept::ExplainedVariance, Concept::ValueClipFraction, Concept::ValueLoss];
    let [explained, clipped, loss] = signals.map(|concept| context.signal(concept));
    if explained.is_none() && clipped.is_none() && loss.is_none() {
        return Outcome::Skipped(context.need(&[Concept::ExplainedVariance]));
    }
    let mut evidence = Vec::new();
    let failures = [
        explained.and_then(|signal| unexplained(context, signal, &mut evidence)),
        clipped.and_then(|signal| clips(context, signal, &mut evidence)),
        loss.filter(|_| !explains(context, explained) && !learns_from_replay(context.run))
            .and_then(|signal| worsens(context, signal, &mut evidence)),
    ];
    // The first says it best.
    let mut failures = failures.into_iter().zip([&TEXTS, &TEXTS, &GROWS]);
    let Some((failure, texts)) = failures.find_map(|(failure, texts)| Some((failure?, texts))) else {
        return Outcome::Quiet(evidence);
    };
    let harmful = !failure.is_harmless && context.stalls_since(failure.from);
    let severity = if harmful { Severity::Warning } else { Severity::Note };
    let mut finding = context.finding(Code::CriticFailure, severity, failure.title, Some(failure.from), texts);
    finding.end = failure.end;
    let detail = "Its predictions add noise to every advantage instead of taking some away.";
    Outcome::Found(vec![finding.supported_by(detail, &[explained, clipped, loss], evidence, 0.75)])
}

/// True when the critic explains the returns at the end: then a loss that grew has grown with them.
fn explains(context: &Context<'_>, explained: Option<&MetricSeries<'_>>) -> bool {
    explained.is_some_and(|signal| signal.level(Fifth::Last) >= context.rulebook.explained_variance_useful().value)
}

fn unexplained(context: &Context<'_>, signal: &MetricSeries<'_>, evidence: &mut Vec<Evidence>) -> Option<Failure> {
    let line = context.rulebook.explained_variance();
    let found = lasting(context, signal, Direction::Down, line.value);
    evidence.push(Evidence::new("explained variance", level(signal, found), "").below(line));
    let found = found?;
    let (period, value) = (found.period(), number(found.level));
    let title = rich!("The critic is worse than a constant {}: explained variance {}", period, value);
    Some(Failure::new(context, signal, found, title))
}

fn clips(context: &Context<'_>, signal: &MetricSeries<'_>, evidence: &mut Vec<Evidence>) -> Option<Failure> {
    let line = context.rulebook.value_clip();
    let found = lasting(context, signal, Direction::Up, line.value);
    evidence.push(Evidence::new("clipped value predictions", level(signal, found), "").above(line));
    let found = found?;
    let title = rich!("{} of the critic's predictions are clipped {}", percent(found.level), found.period());
    Some(Failure::new(context, signal, found, title))
}

/// The value loss at the end against its best, and against the critic as it began.
fn worsens(context: &Context<'_>, signal: &MetricSeries<'_>, evidence: &mut Vec<Evidence>) -> Option<Failure> {
    let line = context.rulebook.value_loss_growth();
    let levels = stats::running_medians(&signal.values, (signal.len() / 50).clamp(2, 25));
    let lowest = levels.iter().copied().reduce(f64::min).filter(|lowest| *lowest > 0.0)?;
    let start = levels.first().copied()?;
    let end = signal.end_level();
    evidence.push(Evidence::new("value loss at the end", end / lowest, "times its lowest level").above(line));
    let found = lasting(context, signal, Direction::Up, line.value * lowest)
        .filter(|found| found.holds && end > start && end >= line.value * lowest * growth_of_squares(context))?;
    // The last time that it left its best, for it began high.
    let within = levels.iter().rposition(|level| *level <= LEAVES * lowest);
    let from = within.map_or(found.from, |index| signal.step((index + 1).min(signal.len() - 1)));
    let title =
        rich!("The value loss rose from {} to {}, beginning at step {}", number(lowest), number(end), step(from));
    Some(Failure { from, end: None, is_harmless: false, title })
}

/// How many times the square of the rewards has grown, 1 where it has not: the error of a critic that is as good as before
/// grows as much.
fn growth_of_squares(context: &Context<'_>) -> f64 {
    let times = context.signal(Concept::Reward).map_or(1.0, size_growth);
    times * times
}

/// Median while beyond the line, or of the run.
fn level(signal: &MetricSeries<'_>, found: Option<Stretch>) -> f64 {
    found.map_or_else(|| stats::median(&signal.values).unwrap_or(f64::NAN), |found| found.level)
}

/// A stretch after the start that holds to the end, or is most of the run.
fn lasting(context: &Context<'_>, signal: &MetricSeries<'_>, wrong: Direction, line: f64) -> Option<Stretch> {
    let new = (NEW * signal.len() as f64) as usize;
    stretch(signal, new, wrong, line)
        .filter(|found| (found.holds || found.share >= MAJORITY) && context.has_enough_points(signal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Finding;
    use crate::checks::testing::{Synthetic, change, jump, saturating};

    const KEY: &str = "critic/explained_variance";

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn a_critic_with_a_replay_buffer_may_have_a_growing_loss() {
        let run = || {
            let of = Synthetic::healthy(300).without("eval/accuracy").noisy("train/reward", 0.1, |_| 20.0);
            of.noisy("train/value_loss", 0.1, |t| 10.0 * libm::exp(4.0 * t))
        };
        assert!(matches!(run().check(&CHECK), Outcome::Found(_)));
        assert!(run().every("train/ent_coef", 1, |t| 0.1 - 0.05 * t).quiet(&CHECK));
        assert!(run().config("buffer_size", 1e6).quiet(&CHECK));
    }

    #[test]
    fn a_loss_that_grows_with_the_square_of_the_returns_is_no_failure() {
        let run = |reward: f64| {
            Synthetic::healthy(300)
                .without("eval/accuracy")
                .noisy("train/reward", 0.1, move |t| 20.0 + if t > 0.3 { reward } else { 0.0 })
                .noisy("train/value_loss", 0.1, |t| 10.0 * libm::exp(4.0 * t))
        };
        assert!(run(200.0).quiet(&CHECK));
        assert!(matches!(run(0.0).check(&CHECK), Outcome::Found(_)));
    }

    #[test]
    fn a_critic_that_fails_is_found() {
        let finding = flat(300).noisy(KEY, 0.1, |t| 0.6 - 1.1 * jump(t, 0.5)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((148.0..=154.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let learning = Synthetic::healthy(300).noisy(KEY, 0.1, |_| -0.4);
        assert_eq!(learning.finding(&CHECK).severity, Severity::Note);
        let clipped = flat(300).noisy("value_clip_fraction", 0.02, |_| 0.5).finding(&CHECK);
        assert!(clipped.title.to_string().starts_with("50 %"));
        let worse = flat(300).noisy("value_loss", 0.01, |t| 0.17 - 0.12 * saturating(4.0 * t) + 0.3 * jump(t, 0.6));
        let finding = worse.finding(&CHECK);
        assert!((178.0..=184.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let is_faster =
            |finding: &Finding| finding.actions.iter().any(|action| change(action).0.contains("learning rate"));
        assert!(is_faster(&clipped) && !is_faster(&finding), "{:?}", finding.actions);
    }

    #[test]
    fn a_critic_that_recovered_is_a_note_with_its_end() {
        let finding = flat(500).noisy(KEY, 0.05, |t| -0.2 + 0.8 * jump(t, 0.6)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((295.0..=305.0).contains(&finding.end.unwrap()), "{:?}", finding.end);
        assert!(finding.title.to_string().contains(" to 300: "), "{}", finding.title);
    }

    #[test]
    fn a_bad_start_is_quiet() {
        assert!(flat(300).noisy(KEY, 0.05, |t| -0.6 + 1.3 * saturating(4.0 * t)).quiet(&CHECK));
        assert!(flat(300).noisy("value_loss", 0.02, |t| 14.0 * libm::exp(-50.0 * t) + 0.1).quiet(&CHECK));
        assert!(matches!(flat(300).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_loss_that_grows_with_the_returns_is_no_failure() {
        let run = |explained: f64| {
            Synthetic::healthy(300).noisy("train/value_loss", 0.5, |t| 8.0 + 60.0 * t).noisy(
                "train/explained_variance",
                0.02,
                move |_| explained,
            )
        };
        assert!(run(0.85).quiet(&CHECK));
        assert!(matches!(run(0.1).check(&CHECK), Outcome::Found(_)));
    }
}
