//! What a policy that was damaged means for other findings: what a bonus on its entropy brought about, and where a run goes on that
//! stopped later.
//!
//! Checks do not see each other's findings, so this runs after all of them.

use super::resume::{CORRECT, RESUME, RESUME_STOPPED};
use super::{advice, may_have_checkpoint, missing_before};
use crate::context::Context;
use crate::settings::Hyperparameter;
use crate::{Code, Finding, Severity};
use rundown_format::rich;
use rundown_format::rich_text::step;

/// Findings of a policy that further training should not start from.
const DAMAGE: [Code; 5] =
    [Code::EntropyExplosion, Code::EntropyCollapse, Code::KlBlowUp, Code::LengthCollapse, Code::RegressionFromPeak];
/// Findings that nearly random tokens cause.
const BY_RANDOMNESS: [Code; 5] =
    [Code::KlDrift, Code::KlWithoutReward, Code::Truncation, Code::LengthPinnedAtCap, Code::LengthExplosion];
/// Growth of the entropy from which on a bonus on it counts as the cause of these findings. Ours.
const DOUBLED: f64 = 2.0;
/// Steps by which these findings may begin before that of the entropy. Ours.
const FEW_STEPS: f64 = 5.0;

/// Changes the findings for a damaged policy: names an entropy bonus as the cause of what followed, and sends a run that stopped
/// back to before the damage.
#[inline(never)]
pub(crate) fn tell_damage(findings: &mut [Finding], context: &Context<'_>) {
    explain_by_bonus(findings, context);
    go_on_from_before(findings, context);
}

/// Makes an entropy that a bonus has doubled the cause of its effects.
fn explain_by_bonus(findings: &mut [Finding], context: &Context<'_>) {
    let has_bonus = context.setting(Hyperparameter::EntropyCoefficient).is_some_and(|bonus| bonus.value > 0.0);
    let has_doubled =
        |finding: &Finding| finding.trend.first().is_some_and(|entropy| entropy.last >= DOUBLED * entropy.first);
    let cause = findings.iter().find(|finding| is_serious(finding) && finding.code == Code::EntropyExplosion);
    let Some(cause) = cause.filter(|cause| has_bonus && has_doubled(cause)) else { return };
    let from = cause.onset.unwrap_or(f64::NEG_INFINITY) - FEW_STEPS;
    let is_first = |finding: &Finding| finding.explained_by.is_empty() && follows_bonus(finding, from);
    let follows = |code: &Code| findings.iter().any(|finding| finding.code == *code && is_first(finding));
    // A cause that the entropy does not explain stays.
    if !cause.explained_by.iter().all(follows) {
        return;
    }
    for finding in findings.iter_mut() {
        if finding.code == Code::EntropyExplosion {
            finding.explained_by.clear();
        } else if is_first(finding) {
            finding.explained_by.push(Code::EntropyExplosion);
        }
    }
}

fn follows_bonus(finding: &Finding, from: f64) -> bool {
    BY_RANDOMNESS.contains(&finding.code) && finding.onset.is_none_or(|onset| onset >= from)
}

fn is_serious(finding: &Finding) -> bool {
    finding.severity > Severity::Note
}

/// Advises a run that stopped after the damage to go on from before it. That replaces the plain advice to resume from the last
/// checkpoint ([`RESUME`], [`CORRECT`], [`RESUME_STOPPED`]) and stands behind any other.
fn go_on_from_before(findings: &mut [Finding], context: &Context<'_>) {
    let damage = findings.iter().filter(|finding| is_serious(finding) && DAMAGE.contains(&finding.code));
    let Some(from) = damage.filter_map(|finding| finding.onset).reduce(f64::min) else { return };
    let mut stopped = findings.iter_mut().filter(|finding| is_serious(finding) && finding.code == Code::RunCrashed);
    let stopped = stopped.find(|finding| finding.onset.is_some_and(|end| end > from));
    // A run without a checkpoint is already advised to start again and to save more often.
    let goes_on = !context.improved() && may_have_checkpoint(context);
    let Some(stopped) = stopped.filter(|_| goes_on) else { return };
    let has_checkpoint =
        context.has_checkpoint_before(from) && missing_before(context, from).is_none() && !context.starts_best();
    let find_out = RESUME_STOPPED.action(context, None);
    let is_unexplained = stopped.actions.iter().any(|action| Some(action) == find_out.as_ref());
    let first = if is_unexplained { "Find out what stopped it" } else { "Correct what stopped it" };
    let change = match has_checkpoint {
        true => rich!("{}, then go on from a checkpoint before step {}", first, step(from)),
        false => rich!("{}, then start again from the initial weights", first),
    };
    let effect = "the last checkpoint is one of a damaged policy";
    let plain = [find_out, RESUME.action(context, None), CORRECT.action(context, None)];
    stopped.actions.retain(|action| !plain.iter().flatten().any(|plain| plain == action));
    stopped.actions.push(advice(change, effect, "loses the steps since", "the first steps after it"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trend;
    use crate::checks::ALL;
    use crate::checks::testing::{Synthetic, change, within};
    use rundown_run::{LogLine, RunState, Stream};

    fn told(findings: Vec<Finding>, bonus: f64) -> Vec<Finding> {
        told_of(Synthetic::new(100).config("entropy_coeff", bonus), findings)
    }

    fn told_of(run: Synthetic, mut findings: Vec<Finding>) -> Vec<Finding> {
        within(&run.build(), |context| tell_damage(&mut findings, context));
        findings
    }

    fn finding(code: Code, severity: Severity, onset: f64) -> Finding {
        Finding { onset: Some(onset), ..Finding::new(code, severity, "") }
    }

    #[test]
    fn an_entropy_that_a_bonus_raised_is_the_cause_of_the_kl_and_of_responses_without_an_end() {
        let causes = |bonus: f64, deeper: &[Code]| -> Vec<Vec<Code>> {
            let entropy = Trend { metric: "entropy".to_owned(), first: 2.0, mid: 11.0, last: 11.5, slope: 50.0 };
            let explosion = Finding {
                trend: vec![entropy],
                explained_by: vec![Code::KlDrift],
                ..finding(Code::EntropyExplosion, Severity::Warning, 3.0)
            };
            let drift = finding(Code::KlDrift, Severity::Warning, 2.0);
            let drift = Finding { explained_by: deeper.to_vec(), ..drift };
            let findings = vec![drift, explosion, finding(Code::Truncation, Severity::Warning, 5.0)];
            told(findings, bonus).into_iter().map(|finding| finding.explained_by).collect()
        };
        assert_eq!(causes(0.001, &[]), [vec![Code::EntropyExplosion], vec![], vec![Code::EntropyExplosion]]);
        assert_eq!(causes(0.0, &[]), [vec![], vec![Code::KlDrift], vec![]]);
        let rate = Code::LearningRateTooHigh;
        assert_eq!(causes(0.001, &[rate]), [vec![rate], vec![Code::KlDrift], vec![]], "that is the cause of both");
    }

    /// What is advised to a run of 100 steps that stopped with a line in its log, beside a finding on the policy.
    fn advised(state: RunState, line: &str, every: f64, damage: (Severity, f64)) -> Vec<String> {
        let run = || Synthetic::new(100).config("save_steps", every);
        let mut ended = run();
        ended.run.ending.state = state;
        ended.run.log.push(LogLine { stream: Stream::Error, text: line.to_owned() });
        let check = ALL.iter().find(|check| check.code == Code::RunCrashed).unwrap();
        let findings = vec![ended.finding(check), finding(Code::EntropyCollapse, damage.0, damage.1)];
        told_of(run(), findings)[0].actions.iter().map(|action| change(action).0).collect()
    }

    #[test]
    fn a_run_that_stopped_goes_on_from_before_the_damage() {
        let crashed = |severity: Severity, onset: f64| {
            let all = advised(RunState::Crashed, "ValueError: no tokens", 50.0, (severity, onset));
            assert_eq!(all.len(), 1, "{all:?}");
            all.concat()
        };
        let before = crashed(Severity::Warning, 60.0);
        assert!(before.contains("checkpoint before step 60"), "{before}");
        assert!(crashed(Severity::Warning, 1.0).contains("initial weights"));
        let unsaved = advised(RunState::Crashed, "ValueError: no tokens", 500.0, (Severity::Warning, 60.0)).concat();
        assert!(unsaved.contains("save more often"), "{unsaved}");
        assert!(crashed(Severity::Note, 60.0).ends_with("resume from the last checkpoint"));
        assert!(crashed(Severity::Warning, 100.0).ends_with("resume from the last checkpoint"));
    }

    #[test]
    fn what_mends_the_cause_of_the_stop_stays_before_the_way_back() {
        let disk = "OSError: [Errno 28] No space left on device";
        let hang_up = "torch.distributed.elastic.multiprocessing.api.SignalException: Process 7 got signal: 1";
        let ends =
            [(RunState::Crashed, disk, "Free disk space"), (RunState::Killed, hang_up, "Its terminal was closed")];
        for (state, line, first) in ends {
            let all = advised(state, line, 50.0, (Severity::Warning, 60.0));
            assert!(all.len() == 2 && all[0].starts_with(first), "{all:?}");
            assert!(all[1].contains("checkpoint before step 60"), "{all:?}");
        }
    }
}
