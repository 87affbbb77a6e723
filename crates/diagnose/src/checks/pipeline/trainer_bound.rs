//! The sampler waits for the trainer.
//!
//! # What it checks
//! The share of the typical step that sampling waits for new weights or for training to end: a note above 30 %.
//! Without a waiting time, the share of training in a step whose phases take turns: a note above 70 %.
//!
//! # Why it matters
//! GPUs that wait are paid for. Here the cure is on the training side.
//!
//! # Evidence needed
//! The waiting time of the sampler (as a share or in seconds with the time of a step), or the seconds of sampling and
//! of training.
//!
//! # Threshold and where it comes from
//! prime-rl reads a high waiting time for the policy or the checkpoint as bound by the trainer. Sampling is the longer
//! phase of most GRPO steps, so training above 70 % is worth a word.
//!
//! # Known false alarms
//! Short responses with a large model, where training must be the longer part.
//!
//! # What to do
//! Larger micro-batches, fewer updates per batch, a shorter weight sync, or more GPUs for training.
//!
//! # References
//! prime-rl's monitoring skill; verl docs, performance tuning guide.

use crate::advice::{Advice, FEWER_EPOCHS_PER_BATCH, FindingTexts};
use crate::context::Context;
use crate::settings::Hyperparameter;
use crate::topics::bottleneck::Bottleneck;
use crate::{Check, Code, Outcome};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::TrainerBound, run);

fn run(context: &Context<'_>) -> Outcome {
    let side = Bottleneck {
        code: CHECK.code,
        waiting: Concept::SamplerIdle,
        phase: |phases| phases.train,
        phase_concept: Concept::TrainTime,
        phase_share: context.rulebook.train_share(),
        waits: "Sampling waits for the trainer for",
        takes: "Training takes",
        detail: "Training is the bottleneck of a step.",
        words: &TEXTS,
    };
    side.assess(context)
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::EpochsPerBatch, "Each epoch on the same batch takes as long as the first.")],
    actions: &[
        Advice::Do([
            "Raise the micro-batch or the tokens per GPU of the trainer",
            "fewer passes for the same batch",
            "out of memory",
            "training time",
        ]),
        Advice::Change(&FEWER_EPOCHS_PER_BATCH, "training time, reward per step"),
    ],
    alternative: "Sampling and training share the same GPUs, so nothing is idle.",
    refute: "The sampler's GPUs are busy while it waits.",
    references: &["prime-rl monitoring skill", "verl docs, performance tuning guide"],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;
    use crate::{Outcome, Severity};

    #[test]
    fn long_updates_are_noted_and_usual_ones_are_not() {
        let phases = |train: f64| {
            Synthetic::healthy(200).noisy("timing/rollout", 2.0, |_| 30.0).noisy("timing/train", 1.0, move |_| train)
        };
        let finding = phases(120.0).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.title.to_string().starts_with("Training takes 80 %"), "{}", finding.title);
        assert!(phases(20.0).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_waiting_sampler_counts_first() {
        let run =
            Synthetic::healthy(200).noisy("step_time", 1.0, |_| 100.0).noisy("time/wait_for_policy", 1.0, |_| 40.0);
        assert!(run.finding(&CHECK).title.to_string().starts_with("Sampling waits"));
    }
}
