//! The trainer waits for rollouts.
//!
//! # What it checks
//! The share of the typical step that the trainer waits for samples: a note above 30 %. Without a waiting time, the
//! share of sampling in a step whose phases take turns: a note above 90 %.
//!
//! # Why it matters
//! GPUs that wait are paid for. The cure is on the sampling side: more engines, shorter responses, a warmer cache.
//!
//! # Evidence needed
//! The waiting time of the trainer (as a share or in seconds with the time of a step), or the seconds of sampling and
//! of training.
//!
//! # Threshold and where it comes from
//! prime-rl reads a high `time/wait_for_batch` as bound by rollouts; 30 % is where one side is plainly too small.
//! Sampling takes 70 % and more of a step in long reasoning, which is usual, so only 90 % is said.
//!
//! # Known false alarms
//! Designs that share GPUs between sampling and training: nothing is idle there, and the note is about time only.
//!
//! # What to do
//! Move GPUs from training to sampling, or shorten what is sampled; sample more groups per step where engines are idle,
//! and let more containers run them.
//!
//! # References
//! prime-rl's monitoring skill; the analyze-experiment guide, "Infrastructure Bottleneck".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::topics::bottleneck::Bottleneck;
use crate::topics::rollout_capacity;
use crate::{Check, Code, Outcome};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::RolloutBound, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Move GPUs from training to sampling, or sample the next batch meanwhile",
        "less waiting, more steps per hour",
        "older samples when sampling runs ahead",
        "waiting below 0.3 of a step, staleness",
    ])],
    alternative: "Sampling and training share the same GPUs, so nothing is idle.",
    refute: "The trainer's GPUs are busy while it waits.",
    references: &["prime-rl monitoring skill", "analyze-experiment guide (infrastructure bottleneck)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let side = Bottleneck {
        code: CHECK.code,
        waiting: Concept::TrainerIdle,
        phase: |phases| phases.rollout,
        phase_concept: Concept::RolloutTime,
        phase_share: context.rulebook.rollout_share(),
        waits: "The trainer waits for rollouts for",
        takes: "Sampling takes",
        detail: "Sampling is the bottleneck of a step.",
        words: &TEXTS,
    };
    let mut outcome = side.assess(context);
    if let Outcome::Found(findings) = &mut outcome {
        findings.iter_mut().for_each(|finding| finding.actions.extend(rollout_capacity::actions(context)));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;
    use crate::checks::testing::{Synthetic, change};

    #[test]
    fn a_trainer_that_waits_is_noted() {
        let run =
            Synthetic::healthy(200).noisy("step_time", 2.0, |_| 100.0).noisy("time/wait_for_batch", 2.0, |_| 45.0);
        let finding = run.finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(1.0)));
        assert!(finding.title.to_string().contains("45 %"), "{}", finding.title);
        assert!(finding.actions.iter().any(|action| change(action).0.contains("prompts per step")));
        assert!(finding.actions.iter().any(|action| change(action).0.contains("replicas")));
    }

    #[test]
    fn the_usual_shares_are_quiet() {
        let phases = |rollout: f64| {
            Synthetic::healthy(200).noisy("timing/rollout", 2.0, move |_| rollout).noisy("timing/train", 1.0, |_| 30.0)
        };
        assert!(phases(75.0).quiet(&CHECK));
        assert_eq!(phases(600.0).finding(&CHECK).severity, Severity::Note);
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }
}
