//! A gradient that was never there: its norm is exactly 0 in every row, although the loss is not.

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::zero_variance::MAJORITY;
use crate::{Code, Evidence, Finding, Relation, Severity};
use rundown_format::rich;
use rundown_vocabulary::Concept;

/// Fewest points that must all be 0.
const POINTS: usize = 5;
/// Smallest loss that counts: a smaller one may be 0 but for rounding.
const LOSS: f64 = 0.001;
/// Coarsest resolution of printed norms at which 0 is no small norm that was rounded.
const RESOLUTION: f64 = 1e-6;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Compare a trained weight before and after one optimiser step",
            "shows whether updates reach the weights, or only the norm is not computed",
            "none",
            "a difference above 0",
        ]),
        Advice::Do([
            "Look for parameters without requires_grad, a loss that is detached or computed under no_grad, and a backward outside of the trainer",
            "the optimiser gets a gradient",
            "none",
            "gradient norm above 0 in the first logged step",
        ]),
    ],
    alternative: "The weights are updated, and the norm is read where no gradient is left: after it was cleared, or beside DeepSpeed's own.",
    refute: "A trained weight differs after one optimiser step.",
    references: &["PyTorch docs, torch.nn.utils.clip_grad_norm_ (total norm of the gradients)"],
};

/// The finding, where the task is not learned either.
pub(super) fn finding(context: &Context<'_>, norm: &MetricSeries<'_>) -> Option<Finding> {
    let loss = context.signal(Concept::PolicyLoss)?;
    // A norm that was printed with three decimals may be small.
    let is_exact = norm.printed_quantum.unwrap_or(0.0) <= RESOLUTION;
    let is_absent = norm.len() >= POINTS && is_exact && norm.is_zero();
    let has_loss = 2 * loss.values.iter().filter(|value| value.abs() >= LOSS).count() > loss.len();
    // Groups that agree have no gradient, whatever the other terms of the loss are.
    let agree = context.zero_variance_share().is_some_and(|share| share >= MAJORITY);
    if !is_absent || !has_loss || agree || context.improved() {
        return None;
    }
    let title = rich!(
        "The gradient norm is 0 in all {} points although the loss is not 0: the weights may not be updated",
        norm.len()
    );
    let finding = context.finding(Code::GradientDying, Severity::Warning, title, Some(norm.step(0)), &TEXTS);
    let detail = "A loss that is not 0 and depends on the weights has a gradient whose norm is not exactly 0. Without a gradient the weights stay as they are.";
    let evidence = vec![
        Evidence::new("points of the gradient norm, all 0", norm.len() as f64, "").limited(
            Relation::Above,
            POINTS as f64,
            "ours: a computed norm is never exactly 0",
        ),
        Evidence::new("median size of the loss", loss.map(f64::abs).end_level(), ""),
    ];
    Some(finding.supported_by(detail, &[norm, loss], evidence, 0.7))
}

#[cfg(test)]
mod tests {
    use super::super::CHECK;
    use crate::checks::testing::Synthetic;
    use crate::{Severity, checks::testing::saturating};

    fn without_gradient(rows: usize, loss: f64) -> Synthetic {
        Synthetic::new(rows)
            .every("train/reward", 1, |t| 0.4 + 0.1 * libm::sin(900.0 * t))
            .every("train/grad_norm", 1, |_| 0.0)
            .every("train/loss", 1, move |t| loss * (1.0 + 0.3 * libm::sin(700.0 * t)))
    }

    #[test]
    fn a_norm_of_zero_beside_a_loss_is_found_in_few_rows() {
        let finding = without_gradient(8, -0.5).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Warning, Some(1.0)));
        assert!(finding.title.to_string().contains("0 in all 8 points"), "{}", finding.title);
    }

    #[test]
    fn a_loss_near_zero_groups_that_agree_and_a_task_that_is_learned_are_quiet() {
        assert!(without_gradient(8, 0.0002).quiet(&CHECK));
        assert!(without_gradient(4, -0.5).quiet(&CHECK));
        assert!(without_gradient(40, -0.5).every("train/frac_reward_zero_std", 1, |_| 1.0).quiet(&CHECK));
        let learned = without_gradient(60, -0.5).noisy("train/reward", 0.02, |t| 0.2 + 0.7 * saturating(3.0 * t));
        assert!(learned.without("train/grad_norm").every("train/grad_norm", 6, |_| 0.0).quiet(&CHECK));
    }
}
