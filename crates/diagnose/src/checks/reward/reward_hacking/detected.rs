//! The responses that game the reward, as the run's own detector counts them.

use super::TEXTS;
use crate::advice::advice;
use crate::context::Context;
use crate::measure::onset;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::signal_change;
use crate::topics::threshold_rule::value_with_unit;
use crate::{Change, Code, Evidence, Finding, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Unit};

/// Share of the responses from which on the policy does little else. Ours.
const CRITICAL_SHARE: f64 = 0.5;
/// Growth of a number that counts. Ours: more than its batches differ by.
const MIN_GROWTH: f64 = 2.0;

/// The count that rose most surely, if one did.
pub(super) fn finding(context: &Context<'_>, reward: &MetricSeries<'_>) -> Option<Finding> {
    let found = context.signals(Concept::DetectedHacks).iter().filter_map(|signal| rose(context, signal));
    let Rise { signal, first, last, z } = found.max_by(|a, b| a.z.total_cmp(&b.z))?;
    let is_share = signal.binding.unit == Unit::Share;
    let severity = if is_share && last >= CRITICAL_SHARE { Severity::Critical } else { Severity::Warning };
    let place = onset::of_change(&signal.values, 0, first, last);
    let onset = signal.step(place.min(signal.len().saturating_sub(1)));
    let title = rich!(
        "{} rose from {} to {}, beginning at step {}",
        metric(signal.key()),
        value_with_unit(&signal, first),
        value_with_unit(&signal, last),
        step(onset)
    );
    let book = context.rulebook;
    let size = match is_share {
        true => Some(Evidence::new("rise of the share", last - first, "").above(book.invalid_rise())),
        false => (first > 0.0).then(|| Evidence::new("growth of detected hacks", last / first, "times")),
    };
    let mut evidence = vec![
        Evidence::new("detected hacks at the start", first, ""),
        Evidence::new("detected hacks at the end", last, ""),
        Evidence::new("rise in standard errors", z, "SE").of(Change::Rise).above(book.learning_z()),
    ];
    evidence.extend(size);
    let mut finding = context.finding(Code::RewardHacking, severity, title, Some(onset), &TEXTS);
    finding.actions.insert(
        0,
        advice(
            "Read the counted responses, and fix the reward so that they no longer score",
            "the reward can only be earned by solving the task",
            "a lower reward at first",
            "the count back at its start",
        ),
    );
    finding.alternative = "The detector takes right answers in a new format for hacks.".into();
    finding.refute = "Counted responses of the last steps solve the task.".into();
    let detail = "The run's own detector counts responses that game the reward: what they earn is not for the task, and a \
                  reward that rises with them is no sign of learning.";
    Some(finding.supported_by(detail, &[&signal, reward], evidence, 0.8))
}

struct Rise<'a> {
    /// The count of each row, where the run logs their sum.
    signal: MetricSeries<'a>,
    first: f64,
    last: f64,
    z: f64,
}

fn rose<'a>(context: &Context<'a>, signal: &MetricSeries<'a>) -> Option<Rise<'a>> {
    if !context.has_enough_points(signal) {
        return None;
    }
    let is_share = signal.binding.unit == Unit::Share;
    let signal = if is_share { signal.clone() } else { per_row(signal) };
    let change = signal_change(&signal)?;
    let (book, z) = (context.rulebook, change.z());
    let is_large = match is_share {
        true => change.delta() >= book.invalid_rise().value,
        false => change.last > 0.0 && change.last >= MIN_GROWTH * change.first,
    };
    let (first, last) = (change.first, change.last);
    (is_large && z >= book.learning_z().value).then_some(Rise { signal, first, last, z })
}

/// What each row adds to a number that never falls: that is a sum over the run.
fn per_row<'a>(signal: &MetricSeries<'a>) -> MetricSeries<'a> {
    let added = stats::differences(&signal.values);
    match added.first() {
        Some(first) if added.iter().all(|added| *added >= 0.0) => {
            signal.with_values(std::iter::once(*first).chain(added.iter().copied()).collect())
        }
        _ => signal.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::CHECK;
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    #[test]
    fn a_count_of_hacks_that_rises_is_found_where_it_begins() {
        let share = |level: f64| {
            Synthetic::healthy(300).noisy("hacking_rate", 0.02, move |t| 0.02 + level * jump(t, 0.5)).finding(&CHECK)
        };
        let most = share(0.8);
        assert_eq!(most.severity, Severity::Critical);
        assert!((146.0..=156.0).contains(&most.onset.unwrap()), "{:?}", most.onset);
        assert_eq!(share(0.2).severity, Severity::Warning);
        let number = Synthetic::healthy(300).noisy("n_hacking_successful", 0.5, |t| 1.0 + 20.0 * jump(t, 0.5));
        assert_eq!(number.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn steady_counts_and_their_sums_are_quiet() {
        assert!(Synthetic::healthy(300).noisy("hacking_rate", 0.02, |_| 0.1).quiet(&CHECK));
        assert!(Synthetic::healthy(300).noisy("hacking_rate", 0.02, |t| 0.5 - 0.4 * t).quiet(&CHECK));
        let sum = Synthetic::healthy(300).every("n_hacks", 1, |t| (300.0 * t).round() * 2.0);
        assert!(sum.quiet(&CHECK), "two at each step");
    }
}
