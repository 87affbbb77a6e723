//! Gradients that keep spiking.
//!
//! # What it checks
//! Spikes of the gradient norm on its logarithmic scale: five or more within 20 points (or 5 % of the run), or norms
//! so scattered throughout that no single one stands out. Single spikes that recover are counted and not reported.
//!
//! # Why it matters
//! Each spike is a batch that the clipping had to cut down; many of them mean steps in bad directions, and often a
//! mismatch between sampler and trainer or a learning rate that is too high.
//!
//! # Evidence needed
//! Gradient norm before clipping.
//!
//! # Threshold and where it comes from
//! Six robust standard deviations and three times the local median, on the logarithm: with this rule healthy public
//! logs have 0 to 13 spikes in all and at most four in a window; on a linear scale there are five times as many.
//!
//! # Known false alarms
//! Steps without any gradient (zero-variance groups) make the usual norm look like a spike: those runs are left
//! to `zero_variance_groups`. A strong KL term makes large but steady norms, which are quiet here.
//!
//! # What to do
//! Clip gradients lower, halve the learning rate, take larger batches.
//!
//! # References
//! Hampel 1974; verl FAQ (growing gradient norm and precision mismatch); trl issue 2980.

use crate::advice::{Advice, FindingTexts, LARGER_BATCH, LOWER_LEARNING_RATE, LOWER_MAX_GRAD_NORM};
use crate::context::Context;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::topics::spike_cluster::SpikeCluster;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::GradientSpikes, Concept::GradientNorm, run);

const WATCH: &str = "fewer than 5 spikes in 20 steps";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates land where the loss is steep."),
        (Hyperparameter::MaxGradNorm, "Gradients are clipped to this norm."),
        (Hyperparameter::KlCoefficient, "The gradient of the KL term grows with its weight."),
        (Hyperparameter::Batch, "Small batches have noisier gradients."),
    ],
    actions: &[
        Advice::Change(&LOWER_MAX_GRAD_NORM, WATCH),
        Advice::Change(&LOWER_LEARNING_RATE, WATCH),
        Advice::Change(&LARGER_BATCH, WATCH),
    ],
    alternative: "A few samples have extreme advantages; the spikes then follow the data, not the optimiser.",
    refute: "The same batches give spikes with the parameters of an earlier checkpoint too.",
    references: &["Hampel 1974", "verl docs/faq.rst (grad_norm)", "trl issue 2980"],
};

/// Share of steps without a gradient from which the usual norm looks like a spike.
const MANY_DEAD: f64 = 0.2;

fn run(context: &Context<'_>, norm: &MetricSeries<'_>) -> Outcome {
    let spikes = Spikes::new(context, norm);
    let enough = norm.len() as f64 >= context.rulebook.points_needed().value;
    if enough && spikes.dead < MANY_DEAD && (spikes.cluster.is_dense(context) || spikes.is_wild(context)) {
        return Outcome::Found(vec![finding(context, norm, &spikes)]);
    }
    Outcome::Quiet(spikes.evidence(context))
}

struct Spikes {
    /// Indices, ascending.
    at: Vec<usize>,
    /// Where they are densest.
    cluster: SpikeCluster,
    /// Robust standard deviation of the logarithm, without a slow trend.
    spread: f64,
    /// Natural logarithm of the 90th percentile over the median: norms that scatter downwards alone are no spikes.
    upward: f64,
    /// Share of steps without a gradient.
    dead: f64,
    median: f64,
}

impl Spikes {
    fn new(context: &Context<'_>, norm: &MetricSeries<'_>) -> Self {
        let median = stats::median(&norm.values).unwrap_or(0.0);
        let upward = |index: &usize| norm.values.get(*index).is_some_and(|value| *value > median);
        let at: Vec<usize> = stats::hampel_log(&norm.values).into_iter().filter(upward).collect();
        let logs: Vec<f64> = norm.values.iter().filter(|value| **value > 0.0).map(|value| libm::log(*value)).collect();
        let large = stats::quantile(&norm.values, 0.9).unwrap_or(0.0);
        let tiny = norm.values.iter().filter(|value| **value <= 1e-3 * large).count();
        let dead = tiny as f64 / norm.len().max(1) as f64;
        Self {
            cluster: SpikeCluster::of(context, &at, norm.len()),
            spread: stats::difference_sigma(&logs).unwrap_or(0.0),
            upward: if median > 0.0 { libm::log(large / median) } else { f64::INFINITY },
            dead: dead.max(context.zero_variance_steps()),
            at,
            median,
        }
    }

    fn is_wild(&self, context: &Context<'_>) -> bool {
        let wild = context.rulebook.spike_spread().value;
        self.spread > wild && self.upward > wild
    }

    fn evidence(&self, context: &Context<'_>) -> Vec<Evidence> {
        let book = context.rulebook;
        vec![
            Evidence::new("spikes", self.at.len() as f64, ""),
            Evidence::new("most spikes in a window", self.cluster.count as f64, "").above(book.spike_cluster()),
            Evidence::new("standard deviation of its natural logarithm", self.spread, "").above(book.spike_spread()),
            Evidence::new("natural logarithm of its 90th percentile over its median", self.upward, "")
                .above(book.spike_spread()),
            Evidence::new("median gradient norm", self.median, ""),
        ]
    }
}

fn finding(context: &Context<'_>, norm: &MetricSeries<'_>, spikes: &Spikes) -> Finding {
    let cluster = spikes.cluster.is_dense(context);
    let onset = if cluster { norm.step(spikes.cluster.first) } else { norm.step(0) };
    let title = if cluster {
        rich!(
            "{} gradient spikes cluster around step {}; the largest norm is {}",
            spikes.cluster.count,
            step(onset),
            number(norm.max())
        )
    } else {
        rich!("Gradient norms are scattered from {} to {} throughout", number(norm.min()), number(norm.max()))
    };
    let detail = rich!(
        "{} has a median of {} and a maximum of {}. Clipping hides the size of such steps, not their direction.",
        metric(norm.key()),
        number(spikes.median),
        number(norm.max())
    );
    let last = if cluster { spikes.at.last().map_or(f64::NAN, |index| norm.step(*index)) } else { norm.last_step() };
    let mut evidence = spikes.evidence(context);
    evidence.push(Evidence::new("gradient norm of the last fifth", norm.level(Fifth::Last), ""));
    let mut finding = context.finding(Code::GradientSpikes, Severity::Warning, title, Some(onset), &TEXTS);
    finding.end = Some(last);
    finding.supported_by(detail, &[Some(norm), context.signal(Concept::KlToReference)], evidence, 0.7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    #[test]
    fn a_cluster_is_found_where_it_begins() {
        let run = Synthetic::healthy(300).noisy("train/grad_norm", 0.3, |t| {
            let step = (t * 300.0).round() as u32;
            if (200..220).contains(&step) && step.is_multiple_of(4) { 60.0 } else { 3.0 }
        });
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(finding.onset, Some(201.0));
    }

    #[test]
    fn norms_that_scatter_downwards_are_quiet() {
        let run = |upward: bool| {
            let noise = rundown_stats::testing::white(3, 301);
            Synthetic::healthy(300).noisy("train/grad_norm", 0.0, move |t| {
                let draw = noise.get((t * 300.0).round() as usize).copied().unwrap_or(0.0);
                libm::exp(if upward || draw < 0.0 { 2.5 * draw } else { 0.2 * draw })
            })
        };
        assert!(run(false).quiet(&CHECK));
        assert!(matches!(run(true).check(&CHECK), Outcome::Found(_)));
    }

    #[test]
    fn single_spikes_and_steps_without_gradient_are_quiet() {
        let single = Synthetic::healthy(300)
            .noisy("train/grad_norm", 0.3, |t| if (t * 300.0).round() as u32 == 45 { 60.0 } else { 3.0 });
        assert!(single.quiet(&CHECK));
        let dead = Synthetic::healthy(300)
            .noisy("train/grad_norm", 0.0, |t| if ((t * 300.0).round() as u32).is_multiple_of(3) { 3.0 } else { 1e-5 });
        assert!(dead.quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(300).without("train/grad_norm").check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_third_of_groups_without_variance_does_not_hide_a_cluster() {
        let run = |zero: f64| {
            Synthetic::healthy(300).noisy("train/frac_reward_zero_std", 0.02, move |_| zero).noisy(
                "train/grad_norm",
                0.3,
                |t| {
                    let step = (t * 300.0).round() as u32;
                    if (200..220).contains(&step) && step.is_multiple_of(4) { 60.0 } else { 3.0 }
                },
            )
        };
        assert_eq!(run(0.35).finding(&CHECK).onset, Some(201.0));
        assert!(run(0.95).quiet(&CHECK));
    }
}
