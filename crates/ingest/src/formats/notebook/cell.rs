//! The trainings in the outputs of one cell.
//!
//! Where a cell shows a table of metrics, what it prints is of the same training: rows of metrics beside the table's own, or
//! text that only looks like rows, such as answers of the model.

use std::collections::BTreeMap;

use super::evaluation::is_evaluation;
use super::html_table::{HtmlTable, is_step};
use super::output;
use super::printed_answers::PrintedAnswers;
use crate::formats::console::{LogMetrics, Segments, clock_seconds};
use crate::rows::closing_row::{RUNTIME, note_duration};
use crate::rows::metric_rows::MetricRows;
use crate::rows::metric_words;
use crate::rows::plan;
use crate::syntax::json::Json;
use rundown_run::{Column, Ending, LogLine, Run, RunState, RunWarning, Stream};
use rundown_stats::{CompactCollect as _, CompactSort as _};

/// The runs of a cell, named by its number: one of its tables and its printed lines together, or one of each. A table with
/// fewer rows than `fewest` is not a run.
pub(super) fn runs(number: usize, cell: &Json, fewest: usize) -> Vec<Run> {
    let mut printed = LogMetrics::default();
    let mut answers = PrintedAnswers::default();
    let mut tables = Vec::new();
    let (mut progress, mut error) = (None, None);
    let (mut is_summed_up, mut is_interrupted) = (false, false);
    for output in cell.items("outputs") {
        if let Some(text) = output::text(output.get("text")) {
            let mut segments = Segments::default();
            segments.push(text.as_bytes(), &mut |line| printed.add(line));
            segments.finish(&mut |line| printed.add(line));
            answers.read(&text);
            is_summed_up |= text.contains(RUNTIME);
            is_interrupted = text.trim_end().lines().next_back() == Some("^C");
        }
        // What `trainer.train()` returned, unless it printed the same before.
        if let Some(result) = output::plain(output).filter(|text| !is_summed_up && text.starts_with("TrainOutput(")) {
            printed.add(&result);
        }
        if let Some(html) = output::html(output) {
            let shown = tables.len();
            tables.extend(HtmlTable::all(&html).iter().filter_map(|table| run_of_table(table, fewest)));
            if tables.len() > shown {
                progress = bar(&html).or(progress);
                printed.begin_training();
            }
        }
        // Without a name it is an error of the kernel, to which the editor lost its connection.
        error =
            output.owned_text("ename").filter(|name| !name.is_empty()).map(|name| (name, message(output))).or(error);
    }
    // A command of the shell ends without an error of the cell: its terminal echoes the key. One that only shows a log is not the
    // training.
    let shows_log = || output::source(cell).is_some_and(|source| source.contains("tail -"));
    if error.is_none() && is_interrupted && !shows_log() {
        error = Some(("KeyboardInterrupt".to_owned(), String::new()));
    }
    let mut runs = longest(tables);
    let is_framework = printed.has_framework_rows();
    let printed = printed.finish();
    match runs.as_mut_slice() {
        [] if printed.row_steps.is_empty() => {}
        [] => runs.push(printed),
        [table] => {
            let rest = add_printed(table, printed);
            answers.add_to(table);
            runs.extend(rest.filter(|_| is_framework));
        }
        // Which of several tables the text is of is unknown.
        _ => {}
    }
    if let ([run], Some(Progress { total, elapsed, .. })) = (runs.as_mut_slice(), &progress) {
        if *total > 0 {
            plan::note_setting(run, *total as f64);
        }
        if let Some(seconds) = elapsed {
            // The bar counts from the start of the training.
            note_duration(run, *seconds as f64);
        }
    }
    if let [run] = runs.as_mut_slice()
        && run.ending.state == RunState::Unknown
    {
        let name = error.as_ref().map(|(name, _)| name.as_str());
        run.ending = ending(progress, name).unwrap_or(std::mem::take(&mut run.ending));
        if let Some((name, message)) = error.filter(|_| run.ending.state == RunState::Crashed) {
            // As a console log has it: what to do follows from the class and the message.
            let text = if message.is_empty() { name } else { format!("{name}: {message}") };
            run.log.push(LogLine { stream: Stream::Error, text });
        }
    }
    for (place, run) in runs.iter_mut().enumerate() {
        run.name = if place == 0 { format!("cell {number}") } else { format!("cell {number}, output {}", place + 1) };
    }
    runs
}

/// The error that ended a cell before its training printed a row: a run without rows, which ended as its cell did. `None` for a
/// cell without an error, or one of the kernel.
pub(super) fn failed(number: usize, cell: &Json) -> Option<Run> {
    let outputs = cell.items("outputs").iter().rev();
    let (name, output) = outputs
        .filter_map(|output| Some((output.owned_text("ename").filter(|name| !name.is_empty())?, output)))
        .next()?;
    let mut run = Run { name: format!("cell {number}"), ending: ending(None, Some(&name))?, ..Run::default() };
    let message = message(output);
    let text = if message.is_empty() { name } else { format!("{name}: {message}") };
    run.log.push(LogLine { stream: Stream::Error, text });
    Some(run)
}

/// The first line of the message of an error.
fn message(output: &Json) -> String {
    let text = output.owned_text("evalue").unwrap_or_default();
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// How far the Trainer's bar above a table is.
struct Progress {
    done: u64,
    total: u64,
    /// Seconds since the training began.
    elapsed: Option<u64>,
}

/// The Trainer's bar above a table: `<progress value='47' max='200'></progress> [ 47/200 29:17 < 10:42, 0.06 it/s]`, with the
/// step padded to the width of the total.
fn bar(html: &str) -> Option<Progress> {
    let (_, bar) = html.split_once("<progress")?;
    let tag = bar.split('>').next()?;
    let number = |name: &str| {
        let (_, value) = tag.split_once(name)?;
        value.trim_start_matches(['\'', '"']).split(['\'', '"']).next()?.parse().ok()
    };
    let (done, total) = (number("value=")?, number("max=")?);
    let shown = bar.split_once(&format!("{done}/{total} "));
    Some(Progress { done, total, elapsed: shown.and_then(|(_, times)| clock_seconds(times)) })
}

/// How a training ended by its bar, or else by the error that ended its cell.
fn ending(progress: Option<Progress>, error: Option<&str>) -> Option<Ending> {
    let interrupted = error == Some("KeyboardInterrupt");
    let (state, evidence) = match (progress, error) {
        // A bar before its end tells how far the training was when the notebook was saved, and not how it ended.
        (Some(Progress { done, total, .. }), error) if total > 0 && (done >= total || error.is_none()) => {
            let state = if done >= total { RunState::Finished } else { RunState::Unknown };
            (state, format!("the Trainer's progress bar is at step {done} of {total}"))
        }
        (_, Some(_)) if interrupted => (RunState::Killed, "the cell was interrupted".to_owned()),
        (_, Some(name)) => (RunState::Crashed, format!("the cell ended with {name}")),
        _ => return None,
    };
    let interrupted = interrupted && state == RunState::Killed;
    Some(Ending { state, interrupted, evidence: vec![evidence], ..Ending::default() })
}

/// The runs without those whose values are the first ones of another: an output that was shown again while it grew.
pub(super) fn longest(mut runs: Vec<Run>) -> Vec<Run> {
    runs.compact_sort_by_key(|run| std::cmp::Reverse(run.row_steps.len()));
    let mut kept: Vec<Run> = Vec::new();
    for run in runs {
        if !kept.iter().any(|other| is_start_of(&run, other)) {
            kept.push(run);
        }
    }
    kept
}

fn is_start_of(run: &Run, other: &Run) -> bool {
    let starts = |(key, column): (&String, &Column)| {
        other.columns.get(key).is_some_and(|longer| longer.values().starts_with(column.values()))
    };
    run.columns.iter().all(starts)
}

fn run_of_table(table: &HtmlTable, fewest: usize) -> Option<Run> {
    if !table.has_steps() || is_evaluation(table) {
        return None;
    }
    let mut rows = MetricRows::default();
    for cells in &table.rows {
        for (name, cell) in table.header.iter().zip(cells) {
            let name = if is_step(name) { "step" } else { name.trim() };
            if let (Ok(value), false) = (cell.trim().parse::<f64>(), name.is_empty()) {
                rows.number(name, value);
            }
        }
        rows.end_row();
    }
    let run = rows.finish();
    (run.row_steps.len() >= fewest && run.columns.len() > 1).then_some(run)
}

/// Adds what was printed beside a table to its run: settings, how it ended, and the metrics of rows that are its rows, by
/// their steps, or one by one where the log names no steps and has as many rows. Where a loop printed its rewards more often than the
/// Trainer showed its loss, the rows of the table are added to those that were printed. Gives back rows with steps of their own.
fn add_printed(table: &mut Run, printed: Run) -> Option<Run> {
    table.config.add_missing(&printed.config);
    if printed.summary.get(RUNTIME).is_some() {
        table.summary.add_missing(&printed.summary);
        table.ending = printed.ending.clone();
    }
    let Run { columns, row_steps, warnings, .. } = &printed;
    let steps: Vec<(u32, f64)> = columns.get("step").map(|steps| steps.points().collect()).unwrap_or_default();
    let is_estimate =
        |warning: &RunWarning| matches!(warning, RunWarning::RowsCounted | RunWarning::StepsFromProgressBar { .. });
    let is_counted = steps.is_empty() || warnings.iter().any(is_estimate);
    let row_of: BTreeMap<u32, u32> = match (is_counted, table.columns.get("step")) {
        (true, _) if row_steps.len() == table.row_steps.len() => {
            (0..row_steps.len() as u32).map(|row| (row, row)).compact_collect()
        }
        (false, Some(own)) => {
            let row_at = |step: f64| own.points().find(|(_, known)| *known == step).map(|(row, _)| row);
            steps.into_iter().filter_map(|(row, step)| Some((row, row_at(step)?))).compact_collect()
        }
        _ => BTreeMap::new(),
    };
    // Few rows at the steps of the table are chance: text counts its own steps from 1 on.
    if row_of.len() * 2 < row_steps.len().max(table.row_steps.len()) {
        if is_counted || !is_of_more_rows(&printed, table) {
            return Some(printed).filter(|_| !is_counted);
        }
        let shown = std::mem::replace(table, printed);
        add_shown(table, shown);
        return None;
    }
    table.summary.add_missing(&printed.summary);
    table.ending = printed.ending;
    for (key, column) in printed.columns.into_iter().filter(|(key, _)| key != "step") {
        let points: BTreeMap<u32, f64> =
            column.points().filter_map(|(row, value)| Some((*row_of.get(&row)?, value))).compact_collect();
        if !table.columns.contains_key(&key) {
            points.into_iter().for_each(|(row, value)| table.push_value(&key, row, value));
        }
    }
    None
}

/// True for rows with a reward at all the steps of a table without one, and at others between.
fn is_of_more_rows(printed: &Run, table: &Run) -> bool {
    let has_reward = |run: &Run| run.columns.keys().any(|key| metric_words::is_reward(key));
    let (Some(steps), Some(shown)) = (printed.columns.get("step"), table.columns.get("step")) else { return false };
    let is_printed = |step: &f64| steps.values().contains(step);
    has_reward(printed) && !has_reward(table) && steps.len() > shown.len() && shown.values().iter().all(is_printed)
}

/// Adds the rows of a table at their steps.
fn add_shown(run: &mut Run, shown: Run) {
    run.config.add_missing(&shown.config);
    run.summary.add_missing(&shown.summary);
    let rows: Vec<(u32, f64)> = run.columns.get("step").map(|steps| steps.points().collect()).unwrap_or_default();
    let steps: BTreeMap<u32, f64> =
        shown.columns.get("step").map(|steps| steps.points().compact_collect()).unwrap_or_default();
    for (key, column) in shown.columns.into_iter().filter(|(key, _)| key != "step") {
        if run.columns.contains_key(&key) {
            continue;
        }
        for (row, value) in column.points() {
            // Of rows with the same step the last one.
            let at = steps.get(&row).and_then(|step| rows.iter().rev().find(|(_, known)| known == step));
            if let Some((row, _)) = at {
                run.push_value(&key, *row, value);
            }
        }
    }
}
