//! Rows for the table of an experiment tracker: what a team keeps of each run, as far as the files hold it.
//!
//! The columns are those of the tracker entry that `experiment-analysis` keeps (source 3). What only its authors know is
//! marked.

use super::Selection;
use super::experiment_words::experiment_words;
use super::next::change as experiment_change;
use super::parts::{push, run, without_empty_columns};
use super::ranked_league::{RankedLeague, ranked};
use super::tracker_row::{best_elo, exploitation, extraction, issues, outcome, rates, reward, status};
use crate::config::{redact_config_value, shown_setting};
use rundown_compare::facts::GainBasis;
use rundown_compare::{ConfigDiff, ConfigDiffRow, Recommendations, RunSummary, SettingRole, name_prefix};
use rundown_content::ColumnName::Words;
use rundown_content::{Block, Cell, Table};
use rundown_format::rich_text::setting_key;
use rundown_format::{RichText, redact, rich};
use rundown_run::ConfigValue;

/// Stands for what is in no file.
const FILL_IN: &str = "(fill in)";
/// Settings and values of one that are named.
const MAX_SETTINGS: usize = 6;
const MAX_VALUES: usize = 5;
/// First and last words of settings that say how often something is saved, evaluated or logged: they are no change of the training.
const OBSERVATIONS: [&str; 7] = ["save", "test", "eval", "log", "logging", "checkpoint", "report"];
const INTERVALS: [&str; 5] = ["freq", "frequency", "steps", "interval", "every"];

/// A row for each of these runs, the best first, and what they are together: name, varied settings, follow-up.
pub fn tracker(
    summaries: &[&RunSummary],
    selection: &Selection,
    advice: Option<&Recommendations>,
    diff: &ConfigDiff<'_>,
) -> Vec<Block> {
    let order = selection.ranked(summaries);
    let varied = varied(diff);
    let own = |index: usize| own_changes(index, &varied);
    let ordered = order.iter().filter_map(|row| Some((*summaries.get(row.index)?, own(row.index))));
    let key = selection.metric.as_ref().map_or("", |metric| metric.key.as_str());
    let mut blocks = vec![Block::section("Rows for an experiment tracker")];
    blocks.push(Block::text(rich!(
        "{}. Varied: {}.",
        title(summaries),
        changes(summaries.len() - diff.without_config, varied.clone())
    )));
    blocks.push(Block::text(rich!("Follow-up: {}", follow_up(advice)).sentence()));
    blocks.push(marked());
    push(&mut blocks, table(summaries, ordered.collect(), key));
    blocks
}

/// The row of a single run.
pub fn tracker_row(summary: &RunSummary) -> Vec<Block> {
    let selection = Selection::of(&[summary]);
    let key = selection.metric.as_ref().map_or("", |metric| metric.key.as_str());
    let mut blocks = vec![Block::section("Row for an experiment tracker"), marked()];
    push(&mut blocks, table(&[summary], vec![(summary, FILL_IN.into())], key));
    blocks
}

fn marked() -> Block {
    Block::text(format!("Values missing from the files are marked {FILL_IN}."))
}

fn table(summaries: &[&RunSummary], rows: Vec<(&RunSummary, RichText)>, key: &str) -> Table {
    let columns = [
        Words("Run"),
        Words("Hypothesis"),
        Words("Key config changes"),
        Words("Command"),
        Words("Status"),
        Words("Verdict"),
        Words("Learning signal"),
        Words("Lost by fixed opponents"),
        Words("Best Elo"),
        Words("Evaluation: start → best → end"),
        Words("Reward: start → peak → end"),
        Words("Extraction"),
        Words("Pipeline"),
        Words("Issues"),
        Words("Link"),
    ];
    let (against, leagues) = ranked(summaries);
    let mut table = Table::new("", &columns);
    for (summary, changes) in rows {
        let placed = leagues.iter().find(|placed| placed.summary.number == summary.number);
        table.rows.push(row(summary, changes, key, placed, &against));
    }
    without_empty_columns(table)
}

fn row(
    summary: &RunSummary,
    changes: RichText,
    key: &str,
    placed: Option<&RankedLeague<'_>>,
    against: &GainBasis,
) -> Vec<Cell> {
    let rated = placed.filter(|placed| !placed.league.agents.is_empty());
    let or_open = |text: &str| if text.is_empty() { FILL_IN.to_owned() } else { redact(text).into_owned() };
    vec![
        run(summary),
        Cell::text(FILL_IN),
        Cell::text(changes),
        Cell::text(FILL_IN),
        Cell::text(or_open(status(summary))),
        Cell::text(summary.verdict.as_str()),
        rated.map_or_else(Cell::default, |placed| Cell::text(placed.learning(against))),
        rated.map_or_else(Cell::default, |placed| Cell::text(exploitation(placed))),
        rated.map_or_else(Cell::default, |placed| Cell::text(best_elo(placed, against))),
        Cell::text(outcome(summary, key)),
        Cell::text(reward(summary)),
        Cell::text(extraction(summary)),
        Cell::text(rates(summary)),
        Cell::text(issues(summary)),
        Cell::text(or_open(summary.link.as_deref().unwrap_or_default())),
    ]
}

/// The hyperparameters that differ, and known ones that some runs alone recorded: an override may be all that a run changes. None that
/// only sets how often something is saved or logged, and no unknown one that repeats the values of one before it.
fn varied<'d, 'e>(diff: &'d ConfigDiff<'e>) -> Vec<&'d ConfigDiffRow<'e>> {
    let is_change = |row: &&ConfigDiffRow<'e>| row.role == SettingRole::Hyperparameter && !is_interval(row.key);
    let of = |rows: &'d [ConfigDiffRow<'e>]| rows.iter().filter(is_change);
    let mut found: Vec<&ConfigDiffRow<'e>> = Vec::new();
    for row in of(&diff.rows).chain(of(&diff.partial).filter(|row| row.hyperparameter.is_some())) {
        if row.hyperparameter.is_some() || found.iter().all(|kept| kept.values != row.values) {
            found.push(row);
        }
    }
    if found.is_empty() { of(&diff.partial).collect() } else { found }
}

/// True for `trainer.save_freq`, `logging_steps`, `eval_every`.
fn is_interval(key: &str) -> bool {
    let mut words = key.rsplit(['.', '/']).next().unwrap_or(key).split('_');
    let (first, last) = (words.next().unwrap_or_default(), words.next_back().unwrap_or_default());
    OBSERVATIONS.contains(&first) && INTERVALS.contains(&last)
}

/// The values of one run of the settings in which the runs differ.
fn own_changes(index: usize, varied: &[&ConfigDiffRow<'_>]) -> RichText {
    let mut words: Vec<RichText> = Vec::new();
    let mut more = 0;
    for row in varied {
        let Some(value) = row.values.get(index).copied().flatten() else { continue };
        if words.len() == MAX_SETTINGS {
            more += 1;
            continue;
        }
        let value = match value {
            ConfigValue::Number(_) => shown_setting(row.key, value),
            other => redact_config_value(row.key, other),
        };
        words.push(rich!("{}: {}", setting_key(&redact(row.key)), value));
    }
    if more > 0 {
        words.push(format!("and {more} more").into());
    }
    if words.is_empty() { "none".into() } else { RichText::joined(words, "; ", "; ") }
}

fn title(summaries: &[&RunSummary]) -> String {
    let shared = |of: &dyn Fn(&RunSummary) -> String| {
        let first = summaries.first().map(|summary| of(summary)).filter(|text| !text.is_empty())?;
        summaries.iter().all(|summary| of(summary) == first).then_some(first)
    };
    let name = shared(&|summary| name_prefix(&summary.name).to_owned())
        .or_else(|| shared(&|summary| summary.group.clone().unwrap_or_default()))
        .or_else(|| shared(&|summary| summary.project.clone().unwrap_or_default()))
        .unwrap_or_else(|| FILL_IN.to_owned());
    format!("{}, {} runs", redact(&name), summaries.len())
}

fn changes(with_config: usize, mut hyperparameters: Vec<&ConfigDiffRow<'_>>) -> RichText {
    // What somebody varied is set in most of the runs, two thirds (ours): a baseline may lack it. What a framework adds to one of
    // them is no change of the experiment.
    let is_varied = |row: &ConfigDiffRow<'_>| row.distinct >= 2 && 3 * row.runs >= 2 * with_config;
    if hyperparameters.iter().any(|row| is_varied(row)) {
        hyperparameters.retain(|row| is_varied(row));
    }
    if hyperparameters.is_empty() {
        return "none".into();
    }
    let mut wording: Vec<RichText> = hyperparameters.iter().take(MAX_SETTINGS).map(|row| change(row)).collect();
    if hyperparameters.len() > MAX_SETTINGS {
        wording.push(format!("and {} more", hyperparameters.len() - MAX_SETTINGS).into());
    }
    RichText::joined(wording, "; ", "; ")
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
                if words.len() <= MAX_VALUES && !words.contains(&word) {
                    words.push(word);
                }
            }
        }
    }
    numbers.sort_by(f64::total_cmp);
    let shown = |number: &f64| shown_setting(row.key, &ConfigValue::Number(*number));
    let mut wording: Vec<String> = match (numbers.first(), numbers.last()) {
        (Some(low), Some(high)) if numbers.len() > MAX_VALUES => vec![format!("{} to {}", shown(low), shown(high))],
        _ => numbers.iter().map(shown).collect(),
    };
    let more = words.len().saturating_sub(MAX_VALUES);
    words.truncate(MAX_VALUES);
    wording.append(&mut words);
    if more > 0 {
        wording.push("others".to_owned());
    }
    rich!("{}: {}", setting_key(&redact(row.key)), wording.join(", "))
}

/// One variable changed, with what should happen.
fn follow_up(advice: Option<&Recommendations>) -> RichText {
    let Some((first, analysis)) = advice.and_then(|found| Some((found.experiments.first()?, &found.analysis))) else {
        return FILL_IN.into();
    };
    let hypothesis = experiment_words(first, analysis).hypothesis;
    rich!("{}. {}", experiment_change(first), hypothesis).redacted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::{config_diff, setting_columns};
    use rundown_diagnose::Verdict;
    use rundown_report::{Document, markdown};
    use rundown_run::RunState;

    #[test]
    fn what_a_baseline_lacks_was_varied() {
        let mut summaries = vec![RunSummary::default(); 6];
        for (place, summary) in summaries.iter_mut().enumerate() {
            let value = place as f64;
            summary.config.insert("learning_rate", ConfigValue::Number(1e-4 * (1.0 + value % 2.0)));
            for (key, is_set) in [("queries", place > 0), ("odd", place < 2)] {
                if is_set {
                    summary.config.insert(key, ConfigValue::Number(100.0 * value));
                }
            }
        }
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let diff = config_diff(&summaries, &setting_columns(&summaries));
        let words = changes(summaries.len() - diff.without_config, varied(&diff)).to_string();
        assert!(words.contains("learning_rate: ") && words.contains("queries: 100, "), "{words}");
        assert!(!words.contains("odd"), "{words}");
    }

    #[test]
    fn each_run_has_its_row() {
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
            // A copy of a setting and an interval are no other changes.
            for (key, value) in [("learning_rate", rate), ("optimizer_rate", rate), ("trainer.save_freq", 1e6 * rate)] {
                summary.config.insert(key, ConfigValue::Number(value));
            }
            summary.last.insert("eval/accuracy".to_owned(), 0.5);
        }
        summaries[2].state = RunState::Crashed;
        summaries[1].link = Some("https://wandb.ai/e/p/runs/x".to_owned());
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let rows = tracker(
            &summaries,
            &Selection::of(&summaries),
            None,
            &config_diff(&summaries, &setting_columns(&summaries)),
        );
        let words = markdown(&Document::new("x", &rows, ""));
        assert!(words.contains("lr-sweep, 3 runs. Varied: `learning_rate`: 1e-5, 1e-4."), "{words}");
        for (name, expected) in [("lr-sweep-0", "1e-4"), ("lr-sweep-1", "wandb.ai"), ("lr-sweep-2", "failed")] {
            let row =
                words.lines().find(|line| line.contains(&format!("| {name}")) || line.contains(&format!("`{name}`")));
            assert!(row.is_some_and(|row| row.contains(expected)), "{name}: {words}");
        }
        assert!(!words.contains("Learning signal"), "no run has a league");
        let one = markdown(&Document::new("x", &tracker_row(summaries[2]), ""));
        assert!(one.contains("lr-sweep-2") && one.contains("failed"), "{one}");
    }
}
