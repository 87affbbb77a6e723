//! The row of an experiment-tracker table: what a team keeps of an experiment, as far as the runs tell it.
//!
//! Its columns are those of the tracker that `experiment-analysis` keeps (source 3). What only its authors know is marked.

use super::Selection;
use super::board::half;
use super::experiment_words::experiment_words;
use super::next::change as experiment_change;
use super::parts::name;
use super::settings::shown;
use crate::compare::facts::standings;
use crate::compare::{ConfigDiff, ConfigDiffRow, RankedRun, Recommendations, RunSummary, SettingRole, name_prefix};
use crate::content::{Block, Cell, Table};
use crate::diagnose::{Code, Severity, Verdict};
use crate::format::rich_text::{key, metric, setting_key};
use crate::format::{RichText, plus_minus, redact, rich};
use crate::present::config::redact_config_value;
use crate::run::{ConfigValue, RunState};

/// What Rundown can't know.
const OPEN: &str = "(fill in)";
/// Settings, values of one, and issues that are named.
const SETTINGS: usize = 6;
const VALUES: usize = 5;
const ISSUES: usize = 3;

/// The row of these runs as one experiment.
pub fn tracker(
    summaries: &[&RunSummary],
    selection: &Selection,
    advice: Option<&Recommendations>,
    diff: &ConfigDiff<'_>,
) -> Vec<Block> {
    let columns =
        ["Experiment", "Hypothesis", "Key config changes", "Command", "Status", "Results", "Issues", "Follow-up"];
    let mut table = Table::new("", &columns);
    table.rows.push(vec![
        Cell::text(title(summaries)),
        Cell::text(OPEN),
        Cell::text(changes(summaries, diff)),
        Cell::text(OPEN),
        Cell::text(status(summaries)),
        Cell::text(results(summaries, selection)),
        Cell::text(issues(summaries)),
        Cell::text(follow_up(advice)),
    ]);
    vec![
        Block::section("Row for an experiment tracker"),
        Block::text(format!("Values missing from the files are marked {OPEN}.")),
        Block::Table(table),
    ]
}

fn title(summaries: &[&RunSummary]) -> String {
    let shared = |of: &dyn Fn(&RunSummary) -> String| {
        let first = summaries.first().map(|summary| of(summary)).filter(|text| !text.is_empty())?;
        summaries.iter().all(|summary| of(summary) == first).then_some(first)
    };
    let name = shared(&|summary| name_prefix(&summary.name).to_owned())
        .or_else(|| shared(&|summary| summary.group.clone().unwrap_or_default()))
        .or_else(|| shared(&|summary| summary.project.clone().unwrap_or_default()))
        .unwrap_or_else(|| OPEN.to_owned());
    format!("{}, {} runs", redact(&name), summaries.len())
}

fn changes(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> RichText {
    let mut hyperparameters: Vec<&ConfigDiffRow<'_>> =
        diff.rows.iter().filter(|row| row.role == SettingRole::Hyperparameter).collect();
    // What somebody chose is set in all runs; what a framework adds to one of them is no change of the experiment.
    let lacks = |row: &ConfigDiffRow<'_>| {
        row.values.iter().zip(summaries).any(|(value, run)| value.is_none() && has_config(run))
    };
    if !hyperparameters.iter().all(|row| lacks(row)) {
        hyperparameters.retain(|row| !lacks(row));
    }
    if hyperparameters.is_empty() {
        return "none".into();
    }
    let mut wording: Vec<RichText> = hyperparameters.iter().take(SETTINGS).map(|row| change(row)).collect();
    if hyperparameters.len() > SETTINGS {
        wording.push(format!("and {} more", hyperparameters.len() - SETTINGS).into());
    }
    RichText::joined(wording, "; ", "; ")
}

fn has_config(summary: &RunSummary) -> bool {
    !summary.config.is_empty()
}

fn change(row: &ConfigDiffRow<'_>) -> RichText {
    let mut numbers: Vec<f64> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for value in &row.values {
        match value {
            Some(ConfigValue::Number(number)) if !numbers.contains(number) => {
                // Of more than these the range is enough.
                if numbers.len() < 1000 {
                    numbers.push(*number);
                }
            }
            Some(ConfigValue::Number(_)) => {}
            other => {
                let word = other.map_or_else(|| "not set".to_owned(), |value| redact_config_value(row.key, value));
                if words.len() <= VALUES && !words.contains(&word) {
                    words.push(word);
                }
            }
        }
    }
    numbers.sort_by(f64::total_cmp);
    let shown = |number: &f64| shown(row.key, &ConfigValue::Number(*number));
    let mut wording: Vec<String> = match (numbers.first(), numbers.last()) {
        (Some(low), Some(high)) if numbers.len() > VALUES => vec![format!("{} to {}", shown(low), shown(high))],
        _ => numbers.iter().map(shown).collect(),
    };
    let more = words.len().saturating_sub(VALUES);
    words.truncate(VALUES);
    wording.append(&mut words);
    if more > 0 {
        wording.push("others".to_owned());
    }
    rich!("{}: {}", setting_key(&redact(row.key)), wording.join(", "))
}

/// One of the tracker's words (planned, running, completed, failed, concluded), and how many ended otherwise.
fn status(summaries: &[&RunSummary]) -> String {
    let count = |state: RunState| summaries.iter().filter(|summary| summary.state == state).count();
    let broken = count(RunState::Crashed) + count(RunState::Failed) + count(RunState::Killed);
    let word = match (count(RunState::Running), broken) {
        (1.., _) => "running",
        (_, broken) if broken == summaries.len() => "failed",
        _ => "completed",
    };
    if broken > 0 && broken < summaries.len() {
        return format!("{word}; {broken} of {} crashed, failed or were killed", summaries.len());
    }
    word.to_owned()
}

fn results(summaries: &[&RunSummary], selection: &Selection) -> RichText {
    let rows = selection.ranked(summaries);
    let mut wording: Vec<RichText> = Vec::new();
    if let (Some(metric), Some(best)) = (&selection.metric, rows.iter().find(|row| row.outcome.is_some())) {
        wording.push(leader(summaries, best, &metric.key));
    }
    let count = |verdict: Verdict| summaries.iter().filter(|summary| summary.verdict == verdict).count();
    let verdicts = [Verdict::Good, Verdict::Bad, Verdict::Ugly, Verdict::Undecided].map(|verdict| {
        let runs = count(verdict);
        if runs > 0 { format!("{runs} {}", verdict.as_str()) } else { String::new() }
    });
    wording.push(verdicts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ").into());
    let (against, found) = standings(summaries.iter().map(|summary| summary.league.as_ref()));
    if let Some(gain) = found.first().and_then(|standing| standing.best.as_ref()) {
        let height = plus_minus(gain.value, gain.half());
        wording.push(rich!("best checkpoint {}: {} Elo above {}", key(&redact(&gain.who)), height, against.words()));
    }
    RichText::joined(wording, "; ", "; ")
}

fn leader(summaries: &[&RunSummary], best: &RankedRun, outcome: &str) -> RichText {
    let run = summaries.get(best.index).map(|summary| name(summary)).unwrap_or_default();
    let level = best.outcome.as_ref().map(|outcome| plus_minus(outcome.level, half(outcome))).unwrap_or_default();
    rich!("best run {}, {} {} at the end", key(&run), metric(&redact(outcome)), level)
}

/// What is wrong at the root in most runs.
fn issues(summaries: &[&RunSummary]) -> String {
    let mut found: Vec<(Code, usize)> = Vec::new();
    for summary in summaries {
        let mut seen: Vec<Code> = Vec::new();
        for finding in summary.findings.iter().filter(|finding| finding.is_root && finding.severity > Severity::Note) {
            if !seen.contains(&finding.code) {
                seen.push(finding.code);
            }
        }
        for code in seen {
            match found.iter_mut().find(|(known, _)| *known == code) {
                Some((_, runs)) => *runs += 1,
                None => found.push((code, 1)),
            }
        }
    }
    if found.is_empty() {
        return "none found".to_owned();
    }
    found.sort_by_key(|found| std::cmp::Reverse(found.1));
    let wording: Vec<String> =
        found.iter().take(ISSUES).map(|(code, runs)| format!("{} ({runs} runs)", code.phrase())).collect();
    wording.join("; ").replace("(1 runs)", "(1 run)")
}

/// One variable changed, with what should happen.
fn follow_up(advice: Option<&Recommendations>) -> RichText {
    let Some((first, analysis)) = advice.and_then(|found| Some((found.experiments.first()?, &found.analysis))) else {
        return OPEN.into();
    };
    let hypothesis = experiment_words(first, analysis).hypothesis;
    rich!("{}. {}", experiment_change(first), hypothesis).redacted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::config_diff;
    use crate::report::{Document, markdown};

    #[test]
    fn a_row_says_what_the_runs_know() {
        let mut summaries: Vec<RunSummary> = (0..3)
            .map(|number| RunSummary {
                number,
                name: format!("lr-sweep-{number}"),
                state: RunState::Finished,
                verdict: Verdict::Good,
                ..RunSummary::default()
            })
            .collect();
        for (summary, rate) in summaries.iter_mut().zip([1e-4, 1e-5, 1e-4]) {
            summary.config.insert("learning_rate", ConfigValue::Number(rate));
            summary.last.insert("eval/accuracy".to_owned(), 0.5);
        }
        summaries[2].state = RunState::Crashed;
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let row = tracker(&summaries, &Selection::of(&summaries), None, &config_diff(&summaries));
        let wording = markdown(&Document::new("x", &row, ""));
        assert!(wording.contains("| lr-sweep, 3 runs") && wording.contains("`learning_rate`: 1e-5, 1e-4"), "{wording}");
        assert!(wording.contains("completed; 1 of 3 crashed") && wording.contains("3 good"), "{wording}");
    }
}
