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
//! Move GPUs from training to sampling, or shorten what is sampled.
//!
//! # References
//! prime-rl's monitoring skill.

use crate::diagnose::advice::{Advice, Words};
use crate::diagnose::context::Context;
use crate::diagnose::events::is_long_enough;
use crate::diagnose::phases::Phases;
use crate::diagnose::signal::Signal;
use crate::diagnose::{Check, Code, Evidence, Outcome, Severity, Threshold};
use crate::format::rich;
use crate::format::rich_text::{metric, percent};
use crate::vocabulary::Concept;

/// The check.
pub const CHECK: Check = Check { code: Code::RolloutBound, run };

const WORDS: Words = Words {
    causes: &[],
    actions: &[Advice::Do([
        "Move GPUs from training to sampling, or sample the next batch meanwhile",
        "less waiting, more steps per hour",
        "older samples when sampling runs ahead",
        "waiting below 0.3 of a step, staleness",
    ])],
    alternative: "Sampling and training share the same GPUs, so nothing is idle.",
    refute: "The trainer's GPUs are busy while it waits.",
    references: &["prime-rl monitoring skill"],
};

fn run(context: &Context<'_>) -> Outcome {
    let side = Side {
        code: CHECK.code,
        waiting: Concept::TrainerIdle,
        phase: |phases| phases.rollout,
        phase_concept: Concept::RolloutTime,
        phase_share: context.rulebook.rollout_share(),
        waits: "The trainer waits for rollouts for",
        takes: "Sampling takes",
        detail: "Sampling is the bottleneck of a step.",
        words: &WORDS,
    };
    side.judge(context)
}

/// One side of the pipeline as the bottleneck; the other check is `trainer_bound`.
pub(in crate::diagnose) struct Side<'t> {
    pub code: Code,
    /// The waiting time of the other side.
    pub waiting: Concept,
    pub phase: fn(&Phases) -> f64,
    pub phase_concept: Concept,
    pub phase_share: &'t Threshold,
    pub waits: &'static str,
    pub takes: &'static str,
    pub detail: &'static str,
    pub words: &'static Words,
}

impl Side<'_> {
    pub fn judge(&self, context: &Context<'_>) -> Outcome {
        let phases = Phases::of(context);
        let waiting = context.signal(self.waiting);
        if let Some((signal, share)) = waiting.and_then(|signal| Some((signal, phases.share(signal)?))) {
            return self.outcome(context, signal, share, context.rulebook.wait_share(), self.waits, 0.8);
        }
        match context.signal(self.phase_concept) {
            Some(signal) if phases.take_turns() => {
                let share = (self.phase)(&phases) / phases.step;
                self.outcome(context, signal, share, self.phase_share, self.takes, 0.6)
            }
            _ => Outcome::Skipped(context.need(&[self.waiting, Concept::RolloutTime, Concept::TrainTime])),
        }
    }

    fn outcome(
        &self,
        context: &Context<'_>,
        signal: &Signal<'_>,
        share: f64,
        threshold: &Threshold,
        verb: &str,
        confidence: f64,
    ) -> Outcome {
        let evidence =
            vec![Evidence::new(rich!("{} against the step", metric(signal.key())), share, "").above(threshold)];
        if share <= threshold.value || !is_long_enough(context, signal) {
            return Outcome::Quiet(evidence);
        }
        let title = rich!("{} {} of the typical step", verb, percent(share));
        let finding = context.finding(self.code, Severity::Note, title, Some(signal.step(0)), self.words);
        Outcome::Found(vec![finding.supported_by(self.detail, &[signal], evidence, confidence)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::checks::testing::Synthetic;

    #[test]
    fn a_trainer_that_waits_is_noted() {
        let run =
            Synthetic::healthy(200).noisy("step_time", 2.0, |_| 100.0).noisy("time/wait_for_batch", 2.0, |_| 45.0);
        let finding = run.finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(1.0)));
        assert!(finding.title.to_string().contains("45 %"), "{}", finding.title);
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
