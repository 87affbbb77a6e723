//! Kinds of bad responses (empty, partial), which frameworks log as a share or as a number a step.

use crate::context::Context;
use crate::measure::Z_PICKED;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::topics::event_rates::{self, is_long_enough, is_share};
use crate::topics::threshold_rule::ThresholdRule;
use crate::{Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_stats as stats;

/// Checks a kind of bad response: its share by the rule, its number by its growth.
pub(crate) fn assess_bad_responses(context: &Context<'_>, rule: &ThresholdRule, rose: &str) -> Outcome {
    let (shares, numbers): (Vec<MetricSeries<'_>>, Vec<MetricSeries<'_>>) =
        context.signals(rule.concept).iter().filter(|signal| !signal.is_empty()).cloned().partition(is_share);
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    match event_rates::assess(rule, context, &shares) {
        Outcome::Found(found) => findings = found,
        Outcome::Quiet(evidence) | Outcome::QuietBecause(_, evidence) => quiet = evidence,
        Outcome::Skipped(_) => {}
    }
    for signal in &numbers {
        match growth(context, rule, signal, rose) {
            Some(finding) => findings.push(finding),
            None => {
                let level = stats::mean(&signal.values).unwrap_or(f64::NAN);
                quiet.push(Evidence::new(rich!("mean of {}", metric(signal.key())), level, ""));
            }
        }
    }
    match (findings.is_empty(), quiet.is_empty()) {
        (false, _) => Outcome::Found(findings),
        (true, false) => Outcome::Quiet(quiet),
        (true, true) => Outcome::Skipped(context.need(&[rule.concept])),
    }
}

fn growth(context: &Context<'_>, rule: &ThresholdRule, signal: &MetricSeries<'_>, rose: &str) -> Option<Finding> {
    if !is_long_enough(context, signal) {
        return None;
    }
    let least = (signal.len() / 20).max(5);
    let change = stats::single_change(&signal.values, least)?;
    let noise = level::change_of(signal, change.index, signal.len() - change.index, 0.0)?;
    let tail = stats::mean(signal.values.get(signal.len() - least..)?)?;
    let times = context.rulebook.responses_growth();
    // A number that was near 0 has to become one that is not.
    let grown = change.after >= times.value * change.before && change.after - change.before >= 1.0;
    let holds = tail >= 0.5 * (change.after + change.before);
    if !grown || !holds || noise.z() < Z_PICKED {
        return None;
    }
    let onset = signal.step(change.index);
    let title =
        rich!("{} from {} to {} a step at step {}", rose, number(change.before), number(change.after), step(onset));
    let evidence = vec![
        Evidence::new("mean after the change", change.after, ""),
        Evidence::new("mean before the change", change.before, ""),
        Evidence::new("growth of the mean", level::ratio(change.after, change.before), "times").above(times),
    ];
    let finding = context.finding(rule.code, Severity::Note, title, Some(onset), &rule.words);
    Some(finding.supported_by(rule.detail, &[signal], evidence, 0.7))
}
