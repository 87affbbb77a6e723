//! Which finding explains which, and which says no more than another: root causes above their consequences.

use crate::diagnose::explanations::{EXPLAINS, SUPPRESSES};
use crate::diagnose::{Code, Finding, Quiet, Severity};

/// Part of the run by which a consequence may seem to begin before its cause: onsets are found from noisy curves.
const SLACK: f64 = 0.1;

/// Removes findings that say no more than another one, and returns them as quiet checks with their numbers.
pub fn suppress(findings: &mut Vec<Finding>) -> Vec<Quiet> {
    let severity_of = |findings: &[Finding], code: Code| {
        findings.iter().filter(|finding| finding.code == code).map(|finding| finding.severity).max()
    };
    let blow_up = severity_of(findings, Code::KlBlowUp);
    let drift = severity_of(findings, Code::KlDrift);
    let spent = severity_of(findings, Code::KlWithoutReward);
    // A KL that ran away or drifts is the finding; that it bought nothing is a remark on it.
    if blow_up.max(drift) >= Some(Severity::Warning) {
        let spent = findings.iter_mut().filter(|finding| finding.code == Code::KlWithoutReward);
        spent.for_each(|finding| finding.severity = Severity::Note);
    }
    let is_redundant = |code: Code| {
        let suppressed = SUPPRESSES.iter().any(|(stronger, others)| {
            others.contains(&code) && findings.iter().any(|finding| finding.code == *stronger)
        });
        match code {
            // A note on a drift says less than that the KL was spent for nothing.
            Code::KlDrift => suppressed || (drift == Some(Severity::Note) && spent.is_some()),
            // A warm cache is only worth a word where rollouts are slow all the same.
            Code::CacheHotButSlow => severity_of(findings, Code::RolloutSlow).is_none(),
            _ => suppressed,
        }
    };
    let mut redundant: Vec<Code> =
        findings.iter().map(|finding| finding.code).filter(|code| is_redundant(*code)).collect();
    redundant.dedup();
    let quiet = redundant.iter().filter_map(|code| {
        let finding = findings.iter().find(|finding| finding.code == *code)?;
        Some(Quiet { code: *code, evidence: finding.evidence.clone() })
    });
    let quiet: Vec<Quiet> = quiet.collect();
    findings.retain(|finding| !redundant.contains(&finding.code));
    quiet
}

/// Fills `explained_by` and orders findings: roots by severity, each followed by its consequences.
///
/// `steps` is the length of the run. A note explains nothing. A consequence keeps its severity.
pub fn explain(findings: &mut Vec<Finding>, steps: f64) {
    let seen: Vec<(Code, Severity, Option<f64>)> =
        findings.iter().map(|finding| (finding.code, finding.severity, finding.onset)).collect();
    for finding in findings.iter_mut() {
        let cause = EXPLAINS.iter().find(|(cause, consequences)| {
            let present = seen.iter().find(|(code, severity, _)| code == cause && *severity > Severity::Note);
            consequences.contains(&finding.code)
                && present.is_some_and(|(_, _, onset)| begins_by(*onset, finding.onset, SLACK * steps))
        });
        if let Some((cause, _)) = cause {
            finding.explained_by = vec![*cause];
        }
    }
    order(findings);
}

/// True when the cause began by the time of the consequence; unknown onsets do not speak against it.
fn begins_by(cause: Option<f64>, consequence: Option<f64>, slack: f64) -> bool {
    match (cause, consequence) {
        (Some(cause), Some(consequence)) => cause <= consequence + slack,
        _ => true,
    }
}

/// Roots worst first, each followed by what it explains, worst first; ties by onset, then by the catalogue.
fn order(findings: &mut Vec<Finding>) {
    let rank =
        |finding: &Finding| (std::cmp::Reverse(finding.severity), finding.onset.unwrap_or(f64::INFINITY), finding.code);
    findings.sort_by(|a, b| {
        let ((a_severity, a_onset, a_code), (b_severity, b_onset, b_code)) = (rank(a), rank(b));
        a_severity.cmp(&b_severity).then(a_onset.total_cmp(&b_onset)).then(a_code.cmp(&b_code))
    });
    let mut rest = std::mem::take(findings);
    while let Some(place) = rest.iter().position(|finding| finding.explained_by.is_empty()) {
        let root = rest.remove(place);
        move_with_consequences(root, &mut rest, findings);
    }
    findings.append(&mut rest);
}

fn move_with_consequences(root: Finding, rest: &mut Vec<Finding>, ordered: &mut Vec<Finding>) {
    let code = root.code;
    ordered.push(root);
    while let Some(place) = rest.iter().position(|finding| finding.explained_by.contains(&code)) {
        let next = rest.remove(place);
        move_with_consequences(next, rest, ordered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(code: Code, severity: Severity, onset: f64) -> Finding {
        Finding { onset: Some(onset), ..Finding::new(code, severity, "") }
    }

    fn codes(findings: &[Finding]) -> Vec<Code> {
        findings.iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn consequences_follow_their_root() {
        let mut findings = vec![
            finding(Code::GradientSpikes, Severity::Warning, 5.0),
            finding(Code::KlBlowUp, Severity::Critical, 5.0),
            finding(Code::RewardHacking, Severity::Critical, 9.0),
            finding(Code::RewardBreak, Severity::Warning, 300.0),
            finding(Code::LengthExplosion, Severity::Critical, 12.0),
        ];
        explain(&mut findings, 400.0);
        let expected =
            [Code::RewardHacking, Code::KlBlowUp, Code::RewardBreak, Code::LengthExplosion, Code::GradientSpikes];
        assert_eq!(codes(&findings), expected);
        assert_eq!(findings[1].explained_by, [Code::RewardHacking]);
        assert_eq!(findings[2].explained_by, [Code::KlBlowUp]);
    }

    #[test]
    fn what_began_much_earlier_is_no_consequence() {
        let mut findings = vec![
            finding(Code::LengthExplosion, Severity::Warning, 10.0),
            finding(Code::RewardHacking, Severity::Critical, 200.0),
        ];
        explain(&mut findings, 400.0);
        assert!(findings.iter().all(|finding| finding.explained_by.is_empty()));
        assert_eq!(codes(&findings), [Code::RewardHacking, Code::LengthExplosion]);
    }

    #[test]
    fn a_note_explains_nothing() {
        let mut findings = vec![
            finding(Code::NonfiniteValues, Severity::Note, 10.0),
            finding(Code::RunCrashed, Severity::Critical, 200.0),
        ];
        explain(&mut findings, 400.0);
        assert!(findings.iter().all(|finding| finding.explained_by.is_empty()));
    }

    #[test]
    fn what_a_model_of_nan_does_follows_from_the_nan_and_what_came_before_does_not() {
        let mut findings = vec![
            finding(Code::KlBlowUp, Severity::Warning, 290.0),
            finding(Code::LengthExplosion, Severity::Warning, 298.0),
            finding(Code::NonfiniteValues, Severity::Critical, 300.0),
            finding(Code::RewardBreak, Severity::Warning, 300.0),
        ];
        explain(&mut findings, 400.0);
        let expected = [Code::NonfiniteValues, Code::LengthExplosion, Code::RewardBreak, Code::KlBlowUp];
        assert_eq!(codes(&findings), expected);
        assert!(findings[3].explained_by.is_empty());
    }
}
