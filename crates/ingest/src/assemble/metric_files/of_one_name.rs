//! One run in several files that hold its name: its curves in a table for each figure, and its last values in a table of runs.
//!
//! A name proves little, as sweeps and seeds share one. Files are of one run where a whole curve in them is equal, and the row
//! of a table where the name is unique and one of its values is the end of a curve.

use std::collections::{BTreeMap, BTreeSet};

use super::add;
use crate::assemble::origin::path_of;
use crate::assemble::same_metrics::{have_same_values, is_counter};
use crate::join;
use rundown_run::{Column, ConfigValue, Run, RunWarning};
use rundown_stats::CompactSort;

/// Points of a curve that two files share, at least, and different values in them: seeds of one model share the evaluation
/// before the first step.
const MIN_POINTS: usize = 10;
const MIN_VALUES: usize = 5;
/// What a table of last values loses of a number that it rounds.
const ROUNDED: f64 = 1e-4;
/// With more runs of one name they are not compared with each other: that would take too long.
const MAX_COMPARED: usize = 64;

/// Joins runs of one name that are one. Expects runs by path, and gives them by path.
#[inline(never)]
pub(in crate::assemble) fn join_runs(runs: Vec<Run>) -> Vec<Run> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for run in &runs {
        *counts.entry(run.name.clone()).or_default() += 1;
    }
    let may_be_one = |run: &Run| {
        !run.name.is_empty() && counts.get(&run.name).is_some_and(|count| (2..=MAX_COMPARED).contains(count))
    };
    let (candidates, mut others): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(may_be_one);
    let mut names: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for run in candidates {
        names.entry(run.name.clone()).or_default().push(run);
    }
    if names.is_empty() {
        return others;
    }
    others.extend(names.into_values().flat_map(of_one_name));
    others.compact_sort_by(|a, b| (path_of(a), &a.name).cmp(&(path_of(b), &b.name)));
    others
}

fn of_one_name(runs: Vec<Run>) -> Vec<Run> {
    let (mut rows, histories): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(has_final_values_only);
    let mut joined: Vec<Run> = Vec::new();
    for mut run in histories {
        run.choose_axis();
        match joined.iter_mut().find(|known| share_a_curve(known, &run)) {
            Some(known) => add(known, run),
            None => joined.push(run),
        }
    }
    if let ([run], [row]) = (joined.as_mut_slice(), rows.as_slice())
        && is_row_of(row, run)
        && let Some(row) = rows.pop()
    {
        join::add_missing(run, row);
    }
    joined.extend(rows);
    joined
}

fn has_final_values_only(run: &Run) -> bool {
    run.row_steps.is_empty() && run.warnings.contains(&RunWarning::FinalValuesOnly)
}

/// True for runs of two files that hold the same numbers, with a curve among them.
fn share_a_curve(known: &Run, run: &Run) -> bool {
    let is_curve = |column: &Column| {
        let values: BTreeSet<u64> = column.values().iter().map(|value| value.to_bits()).collect();
        column.len() >= MIN_POINTS && values.len() >= MIN_VALUES
    };
    let shared = |(key, column): (&String, &Column)| {
        !is_counter(run, key) && is_curve(column) && known.columns.get(key).is_some_and(is_curve)
    };
    known.id == run.id
        && !known.has_files_of(run)
        && run.columns.iter().any(shared)
        && have_same_values(known, run) == Some(true)
}

/// True where a value of the row is the last, the highest or the lowest one of a curve. Whole numbers may be those of any run.
fn is_row_of(row: &Run, run: &Run) -> bool {
    let is_end = |value: f64, column: &Column| {
        let finite = || column.values().iter().copied().filter(|value| value.is_finite());
        let ends = [column.last(), finite().reduce(f64::max), finite().reduce(f64::min)];
        ends.into_iter().flatten().any(|end| (end - value).abs() <= ROUNDED * value.abs())
    };
    let is_of_curve = |value: &ConfigValue| match value {
        ConfigValue::Number(value) if value.fract() != 0.0 => run.columns.values().any(|column| is_end(*value, column)),
        _ => false,
    };
    row.summary.iter().any(|(_, value)| is_of_curve(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{FileFormat, RunState, SourceFile};

    fn run(file: &str, format: FileFormat) -> Run {
        let files = vec![SourceFile { path: file.to_owned(), format, bytes: 1, crc32: 1 }];
        Run { name: "amber".to_owned(), files, ..Run::default() }
    }

    fn curve(file: &str, columns: &[&str], seed: u32) -> Run {
        let mut run = run(file, FileFormat::Table);
        for step in 0..20_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("step", row, f64::from(step));
            let value = f64::from((step + seed) * (step + seed) % 17) / 7.0;
            columns.iter().for_each(|key| run.push_value(key, row, value));
        }
        run.note_origins();
        run
    }

    fn row(best: f64) -> Run {
        let mut run = run("runs.csv", FileFormat::RunsTable);
        run.warnings.push(RunWarning::FinalValuesOnly);
        run.summary.insert("best_eval_reward", ConfigValue::Number(best));
        run.config.insert("lr", ConfigValue::Number(0.5));
        run.ending.state = RunState::Crashed;
        run
    }

    #[test]
    fn curves_of_one_run_in_several_tables_are_one_run() {
        let joined = |second: Run| join_runs(vec![curve("a.csv", &["eval/reward"], 0), second]);
        let runs = joined(curve("b.csv", &["eval/reward", "length"], 0));
        assert_eq!((runs.len(), runs[0].columns["length"].len(), runs[0].files.len()), (1, 20, 2));
        assert_eq!(joined(curve("b.csv", &["eval/reward"], 3)).len(), 2, "another seed");
        assert_eq!(joined(curve("b.csv", &["length"], 0)).len(), 2, "nothing shared");
        let other = Run { name: "birch".to_owned(), ..curve("b.csv", &["eval/reward"], 0) };
        assert_eq!(joined(other).len(), 2, "another name");
    }

    #[test]
    fn a_row_of_a_table_of_runs_joins_the_curve_of_its_name() {
        let history = || curve("a.csv", &["eval/reward"], 0);
        let highest = 16.0 / 7.0;
        let runs = join_runs(vec![history(), row(highest)]);
        let [run] = &runs[..] else { panic!("{} runs", runs.len()) };
        assert_eq!((run.ending.state, run.config.len(), run.summary.len()), (RunState::Crashed, 1, 1));
        assert!(run.warnings.is_empty() && run.row_steps.len() == 20);
        assert_eq!(join_runs(vec![history(), row(1.23)]).len(), 2, "the value of another run");
        assert_eq!(join_runs(vec![history(), row(highest), row(highest)]).len(), 3, "no unique name");
        assert_eq!(join_runs(vec![history(), curve("b.csv", &["eval/reward"], 3), row(highest)]).len(), 3);
    }
}
