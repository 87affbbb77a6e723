//! The ways in which a run ends before it is done, and how serious each is.

use crate::Severity;
use crate::context::Context;
use rundown_run::RunWarning;

/// How a run ended that did not end well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AbnormalEnd {
    /// Someone interrupted it.
    ByHand,
    /// An error ended the program behind its training: all planned steps had been taken, or the log says that the run finished.
    AfterTraining,
    /// An error ended it.
    Failed,
    /// The same by a record of final values alone: how far it came is not known.
    NoHistory,
    /// A signal ended it.
    Killed {
        /// Nearly all planned steps had been taken.
        is_nearly_done: bool,
    },
    /// Nothing says how it ended, where the tracker writes that.
    NoRecord {
        /// Planned steps are missing.
        falls_short: bool,
    },
}

/// Part of the planned steps that is nearly all of them: what is missing changes little in what was learned.
const NEARLY: f64 = 0.95;

/// True for a run of which only final values are there, so that its steps are elsewhere.
pub(super) fn has_no_history(context: &Context<'_>) -> bool {
    context.run.columns.is_empty() && context.run.warnings.contains(&RunWarning::FinalValuesOnly)
}

/// True for a run that is known to have reached the last of its planned steps.
pub(super) fn reached_plan(context: &Context<'_>) -> bool {
    took_part_of_plan(context, 1.0) == Some(true)
}

/// Whether a part of the planned steps was taken; `None` where they, or the steps taken, are not known.
pub(super) fn took_part_of_plan(context: &Context<'_>, part: f64) -> Option<bool> {
    let last = Some(context.last_step()).filter(|last| last.is_finite())?;
    context.comparable_plan().map(|planned| last >= part * planned)
}

impl AbnormalEnd {
    /// By an error: of the training, or of the program behind it.
    pub(super) fn by_error(context: &Context<'_>) -> Self {
        if has_no_history(context) {
            return Self::NoHistory;
        }
        if reached_plan(context) { Self::AfterTraining } else { Self::Failed }
    }

    /// By a signal from outside.
    pub(super) fn by_kill(context: &Context<'_>) -> Self {
        Self::Killed { is_nearly_done: took_part_of_plan(context, NEARLY) == Some(true) }
    }

    /// How serious it is.
    pub(super) fn severity(self) -> Severity {
        match self {
            AbnormalEnd::ByHand
            | AbnormalEnd::AfterTraining
            | AbnormalEnd::Killed { is_nearly_done: true }
            | AbnormalEnd::NoRecord { falls_short: false } => Severity::Note,
            AbnormalEnd::Failed => Severity::Critical,
            // Trackers call a run crashed as well that was stopped by hand or whose machine went away.
            AbnormalEnd::NoHistory | AbnormalEnd::Killed { .. } | AbnormalEnd::NoRecord { falls_short: true } => {
                Severity::Warning
            }
        }
    }

    /// What else may explain it.
    pub(super) fn alternative(self, context: &Context<'_>) -> &'static str {
        match self {
            AbnormalEnd::NoHistory => {
                "It was stopped by hand, or its machine went away: trackers call that crashed, too."
            }
            AbnormalEnd::Failed if !context.last_step().is_finite() => {
                "It was a test of the set-up, and the training has another log."
            }
            AbnormalEnd::Failed if took_part_of_plan(context, NEARLY) == Some(false) => {
                "The machine failed, and not the program: the error would not come back at the same step."
            }
            AbnormalEnd::ByHand => "It was stopped because it hung or did not do well.",
            AbnormalEnd::AfterTraining => {
                "More steps were planned than the settings say, and the error prevented the others."
            }
            AbnormalEnd::Failed => "The error may come from the tracker or the shutdown, after the training was done.",
            AbnormalEnd::Killed { .. } => "It was stopped on purpose, and nothing is wrong with it.",
            AbnormalEnd::NoRecord { .. } => "It may still be running: newer files would have more steps.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::CHECK;
    use crate::Severity;
    use crate::checks::testing::Synthetic;
    use rundown_run::RunState;

    #[test]
    fn steps_of_an_episode_are_no_plan_that_a_failed_run_has_reached() {
        let severity = |steps: f64| {
            let mut run = Synthetic::healthy(100).config("max_steps", steps);
            run.run.ending.state = RunState::Failed;
            run.run.ending.exit_code = Some(1);
            run.finding(&CHECK).severity
        };
        assert_eq!(severity(10.0), Severity::Critical);
        assert_eq!(severity(99.0), Severity::Note, "it took all planned steps");
    }
}
