//! Which findings are on the time that a run takes, and not on what it learned: a verdict and a headline tell them apart.

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
