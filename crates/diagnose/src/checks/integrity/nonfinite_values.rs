//! NaN or infinity in a quantity that the optimiser uses.
//!
//! # What it checks
//! Non-finite points of losses, gradient norms, KL, entropy, reward, ratios and values, of policy and critic. Critical
//! when they last to the end of the run; a warning from 5 % of the points and three of them; a note for single ones. A loss or gradient
//! that is never finite, or a loss that ends with NaN, is critical even in a single row. Losses, gradients, KL and values
//! that are known by their words alone give a warning at most; any other metric that was finite and is no longer, a note. A KL,
//! entropy, ratio or value beside a loss and a gradient norm that stay finite is a warning where it was finite and is no longer,
//! else a note: the update does not use it. Where no loss and no gradient norm was ever finite, those known by their words alone
//! are a warning.
//!
//! # Why it matters
//! A NaN in the parameters stays: every later step is lost.
//!
//! # Evidence needed
//! Any of these metrics.
//!
//! # Threshold and where it comes from
//! Two points in a row up to the end; 5 %: single skipped steps are routine in mixed precision.
//!
//! # Known false alarms
//! A reward function that returns None gives NaN for that batch in TRL, which averages over the others; single
//! reward functions are therefore not looked at.
//!
//! # What to do
//! Resume from the last finite checkpoint with half the learning rate and gradients clipped lower; bf16 for fp16.
//!
//! # References
//! Axolotl docs/training_stability.qmd; TRL `cast_lm_head_to_fp32`.

mod quantity;

use quantity::{Quantity, Role, has_no_probabilities, quantities};

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, LOWER_MAX_GRAD_NORM};
use crate::context::Context;
use crate::measure::log_start::late_start;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::NonfiniteValues, run);

/// Fewest points that are more than single skipped steps, however short the run. Ours.
const MIN_NONFINITE_POINTS: usize = 3;
const WATCH: &str = "no NaN in loss and gradient norm";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates overflow."),
        (Hyperparameter::MaxGradNorm, "Gradients are cut at this norm."),
    ],
    actions: &[
        Advice::Change(&LOWER_LEARNING_RATE, WATCH),
        Advice::Change(&LOWER_MAX_GRAD_NORM, WATCH),
        Advice::Do(["Use bf16 instead of fp16, or keep the LM head in fp32", "removes overflow", "memory", WATCH]),
    ],
    alternative: "A metric can be NaN without the training being so, such as a mean over no samples.",
    refute: "The parameters of a checkpoint saved after this step are finite.",
    references: &["Axolotl docs/training_stability.qmd", "TRL cast_lm_head_to_fp32"],
};

/// Where no step was finite: no earlier update can have broken the weights.
const FROM_THE_START: &[Advice] = &[
    Advice::OfLanguage([
        "Look at the first batch: empty responses, masks that leave no token, log probabilities of minus infinity",
        "shows what makes the first loss or gradient NaN",
        "none",
        WATCH,
    ]),
    Advice::OfEnvironment([
        "Look at the first batch: observations, rewards and advantages that are not finite, or a standard deviation of 0",
        "shows what makes the first loss or gradient NaN",
        "none",
        WATCH,
    ]),
    Advice::Do([
        "Load the weights and run one forward and one backward pass in FP32",
        "tells the weights from the precision",
        "memory",
        WATCH,
    ]),
];

fn run(context: &Context<'_>) -> Outcome {
    let quantities = quantities(context);
    let needed = |quantity: &Quantity<'_>| quantity.role > Role::Other;
    if !quantities.iter().any(needed) {
        return Outcome::Skipped(context.need(&[Concept::PolicyLoss, Concept::GradientNorm]));
    }
    let updates = Updates::of(&quantities);
    // Of those that are equally bad the first: it breaks first.
    let order =
        |quantity: &Quantity<'_>| Some((severity(context, quantity, updates)?, quantity.is_bound, quantity.role));
    let worst = quantities
        .iter()
        .filter(|quantity| order(quantity).is_some())
        .rev()
        .max_by(|a, b| order(a).cmp(&order(b)).then(a.share().total_cmp(&b.share())));
    let Some(worst) = worst else {
        let points: usize = quantities.iter().map(|quantity| quantity.finite).sum();
        return Outcome::Quiet(vec![Evidence::new("finite points looked at", points as f64, "")]);
    };
    Outcome::Found(vec![finding(context, &quantities, worst, updates)])
}

/// What the losses and gradient norms of the policy tell of its updates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Updates {
    /// All that are logged are finite in every row.
    AlwaysFinite,
    /// All that are logged are finite at the end.
    Finite,
    /// None of them was ever finite, nor any that is known by its words alone.
    Never,
    /// One is not, or none is logged.
    Unknown,
}

impl Updates {
    fn of(quantities: &[Quantity<'_>]) -> Self {
        let mut of_policy = quantities
            .iter()
            .filter(|quantity| quantity.role == Role::Update && quantity.is_bound && !quantity.of_critic);
        let is_of_policy = |quantity: &&Quantity<'_>| quantity.role == Role::Update && !quantity.of_critic;
        let mut all = quantities.iter().filter(is_of_policy).peekable();
        if all.peek().is_some() && all.all(|quantity| quantity.finite == 0) {
            return Updates::Never;
        }
        let is_logged = of_policy.clone().any(|quantity| quantity.finite > 0);
        if !is_logged || of_policy.clone().any(|quantity| quantity.tail() > 0) {
            return Updates::Unknown;
        }
        let is_always = of_policy.all(|quantity| quantity.nonfinite.is_empty());
        if is_always { Updates::AlwaysFinite } else { Updates::Finite }
    }

    /// True for a quantity that they cannot be made of: it is lost, or was not finite in some rows, and they are finite there.
    fn ignore(self, quantity: &Quantity<'_>, lost: bool) -> bool {
        let are_finite = self == Updates::AlwaysFinite || lost && self == Updates::Finite;
        are_finite && quantity.role == Role::Computed && !quantity.is_reward
    }
}

/// `None` for a quantity that is finite, or whose gaps say nothing about the training.
fn severity(context: &Context<'_>, quantity: &Quantity<'_>, updates: Updates) -> Option<Severity> {
    let book = context.rulebook;
    if quantity.nonfinite.is_empty() {
        return None;
    }
    let lost = quantity.is_lost(book.nonfinite_tail().value);
    if quantity.role == Role::Other {
        // A mean over no samples comes and goes.
        return (lost && quantity.finite >= book.points_needed().value as usize).then_some(Severity::Note);
    }
    if updates.ignore(quantity, lost) {
        return Some(if lost && quantity.finite > 0 { Severity::Warning } else { Severity::Note });
    }
    Some(match (lost, quantity.is_bound) {
        (true, true) => Severity::Critical,
        // What only its words tell may be a placeholder, or a term without a weight.
        (true, false) if quantity.finite > 0 || (updates == Updates::Never && !context.improved()) => Severity::Warning,
        _ if quantity.nonfinite.len() < MIN_NONFINITE_POINTS => Severity::Note,
        _ if quantity.is_bound && quantity.share() >= book.nonfinite_share().value => Severity::Warning,
        _ => Severity::Note,
    })
}

fn finding(context: &Context<'_>, quantities: &[Quantity<'_>], worst: &Quantity<'_>, updates: Updates) -> Finding {
    let book = context.rulebook;
    let severity = severity(context, worst, updates).unwrap_or(Severity::Note);
    let lost = worst.is_lost(book.nonfinite_tail().value);
    let first = worst.nonfinite.first().copied();
    let lasting = worst.nonfinite.len().checked_sub(worst.tail()).and_then(|index| worst.nonfinite.get(index)).copied();
    let onset = if lost { lasting } else { first };
    let title = title(worst, onset, lost);
    let mut finding = context.finding(Code::NonfiniteValues, severity, title, onset, &TEXTS);
    let is_ignored = updates.ignore(worst, lost);
    let is_broken = lost && has_no_probabilities(context, quantities, worst);
    finding.detail = if is_ignored { detail_of_ignored(context) } else { detail(worst, lost, is_broken).into() };
    finding.metrics.push(worst.key.to_owned());
    let others = quantities
        .iter()
        .filter(|quantity| quantity.role > Role::Other && !quantity.nonfinite.is_empty() && quantity.key != worst.key);
    finding.metrics.extend(others.map(|quantity| quantity.key.to_owned()));
    finding.end = if lost { worst.last_logged } else { worst.nonfinite.last().copied() };
    let tail = Evidence::new("non-finite points in a row up to the end", worst.tail() as f64, "points");
    // A single last one counts as lost for what it is, not for the number of points.
    let is_single = lost && worst.tail() == 1;
    // The limits are those of what the update uses.
    let share = Evidence::new("share of non-finite points", worst.share(), "");
    finding.evidence = vec![
        Evidence::new("non-finite points", worst.nonfinite.len() as f64, ""),
        if is_ignored { share } else { share.above(book.nonfinite_share()) },
        if is_single || is_ignored { tail } else { tail.above(book.nonfinite_tail()) },
    ];
    finding.evidence.extend(precursor(context, onset));
    finding.trend = finding.metrics.iter().filter_map(|key| context.signal_of(key)).map(MetricSeries::trend).collect();
    if is_ignored {
        finding.refute = "The same metric, computed again from the same samples, is finite.".into();
    }
    if let Some(back) = context.actions(&[Advice::GoBack], onset).pop().filter(|_| is_broken) {
        finding.actions.insert(0, back);
    }
    if worst.role == Role::Other || is_ignored {
        finding.actions.clear();
        finding.causes.clear();
    }
    if worst.finite == 0 && !finding.actions.is_empty() && late_start(context.run).is_none() {
        finding.causes.clear();
        finding.actions = context.actions(FROM_THE_START, onset);
    }
    finding.confidence = if severity == Severity::Critical && !is_single { 0.97 } else { 0.8 };
    finding
}

fn title(worst: &Quantity<'_>, onset: Option<f64>, lost: bool) -> RichText {
    let at = onset.map_or_else(RichText::default, |at| rich!(" at step {}", step(at)));
    let all = worst.nonfinite.len() + worst.finite;
    match (lost, worst.finite, all) {
        (true, 0, 1) => rich!("{} is NaN or infinite{}, the only one logged", metric(worst.key), at),
        (true, 0, _) => rich!("{} is NaN or infinite in every row", metric(worst.key)),
        (true, _, _) => rich!("{} became NaN or infinite{} and stayed so", metric(worst.key), at),
        (false, _, _) => rich!(
            "{} of {} values of {} are NaN or infinite, the first{}",
            worst.nonfinite.len(),
            all,
            metric(worst.key),
            at
        ),
    }
}

fn detail_of_ignored(context: &Context<'_>) -> RichText {
    let is_logged = |concept| context.signal(concept).is_some_and(|signal| !signal.is_empty());
    let finite = match (is_logged(Concept::PolicyLoss), is_logged(Concept::GradientNorm)) {
        (true, true) => "Loss and gradient norm stay finite",
        (true, false) => "The loss stays finite",
        (false, _) => "The gradient norm stays finite",
    };
    rich!("{}, so the policy is updated all the same: only the computation of this metric fails.", finite)
}

fn detail(worst: &Quantity<'_>, lost: bool, is_broken: bool) -> &'static str {
    match (lost, worst.role) {
        (true, Role::Other) => "This metric is not part of the update; it may be a mean over an empty set of samples.",
        (true, _) if worst.tail() == 1 && is_broken => {
            "The log ends with this step. What is computed from the probabilities of the policy is not finite either: its parameters were most likely broken in this step or before it."
        }
        // Some trainers, such as verl, skip an update whose gradient norm is not finite.
        (true, _) if worst.tail() == 1 => {
            "No gradient can be computed from such values. The log ends with it: whether this update was skipped or broke the parameters is not known."
        }
        (true, _) if worst.of_critic => {
            "NaN parameters stay NaN: the critic predicts no values any more, and advantages computed from them are NaN."
        }
        (true, _) => {
            "No gradient can be computed from such values, and NaN parameters stay NaN: nothing after this step was learned."
        }
        (false, _) if worst.tail() > 0 => "The log ends with it: whether the optimiser recovers is not known.",
        (false, _) => "Single steps were lost; finite values follow, so the optimiser recovered.",
    }
}

/// How large the gradient norm was just before, against its usual size.
fn precursor(context: &Context<'_>, onset: Option<f64>) -> Option<Evidence> {
    let norm = context.signal(Concept::GradientNorm)?;
    let before = norm.steps.partition_point(|step| Some(*step) < onset);
    let near = norm.values.get(before.saturating_sub(5)..before)?;
    let peak = near.iter().copied().reduce(f64::max)?;
    let usual = stats::median(&norm.values)?;
    (usual > 0.0).then(|| {
        Evidence::new(rich!("largest gradient norm in the 5 steps before (median {})", number(usual)), peak, "")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change};

    #[test]
    fn nan_up_to_the_end_is_critical() {
        let run = Synthetic::healthy(100).every("train/loss", 1, |t| if t < 0.6 { 0.1 } else { f64::NAN });
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert_eq!(finding.onset, Some(61.0));
    }

    #[test]
    fn a_single_nan_is_a_note_and_finite_values_are_quiet() {
        let run = Synthetic::healthy(100).every("train/grad_norm", 1, |t| if t == 0.5 { f64::INFINITY } else { 1.0 });
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(Synthetic::healthy(100).quiet(&CHECK));
        let recovered = finding.detail.to_string();
        assert!(recovered.contains("recovered"), "{recovered}");
        let part = Synthetic::healthy(100).every("train/rewards/a/mean", 1, |t| if t < 0.5 { 0.1 } else { f64::NAN });
        assert!(part.quiet(&CHECK));
    }

    #[test]
    fn a_metric_that_was_never_finite_is_critical() {
        let run = Synthetic::healthy(100).every("train/loss", 1, |_| f64::NAN);
        let finding = run.finding(&CHECK);
        assert_eq!(finding.onset, Some(1.0));
        let first = change(&finding.actions[0]).0;
        assert!(first.starts_with("Look at the first batch") && finding.causes.is_empty(), "{first}");
    }

    #[test]
    fn a_kl_beside_finite_updates_is_no_lost_run() {
        let kl = |from: f64| {
            let run = Synthetic::healthy(100).every("train/kl", 1, move |t| if t < from { 0.01 } else { f64::NAN });
            run.every("train/loss", 1, |_| 0.1).every("train/grad_norm", 1, |_| 0.4).finding(&CHECK)
        };
        assert_eq!((kl(0.6).severity, kl(0.0).severity), (Severity::Warning, Severity::Note));
        assert!(kl(0.6).detail.to_string().contains("stay finite"), "{}", kl(0.6).detail);
        let bare = Synthetic::new(100).every("train/kl", 1, |t| if t < 0.6 { 0.01 } else { f64::NAN });
        let alone = bare.every("train/loss", 1, |t| 0.1 + 0.01 * t).finding(&CHECK).detail.to_string();
        assert!(alone.starts_with("The loss stays finite"), "{alone}");
        let reward = Synthetic::healthy(100).every("train/reward", 1, |t| if t < 0.6 { 0.5 } else { f64::NAN });
        assert_eq!(reward.finding(&CHECK).severity, Severity::Critical);
    }

    #[test]
    fn a_kl_that_is_missing_in_some_rows_of_finite_updates_is_a_note() {
        let finding = |norm: fn(f64) -> f64| {
            let run = Synthetic::healthy(100).every("train/kl", 1, |t| if gaps(t) { f64::NAN } else { 0.01 });
            run.every("train/loss", 1, |_| 0.1).every("train/grad_norm", 1, norm).finding(&CHECK)
        };
        let beside = finding(|_| 0.4);
        assert_eq!((beside.severity, beside.actions.len(), beside.causes.len()), (Severity::Note, 0, 0));
        assert!(beside.detail.to_string().contains("stay finite"), "{}", beside.detail);
        let skipped = finding(|t| if gaps(t) { f64::NAN } else { 0.4 });
        assert!(skipped.severity > Severity::Note && skipped.detail.to_string().contains("were lost"), "{skipped:?}");
    }

    /// True in every fifth of 100 rows, the last one not among them.
    fn gaps(t: f64) -> bool {
        (100.0 * t).round() as usize % 5 == 1
    }

    #[test]
    fn one_row_of_nan_is_critical_and_nothing_recovered() {
        let run = Synthetic::new(1).every("train/loss", 1, |_| f64::NAN).every("train/grad_norm", 1, |_| f64::NAN);
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        let detail = finding.detail.to_string();
        assert!(!detail.contains("recovered") && detail.contains("The log ends with it"), "{detail}");
        assert!(finding.title.to_string().contains("only one logged"), "{}", finding.title);
        assert!(finding.evidence.iter().all(|number| number.is_met() != Some(false)), "{:?}", finding.evidence);
    }

    #[test]
    fn the_log_ends_with_one_infinite_gradient() {
        let last = |value: f64| move |t: f64| if t >= 0.99 { value } else { 1.0 };
        let skipped = Synthetic::healthy(100).every("train/grad_norm", 1, last(f64::INFINITY)).finding(&CHECK);
        assert_eq!(skipped.severity, Severity::Note);
        assert!(skipped.detail.to_string().contains("not known"), "{}", skipped.detail);
        let lost = Synthetic::healthy(100).every("train/loss", 1, last(f64::NAN)).finding(&CHECK);
        assert_eq!(lost.severity, Severity::Critical);
        let run = || Synthetic::healthy(100).every("train/grad_norm", 1, last(f64::NAN));
        let one = run().every("train/kl", 1, last(f64::NAN)).finding(&CHECK);
        assert!(one.detail.to_string().contains("not known"), "{}", one.detail);
        let twice = run().every("actor/entropy", 1, last(f64::NAN)).every("train/entropy", 1, last(f64::NAN));
        assert!(twice.finding(&CHECK).detail.to_string().contains("not known"), "one quantity under two keys");
        let policy = run().every("train/kl", 1, last(f64::NAN)).every("train/entropy", 1, last(f64::NAN));
        let broken = policy.finding(&CHECK);
        assert!(broken.detail.to_string().contains("broken in this step or before it"), "{}", broken.detail);
        assert!(change(&broken.actions[0]).0.contains("checkpoint"), "{:?}", broken.actions);
    }

    #[test]
    fn the_critic_and_losses_known_by_their_words_are_looked_at() {
        let lasting = |t: f64| if t < 0.6 { 0.1 } else { f64::INFINITY };
        let critic = Synthetic::healthy(100).every("critic/vf_loss", 1, lasting).finding(&CHECK);
        assert_eq!(critic.severity, Severity::Critical);
        assert!(critic.detail.to_string().contains("critic"), "{}", critic.detail);
        let other = Synthetic::healthy(100).every("train/contrastive_loss_term", 1, lasting);
        assert_eq!(other.finding(&CHECK).severity, Severity::Warning);
        let never = Synthetic::healthy(100).every("train/contrastive_loss_term", 1, |_| f64::NAN);
        assert_eq!(never.finding(&CHECK).severity, Severity::Note);
        let only = Synthetic::new(100).noisy("train/reward", 0.1, |_| 0.4).every("epoch0/loss", 1, |_| f64::NAN);
        assert_eq!(only.finding(&CHECK).severity, Severity::Warning, "no loss was ever finite");
        let length = Synthetic::healthy(100).every("train/length_of_right_answers", 1, lasting);
        assert_eq!(length.finding(&CHECK).severity, Severity::Note);
        let gaps =
            Synthetic::healthy(100).every("train/length_of_right_answers", 1, |t| if t < 0.1 { f64::NAN } else { 1.0 });
        assert!(gaps.quiet(&CHECK));
    }
}
