//! The policy diverged from the reference.
//!
//! # What it checks
//! The KL to the reference, per token, after its value at the first step is taken off. Critical when it stays more than a
//! tenth above 2 nats/token; a warning when it stays above 2 by less, when it was above 2 for a while and came back, or when it
//! jumped to five times its earlier level, above 0.5, and the task did not improve. A note where it came back below 0.5 and the
//! reward, which is all that measures the task, rose over the run and since the KL did.
//!
//! # Why it matters
//! A KL of 2 nats per token means that the reference gives the policy's tokens a seventh of the policy's probability, token
//! by token: what the reference could do is lost, and the reward is all that still shapes the text.
//!
//! # Evidence needed
//! KL to the reference. A sum over the sequence (TRL's PPO) is divided by the mean response length first, or by the limit of
//! the config where no length was logged: the KL per token is no less.
//!
//! # Threshold and where it comes from
//! 2 and 0.5 nats/token: Axolotl's guide on training stability. Five times: a pair of HotpotQA runs, one blown up (0.48
//! to 2.57 at one logged step), one healthy. Medians over a tenth of the run, so that single tokens of the
//! exponential k3 estimate do not count.
//!
//! # Known false alarms
//! A reference that was never the start of the policy (a resumed adapter, a quantised policy): its offset is taken
//! off. A signed k1 estimate hides movement rather than showing too much.
//!
//! # What to do
//! Lower the learning rate or raise the KL coefficient; go back to a checkpoint before the onset.
//!
//! # References
//! Axolotl docs/training_stability.qmd; Schulman, "Approximating KL divergence"; arXiv 2402.03300 (KL weight 0.04).

mod words;

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT, SAME_REFERENCE, to_do};
use crate::context::Context;
use crate::kl::{self, KlMovement};
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Rulebook, Severity};
use rundown_format::rich;
use rundown_format::rich_text::step;
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Unit};
use words::{away_words, came_back_words, high_words};

/// Most points in which a KL may grow from zero without a jump.
const GROWING: usize = 60;

pub const CHECK: Check = Check::of_run(Code::KlBlowUp, run);

const WATCH: &str = "KL below 0.2 after 50 steps, evaluation not lower";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates carry the policy away before the KL term can hold it."),
        (Hyperparameter::KlCoefficient, "At this coefficient the KL term may be too weak to hold the policy."),
        (Hyperparameter::Warmup, "Without a warm-up the first updates are the largest."),
    ],
    actions: &[
        Advice::Change(&LOWER_LEARNING_RATE, WATCH),
        Advice::Change(&RAISE_KL_COEFFICIENT, WATCH),
        Advice::GoBack,
    ],
    alternative: "A few tokens dominate the k3 estimate, which is exponential in the log-ratio; the policy itself may have moved less.",
    refute: "The median over tokens of the log-ratio to the reference stays below 0.5.",
    references: &["Axolotl docs/training_stability.qmd", "arXiv 2402.03300 (GRPO, KL weight 0.04)"],
};

/// The same of a KL that came back while the reward rose: there is nothing to undo.
const OF_NO_HARM: FindingTexts = FindingTexts {
    actions: &[Advice::Change(&LOWER_LEARNING_RATE, WATCH), Advice::Change(&RAISE_KL_COEFFICIENT, WATCH)],
    ..TEXTS
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(moved) = context.moved() else { return Outcome::Skipped(kl::need(context)) };
    let levels = KlLevels::new(context, moved);
    match severity(context, moved, &levels) {
        Some(severity) => Outcome::Found(vec![finding(context, moved, &levels, severity)]),
        // The KL may be higher than what is known of it.
        None if moved.limit.is_some() => Outcome::Skipped(kl::need(context)),
        None if !levels.are_known => {
            Outcome::QuietBecause(QuietReason::TooFewPoints, quiet_evidence(context, moved, &levels))
        }
        None => Outcome::Quiet(quiet_evidence(context, moved, &levels)),
    }
}

/// Where the KL stayed for a while, its first value taken off.
struct KlLevels {
    /// Points that a level must last.
    width: usize,
    /// Highest running median over so many points, the level at the end among them.
    peak: f64,
    /// Largest jump between a level and the next that does not overlap it.
    jump: Option<Jump>,
    /// False where too few points were logged for one.
    are_known: bool,
}

struct Jump {
    index: usize,
    before: f64,
    after: f64,
}

impl KlLevels {
    fn new(context: &Context<'_>, moved: &KlMovement<'_>) -> Self {
        // A share of the run as it is planned: what lasted long enough did so however far the run has come.
        let planned = (context.rulebook.kl_sustained().value * context.planned_points(&moved.kl) as f64) as usize;
        // Half of what was logged is long enough: a run may stop early in its plan.
        let width = planned.min(moved.values.len() / 2).clamp(5, 200);
        let levels = running_medians(&moved.values, width);
        let peak = levels.iter().copied().fold(moved.last, f64::max);
        let jump = largest_jump(&levels, width, start(context, &moved.kl));
        Self { width, peak, jump, are_known: !levels.is_empty() }
    }
}

/// A KL that is not zero at the first step is compared by its change, which must not read as the KL itself.
fn quiet_evidence(context: &Context<'_>, moved: &KlMovement<'_>, levels: &KlLevels) -> Vec<Evidence> {
    let limit = context.rulebook.kl_critical();
    let unit = "nats/token";
    if moved.offset <= context.rulebook.reference_kl().value {
        let highest = Evidence::new("highest lasting KL", moved.offset + levels.peak, unit);
        let last = Evidence::new("KL at the end", moved.offset + moved.last, unit).above(limit);
        return [last, highest].into_iter().chain(moved.limit_evidence()).collect();
    }
    let changes = [
        Evidence::new("change of the KL since the first step", moved.last, unit).above(limit),
        Evidence::new("largest lasting change of the KL", levels.peak, unit),
        Evidence::new("KL at the first step", moved.offset, unit),
        Evidence::new("KL at the end", moved.offset + moved.last, unit),
    ];
    changes.into_iter().chain(moved.limit_evidence()).collect()
}

fn severity(context: &Context<'_>, moved: &KlMovement<'_>, levels: &KlLevels) -> Option<Severity> {
    let book = context.rulebook;
    if !levels.are_known {
        return None;
    }
    let improved = context.learning.is_evaluated() && context.learning.state == LearningState::Improved;
    let limit = book.kl_critical().value;
    if moved.last > limit {
        let is_clear = moved.last > kl::MARGIN * limit && !improved;
        return Some(if is_clear { Severity::Critical } else { Severity::Warning });
    }
    if improved {
        return None;
    }
    if levels.peak > limit {
        let is_back = moved.last <= book.kl_warning().value && context.improved();
        let is_harmless = is_back && context.gained_since(onset(moved, levels, book));
        return Some(if is_harmless { Severity::Note } else { Severity::Warning });
    }
    let jumped = levels
        .jump
        .as_ref()
        .is_some_and(|jump| jump.after > book.kl_warning().value && jump.after >= book.kl_jump().value * jump.before);
    let rewarded = context.learning.state == LearningState::Improved;
    (jumped && moved.last > book.kl_warning().value && !rewarded).then_some(Severity::Warning)
}

fn finding(context: &Context<'_>, moved: &KlMovement<'_>, levels: &KlLevels, severity: Severity) -> Finding {
    let (book, kl) = (context.rulebook, &moved.kl);
    let threshold = if levels.peak > book.kl_critical().value { &book.kl_critical() } else { &book.kl_warning() };
    let onset = onset(moved, levels, book);
    let came_back = moved.last <= threshold.value;
    let is_high_when_logged = moved.is_high_when_logged(book.kl_critical().value);
    let (title, detail) = match (is_high_when_logged, came_back) {
        (true, _) => high_words(moved),
        (false, true) => came_back_words(moved, levels.peak),
        (false, false) => away_words(moved),
    };
    let title = if is_high_when_logged { title } else { rich!("{}, beginning at step {}", title, step(onset)) };
    let last = Evidence::new("median KL of the last tenth", moved.offset + moved.last, "nats/token");
    let highest = Evidence::new("highest lasting KL", moved.offset + levels.peak, "nats/token");
    let (last, highest) = if came_back { (last, highest.above(threshold)) } else { (last.above(threshold), highest) };
    let mut evidence = vec![
        last,
        highest,
        Evidence::new("largest single KL", kl.max(), "nats/token"),
        Evidence::new("KL that the policy began with (taken off)", moved.offset, "nats/token"),
    ];
    if let Some(jump) = &levels.jump {
        let times = Evidence::new("largest jump", jump.after / jump.before.max(1e-9), "times the level before");
        let decides = levels.peak <= book.kl_critical().value;
        evidence.push(if decides { times.above(book.kl_jump()) } else { times });
    }
    let confidence = match (severity, kl.binding.unit) {
        (Severity::Critical, Unit::NatsPerToken) => 0.95,
        (Severity::Critical, _) => 0.85,
        _ => 0.7,
    };
    let texts = if severity == Severity::Note { &OF_NO_HARM } else { &TEXTS };
    let finding = context.finding(Code::KlBlowUp, severity, title, Some(onset), texts);
    let mut finding = finding.supported_by(detail, &[kl], evidence, confidence);
    finding.metrics.extend(context.signal(Concept::GradientNorm).map(|signal| signal.key().to_owned()));
    moved.note_limit(&mut finding);
    finding.end = Some(kl.last_step());
    if is_high_when_logged && moved.is_logged_from_start() {
        finding.actions.insert(0, to_do(&SAME_REFERENCE));
    }
    finding
}

/// First step from which the KL stays above the warning level, or the step of the jump; or the first excursion before it
/// beyond the level of a blow-up, unless the KL lay below that level in between for as long as a level must last.
fn onset(moved: &KlMovement<'_>, levels: &KlLevels, book: &Rulebook) -> f64 {
    let kl = &moved.kl;
    let is_above = |value: &f64, line: f64| value - moved.offset > line;
    let up = kl.values.windows(3).position(|next| next.iter().all(|value| is_above(value, book.kl_warning().value)));
    let jump = levels.jump.as_ref().map(|jump| jump.index);
    let mut onset = up.or(jump).unwrap_or(0);
    let line = book.kl_critical().value;
    if levels.peak > line {
        let before = kl.values.get(..onset).unwrap_or(&[]).iter().enumerate().rev();
        for (place, _) in before.filter(|(_, value)| is_above(value, line)) {
            if onset - place > levels.width {
                break;
            }
            onset = place;
        }
    }
    kl.step(onset)
}

/// Medians over `width` consecutive points, one for each place where such a window fits.
fn running_medians(values: &[f64], width: usize) -> Vec<f64> {
    if values.len() < width {
        return Vec::new();
    }
    // Windows overlap by half at least; that is dense enough for levels that have to last.
    let stride = (width / 4).max(1);
    values.windows(width).step_by(stride).filter_map(stats::median).collect()
}

/// Points before which any KL grows from zero: a fifth of the run as it is planned, but no more than some.
fn start(context: &Context<'_>, kl: &MetricSeries<'_>) -> usize {
    (context.planned_points(kl) / 5).min(GROWING)
}

/// The largest ratio between a level and the one that follows without overlap, from some point on.
fn largest_jump(levels: &[f64], width: usize, start: usize) -> Option<Jump> {
    let stride = (width / 4).max(1);
    let apart = width.div_ceil(stride);
    let start = start / stride;
    levels
        .iter()
        .zip(levels.iter().skip(apart))
        .enumerate()
        .skip(start)
        .filter(|(_, (before, _))| **before > 0.0)
        .map(|(place, (before, after))| Jump { index: place * stride + width, before: *before, after: *after })
        .max_by(|a, b| (a.after / a.before).total_cmp(&(b.after / b.before)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, jump, saturating};

    #[test]
    fn a_kl_that_is_high_when_it_is_first_logged_did_not_run_away() {
        for end in [3.0, 1.0] {
            let run = Synthetic::new(300)
                .every("train/reward", 10, |t| 0.3 + 0.01 * (7.0 * t).floor())
                .every("train/kl", 10, |t| if t < 0.2 { 30.0 } else { end })
                .logged_from(10);
            let finding = run.finding(&CHECK);
            assert!(finding.title.to_string().contains("when it is first logged"), "{}", finding.title);
            assert!(finding.actions[0].kind == to_do(&SAME_REFERENCE).kind, "{:?}", finding.actions);
        }
    }

    #[test]
    fn of_a_log_that_begins_late_no_other_reference_is_claimed() {
        let run =
            Synthetic::healthy(600).noisy("train/kl", 0.05, |t| 3.2 - 0.6 * t).noisy("train/reward", 0.1, |_| 1.0);
        let finding = run.without("eval/accuracy").logged_from(300).finding(&CHECK);
        assert!(finding.title.to_string().contains("when it is first logged"), "{}", finding.title);
        assert!(finding.detail.to_string().contains("not known"), "{}", finding.detail);
        assert!(finding.actions[0].kind != to_do(&SAME_REFERENCE).kind, "{:?}", finding.actions);
    }

    #[test]
    fn a_kl_that_stays_high_is_critical() {
        let run = Synthetic::healthy(300).noisy("train/kl", 0.3, |t| 0.1 + 6.0 * jump(t, 0.3)).every(
            "eval/accuracy",
            10,
            |t| 0.5 - 0.4 * jump(t, 0.3),
        );
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!((85.0..=95.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn a_run_that_stopped_early_in_its_plan_is_judged_by_what_it_logged() {
        let run = Synthetic::healthy(150).config("max_steps", 2000.0).noisy("train/kl", 0.3, |t| 6.0 * jump(t, 0.33));
        assert_eq!(run.every("eval/accuracy", 10, |t| 0.5 - 0.4 * t).finding(&CHECK).severity, Severity::Critical);
    }

    #[test]
    fn excursions_that_lead_up_to_it_are_its_onset() {
        let of = |early: fn(u32) -> bool| {
            let level = move |t: f64| {
                let place = (t * 300.0).round() as u32;
                if place >= 150 || early(place) { 12.0 } else { 0.1 }
            };
            let run = Synthetic::healthy(300).every("train/kl", 1, level);
            run.every("eval/accuracy", 10, |t| 0.5 - 0.4 * jump(t, 0.5)).finding(&CHECK).onset
        };
        assert_eq!(of(|_| false), Some(151.0));
        assert_eq!(of(|place| matches!(place, 120 | 121 | 140)), Some(121.0), "it never settled in between");
        assert_eq!(of(|place| place == 20), Some(151.0), "a spike that came back long before");
    }

    #[test]
    fn a_kl_that_starts_above_zero_is_no_kl_near_zero_at_the_end() {
        let names = |level: fn(f64) -> f64| match Synthetic::healthy(300).noisy("train/kl", 0.01, level).check(&CHECK) {
            Outcome::Quiet(evidence) => evidence.iter().map(|number| number.name.to_string()).collect::<Vec<_>>(),
            other => panic!("expected quiet, got {other:?}"),
        };
        assert_eq!(names(|t| 1.2 - 0.3 * t)[0], "change of the KL since the first step");
        assert_eq!(names(|t| 0.2 * t)[0], "KL at the end");
    }

    #[test]
    fn a_lasting_jump_without_reward_is_a_warning() {
        let run = Synthetic::healthy(300)
            .noisy("train/kl", 0.01, |t| 0.1 * saturating(t) + 0.9 * jump(t, 0.6))
            .noisy("train/reward", 0.1, |_| 1.0)
            .without("eval/accuracy");
        assert_eq!(run.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn an_excursion_that_came_back_while_the_reward_rose_is_a_note() {
        let run = |back: f64, reward: fn(f64) -> f64| {
            let kl = move |t: f64| if (0.3..0.6).contains(&t) { 3.0 } else { 0.1 + (back - 0.1) * jump(t, 0.6) };
            let run = Synthetic::healthy(300).noisy("train/kl", 0.02, kl).noisy("train/reward", 0.1, reward);
            run.without("eval/accuracy").finding(&CHECK)
        };
        let harmless = run(0.3, |t| 1.0 + t);
        assert_eq!(harmless.severity, Severity::Note);
        let actions = harmless.actions;
        assert!(actions.iter().all(|action| !change(action).0.contains("checkpoint")), "{actions:?}");
        assert_eq!(run(0.8, |t| 1.0 + t).severity, Severity::Warning, "not below the line of a warning");
        let before = run(0.3, |t| 1.0 + 3.0 * t.min(0.2) - 0.1 * t);
        assert_eq!(before.severity, Severity::Warning, "nothing was gained since");
    }

    #[test]
    fn spikes_and_an_offset_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        let spiky =
            Synthetic::healthy(300).noisy("train/kl", 0.0, |t| if (t * 300.0) as u32 % 50 == 7 { 5.0 } else { 0.1 });
        assert!(spiky.quiet(&CHECK));
        let offset = Synthetic::healthy(300).noisy("train/kl", 0.01, |t| 2.4 + 0.1 * t);
        assert!(offset.quiet(&CHECK));
    }

    #[test]
    fn a_sum_over_the_sequence_without_a_length_is_at_least_that_over_the_limit() {
        let run = Synthetic::new(100)
            .noisy("objective/kl", 1.0, |t| 90.0 * jump(t, 0.4))
            .noisy("objective/scores", 0.1, |_| 0.4)
            .config("max_completion_length", 32.0);
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!(finding.detail.to_string().contains("divided by the length limit of 32 tokens"), "{}", finding.detail);
    }

    #[test]
    fn a_sum_over_the_sequence_is_divided_by_its_length() {
        let run = Synthetic::new(100)
            .noisy("objective/kl", 1.0, |t| 12.0 * saturating(t))
            .noisy("objective/scores", 0.1, |t| t)
            .noisy("train/completions/mean_length", 2.0, |_| 120.0);
        assert!(run.quiet(&CHECK));
        let without_length = |limit: f64| {
            Synthetic::new(100)
                .noisy("objective/kl", 1.0, |t| 12.0 * saturating(t))
                .config("max_completion_length", limit)
        };
        for limit in [120.0, 0.0] {
            assert!(matches!(without_length(limit).check(&CHECK), Outcome::Skipped(_)), "{limit}");
        }
    }
}
