//! Steps take different amounts of compute.
//!
//! # What it checks
//! The compute of each step against the usual of its neighbours: a note when more than 5 % of the steps are off by more
//! than 20 %. A lasting change of level is a schedule, not unevenness.
//!
//! # Why it matters
//! The step is then no measure of what was spent: curves over steps bend where the compute does, and a power law fitted
//! over steps is wrong. Batches of different size also change the noise of the gradient.
//!
//! # Evidence needed
//! The compute per step, or cumulative compute.
//!
//! # Threshold and where it comes from
//! The analyze-experiment guide: compute per step should be consistent. It has no figure; single steps are restarts
//! and last batches.
//!
//! # Known false alarms
//! Batches filled by tokens instead of by samples.
//!
//! # What to do
//! Plot against cumulative compute. Look why batches are incomplete: time-outs, failed rollouts, a filter.
//!
//! # References
//! The analyze-experiment guide, "Power Law Scaling".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::event_rates::is_long_enough;
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{percent, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::ComputePerStepUneven, run);

/// Fewest steps that are off.
const MIN_STEPS: usize = 5;
/// Neighbours that say what is usual.
const NEIGHBOURS: usize = 31;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Plot and fit against cumulative compute, not against steps",
            "curves are comparable again",
            "none",
            "scatter of the reward around its fit",
        ]),
        Advice::Do([
            "Look at failed rollouts and time-outs of the small steps",
            "shows why batches are incomplete",
            "none",
            "compute per step within 20 %",
        ]),
    ],
    alternative: "Batches are filled by tokens, and the number of episodes varies by design.",
    refute: "Small steps have as many samples as the others.",
    references: &["analyze-experiment guide (compute per step should be consistent)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let signal = match (context.signal(Concept::ComputePerStep), context.signal(Concept::Compute)) {
        (Some(logged), _) => logged.clone(),
        (None, Some(total)) => spent(total),
        (None, None) => return Outcome::Skipped(context.need(&[Concept::ComputePerStep])),
    };
    let book = context.rulebook;
    let usual: Vec<f64> = signal.values.chunks(NEIGHBOURS).flat_map(|chunk| vec![median(chunk); chunk.len()]).collect();
    let limit = book.compute_deviation();
    let is_off = |(value, usual): (&f64, &f64)| *usual > 0.0 && (value / usual - 1.0).abs() > limit.value;
    let off: Vec<usize> = signal
        .values
        .iter()
        .zip(&usual)
        .enumerate()
        .filter(|(_, pair)| is_off(*pair))
        .map(|(place, _)| place)
        .collect();
    let share = off.len() as f64 / signal.len().max(1) as f64;
    let name = rich!("share of steps off by more than {}", percent(limit.value));
    let mut evidence = vec![Evidence::new(name, share, "").above(book.compute_uneven())];
    let (Some(first), Some(last)) = (off.first(), off.last()) else { return Outcome::Quiet(evidence) };
    let enough = off.len() >= MIN_STEPS && is_long_enough(context, &signal);
    if share <= book.compute_uneven().value || !enough {
        return Outcome::Quiet(evidence);
    }
    let ratio = |place: &usize| Some(signal.values.get(*place)? / usual.get(*place)?);
    let lowest = off.iter().filter_map(ratio).reduce(f64::min).unwrap_or(f64::NAN);
    let highest = off.iter().filter_map(ratio).reduce(f64::max).unwrap_or(f64::NAN);
    // The limit is one of the distance from the usual, on either side.
    let farthest = (1.0 - lowest).max(highest - 1.0);
    evidence.push(Evidence::new("largest deviation of a step", farthest, "").above(limit));
    evidence.push(Evidence::new("smallest step", lowest.min(1.0), "of the usual"));
    evidence.push(Evidence::new("largest step", highest.max(1.0), "of the usual"));
    let onset = signal.step(*first);
    let title = rich!(
        "Compute per step is uneven: {} of the steps are off by more than {}, from step {}",
        percent(share),
        percent(limit.value),
        step(onset)
    );
    let mut finding = context.finding(CHECK.code, Severity::Note, title, Some(onset), &TEXTS);
    finding.end = Some(signal.step(*last));
    let detail = "Steps do not measure what was spent: compare over cumulative compute.";
    Outcome::Found(vec![finding.supported_by(detail, &[&signal], evidence, 0.85)])
}

fn median(values: &[f64]) -> f64 {
    stats::median(values).unwrap_or(f64::NAN)
}

/// Compute of each step, from the cumulative one.
fn spent<'a>(total: &MetricSeries<'a>) -> MetricSeries<'a> {
    let steps = total.steps.iter().skip(1).copied().collect();
    let pairs = total.steps.iter().zip(total.values.iter());
    let values = pairs
        .clone()
        .zip(pairs.skip(1))
        .map(|((from, before), (to, after))| (after - before) / (to - from).max(f64::MIN_POSITIVE))
        .collect();
    total.with_points(steps, values, total.printed_quantum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, edited, jump};

    const KEY: &str = "power_law/simulated_years_per_step";

    #[test]
    fn steps_that_are_too_small_now_and_then_are_noted() {
        let small = |t: f64| if (t * 250.0).round() as u32 % 11 == 5 { 160.0 } else { 640.0 };
        let finding = Synthetic::healthy(250).noisy(KEY, 0.0, small).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(6.0)));
        assert!(finding.title.to_string().contains("more than 20 %"), "{}", finding.title);
        let limited: Vec<&Evidence> =
            finding.evidence.iter().filter(|evidence| evidence.unit == "of the usual compute").collect();
        assert!(limited.len() == 1 && (limited[0].value - 0.75).abs() < 1e-9, "a quarter of the usual: {limited:?}");
        let strict =
            Synthetic::healthy(250).noisy(KEY, 0.0, small).finding_by(&edited("compute_deviation", 0.3), &CHECK);
        assert!(strict.title.to_string().contains("more than 30 %"), "{}", strict.title);
        let total = Synthetic::healthy(250).noisy("power_law/cumulative_years", 0.0, |t| {
            let step = (t * 250.0).round();
            640.0 * step - 480.0 * (step / 11.0).floor()
        });
        assert_eq!(total.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn even_steps_and_a_schedule_are_quiet() {
        assert!(Synthetic::healthy(250).noisy(KEY, 20.0, |_| 640.0).quiet(&CHECK));
        assert!(Synthetic::healthy(250).noisy(KEY, 10.0, |t| 320.0 + 320.0 * jump(t, 0.5)).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}
