//! The loss runs away.
//!
//! # What it checks
//! The size of the policy loss and of the value loss, smoothed: ten times what it was before, lasting to the end, and
//! beyond what normalised advantages can give (3 for the policy, 3 times the untrained critic for the value); a policy
//! loss above 1 that was a fiftieth of it before is one grade less severe. Or the
//! figures of the wandb-grpo guide: a loss above 1e6 or a gradient norm above 1e3 that lasts. Critical when the task
//! does not improve (for the value loss: declines), a warning otherwise. The limits of growth are multiplied by the
//! growth of the rewards: by its square for the value loss, which is not checked where the critic explains the returns, and for the
//! policy loss only where the settings say that advantages are not normalised. A loss that is above 1e6 from the first step to the
//! last, and above what the size of the rewards can give, is a warning, and a note where the task improves.
//!
//! # Why it matters
//! From there on updates follow rounding errors; NaN is the usual end.
//!
//! # Evidence needed
//! Policy loss or value loss; the gradient norm where neither is logged.
//!
//! # Threshold and where it comes from
//! The loss of GRPO is no measure of progress: it is near zero at a ratio of one, and mirrors the KL term when it
//! rises. So only orders of magnitude count. Normalised advantages are about one, so a policy loss of 3 per token
//! cannot come from them. 1e6 and 1e3: the wandb-grpo guide.
//!
//! # Known false alarms
//! Returns that grow more than the logged reward does make a loss grow with them, and so do raw advantages where no setting
//! says that they are raw. A loss that is summed over tokens is large from the start, and quiet as long as it stays there
//! and below 1e6. An error of returns is squared: one up to the square of the largest reward or return is a matter of their scale.
//!
//! # What to do
//! Go back to a checkpoint from before; lower the learning rate; normalise advantages and rewards.
//!
//! # References
//! The wandb-grpo guide (diverged); open-r1 issue 239 and trl issue 2976 (why the loss of GRPO starts at zero).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, LOWER_MAX_GRAD_NORM, WARM_UP};
use crate::context::Context;
use crate::measure::growth::size_growth;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::{Hyperparameter, has_raw_advantages};
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::LossDivergence, run);

/// An untrained critic has the largest loss of a healthy run; beyond so many times that it has diverged.
const BEYOND_UNTRAINED: f64 = 3.0;
/// A loss this many times its usual size has left it.
const LEAVES: f64 = 2.0;
/// Growth of the returns that may explain that of a value loss.
const GREW: f64 = 2.0;
/// Share of the points, and fewest of them, that are the end.
const TAIL: usize = 20;
const MIN_TAIL: usize = 5;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Each overshoot makes the next step larger."),
        (Hyperparameter::MaxGradNorm, "Gradients are clipped to this norm."),
        (Hyperparameter::Warmup, "Without a warm-up the first updates are the largest."),
        (Hyperparameter::KlCoefficient, "A KL term that runs away takes the loss with it."),
    ],
    actions: &[
        Advice::GoBack,
        Advice::Change(&LOWER_LEARNING_RATE, "size of the loss as before the onset"),
        Advice::Change(&LOWER_MAX_GRAD_NORM, "size of the loss as before the onset"),
        Advice::Change(&WARM_UP, "size of the loss in the first 50 steps"),
    ],
    alternative: "The scale of the rewards changed, and the loss with it.",
    refute: "The loss over the spread of the returns is as before.",
    references: &["wandb-grpo guide (|loss| > 1e6 or grad norm > 1e3)", "open-r1 issue 239", "trl issue 2976"],
};

/// The same of a loss that is huge from the start, before which there is nothing to go back to.
const FROM_THE_START: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::KlCoefficient, "A KL term of this weight is part of the loss.")],
    actions: &[Advice::Do([
        "Log each term of the loss, and normalise advantages and returns",
        "shows the term whose scale is wrong",
        "none",
        "size of the loss in the first 10 steps",
    ])],
    alternative: "It is summed over all tokens of a large batch, and its gradient is scaled down later.",
    refute: "The loss per token, of normalised advantages, is about 1 or below.",
    references: &["wandb-grpo guide (|loss| > 1e6)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let concepts = [Concept::PolicyLoss, Concept::ValueLoss, Concept::GradientNorm];
    let signals: Vec<&MetricSeries<'_>> = concepts.iter().filter_map(|concept| context.signal(*concept)).collect();
    if signals.is_empty() {
        return Outcome::Skipped(context.need(&concepts));
    }
    let mut quiet = Vec::new();
    for signal in signals {
        let Some(size) = LossSize::new(signal) else { continue };
        if size.diverged(context, signal) {
            return Outcome::Found(vec![found(context, signal, &size)]);
        }
        if size.was_always_huge(context, signal) {
            return Outcome::Found(vec![found_from_the_start(context, signal, &size)]);
        }
        quiet.push(Evidence::new(rich!("size of {} at the end", metric(signal.key())), size.end, ""));
    }
    Outcome::Quiet(quiet)
}

/// The square of the largest reward, return or value that was logged: an error of a return can be as large. `None` where none
/// was.
fn squared_returns(context: &Context<'_>) -> Option<f64> {
    let concepts = [Concept::Reward, Concept::RewardMax, Concept::RewardMin, Concept::ReturnMean, Concept::ValueMean];
    let sizes = concepts.iter().filter_map(|concept| context.signal(*concept));
    let largest = sizes.map(|signal| signal.max().abs().max(signal.min().abs())).reduce(f64::max)?;
    Some(largest * largest)
}

/// True where the returns, or the critic's values of them, are logged and more than doubled.
fn returns_grew(context: &Context<'_>) -> bool {
    let signals = [Concept::ReturnMean, Concept::ValueMean].into_iter().filter_map(|concept| context.signal(concept));
    signals.map(size_growth).any(|times| times > GREW)
}

/// How much of the growth of a loss is that of the rewards: an error of a return is squared, and a loss of normalised advantages
/// does not grow with the returns.
fn growth_by_rewards(context: &Context<'_>, loss: Concept) -> f64 {
    let rewards = context.signal(Concept::Reward).map_or(1.0, size_growth);
    match loss {
        Concept::ValueLoss => rewards * rewards,
        Concept::PolicyLoss if !has_raw_advantages(context.run) => 1.0,
        _ => rewards,
    }
}

/// True when the critic explains the returns at the end: then a value loss that grew has grown with them.
fn explains(context: &Context<'_>) -> bool {
    let explained = context.signal(Concept::ExplainedVariance).and_then(|signal| end_level(&signal.values));
    explained.is_some_and(|share| share >= context.rulebook.explained_variance_useful().value)
}

/// Median of the last points.
fn end_level(values: &[f64]) -> Option<f64> {
    let tail = (values.len() / TAIL).max(MIN_TAIL);
    stats::median(values.get(values.len().checked_sub(tail)?..)?)
}

/// The size of a loss over the run, without its sign.
struct LossSize {
    values: Vec<f64>,
    /// Nine tenths of the values of the first fifth are below.
    start: f64,
    /// Median of the last points.
    end: f64,
}

impl LossSize {
    fn new(signal: &MetricSeries<'_>) -> Option<Self> {
        let values: Vec<f64> = signal.values.iter().map(|value| value.abs()).collect();
        let end = end_level(&values)?;
        let start = stats::quantile(values.get(..signal.fifth(Fifth::First).len())?, 0.9)?;
        Some(Self { values, start, end })
    }

    /// Running medians, and the lowest of them: found only where the ends do not clear the loss already.
    fn levels(&self) -> (Vec<f64>, f64) {
        let levels = stats::running_medians(&self.values, (self.values.len() / 50).clamp(2, 25));
        let lowest = levels.iter().copied().reduce(f64::min).unwrap_or(f64::NAN);
        (levels, lowest)
    }

    fn diverged(&self, context: &Context<'_>, signal: &MetricSeries<'_>) -> bool {
        let book = context.rulebook;
        if signal.binding.concept == Concept::ValueLoss && explains(context) {
            return false;
        }
        // The growth that is left of the loss when that of the rewards is taken off.
        let end = self.end / growth_by_rewards(context, signal.binding.concept);
        let grew = |from: f64| end >= book.loss_growth().value * from;
        let sizes = match signal.binding.concept {
            Concept::ValueLoss => end >= BEYOND_UNTRAINED * self.start && end > 0.0 && grew(self.levels().1),
            Concept::PolicyLoss => {
                let is_large = self.end > book.loss_large().value && end >= book.loss_jump().value * self.start;
                grew(self.start) && (is_large || self.end > book.loss_reason().value)
            }
            _ => false,
        };
        // By the guide's figures, if it was not there from the start.
        let figure = if signal.binding.concept == Concept::GradientNorm {
            book.gradient_diverged()
        } else {
            book.loss_diverged()
        };
        let passes = self.end > figure.value.max(self.start) && grew(self.levels().1);
        (sizes || passes) && context.shows_change(signal)
    }

    /// True for a loss that lies at no time below the guide's figure, and above any error of a return of usual size. Gradient
    /// norms that are high from the start are `gradient_norm_high`.
    fn was_always_huge(&self, context: &Context<'_>, signal: &MetricSeries<'_>) -> bool {
        let line = context.rulebook.loss_diverged().value;
        signal.binding.concept != Concept::GradientNorm
            && self.end > line
            && squared_returns(context).is_some_and(|returns| self.levels().1 > line.max(returns))
            && context.has_enough_points(signal)
    }
}

fn found_from_the_start(context: &Context<'_>, signal: &MetricSeries<'_>, size: &LossSize) -> Finding {
    let severity = if context.improved() { Severity::Note } else { Severity::Warning };
    let onset = signal.step(0);
    let title = rich!("The size of {} is {} from step {} on", metric(signal.key()), number(size.end), step(onset));
    let (_, lowest) = size.levels();
    let mut evidence = vec![
        Evidence::new("size of the loss at the end", size.end, "").above(context.rulebook.loss_diverged()),
        Evidence::new("lowest lasting size of the loss", lowest, "").above(context.rulebook.loss_diverged()),
    ];
    let returns = squared_returns(context);
    evidence.extend(returns.map(|returns| Evidence::new("square of the largest reward or return", returns, "")));
    let finding = context.finding(Code::LossDivergence, severity, title, Some(onset), &FROM_THE_START);
    let detail = "No advantage and no reward of the logged size gives such a loss: advantages or returns are not normalised, a \
                  term of the loss has a wrong scale, or the model was broken before the first step.";
    finding.supported_by(detail, &[Some(signal), context.signal(Concept::GradientNorm)], evidence, 0.7)
}

fn found(context: &Context<'_>, signal: &MetricSeries<'_>, size: &LossSize) -> Finding {
    let book = context.rulebook;
    let value = signal.binding.concept == Concept::ValueLoss;
    let harmless = context.improved() || value && context.learning.state != LearningState::Declined;
    // What normalised advantages can still give is no divergence yet.
    let within_reason = signal.binding.concept == Concept::PolicyLoss && size.end <= book.loss_reason().value;
    let severity = match (harmless, within_reason) {
        (true, true) => Severity::Note,
        (true, false) | (false, true) => Severity::Warning,
        (false, false) => Severity::Critical,
    };
    let (levels, lowest) = size.levels();
    let before = if value { lowest } else { size.start };
    let usual = LEAVES * before;
    // It may have been as large before it settled: the last time that it left its usual size.
    let within = levels.iter().rposition(|level| *level <= usual);
    let onset = signal.step(within.map_or(0, |index| (index + 1).min(signal.len() - 1)));
    let title = rich!(
        "{} ran away from {} to {}, beginning at step {}",
        metric(signal.key()),
        number(before),
        number(size.end),
        step(onset)
    );
    let times = size.end / before.max(f64::MIN_POSITIVE);
    let returns = squared_returns(context);
    let may_be_returns = value && returns.is_none_or(|returns| returns >= size.end);
    let evidence = vec![
        Evidence::new("size of the loss in the first fifth (90th percentile)", size.start, ""),
        Evidence::new("lowest lasting size of the loss", lowest, ""),
        Evidence::new("size of the loss at the end", size.end, "").above(book.loss_diverged()),
        Evidence::new("growth of the loss", times, "times").above(book.loss_growth()),
    ];
    let finding = context.finding(Code::LossDivergence, severity, title, Some(onset), &TEXTS);
    let detail = if may_be_returns {
        match returns {
            None => {
                "A value loss is in squared units of the returns: their size is not logged, and it may have \
                 grown with them."
            }
            Some(_) if returns_grew(context) => {
                "A value loss is in squared units of the returns, which are as large and grew: it may have \
                 grown with them."
            }
            Some(_) => {
                "A value loss is in squared units of the returns, which are as large, but the logged ones did \
                 not grow like it."
            }
        }
    } else if within_reason {
        "Normalised advantages can give such a loss, but it was far smaller before: the ratios, or the scale of the \
         rewards, have changed."
    } else {
        "No advantage and no reward of usual scale gives such a loss; updates follow rounding errors from there on."
    };
    let confidence = if may_be_returns { 0.6 } else { 0.8 };
    finding.supported_by(detail, &[Some(signal), context.signal(Concept::GradientNorm)], evidence, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};
    use rundown_run::ConfigValue;

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn a_norm_that_is_no_larger_than_at_the_start_has_not_run_away() {
        let run = |start: f64| {
            Synthetic::healthy(60).noisy("train/grad_norm", 0.1, move |t| {
                if t < 0.2 {
                    start
                } else if t < 0.8 {
                    1.0
                } else {
                    3e3
                }
            })
        };
        assert!(run(1e4).quiet(&CHECK));
        assert!(matches!(run(1.0).check(&CHECK), Outcome::Found(_)));
    }

    #[test]
    fn a_policy_loss_that_runs_away_is_critical() {
        let run = flat(300).noisy("train/loss", 0.05, |t| 0.05 * libm::exp(16.0 * (t - 0.5).max(0.0)));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!((141.0..=190.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn a_value_loss_that_runs_away_is_found() {
        let run = flat(300).noisy("value_loss", 0.02, |t| 0.3 - 0.2 * saturating(t) + 400.0 * (t - 0.6).max(0.0));
        let finding = run.finding(&CHECK);
        assert!((170.0..=190.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let title = finding.title.to_string();
        assert!(!title.contains(" from 0.2") && !title.contains(" from 0.3"), "from its lowest level: {title}");
        assert!(finding.detail.to_string().starts_with("No advantage"), "{}", finding.detail);
        let unknown = flat(300).without("train/reward");
        let unknown = unknown.noisy("value_loss", 0.02, |t| 0.3 - 0.2 * saturating(t) + 400.0 * (t - 0.6).max(0.0));
        let finding = unknown.finding(&CHECK);
        assert!(finding.detail.to_string().contains("may have grown with them"), "{}", finding.detail);
    }

    #[test]
    fn a_loss_that_grows_with_the_returns_has_not_run_away() {
        let run = |key: &str, reward: f64, loss: f64| {
            Synthetic::healthy(300)
                .without("eval/accuracy")
                .noisy("train/reward", 1.0, move |t| 20.0 + reward * t)
                .noisy(key, 0.1, move |t| 4.0 + loss * t * t)
        };
        assert!(matches!(run("value_loss", 0.0, 80.0).check(&CHECK), Outcome::Found(_)));
        assert!(run("value_loss", 480.0, 80.0).quiet(&CHECK));
        let explained = run("value_loss", 0.0, 80.0).noisy("train/explained_variance", 0.02, |_| 0.9);
        assert!(explained.quiet(&CHECK), "the critic has learned them");
        let detail = |of: Synthetic| of.finding(&CHECK).detail.to_string();
        let alike = detail(run("value_loss", 0.0, 80.0));
        assert!(alike.contains("as large, but"), "{alike}");
        let grew = detail(run("value_loss", 0.0, 80.0).noisy("critic/returns/mean", 1.0, |t| 10.0 + 90.0 * t));
        assert!(grew.contains("as large and grew"), "{grew}");
        assert!(matches!(run("train/loss", 0.0, 80.0).check(&CHECK), Outcome::Found(_)));
        let of_policy = |is_normalised: bool| {
            let mut run = run("train/loss", 480.0, 80.0);
            run.run.config.insert("norm_adv", ConfigValue::Bool(is_normalised));
            run
        };
        assert!(of_policy(false).quiet(&CHECK));
        assert!(matches!(of_policy(true).check(&CHECK), Outcome::Found(_)), "its size does not depend on the returns");
        assert!(matches!(run("train/loss", 480.0, 80.0).check(&CHECK), Outcome::Found(_)), "nothing is known");
    }

    #[test]
    fn a_loss_that_is_huge_from_the_first_step_is_found_unless_the_returns_are_as_large() {
        let huge = || flat(300).noisy("train/loss", 5e6, |_| 5e7);
        let finding = huge().finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Warning, Some(1.0)));
        let learned = Synthetic::healthy(300).noisy("train/loss", 5e6, |_| 5e7).finding(&CHECK);
        assert_eq!(learned.severity, Severity::Note);
        assert!(huge().noisy("train/reward", 300.0, |_| -9000.0).quiet(&CHECK), "squared errors of such returns");
        assert!(flat(300).noisy("train/loss", 2e4, |_| 2e5).quiet(&CHECK));
    }

    #[test]
    fn the_loss_of_grpo_says_nothing() {
        assert!(flat(300).noisy("train/loss", 0.0001, |t| 0.03 * saturating(t)).quiet(&CHECK), "it mirrors the KL");
        assert!(flat(300).noisy("train/loss", 20.0, |_| 100.0).quiet(&CHECK), "a sum over tokens");
        assert!(flat(300).noisy("value_loss", 0.02, |t| 14.0 * libm::exp(-50.0 * t) + 0.1).quiet(&CHECK));
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        let bare = flat(300).without("train/grad_norm");
        assert!(matches!(bare.check(&CHECK), Outcome::Skipped(_)));
    }
}
