//! The gradient fades away before the task is learned.
//!
//! # What it checks
//! The median gradient norm of the last fifth is below a fifth of that of the first, beyond its noise, while the
//! primary metric has room left and has gained nothing since. A note where too little was measured to tell, and where
//! the task is nearly learned: a measure that gained a quarter ends above nine tenths of its scale.
//!
//! Where the config says to what norm gradients are clipped, it must be below a fifth of that as well: what lies above it
//! never reached the weights.
//!
//! Of a norm that is near zero at some steps and large at others the large ones must have faded too, or the steps near
//! zero have become half of all more.
//!
//! A warning as well where the norm is exactly 0 in all of five points or more beside a loss that is not, and the task is not learned.
//!
//! # Why it matters
//! Without a gradient the policy stands still, whatever the learning rate. The cause lies elsewhere: groups that
//! agree, entropy that is spent, responses so long that the mean over tokens dilutes the signal.
//!
//! # Evidence needed
//! Gradient norm, and a primary metric.
//!
//! # Threshold and where it comes from
//! A fifth: healthy public GRPO and PPO runs keep half of their gradient norm or more; a run whose responses grew
//! twelvefold lost nine tenths.
//!
//! # Known false alarms
//! A task that is solved: a gradient that fades at the ceiling is success, and quiet. The scale of a reward that is not
//! between 0 and 1 is known only where its largest value is logged. A large norm in the first
//! steps, while the optimiser settles, is no start: medians of a fifth of the run are compared.
//!
//! # What to do
//! Look at the share of zero-variance groups, the entropy and the length first; then sample harder prompts.
//!
//! # References
//! Measured on public logs; Axolotl docs/training_stability.qmd (usual range 0.001 to 1 for adapters).

mod absent;

use crate::advice::{Advice, FindingTexts, MORE_RESPONSES, TEMPERATURE_ONE};
use crate::context::Context;
use crate::measure::growth::{Growth, logs};
use crate::measure::increase_onset::increase_onset;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::zero_variance::{MAJORITY, RIGHT_LEVEL};
use crate::{Check, Code, Evidence, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{number, percent, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_metric(Code::GradientDying, Concept::GradientNorm, run);

/// How many times the threshold a norm that was below it may be before it has come back.
const STILL_DYING: f64 = 2.0;
/// Quantile of the norms of a fifth that stands for its large ones.
const LARGE_QUANTILE: f64 = 0.9;
/// Fewest points of the level before a fall at the very start.
const LEVEL: usize = 5;
/// By how much the share of steps near zero must have risen where the large norms of the others stay.
const MORE_DEAD: f64 = 0.5;

/// How many times their median the large norms of the start are where few steps have a gradient: the median is then of those without.
/// Ours: norms of steps with a gradient differ less.
const SPARSE: f64 = 10.0;

/// Part of its scale from which a measure is nearly all learned. Ours: at most 0.05 more can be gained before the rulebook's
/// 0.95, from which on no room is left.
const NEARLY_LEARNED: f64 = 0.9;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::Generations, "Few responses per prompt often agree."),
        (Hyperparameter::Temperature, "A sampling temperature below 1 makes responses alike."),
        (Hyperparameter::MaxResponse, "Long responses dilute a mean over tokens."),
    ],
    actions: &[
        Advice::OfLanguage([
            "Leave out prompts that the policy always or never solves, and add some that it solves at times",
            "groups with both right and wrong answers",
            "more sampling per trained prompt",
            "gradient norm back at half of its start",
        ]),
        Advice::OfEnvironment([
            "Look at the entropy of the policy and at the spread of the returns, and explore more if both are spent",
            "actions with other returns than usual",
            "a lower reward at first",
            "gradient norm back at half of its start",
        ]),
        Advice::Change(&MORE_RESPONSES, "gradient norm and zero-variance groups"),
        Advice::Change(&TEMPERATURE_ONE, "gradient norm and zero-variance groups"),
    ],
    alternative: "The task is learned as far as this model can, and little is left to correct.",
    refute: "New tasks of medium difficulty give gradients as large as at the start.",
    references: &["Axolotl docs/training_stability.qmd"],
};

fn run(context: &Context<'_>, norm: &MetricSeries<'_>) -> Outcome {
    if let Some(absent) = absent::finding(context, norm) {
        return Outcome::Found(vec![absent]);
    }
    let Some(growth) = Growth::of(norm) else { return Outcome::Quiet(Vec::new()) };
    let book = context.rulebook;
    let (line, sure) = (book.gradient_dying().value, book.learning_z().value);
    let faded = |first: f64, last: f64| first > 0.0 && last < line * first;
    // Reported until much of the norm is back.
    let still = |first: f64, last: f64| faded(first, last) && growth.last < STILL_DYING * line * first;
    let has_died = faded(growth.first, growth.last) && growth.z <= -sure;
    let died_before =
        Growth::of_prefixes(norm, book.points_needed().value as usize, still).find(|before| before.z <= -sure);
    // The start that it is compared with: of the run so far when it had died before.
    let start = if has_died { growth.first } else { died_before.as_ref().map_or(growth.first, |before| before.first) };
    let place = begins(&norm.values);
    let before = before_the_fall(norm, place).filter(|_| has_died || died_before.is_some());
    let start = before.map_or(start, |before| before.max(start));
    let kept = if start > 0.0 { growth.last / start } else { 1.0 };
    let evidence = vec![
        Evidence::new("median gradient norm at the start", start, ""),
        Evidence::new("median gradient norm of the last fifth", growth.last, ""),
        Evidence::new("gradient norm at the end against its start", kept, "").below(book.gradient_dying()),
        Evidence::new("primary metric at the end", context.learning.last, ""),
    ];
    let died = (has_died || died_before.is_some()) && is_below_the_start(norm, line, start);
    if !died || context.learning.measure.is_none() {
        return Outcome::Quiet(evidence);
    }
    if !context.has_enough_points(norm) {
        return Outcome::QuietBecause(QuietReason::TooFewPoints, evidence);
    }
    if context.gradient_clip().is_some_and(|clip| growth.last >= line * clip) {
        return Outcome::QuietBecause(QuietReason::Clipped, evidence);
    }
    if !context.learning.room {
        return Outcome::QuietBecause(QuietReason::AtCeiling, evidence);
    }
    let onset = norm.step(place);
    let stalls = context.stalls_since(onset);
    if context.improved() && !stalls {
        return Outcome::QuietBecause(QuietReason::Improved, evidence);
    }
    let learned = is_nearly_learned(context);
    let severity = if stalls && !learned { Severity::Warning } else { Severity::Note };
    let title = title(context, norm, (start, growth.last), onset);
    let finding = context.finding(Code::GradientDying, severity, title, Some(onset), &TEXTS);
    let detail = match learned {
        true if groups_agree(context) => {
            "Little is left to learn from these prompts: the gain is held, and most groups score alike near the top of the reward."
        }
        true => "Little is left to learn: the primary metric is near the top of its scale.",
        false if context.improved() => {
            "Almost nothing is left to learn from: the gain is held, and nothing was gained since."
        }
        false => "Almost nothing is left to learn from, though the task is not solved.",
    };
    let [groups, entropy, length] =
        [Concept::ZeroVarianceGroups, Concept::Entropy, Concept::ResponseLength].map(|concept| context.signal(concept));
    Outcome::Found(vec![finding.supported_by(detail, &[Some(norm), groups, entropy, length], evidence, 0.7)])
}

/// What became of the norm; where the groups of the end have zero variance, that is why.
fn title(context: &Context<'_>, norm: &MetricSeries<'_>, (start, end): (f64, f64), onset: f64) -> RichText {
    let (early, late) = (norm.fifth(Fifth::First), norm.fifth(Fifth::Last));
    let large = stats::quantile(early, LARGE_QUANTILE).unwrap_or(start);
    let line = context.rulebook.gradient_dying().value * large;
    let share = |norms: &[f64]| norms.iter().filter(|norm| **norm >= line).count() as f64 / norms.len().max(1) as f64;
    let (before, after) = (share(early), share(late));
    let mut title = if large > SPARSE * start && after < before {
        rich!(
            "Gradient norms above {} became rare, beginning at step {}: {} of the points in the first fifth of the run, {} in the last",
            number(line),
            step(onset),
            percent(before),
            percent(after)
        )
    } else {
        rich!("The gradient norm faded from {} to {}, beginning at step {}", number(start), number(end), step(onset))
    };
    if groups_agree(context) {
        title.append("; most groups have zero variance at the end");
    }
    title
}

/// True where the primary metric gained much and ends near the largest value that it can have: few responses are left
/// that differ from the others of their group.
fn is_nearly_learned(context: &Context<'_>) -> bool {
    let Some(measure) = context.measure().filter(|_| context.gained_much()) else { return false };
    let highest = context.signal(Concept::RewardMax).filter(|_| !context.learning.is_evaluated());
    let highest = highest.map(MetricSeries::end_level);
    let scale = match (highest, measure.is_between_zero_and_one()) {
        (highest, true) => highest.unwrap_or(1.0).max(1.0),
        (Some(highest), false) if highest > 0.0 => highest,
        _ => return false,
    };
    let part = if groups_agree(context) { RIGHT_LEVEL } else { NEARLY_LEARNED };
    measure.binding.direction != Direction::Down && context.learning.last >= part * scale
}

/// True where the groups of most steps at the end score alike: then that is why there is no gradient.
fn groups_agree(context: &Context<'_>) -> bool {
    context.zero_variance().is_some_and(|(share, _)| share.level(Fifth::Last) >= MAJORITY)
}

/// True where the whole of the last fifth lies below the start, not its median alone: a norm that is near zero at some
/// steps and large at the others has its median now here, now there.
///
/// Its large norms have faded as well, or it is near zero at many more steps than in the first fifth.
fn is_below_the_start(norm: &MetricSeries<'_>, line: f64, start: f64) -> bool {
    let (first, last) = (norm.fifth(Fifth::First), norm.fifth(Fifth::Last));
    let near_zero = |values: &[f64]| {
        let dead = values.iter().filter(|value| **value < line * start).count();
        dead as f64 / values.len().max(1) as f64
    };
    let large = |values: &[f64]| stats::quantile(values, LARGE_QUANTILE);
    let have_faded =
        large(last).zip(large(first)).is_some_and(|(last, first)| last < STILL_DYING * line * first.max(start));
    have_faded || near_zero(last) - near_zero(first) >= MORE_DEAD
}

/// The level from which the norm fell, where it had fallen within the first fifth already, whose median is that of
/// afterwards.
fn before_the_fall(norm: &MetricSeries<'_>, place: usize) -> Option<f64> {
    let before = norm.values.get(..place).filter(|before| before.len() >= LEVEL)?;
    (2 * before.len() < norm.fifth(Fifth::First).len()).then(|| stats::median(before)).flatten()
}

/// Where the fall begins; on the logarithm where no norm is zero.
fn begins(norms: &[f64]) -> usize {
    let values = logs(norms).unwrap_or_else(|| norms.to_vec());
    increase_onset(&values.iter().map(|value| -value).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump, saturating};

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn a_gradient_that_fades_is_found() {
        let finding = flat(300).noisy("train/grad_norm", 0.02, |t| 1.0 - 0.95 * jump(t, 0.5)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((147.0..=155.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let clipped = |norm: f64| {
            let run = flat(300).noisy("train/grad_norm", 0.02, |t| 1.0 - 0.95 * jump(t, 0.5));
            run.config("max_grad_norm", norm)
        };
        assert_eq!(
            clipped(0.1).quiet_reason(&CHECK),
            Some(QuietReason::Clipped),
            "half of what was let through is left"
        );
        assert!(!clipped(1.0).quiet(&CHECK));
        let late = Synthetic::healthy(300)
            .noisy("train/reward", 0.05, |t| 1.0 + 0.7 * saturating(t))
            .without("eval/accuracy")
            .noisy("train/grad_norm", 0.02, |t| 1.0 - 0.95 * jump(t, 0.6));
        assert_eq!(late.finding(&CHECK).severity, Severity::Warning, "nothing was gained since");
    }

    #[test]
    fn a_fall_within_the_first_fifth_is_measured_from_what_was_before_it() {
        let early = |t: f64| if t < 0.05 { 0.5 } else { 2e-3 - 1.9e-3 * jump(t, 0.15) };
        let finding = flat(300).noisy("train/grad_norm", 1e-6, early).finding(&CHECK);
        assert!(finding.title.to_string().contains("from 0.5 to 1"), "{}", finding.title);
        assert!((14.0..=18.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn a_norm_of_two_kinds_of_steps_fades_only_as_a_whole() {
        let kinds = |share: fn(f64) -> usize| {
            flat(300).every("train/grad_norm", 1, move |t| {
                let place = (t * 300.0).round() as usize;
                let dead = place >= 4 && 7 * place % 10 < share(t);
                if dead { 0.002 + 1e-5 * (place % 13) as f64 } else { 0.4 + 0.01 * (place % 7) as f64 }
            })
        };
        assert!(kinds(|_| 7).quiet(&CHECK), "as many steps near zero at the end as at the start");
        let died = kinds(|t| if t < 0.5 { 1 } else { 8 });
        assert_eq!(died.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn where_few_steps_have_a_gradient_the_title_tells_their_share() {
        let sparse = flat(300).every("train/grad_norm", 1, |t| {
            let place = (t * 300.0).round() as usize;
            let small = 1e-4 * (1 + place % 13) as f64;
            match (t < 0.5, 7 * place % 10 < 3) {
                (true, true) => 1.0 + 0.01 * (place % 7) as f64,
                (true, false) => small,
                (false, _) => 1e-3 * small,
            }
        });
        let title = sparse.finding(&CHECK).title.to_string();
        assert!(title.contains("30 % of the points in the first fifth of the run, 0 % in the last"), "{title}");
        let alike = flat(300).noisy("train/grad_norm", 0.02, |t| 1.0 - 0.95 * jump(t, 0.5)).every(
            "train/frac_reward_zero_std",
            1,
            |t| 0.2 + 0.7 * jump(t, 0.5),
        );
        let title = alike.finding(&CHECK).title.to_string();
        assert!(title.starts_with("The gradient norm faded") && title.contains("most groups have zero"), "{title}");
    }

    #[test]
    fn a_gradient_that_fades_when_the_task_is_nearly_learned_is_a_note() {
        let learned = |scale: f64, level: f64| {
            Synthetic::healthy(300)
                .without("eval/accuracy")
                .noisy("train/reward", 0.01 * scale, move |t| scale * (0.4 + (level - 0.4) * saturating(2.0 * t)))
                .noisy("train/grad_norm", 0.02, |t| 1.0 - 0.95 * jump(t, 0.5))
        };
        assert_eq!(learned(1.0, 0.92).finding(&CHECK).severity, Severity::Note);
        assert_eq!(learned(1.0, 0.8).finding(&CHECK).severity, Severity::Warning);
        let alike =
            learned(1.0, 0.86).noisy("train/frac_reward_zero_std", 0.02, |t| 0.75 * t.min(0.8) / 0.8).finding(&CHECK);
        assert_eq!(alike.severity, Severity::Note, "most groups are right");
        assert!(!learned(1.0, 0.8).finding(&CHECK).detail.to_string().contains("not solved"), "the gain is held");
        assert_eq!(learned(5.0, 0.92).finding(&CHECK).severity, Severity::Warning, "its scale is not known");
        let scaled = learned(5.0, 0.92).every("critic/rewards/max", 1, |_| 5.0);
        assert_eq!(scaled.finding(&CHECK).severity, Severity::Note);
        let half = learned(1.0, 0.92).every("critic/rewards/max", 1, |_| 2.0);
        assert_eq!(half.finding(&CHECK).severity, Severity::Warning, "half of its scale");
    }

    #[test]
    fn a_solved_task_and_a_steady_gradient_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(flat(300).quiet(&CHECK));
        let solved = Synthetic::healthy(300).every("eval/accuracy", 10, |t| 0.6 + 0.38 * saturating(t)).noisy(
            "train/grad_norm",
            0.02,
            |t| 1.05 - saturating(t),
        );
        assert_eq!(solved.quiet_reason(&CHECK), Some(QuietReason::AtCeiling));
        assert!(matches!(flat(300).without("train/grad_norm").check(&CHECK), Outcome::Skipped(_)));
    }
}
