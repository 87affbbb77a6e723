//! Which finding explains which, and which says no more than another: root causes above their consequences.

use crate::explanations::{ABRUPT_FINDINGS, EXPLAINS, SUPPRESSES, may_date};
use crate::measure::Z_PICKED;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::{Code, Finding, Quiet, QuietReason, Severity};
use rundown_format::{RichText, rich};
use rundown_stats::CompactSort as _;

/// Findings that are read from several metrics together: any of their consequences may be the first to show.
const SYNDROMES: [Code; 5] = [
    Code::RewardHacking,
    Code::PenalisedRewardFalling,
    Code::Overfitting,
    Code::LearningRateTooHigh,
    Code::TooAggressive,
];
/// Part of the run by which a consequence of those may show before the metric that dates them.
const SLACK: f64 = 0.1;

/// The series of a metric, by its key.
type SignalOf<'f, 's> = &'f dyn Fn(&str) -> Option<&'s MetricSeries<'s>>;

/// Removes findings that say no more than another one, and returns them as quiet checks with their numbers.
pub fn suppress(findings: &mut Vec<Finding>) -> Vec<Quiet> {
    let severity_of = |findings: &[Finding], code: Code| {
        findings.iter().filter(|finding| finding.code == code).map(|finding| finding.severity).max()
    };
    let blow_up = severity_of(findings, Code::KlBlowUp);
    let drift = severity_of(findings, Code::KlDrift);
    let spent = severity_of(findings, Code::KlWithoutReward);
    let regression = severity_of(findings, Code::RegressionFromPeak);
    // A KL that ran away or drifts is the finding; that it bought nothing is a remark on it.
    if blow_up.max(drift) >= Some(Severity::Warning) {
        let spent = findings.iter_mut().filter(|finding| finding.code == Code::KlWithoutReward);
        spent.for_each(|finding| finding.severity = Severity::Note);
    }
    let why_redundant = |code: Code| {
        let is_there = |stronger: Code| findings.iter().any(|finding| finding.code == stronger);
        let mut stronger =
            SUPPRESSES.iter().filter(|(_, others)| others.contains(&code)).map(|(stronger, _)| *stronger);
        match stronger.find(|stronger| is_there(*stronger)) {
            Some(stronger) => Some(QuietReason::CoveredBy(stronger)),
            // A note on a drift says less than that the KL was spent for nothing.
            None if code == Code::KlDrift && drift == Some(Severity::Note) && spent.is_some() => {
                Some(QuietReason::CoveredBy(Code::KlWithoutReward))
            }
            // What was lost again had been learned.
            None if code == Code::NoLearning && regression >= Some(Severity::Warning) => {
                Some(QuietReason::CoveredBy(Code::RegressionFromPeak))
            }
            // A warm cache is only worth a word where rollouts are slow all the same.
            None if code == Code::CacheHotButSlow && !is_there(Code::RolloutSlow) => {
                Some(QuietReason::OnlyBeside(Code::RolloutSlow))
            }
            None => None,
        }
    };
    let mut quiet: Vec<Quiet> = Vec::new();
    for finding in &*findings {
        let Some(reason) = why_redundant(finding.code) else { continue };
        if quiet.iter().all(|quiet| quiet.code != finding.code) {
            quiet.push(Quiet { code: finding.code, evidence: finding.evidence.clone(), reason: Some(reason) });
        }
    }
    findings.retain(|finding| quiet.iter().all(|quiet| quiet.code != finding.code));
    quiet
}

/// Fills `explained_by`.
///
/// What a check itself names as the cause comes before the table. A note explains nothing, and nothing explains what began
/// before it, or broke at one step while the cause stayed as it had been all along. A consequence keeps its severity. What is
/// seen in several metrics together begins with the first of them.
#[inline(never)]
pub fn explain(findings: &mut [Finding], steps: (f64, f64), signals: SignalOf<'_, '_>) {
    let early: Vec<FirstSign> =
        SYNDROMES.iter().filter_map(|code| first_sign(*code, findings, steps, signals)).collect();
    for sign in early {
        for finding in findings.iter_mut().filter(|finding| finding.code == sign.of) {
            finding.onset = Some(sign.onset);
            finding.detail.append(rich!(" First sign: {}.", &sign.title));
        }
    }
    let seen: Vec<PossibleCause> =
        findings.iter().map(|finding| PossibleCause::new(finding, steps.0, signals)).collect();
    let slack = SLACK * (steps.1 - steps.0);
    for finding in findings.iter_mut() {
        let is_open = begins_with_metric(finding, steps.0, signals);
        let is_abrupt = ABRUPT_FINDINGS.contains(&finding.code);
        let is_there = |code: Code| {
            let early = if is_open && SYNDROMES.contains(&code) { slack } else { 0.0 };
            seen.iter().find(|cause| cause.code == code && cause.severity > Severity::Note).is_some_and(|cause| {
                begins_by(cause.onset.map(|onset| onset - early), finding.onset)
                    && !(is_abrupt && cause.is_unchanged_at(finding.onset))
            })
        };
        let named = finding.explained_by.iter().copied().find(|cause| is_there(*cause));
        let known = || {
            let mut causes = EXPLAINS.iter().filter(|(_, consequences)| consequences.contains(&finding.code));
            causes.find(|(cause, _)| is_there(*cause)).map(|(cause, _)| *cause)
        };
        finding.explained_by = named.or_else(known).into_iter().collect();
    }
}

/// What is asked of a finding that may explain another one.
struct PossibleCause<'s> {
    code: Code,
    severity: Severity,
    onset: Option<f64>,
    /// True where it is there from the first point of its metric on.
    is_open: bool,
    signal: Option<&'s MetricSeries<'s>>,
}

impl<'s> PossibleCause<'s> {
    fn new(finding: &Finding, first: f64, signals: SignalOf<'_, 's>) -> Self {
        let &Finding { code, severity, onset, .. } = finding;
        let signal = finding.metrics.first().and_then(|key| signals(key));
        Self { code, severity, onset, is_open: begins_with_metric(finding, first, signals), signal }
    }

    /// True where it is there from the start, and no other around a step than then.
    fn is_unchanged_at(&self, step: Option<f64>) -> bool {
        let differs = self.signal.zip(step).is_some_and(|(signal, step)| level::differs_at(signal, step, Z_PICKED));
        self.is_open && !differs
    }
}

/// A consequence that was seen before the metric by which its cause is dated.
struct FirstSign {
    of: Code,
    onset: f64,
    title: RichText,
}

/// The earliest consequence that begins before its cause, but not long before, and not with its own metric: what a metric
/// shows from its first point on is not known to have begun there.
///
/// `steps` are the first and the last step of the run.
fn first_sign(of: Code, findings: &[Finding], steps: (f64, f64), signals: SignalOf<'_, '_>) -> Option<FirstSign> {
    let (first, last) = steps;
    let cause = findings.iter().find(|finding| finding.code == of && finding.severity > Severity::Note)?.onset?;
    let earliest = cause - SLACK * (last - first);
    let consequences = EXPLAINS.iter().filter(|(code, _)| *code == of).flat_map(|(_, consequences)| *consequences);
    let signs = consequences.filter(|code| may_date(**code, of)).filter_map(|code| {
        let finding = findings.iter().find(|finding| finding.code == *code && finding.severity > Severity::Note)?;
        let onset = finding.onset.filter(|onset| (earliest..cause).contains(onset))?;
        if begins_with_metric(finding, first, signals) {
            return None;
        }
        Some(FirstSign { of, onset, title: finding.title.clone() })
    });
    signs.reduce(|earliest, sign| if sign.onset < earliest.onset { sign } else { earliest })
}

/// True for a finding that its metric shows from its first point on: when it began is not known.
fn begins_with_metric(finding: &Finding, first: f64, signals: SignalOf<'_, '_>) -> bool {
    let signal = finding.metrics.first().and_then(|key| signals(key));
    let begun = signal.and_then(|signal| signal.steps.first().copied()).unwrap_or(first);
    finding.onset.is_some_and(|onset| onset <= begun)
}

/// True when the cause began by the time of the consequence; unknown onsets do not speak against it.
fn begins_by(cause: Option<f64>, consequence: Option<f64>) -> bool {
    match (cause, consequence) {
        (Some(cause), Some(consequence)) => cause <= consequence,
        _ => true,
    }
}

/// Roots worst first, by themselves or what they explain, each followed by what it explains, worst first; of equal severity what costs more than time, then the
/// deeper cause, then the earlier onset, then by the catalogue.
pub fn order(findings: &mut Vec<Finding>, costs_time_alone: impl Fn(&Finding) -> bool) {
    let depth = |code: Code| EXPLAINS.iter().position(|(cause, _)| *cause == code).unwrap_or(EXPLAINS.len());
    let onset = |finding: &Finding| finding.onset.unwrap_or(f64::INFINITY);
    findings.compact_sort_by(|a, b| {
        let by_severity = b.severity.cmp(&a.severity).then(costs_time_alone(a).cmp(&costs_time_alone(b)));
        let by_depth = by_severity.then(depth(a.code).cmp(&depth(b.code)));
        by_depth.then(onset(a).total_cmp(&onset(b))).then(a.code.cmp(&b.code))
    });
    let mut rest = std::mem::take(findings);
    while let Some(place) = worst_root(&rest) {
        let root = rest.remove(place);
        move_with_consequences(root, &mut rest, findings);
    }
    findings.append(&mut rest);
}

/// The first root of those whose worst consequence, or which themselves, are worst: the verdict is that of the worst finding, and its
/// cause is told first.
fn worst_root(findings: &[Finding]) -> Option<usize> {
    let worst = |root: &Finding| {
        let of_root = findings.iter().filter(|finding| root_of(finding, findings) == Some(root.code));
        of_root.map(|finding| finding.severity).max()
    };
    let roots = findings.iter().enumerate().filter(|(_, finding)| finding.explained_by.is_empty());
    // Of equal ones the first.
    roots.rev().max_by_key(|(_, root)| worst(root)).map(|(place, _)| place)
}

/// The cause behind the causes of a finding; `None` where they lead round in a circle.
fn root_of(finding: &Finding, findings: &[Finding]) -> Option<Code> {
    let mut code = finding.code;
    for _ in findings {
        let of_code = findings.iter().find(|finding| finding.code == code)?;
        match of_code.explained_by.first() {
            Some(cause) => code = *cause,
            None => return Some(code),
        }
    }
    None
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
    use rundown_run::Series;
    use rundown_vocabulary::{Binding, Concept, Direction, Unit};

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
        explain(&mut findings, (1.0, 400.0), &|_| None);
        order(&mut findings, |_| false);
        let expected =
            [Code::RewardHacking, Code::KlBlowUp, Code::RewardBreak, Code::LengthExplosion, Code::GradientSpikes];
        assert_eq!(codes(&findings), expected);
        assert_eq!(findings[1].explained_by, [Code::RewardHacking]);
        assert_eq!(findings[2].explained_by, [Code::KlBlowUp]);
        assert_eq!(findings[0].onset, Some(5.0), "with its first sign");
        assert!(findings[0].detail.to_string().contains("First sign"), "{}", findings[0].detail);
    }

    #[test]
    fn a_cause_of_something_critical_comes_before_another_warning() {
        let mut findings = vec![
            finding(Code::Truncation, Severity::Warning, 1.0),
            finding(Code::TooAggressive, Severity::Warning, 2.0),
            finding(Code::EntropyCollapse, Severity::Critical, 11.0),
        ];
        explain(&mut findings, (1.0, 24.0), &|_| None);
        order(&mut findings, |_| false);
        assert_eq!(codes(&findings), [Code::TooAggressive, Code::EntropyCollapse, Code::Truncation]);
    }

    #[test]
    fn what_costs_time_alone_comes_behind_others_as_bad() {
        let of = [
            (Code::Stalled, Severity::Warning),
            (Code::Truncation, Severity::Warning),
            (Code::RunCrashed, Severity::Note),
        ];
        let mut findings = of.map(|(code, severity)| finding(code, severity, 10.0)).to_vec();
        order(&mut findings, |finding| finding.code == Code::Stalled);
        assert_eq!(codes(&findings), [Code::Truncation, Code::Stalled, Code::RunCrashed]);
    }

    #[test]
    fn what_began_much_earlier_is_no_consequence() {
        let mut findings = vec![
            finding(Code::LengthExplosion, Severity::Warning, 10.0),
            finding(Code::RewardHacking, Severity::Critical, 200.0),
        ];
        explain(&mut findings, (1.0, 400.0), &|_| None);
        order(&mut findings, |_| false);
        assert!(findings.iter().all(|finding| finding.explained_by.is_empty()));
        assert_eq!(codes(&findings), [Code::RewardHacking, Code::LengthExplosion]);
    }

    #[test]
    fn a_cause_seen_in_one_metric_explains_nothing_that_began_before_it() {
        let mut findings = vec![
            finding(Code::EntropyExplosion, Severity::Warning, 190.0),
            finding(Code::KlBlowUp, Severity::Critical, 200.0),
            finding(Code::LengthExplosion, Severity::Warning, 201.0),
        ];
        explain(&mut findings, (1.0, 400.0), &|_| None);
        order(&mut findings, |_| false);
        assert_eq!(codes(&findings), [Code::KlBlowUp, Code::LengthExplosion, Code::EntropyExplosion]);
        assert!(findings[2].explained_by.is_empty());
        findings[0].code = Code::TooAggressive;
        explain(&mut findings, (1.0, 400.0), &|_| None);
        assert_eq!(findings[0].onset, Some(200.0), "the entropy may have grown for another reason");
    }

    #[test]
    fn a_note_explains_nothing() {
        let mut findings = vec![
            finding(Code::NonfiniteValues, Severity::Note, 10.0),
            finding(Code::RunCrashed, Severity::Critical, 200.0),
        ];
        explain(&mut findings, (1.0, 400.0), &|_| None);
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
        explain(&mut findings, (1.0, 400.0), &|_| None);
        order(&mut findings, |_| false);
        let expected = [Code::NonfiniteValues, Code::RewardBreak, Code::KlBlowUp, Code::LengthExplosion];
        assert_eq!(codes(&findings), expected);
        assert!(findings[2].explained_by.is_empty());
        assert_eq!(findings[3].explained_by, [Code::KlBlowUp]);
    }

    #[test]
    fn what_is_there_from_the_first_point_of_its_metric_is_no_first_sign() {
        let mut findings = vec![
            finding(Code::GradientDying, Severity::Warning, 5.0),
            finding(Code::RewardHacking, Severity::Critical, 9.0),
        ];
        findings[0].metrics = vec!["norm".to_owned()];
        let binding = Binding::unscaled(Concept::GradientNorm, "norm", Unit::Plain, Direction::Neutral);
        let norm = MetricSeries::new(&binding, Series::new(vec![5.0], vec![1.0]));
        // A row without metrics stands before the first point.
        explain(&mut findings, (0.0, 400.0), &|key| (key == "norm").then_some(&norm));
        order(&mut findings, |_| false);
        assert!(findings.iter().all(|finding| finding.onset != Some(5.0) || finding.code == Code::GradientDying));
        assert!(!findings[0].detail.to_string().contains("First sign"), "{}", findings[0].detail);
        assert_eq!(findings[1].explained_by, [Code::RewardHacking], "it may have begun later than it shows");
    }

    #[test]
    fn a_reward_function_that_dies_with_the_policy_is_a_consequence_and_one_before_it_a_cause() {
        let explained = |dead: f64| {
            let mut findings = vec![
                finding(Code::RewardComponentDead, Severity::Warning, dead),
                finding(Code::Truncation, Severity::Critical, 152.0),
                finding(Code::ZeroVarianceGroups, Severity::Warning, 160.0),
            ];
            explain(&mut findings, (1.0, 200.0), &|_| None);
            let of = |code| findings.iter().find(|finding| finding.code == code).unwrap().explained_by.clone();
            (of(Code::RewardComponentDead), of(Code::ZeroVarianceGroups))
        };
        assert_eq!(explained(153.0).0, [Code::Truncation]);
        assert_eq!(explained(100.0), (vec![], vec![Code::RewardComponentDead]));
    }

    #[test]
    fn a_cause_that_a_check_names_comes_before_the_table() {
        let mut findings = vec![
            finding(Code::EntropyCollapse, Severity::Warning, 1.0),
            finding(Code::Truncation, Severity::Warning, 1.0),
            finding(Code::ZeroVarianceGroups, Severity::Warning, 1.0),
        ];
        findings[2].explained_by = vec![Code::LengthPinnedAtCap, Code::Truncation];
        explain(&mut findings, (1.0, 400.0), &|_| None);
        assert_eq!(findings[2].explained_by, [Code::Truncation]);
    }

    #[test]
    fn a_finding_that_another_one_covers_is_a_quiet_check_that_names_it() {
        let reasons = |codes: &[Code]| {
            let mut findings: Vec<Finding> = codes.iter().map(|code| finding(*code, Severity::Note, 1.0)).collect();
            let quiet = suppress(&mut findings);
            assert_eq!(quiet.len() + findings.len(), codes.len());
            quiet.into_iter().map(|quiet| (quiet.code, quiet.reason)).collect::<Vec<_>>()
        };
        let covered = |code, by| (code, Some(QuietReason::CoveredBy(by)));
        assert_eq!(reasons(&[Code::KlBlowUp, Code::KlSpikes]), [covered(Code::KlSpikes, Code::KlBlowUp)]);
        let spent = reasons(&[Code::KlDrift, Code::KlWithoutReward]);
        assert_eq!(spent, [covered(Code::KlDrift, Code::KlWithoutReward)]);
        let hot = [(Code::CacheHotButSlow, Some(QuietReason::OnlyBeside(Code::RolloutSlow)))];
        assert_eq!(reasons(&[Code::CacheHotButSlow]), hot);
        assert_eq!(reasons(&[Code::RolloutSlow, Code::CacheHotButSlow]), []);
    }
}
