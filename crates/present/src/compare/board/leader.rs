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
    let leaves_out_other_tasks = measured.len() < all;
    let tasks = if leaves_out_other_tasks { " on the same tasks" } else { "" };
    if let Some(without) = first_without(summaries, rows, &measured, metric, tasks) {
        return without;
    }
    let rivals = || others.iter().filter(|(run, _)| run.verdict == best.verdict).map(|(_, outcome)| *outcome);
    let close = rivals().filter(|other| is_sure_lead(level, other) == Some(false)).count();
    let same = rivals().filter(|other| is_shown_alike(other.level, level.level)).count();
    if same > 0 && same == others.len() {
        let is_all = leaves_out_other_tasks || rows.len() == summaries.len();
        return Block::text(rich!(
            "No run leads: all{} have the same verdict and the same {}, {}.",
            if is_all { tasks } else { " that are compared" },
            key_span(&metric.key),
            number(level.level)
        ));
    }
    let less = if metric.direction == Direction::Down { " (lower is better)" } else { "" };
    let is_unknown = rivals().any(|other| is_sure_lead(level, other).is_none());
    let unknown = if is_unknown { ", and others have no interval" } else { "" };
    let rest = match close {
        0 if same > 0 => format!(", the same value as {} of the same verdict.", counted(same, "other run")),
        0 if is_unknown => "; some of these numbers have no interval, so the lead may be noise.".to_owned(),
        0 => match rivals().find_map(|other| slight_lead(level.level, other.level)) {
            Some(lead) => format!("; the next one is behind by {}.", number(lead)),
            None => ".".to_owned(),
        },
        1 => format!("; one run of the same verdict is within the noise{unknown}."),
        many => format!(
            "; {many} runs of the same verdict are within the noise{unknown}: do not choose among them by this number."
        ),
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
    let apart = if leaves_out_other_tasks { " Runs on other tasks are not compared with it." } else { "" };
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
/// lead by it. `tasks` says that those with the metric are on the same tasks, where others are left out.
fn first_without(
    summaries: &[&RunSummary],
    rows: &[RankedRun],
    measured: &[MeasuredRun<'_>],
    metric: &Metric,
    tasks: &str,
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
        tasks,
        has_best(best, outcome)
    )))
}

/// Part of the leader's value below which a lead decides little. Ours.
const SLIGHT: f64 = 0.01;

/// A lead that decides little, however small the noise within the runs: one of less than a hundredth of the leader's value, between two
/// numbers from 0 to 1, as shares are.
fn slight_lead(one: f64, other: f64) -> Option<f64> {
    let lead = (one - other).abs();
    ((0.0..=1.0).contains(&one) && lead < SLIGHT * one).then_some(lead)
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
    fn equal_values_and_unknown_noise_are_told() {
        let said = |curves: &[Vec<f64>]| {
            let of = |curve: &Vec<f64>| RunSummary::of(0, TestRun::new("a").reward("r", curve).diagnosed());
            let made: Vec<RunSummary> = curves.iter().map(of).collect();
            let all: Vec<&RunSummary> = made.iter().collect();
            let selection = Selection::of(&all);
            let metric = selection.metric.clone().unwrap();
            format!("{:?}", leader(&all, &selection.ranked(&all), &metric))
        };
        let equal = said(&[vec![0.9], vec![0.9], vec![0.9], vec![0.4]]);
        assert!(equal.contains(", the same value as 2 other runs of the same verdict."), "{equal}");
        let noisy = |level: f64| [level - 0.01, level + 0.01].repeat(6);
        let mixed = said(&[noisy(0.501), noisy(0.5), vec![0.3]]);
        assert!(
            mixed.contains("one run of the same verdict is within the noise, and others have no interval."),
            "{mixed}"
        );
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
