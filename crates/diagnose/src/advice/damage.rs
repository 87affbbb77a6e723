//! What a policy that was damaged means for other findings: what a bonus on its entropy brought about, and where a run goes on that
//! stopped later.
//!
//! Checks do not see each other, so it is said when all findings are there.

use super::{advice, saved_later};
use crate::context::Context;
use crate::settings::Hyperparameter;
use crate::{Code, Finding, Severity};
use rundown_format::rich;
use rundown_format::rich_text::step;

/// Findings of a policy from which no further training starts.
const DAMAGE: [Code; 5] =
    [Code::EntropyExplosion, Code::EntropyCollapse, Code::KlBlowUp, Code::LengthCollapse, Code::RegressionFromPeak];
/// What a policy does that puts its probability on any token.
const BY_RANDOMNESS: [Code; 5] =
    [Code::KlDrift, Code::KlWithoutReward, Code::Truncation, Code::LengthPinnedAtCap, Code::LengthExplosion];
/// Growth of the entropy with which a bonus on it is the cause of these, and steps by which they may show before it. Ours.
const DOUBLED: f64 = 2.0;
const FEW_STEPS: f64 = 5.0;

/// Says both in the findings.
#[inline(never)]
pub(crate) fn tell_damage(findings: &mut [Finding], context: &Context<'_>) {
    explain_by_bonus(findings, context);
    go_on_from_before(findings, context);
}

/// Puts an entropy that a bonus has doubled above what it brings about.
fn explain_by_bonus(findings: &mut [Finding], context: &Context<'_>) {
    let has_bonus = context.setting(Hyperparameter::EntropyCoefficient).is_some_and(|bonus| bonus.value > 0.0);
    let has_doubled =
        |finding: &Finding| finding.trend.first().is_some_and(|entropy| entropy.last >= DOUBLED * entropy.first);
    let cause = findings.iter().find(|finding| is_serious(finding) && finding.code == Code::EntropyExplosion);
    let Some(cause) = cause.filter(|cause| has_bonus && has_doubled(cause)) else { return };
    let from = cause.onset.unwrap_or(f64::NEG_INFINITY) - FEW_STEPS;
    let follows = |code: &Code| findings.iter().any(|finding| finding.code == *code && follows_bonus(finding, from));
    // A deeper cause stays.
    if !cause.explained_by.iter().all(follows) {
        return;
    }
    for finding in findings.iter_mut() {
        if finding.code == Code::EntropyExplosion {
            finding.explained_by.clear();
        } else if finding.explained_by.is_empty() && follows_bonus(finding, from) {
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

/// Sends a run that stopped back to before the damage, where it would go on from its last checkpoint. That is the last that is advised.
fn go_on_from_before(findings: &mut [Finding], context: &Context<'_>) {
    let damage = findings.iter().filter(|finding| is_serious(finding) && DAMAGE.contains(&finding.code));
    let Some(from) = damage.filter_map(|finding| finding.onset).reduce(f64::min) else { return };
    let mut stopped = findings.iter_mut().filter(|finding| is_serious(finding) && finding.code == Code::RunCrashed);
    let stopped = stopped.find(|finding| finding.onset.is_some_and(|end| end > from));
    let Some(resume) = stopped.and_then(|finding| finding.actions.last_mut()).filter(|_| !context.improved()) else {
        return;
    };
    let has_checkpoint =
        context.has_checkpoint_before(from) && saved_later(context, from).is_none() && !context.starts_best();
    let change = match has_checkpoint {
        true => rich!("Correct what stopped it, then go on from a checkpoint before step {}", step(from)),
        false => "Correct what stopped it, then start again from the initial weights".into(),
    };
    let effect = "the last checkpoint is one of a damaged policy";
    *resume = advice(change, effect, "loses the steps since", "the first steps after it");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change};
    use crate::{Rulebook, Trend};
    use rundown_vocabulary::bind;

    fn told(mut findings: Vec<Finding>, bonus: f64) -> Vec<Finding> {
        let run = Synthetic::new(100).config("entropy_coeff", bonus).build();
        let (bindings, book) = (bind(&run), Rulebook::default());
        tell_damage(&mut findings, &Context::new(&run, &bindings, &book));
        findings
    }

    fn finding(code: Code, severity: Severity, onset: f64) -> Finding {
        Finding { onset: Some(onset), ..Finding::new(code, severity, "") }
    }

    #[test]
    fn an_entropy_that_a_bonus_raised_is_the_cause_of_the_kl_and_of_responses_without_an_end() {
        let causes = |bonus: f64| -> Vec<Vec<Code>> {
            let entropy = Trend { metric: "entropy".to_owned(), first: 2.0, mid: 11.0, last: 11.5, slope: 50.0 };
            let explosion = Finding {
                trend: vec![entropy],
                explained_by: vec![Code::KlDrift],
                ..finding(Code::EntropyExplosion, Severity::Warning, 3.0)
            };
            let drift = finding(Code::KlDrift, Severity::Warning, 2.0);
            let findings = vec![drift, explosion, finding(Code::Truncation, Severity::Warning, 5.0)];
            told(findings, bonus).into_iter().map(|finding| finding.explained_by).collect()
        };
        assert_eq!(causes(0.001), [vec![Code::EntropyExplosion], vec![], vec![Code::EntropyExplosion]]);
        assert_eq!(causes(0.0), [vec![], vec![Code::KlDrift], vec![]]);
    }

    #[test]
    fn a_run_that_stopped_goes_on_from_before_the_damage() {
        let advised = |severity: Severity, onset: f64| {
            let stopped = Finding {
                actions: vec![advice("Shorten", "", "", ""), advice("Resume", "", "", "")],
                ..finding(Code::RunCrashed, Severity::Critical, 100.0)
            };
            let findings = told(vec![stopped, finding(Code::EntropyCollapse, severity, onset)], 0.0);
            [0, 1].map(|place| change(&findings[0].actions[place]).0)
        };
        let [first, last] = advised(Severity::Warning, 60.0);
        assert!(first == "Shorten" && last.contains("checkpoint before step 60"), "{last}");
        assert!(advised(Severity::Warning, 1.0)[1].contains("initial weights"));
        assert_eq!(advised(Severity::Note, 60.0)[1], "Resume");
        assert_eq!(advised(Severity::Warning, 100.0)[1], "Resume");
    }
}
