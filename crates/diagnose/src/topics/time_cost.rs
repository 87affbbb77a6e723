//! Which findings leave the policy unharmed: those on the time that a run takes, and those on a setting in spite of which the task
//! was learned. A verdict and a headline tell them apart from the others.

use crate::context::Context;
use crate::{Code, Finding, Severity};
use rundown_run::RunState;

/// True for a finding on the time that a run takes: the policy is none the worse for it. One that stands still at its end is
/// to be looked at.
pub(crate) fn costs_time_alone(context: &Context<'_>, finding: &Finding) -> bool {
    match finding.code {
        Code::Stalled => {
            let is_over = context.run.ending.state == RunState::Finished;
            is_over || finding.onset.is_some_and(|onset| onset < context.last_step())
        }
        Code::RolloutSlow
        | Code::VolumeReloadSlow
        | Code::StepTimeOutliers
        | Code::ThroughputRegression
        | Code::TrainerBound
        | Code::RolloutBound
        | Code::LowOverlap
        | Code::CacheDisabled
        | Code::CacheHitRateLow
        | Code::CacheNotWarming
        | Code::CacheHotButSlow => finding.severity < Severity::Critical,
        _ => false,
    }
}

/// True for a finding that does not say that the policy is any worse: it costs time alone, or it is a setting that is worth
/// mending and in spite of which the task was learned.
pub(crate) fn leaves_policy_unharmed(context: &Context<'_>, finding: &Finding) -> bool {
    let is_setting = finding.code == Code::ConfigConflict && finding.severity < Severity::Critical;
    costs_time_alone(context, finding) || is_setting && context.improved()
}

/// True for such a finding where it does not make the run bad: the run `learned`, or the finding is a stall that is over. Slow steps
/// count where nothing was learned.
pub(crate) fn is_left_out_of_verdict(context: &Context<'_>, finding: &Finding, learned: bool) -> bool {
    (learned || finding.code == Code::Stalled) && leaves_policy_unharmed(context, finding)
}

#[cfg(test)]
mod tests {
    use crate::checks::testing::Synthetic;
    use crate::{Code, Diagnosis, Rulebook, Severity, Verdict, diagnose};

    /// A run that stood still for hours in the middle.
    fn stalled(run: Synthetic) -> Diagnosis {
        let mut run = run.build();
        let (mut time, middle) = (1e9, run.row_times.len() / 2);
        for (row, at) in run.row_times.iter_mut().enumerate() {
            *at = time;
            time += if row == middle { 20_000.0 } else { 60.0 };
        }
        let diagnosis = diagnose(&run, &Rulebook::default());
        let stall = diagnosis.findings.iter().find(|finding| finding.code == Code::Stalled);
        assert_eq!(stall.map(|stall| stall.severity), Some(Severity::Warning));
        diagnosis
    }

    #[test]
    fn a_stall_alone_makes_no_run_bad() {
        let unknown = stalled(Synthetic::new(25).noisy("train/reward", 0.15, |_| 0.5));
        let headline = unknown.headline.to_string();
        assert_eq!(unknown.verdict, Verdict::Undecided, "{headline}");
        assert!(headline.starts_with("Too little data") && headline.contains("; the run stalled"), "{headline}");
        let flat = Synthetic::healthy(200).every("eval/accuracy", 10, |_| 0.5).noisy("train/reward", 0.15, |_| 1.4);
        assert_eq!(stalled(flat).verdict, Verdict::Bad, "nothing was learned");
    }
}
