//! Which run leads a comparison by one metric, and whether its lead is more than noise: by its verdict first, then by its value.

use crate::compare::parts::{key_span, run_span};
use rundown_compare::{Metric, RankedRun, RunOutcome, RunSummary, is_shown_alike, is_sure_lead};
use rundown_content::Block;
use rundown_diagnose::Verdict;
use rundown_format::{RichText, counted, number, plus_minus, rich};
use rundown_vocabulary::Direction;

/// Which run leads, and whether that is more than noise.
pub fn leader(summaries: &[&RunSummary], rows: &[RankedRun], metric: &Metric) -> Block {
    let mut measured = measured(summaries, rows);
    let all = measured.len();
    if let Some(&(first, _)) = measured.first() {
        let is_other = metric.on_other_tasks(first);
        measured.retain(|(summary, _)| !is_other(summary));
    }
    let Some((&(best, level), others)) = measured.split_first() else {
        return Block::text(rich!("No run has a value of {}.", key_span(&metric.key)));
    };
    if others.is_empty() && all > 1 {
        let best = run_span(best);
        return Block::text(rich!("No run leads: the others with a value were trained on other tasks than {}.", best));
    }
    let is_of_tasks = measured.len() < all;
    let on_same = if is_of_tasks {
        " on the same tasks"
    } else if rows.len() < summaries.len() {
        " that are compared"
    } else {
        ""
    };
    if let Some(without) = first_without(summaries, rows, &measured, metric, on_same) {
        return without;
    }
    let is_rival = |(summary, _): &&MeasuredRun<'_>| summary.verdict == best.verdict;
    let leads = || others.iter().filter(is_rival).map(|(_, other)| is_sure_lead(level, other));
    let close = leads().filter(|lead| *lead == Some(false)).count();
    let is_same = |run: &MeasuredRun<'_>| is_rival(&run) && is_shown_alike(run.1.level, level.level);
    if !others.is_empty() && others.iter().all(is_same) {
        return Block::text(rich!(
            "No run leads: all{} have the same verdict and the same {}, {}.",
            on_same,
            key_span(&metric.key),
            number(level.level)
        ));
    }
    let less = if metric.direction == Direction::Down { " (lower is better)" } else { "" };
    let rest = match close {
        0 if leads().any(|lead| lead.is_none()) => {
            "; some of these numbers have no interval, so the lead may be noise.".to_owned()
        }
        0 if others.iter().filter(is_rival).any(|(_, other)| is_slight(level.level, other.level)) => {
            "; the next one is less than 1 % behind.".to_owned()
        }
        0 => ".".to_owned(),
        1 => "; one run of the same verdict is within the noise.".to_owned(),
        many => {
            format!("; {many} runs of the same verdict are within the noise: do not choose among them by this number.")
        }
    };
    let (shown, key) = (plus_minus(level.level, level.half()), key_span(&metric.key));
    let higher = best_by_value(&measured, metric).filter(|(_, other)| !is_shown_alike(other.level, level.level));
    let first = match (best.verdict, higher) {
        (Verdict::Good, None) => {
            rich!("{} leads by verdict and {}{} with {}{}", run_span(best), key, less, shown, rest)
        }
        (Verdict::Good, Some(_)) => {
            rich!("{} leads by verdict, with {}{} {}{}", run_span(best), key, less, shown, rest)
        }
        (verdict, _) => {
            let (run, verdict) = (run_span(best), verdict.as_str());
            rich!("No run is good. {} ({}) comes first, with {}{} {}{}", run, verdict, key, less, shown, rest)
        }
    };
    let apart = if is_of_tasks { " Runs on other tasks are not compared with it." } else { "" };
    let higher = higher.map(|(other, outcome)| rich!(" {}", has_best(other, outcome))).unwrap_or_default();
    Block::text(rich!("{}{}{}", first, higher, apart))
}

/// A run with its value of the metric.
type MeasuredRun<'s> = (&'s RunSummary, &'s RunOutcome);

/// The runs that have the metric, in the order of the leaderboard.
fn measured<'s>(summaries: &[&'s RunSummary], rows: &'s [RankedRun]) -> Vec<MeasuredRun<'s>> {
    rows.iter().filter_map(|row| Some((*summaries.get(row.index)?, row.outcome.as_ref()?))).collect()
}

/// The run with the best value of the metric, whatever its verdict.
fn best_by_value<'s>(measured: &[MeasuredRun<'s>], metric: &Metric) -> Option<MeasuredRun<'s>> {
    let level = |outcome: &RunOutcome| metric.sign() * outcome.level;
    measured.iter().copied().max_by(|a, b| level(a.1).total_cmp(&level(b.1)))
}

/// The sentence for the run with the best value.
fn has_best(summary: &RunSummary, outcome: &RunOutcome) -> RichText {
    let value = plus_minus(outcome.level, outcome.half());
    let verdict = if summary.lacks_data() { "too little data for a verdict" } else { summary.verdict.as_str() };
    rich!("{} ({}) has the best, {}.", run_span(summary), verdict, value)
}

/// The sentence for a run whose verdict is better than that of each run with the metric, and which does not log it: it cannot
/// lead by it. `on_same` says which those are, where they are not all.
fn first_without(
    summaries: &[&RunSummary],
    rows: &[RankedRun],
    measured: &[MeasuredRun<'_>],
    metric: &Metric,
    on_same: &str,
) -> Option<Block> {
    let mut without = rows.iter().filter(|row| row.outcome.is_none());
    let first = without.find_map(|row| summaries.get(row.index))?;
    let (leader, _) = measured.first()?;
    if first.verdict >= leader.verdict || first.lacks_data() {
        return None;
    }
    let (best, outcome) = best_by_value(measured, metric)?;
    Some(Block::text(rich!(
        "{} is first by verdict ({}) and has no value of {}. Of {} with a value{} {}",
        run_span(first),
        first.verdict.as_str(),
        key_span(&metric.key),
        counted(measured.len(), "run"),
        on_same,
        has_best(best, outcome)
    )))
}

/// True for a lead between two shares that decides little, however small the noise within the runs: less than a hundredth (ours).
fn is_slight(one: f64, other: f64) -> bool {
    (0.0..=1.0).contains(&one) && (one - other).abs() < 0.01 * one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Selection;
    use rundown_compare::testing::TestRun;
    use rundown_diagnose::{Code, Finding, Severity};

    #[test]
    fn a_run_without_the_metric_leads_by_nothing() {
        let runs = [
            TestRun::new("sound").verdict(Verdict::Good),
            TestRun::new("low").reward("r", &[0.1; 12]).verdict(Verdict::Bad),
            TestRun::new("high").reward("r", &[0.7; 12]).verdict(Verdict::Ugly),
        ];
        let summaries: Vec<RunSummary> =
            runs.iter().zip(1..).map(|(run, number)| RunSummary::of(number, run.diagnosed())).collect();
        let shown = |summaries: &[&RunSummary]| {
            let selection = Selection::of(summaries);
            let metric = selection.metric.clone().unwrap();
            format!("{:?}", leader(summaries, &selection.ranked(summaries), &metric))
        };
        let all: Vec<&RunSummary> = summaries.iter().collect();
        let without = shown(&all);
        let order = ["sound", "is first by verdict", "good", "2 runs", "high", "0.7"].map(|part| without.find(part));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{without}");
        assert!(!without.contains("leads"));
        // What leads by its verdict alone is not said to lead by the value.
        let worse = shown(&all[1..]);
        let order = ["No run is good", "low", "bad", "comes first", "0.1", "high", "ugly", "has the best", "0.7"];
        let order = order.map(|part| worse.find(part));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{worse}");
        assert!(shown(&all[1..2]).contains("comes first, with "));
    }

    #[test]
    fn too_little_data_is_no_better_verdict_than_a_bad_one() {
        let first = |verdict, findings: Vec<Finding>| {
            let bare = TestRun::new("bare").verdict(verdict).findings(findings);
            let low = || TestRun::new("low").reward("r", &[0.1; 12]).verdict(Verdict::Bad);
            let made = [bare, low(), low()].map(|run| RunSummary::of(0, run.diagnosed()));
            let all: Vec<&RunSummary> = made.iter().collect();
            let selection = Selection::of(&all);
            let metric = selection.metric.clone().unwrap();
            let rows = selection.ranked(&all);
            format!("{:?}", first_without(&all, &rows, &measured(&all, &rows), &metric, ""))
        };
        let note = Finding::new(Code::InsufficientData, Severity::Note, "");
        assert_eq!(first(Verdict::Undecided, vec![note]), "None");
        assert!(first(Verdict::Good, Vec::new()).contains("is first by verdict"));
    }
}
