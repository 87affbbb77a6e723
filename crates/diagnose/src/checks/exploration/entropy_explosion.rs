//! Entropy grows and the policy falls apart.
//!
//! # What it checks
//! The entropy of the last fifth is half as much again as at the start (of the first fifth, and above the first points), beyond its
//! noise, and the primary metric has not gained since the growth began. Critical when the measure declined and the entropy tripled, or the
//! responses grow with it; and when it tripled to 8 nats per token or more and the measure did not improve: no text is left then. What
//! was gained before the growth does not excuse a loss since.
//!
//! # Why it matters
//! A policy that learns gets surer. One that gets less sure, without a gain, puts probability on tokens that nobody
//! rewarded: first rambling, then noise.
//!
//! # Evidence needed
//! Entropy per token, and a primary metric.
//!
//! # Threshold and where it comes from
//! 1.5 times: a public run on code went from 0.116 to 0.31 nats/token while its reward stood still. Relative, for the
//! level differs from model to model.
//!
//! # Known false alarms
//! Entropy that rises while the task is learned (a base model that learns to think longer) is healthy and quiet. An
//! entropy bonus, or a higher sampling temperature, raises it on purpose.
//!
//! # What to do
//! Take the entropy bonus away, if there is one; lower the learning rate; keep text of tools and retrieval out of the loss.
//!
//! # References
//! arXiv 2512.04220 (likelihood displacement in search agents); Search-R1 docs/experiment_log.md (masking).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, NO_ENTROPY_BONUS, RAISE_KL_COEFFICIENT};
use crate::context::Context;
use crate::measure::growth::Growth;
use crate::measure::increase_onset::increase_onset;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::topics::parts_in_use;
use crate::{Action, Check, Code, Evidence, LearningState, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Framework, Unit};

pub const CHECK: Check = Check::of_metric(Code::EntropyExplosion, Concept::Entropy, run);

/// Nats per token of a policy that writes noise: text has 1 to 3, a uniform choice of 150,000 tokens 11.9. More than that is a
/// sum over a response.
const NOISE: std::ops::Range<f64> = 8.0..12.5;

/// Points whose mean is the start, where the first fifth has grown already.
const START: usize = 5;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::EntropyCoefficient, "A bonus that pays for randomness."),
        (Hyperparameter::LearningRate, "Large updates damage what the policy knew."),
        (Hyperparameter::Temperature, "A temperature above 1 trains the policy on its unlikely tokens."),
        (Hyperparameter::KlCoefficient, "At this coefficient the KL term may be too weak to keep the text fluent."),
    ],
    actions: &[],
    alternative: "The policy explores on purpose: a bonus, a new stage of the data, or longer thinking.",
    refute: "Samples from after the onset read as well as those from before.",
    references: &[
        "arXiv 2512.04220 (likelihood displacement)",
        "Search-R1 docs/experiment_log.md (masking retrieved text)",
    ],
};

const NO_BONUS: Advice = Advice::Change(&NO_ENTROPY_BONUS, "entropy back at its start");
const SLOWER: Advice = Advice::Change(&LOWER_LEARNING_RATE, FLAT);
const MASK: Advice = Advice::Do([
    "Keep text that the policy did not write (tools, retrieval) out of the loss",
    "no gradient on tokens that were not sampled",
    "none",
    FLAT,
]);
const HOLD: Advice = Advice::Change(&RAISE_KL_COEFFICIENT, FLAT);
const FLAT: &str = "entropy flat within 50 steps";

/// What to try: a bonus that the run has is the first suspect. Where no setting shows one, it is named only for trainers
/// that have had one by default (older versions of verl, loops after CleanRL), and after what is known to be there.
fn actions(context: &Context<'_>, onset: f64) -> Vec<Action> {
    let has_bonus = context.setting(Hyperparameter::EntropyCoefficient).is_some();
    let may_have_one = matches!(context.bindings.framework, Framework::Verl | Framework::Rllm | Framework::Unknown);
    let advice = [
        (has_bonus, NO_BONUS),
        (true, SLOWER),
        (parts_in_use::has_tools(context), MASK),
        (true, HOLD),
        (!has_bonus && may_have_one, NO_BONUS),
        (true, Advice::GoBack),
    ];
    let fitting = advice.iter().filter(|(fits, _)| *fits);
    fitting.flat_map(|(_, advice)| context.actions(std::slice::from_ref(advice), Some(onset))).collect()
}

fn run(context: &Context<'_>, entropy: &MetricSeries<'_>) -> Outcome {
    let Some(growth) = Growth::of(entropy) else { return Outcome::Quiet(Vec::new()) };
    let (book, unit) = (context.rulebook, context.policy_unit());
    let begins = entropy.start_level(START);
    let start = growth.first.min(begins);
    let times = if start > 0.0 { growth.last / start } else { 1.0 };
    let mut evidence = vec![
        Evidence::new("entropy at the start", start, unit.as_str()),
        Evidence::new("median entropy of the last fifth", growth.last, unit.as_str()),
        Evidence::new("growth of the entropy", times, "times").above(book.entropy_growth()),
        Evidence::new("primary metric at the start", context.learning.first, ""),
        Evidence::new("primary metric at the end", context.learning.last, ""),
    ];
    let (line, low, sure) = (book.entropy_growth().value, book.entropy_low().value, book.learning_z().value);
    let grew = |first: f64, last: f64| last >= line * first.min(start) && last > low;
    // What has exploded is not over before half of the growth is gone again.
    let exploded = (grew(growth.first, growth.last) && growth.z >= sure)
        || (growth.last >= f64::midpoint(line, 1.0) * start
            && Growth::of_prefixes(entropy, book.points_needed().value as usize, grew).any(|before| before.z >= sure));
    // What fell first and came back a part of the way is less than the run began with.
    let exploded = exploded && growth.last > begins;
    if !exploded || growth.last - start < 2.0 * entropy.quantum() || !context.shows_change(entropy) {
        return Outcome::Quiet(evidence);
    }
    let onset = entropy.step(increase_onset(&entropy.values));
    // Loops of one's own may log sums.
    let is_per_token = unit != Unit::Nats && context.bindings.framework != Framework::Unknown;
    let is_noise = is_per_token && times >= book.entropy_growth_critical().value && NOISE.contains(&growth.last);
    let Some(severity) = severity(context, times, onset, is_noise) else {
        return Outcome::QuietBecause(context.reason_by_learning(), evidence);
    };
    // Where it still grows, the median of the last fifth lies far below its end.
    let end = stats::median(entropy.shown_points(Fifth::Last)).map_or(growth.last, |end| end.max(growth.last));
    let name = "entropy at the end: median of the last fifth or twentieth, whichever is larger";
    evidence.push(Evidence::new(name, end, unit.as_str()));
    let title = rich!(
        "Entropy grew from {} to {} {}, beginning at step {}",
        number(start),
        number(end),
        unit.words(),
        step(onset)
    );
    let mut finding = context.finding(Code::EntropyExplosion, severity, title, Some(onset), &TEXTS);
    finding.actions = actions(context, onset);
    // What was learned before the growth is not denied.
    let task = match context.learning.state {
        LearningState::Improved if context.likely_lost_since(onset) => {
            "performance on the task, which improved before, gets worse"
        }
        LearningState::Improved => "performance on the task has not improved since",
        _ => "performance on the task does not improve",
    };
    let parts = if unit == Unit::Nats { "actions" } else { "words" };
    let detail = rich!("The policy gets less sure of its {}, and {}.", parts, task);
    Outcome::Found(vec![finding.supported_by(detail, &[Some(entropy), context.measure()], evidence, 0.75)])
}

fn severity(context: &Context<'_>, times: f64, onset: f64, is_noise: bool) -> Option<Severity> {
    let severity = by_learning(context, times, onset)?;
    Some(if is_noise && !context.improved() { Severity::Critical } else { severity })
}

fn by_learning(context: &Context<'_>, times: f64, onset: f64) -> Option<Severity> {
    let huge = times >= context.rulebook.entropy_growth_critical().value;
    match context.learning.state {
        LearningState::Declined if huge || lengthens(context) => Some(Severity::Critical),
        LearningState::Declined => Some(Severity::Warning),
        LearningState::Flat if context.learning.room => Some(Severity::Warning),
        LearningState::Improved if huge && !context.gained_since(onset) => Some(Severity::Warning),
        // What was gained before the growth does not make up for what is lost since.
        LearningState::Improved | LearningState::Unknown if context.likely_lost_since(onset) => Some(Severity::Warning),
        LearningState::Unknown if huge => Some(Severity::Warning),
        LearningState::Unknown => Some(Severity::Note),
        LearningState::Flat | LearningState::Improved => None,
    }
}

fn lengthens(context: &Context<'_>) -> bool {
    let growth = context.signal(Concept::ResponseLength).and_then(Growth::of);
    growth.is_some_and(|growth| {
        growth.times() >= context.rulebook.length_growth().value && growth.z >= context.rulebook.learning_z().value
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, jump, saturating};

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn what_is_negative_is_no_entropy_over_tokens() {
        let outcome = flat(300).noisy("train/entropy", 0.1, |t| -7.0 - 20.0 * t).check(&CHECK);
        assert!(
            matches!(&outcome, Outcome::Skipped(need) if need.hint.to_string().contains("negative")),
            "{outcome:?}"
        );
    }

    #[test]
    fn growth_without_gain_is_found_where_it_begins() {
        let finding = flat(300).noisy("train/entropy", 0.02, |t| 0.4 + 1.2 * (t - 0.5).max(0.0)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((142.0..=160.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn entropy_that_fell_and_came_back_a_part_of_the_way_has_not_grown() {
        let fell = |first: f64| {
            flat(300).noisy("train/entropy", 0.005, move |t| if t < 0.013 { first } else { 0.08 + 0.06 * jump(t, 0.6) })
        };
        assert!(fell(0.75).quiet(&CHECK));
        assert_eq!(fell(0.08).finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn a_policy_that_falls_apart_is_critical() {
        let run = Synthetic::healthy(300)
            .noisy("train/reward", 0.15, |t| 1.4 - jump(t, 0.4))
            .every("eval/accuracy", 10, |t| 0.6 - 0.5 * jump(t, 0.4))
            .noisy("train/entropy", 0.05, |t| 0.4 + 2.0 * jump(t, 0.4));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!((118.0..=124.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn an_entropy_of_noise_is_critical_whatever_the_reward_did() {
        let severity = |end: f64| {
            let run = flat(300).noisy("train/entropy", 0.05, move |t| 2.0 + (end - 2.0) * jump(t, 0.4));
            run.finding(&CHECK).severity
        };
        assert_eq!([11.0, 6.5, 80.0].map(severity), [Severity::Critical, Severity::Warning, Severity::Warning]);
    }

    #[test]
    fn a_bonus_or_tools_that_the_run_does_not_have_are_not_advised() {
        let grown = || flat(300).noisy("train/entropy", 0.02, |t| 0.4 + 1.2 * (t - 0.5).max(0.0));
        let advised = |run: Synthetic| -> Vec<String> {
            run.finding(&CHECK).actions.iter().map(|action| change(action).0).collect()
        };
        let plain = advised(grown());
        assert!(plain.iter().all(|action| !action.contains("entropy") && !action.contains("tools")), "{plain:?}");
        assert_eq!(advised(grown().config("entropy_coeff", 0.01))[0], "entropy_coeff");
        let tools = advised(grown().every("tools/call_frequency", 1, |_| 0.7));
        assert!(tools.iter().any(|action| action.contains("tools")), "{tools:?}");
    }

    #[test]
    fn learning_small_changes_and_falls_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(Synthetic::healthy(300).noisy("train/entropy", 0.02, |t| 0.3 + 0.3 * saturating(t)).quiet(&CHECK));
        assert!(flat(300).noisy("train/entropy", 0.02, |t| 0.4 + 0.1 * t).quiet(&CHECK));
        assert!(flat(300).noisy("train/entropy", 0.02, |t| 0.6 - 0.4 * t).quiet(&CHECK));
        assert!(matches!(flat(300).without("train/entropy").check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_loss_since_the_growth_is_not_excused_by_the_gain_before_it() {
        let run = Synthetic::healthy(400)
            .every("eval/accuracy", 10, |t| if t < 0.5 { 0.3 + 0.6 * t } else { 0.6 - 0.3 * (t - 0.5) })
            .noisy("train/entropy", 0.02, |t| 0.5 + 1.2 * (t - 0.5).max(0.0));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.detail.to_string().contains("improved before, gets worse"), "{}", finding.detail);
        assert!(finding.title.to_string().contains(" to 1.0"), "the end of the growth: {}", finding.title);
        assert!(finding.evidence.iter().any(|number| (1.0..1.1).contains(&number.value)), "{:?}", finding.evidence);
    }

    #[test]
    fn a_policy_of_a_game_has_actions_and_no_tokens() {
        let run = || {
            let mut run = Synthetic::new(300)
                .noisy("rollout/ep_rew_mean", 5.0, |_| 20.0)
                .noisy("train/value_loss", 0.5, |_| 8.0)
                .noisy("train/entropy", 0.02, |t| 0.4 + 1.2 * (t - 0.5).max(0.0));
            run.run.config = rundown_run::Config::default();
            run
        };
        let finding = run().finding(&CHECK);
        assert!(finding.title.to_string().contains(" nats, beginning"), "{}", finding.title);
        assert!(finding.detail.to_string().contains("actions"), "{}", finding.detail);
        let bindings = crate::diagnose(&run().build(), &crate::Rulebook::default()).bindings;
        assert_eq!(bindings.first(Concept::Entropy).map(|binding| binding.unit), Some(Unit::Nats));
    }
}
