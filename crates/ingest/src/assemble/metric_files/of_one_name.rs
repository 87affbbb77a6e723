//! One run in several files that hold its name: its curves in a table for each figure, and its last values in a table of runs.
//!
//! A name proves little, as sweeps and seeds share one. Files are of one run where each curve that both hold is equal, and the
//! row of a table where the name is unique and one of its values is the end of a curve of that metric.

use std::collections::{BTreeMap, BTreeSet};

use super::add;
use crate::assemble::same_metrics::{have_same_values, have_same_values_of, is_counter};
use crate::join;
use crate::rows::metric_words::is_learning_rate;
use rundown_run::{Column, ConfigValue, Run, RunWarning};
use rundown_stats::CompactSort;

/// Points of a curve that two files share, at least, and different values in them: seeds of one model share the evaluation
/// before the first step.
const MIN_POINTS: usize = 10;
const MIN_VALUES: usize = 5;
/// What a table of last values loses of a number that it rounds.
const ROUNDED: f64 = 1e-4;
/// What names of final values say before the name of the metric.
const KINDS_OF_FINAL: [&str; 6] = ["best_", "final_", "last_", "max_", "min_", "peak_"];
/// With more runs of one name they are not compared with each other: that would take too long.
const MAX_COMPARED: usize = 64;

/// A run, and where it is in the list.
type Placed = (usize, Run);

/// Joins runs of one name that are one, and keeps the order of the runs.
#[inline(never)]
pub(in crate::assemble) fn join_runs(runs: Vec<Run>) -> Vec<Run> {
    let mut names: BTreeMap<String, Vec<Placed>> = BTreeMap::new();
    for (place, run) in runs.into_iter().enumerate() {
        names.entry(run.name.clone()).or_default().push((place, run));
    }
    let mut joined: Vec<Placed> = Vec::new();
    for (name, runs) in names {
        let may_be_one = !name.is_empty() && (2..=MAX_COMPARED).contains(&runs.len());
        joined.extend(if may_be_one { of_one_name(runs) } else { runs });
    }
    joined.compact_sort_by_key(|(place, _)| *place);
    joined.into_iter().map(|(_, run)| run).collect()
}

fn of_one_name(runs: Vec<Placed>) -> Vec<Placed> {
    let (mut rows, histories): (Vec<Placed>, Vec<Placed>) =
        runs.into_iter().partition(|(_, run)| has_final_values_only(run));
    let mut joined: Vec<Placed> = Vec::new();
    for (place, mut run) in histories {
        run.choose_axis();
        match joined.iter_mut().find(|(_, known)| share_curves(known, &run)) {
            Some((_, known)) => add(known, run),
            None => joined.push((place, run)),
        }
    }
    if let ([(_, run)], [(_, row)]) = (joined.as_mut_slice(), rows.as_slice())
        && is_row_of(row, run)
        && let Some((_, row)) = rows.pop()
    {
        join::add_missing(run, row);
    }
    joined.extend(rows);
    joined
}

fn has_final_values_only(run: &Run) -> bool {
    run.row_steps.is_empty() && run.warnings.contains(&RunWarning::FinalValuesOnly)
}

/// True for runs of two files that hold the same numbers: at least one curve, and no curve that differs. Runs of a sweep
/// share the schedule of the learning rate.
fn share_curves(known: &Run, run: &Run) -> bool {
    let is_curve = |column: &Column| {
        let values: BTreeSet<u64> = column.values().iter().map(|value| value.to_bits()).collect();
        column.len() >= MIN_POINTS && values.len() >= MIN_VALUES
    };
    if known.id != run.id || known.has_files_of(run) || have_same_values(known, run) != Some(true) {
        return false;
    }
    let mut is_shared = false;
    for (key, column) in &run.columns {
        let Some(other) = known.columns.get(key) else { continue };
        if is_counter(run, key) || is_learning_rate(key) || !is_curve(column) || !is_curve(other) {
            continue;
        }
        match have_same_values_of(known, run, key) {
            Some(true) => is_shared = true,
            Some(false) => return false,
            None => {}
        }
    }
    is_shared
}

/// True where a value of the row is the last, the highest or the lowest one of a curve of its name. Whole numbers may be those
/// of any run.
fn is_row_of(row: &Run, run: &Run) -> bool {
    let ends_of = |column: &Column| {
        let finite = || column.values().iter().copied().filter(|value| value.is_finite());
        [column.last(), finite().reduce(f64::max), finite().reduce(f64::min)]
    };
    let curves: Vec<(String, [Option<f64>; 3])> =
        run.columns.iter().map(|(key, column)| (delimited(key), ends_of(column))).collect();
    let is_of_curve = |(key, value): (&str, &ConfigValue)| {
        let ConfigValue::Number(value) = value else { return false };
        let metric = delimited(KINDS_OF_FINAL.iter().find_map(|kind| key.strip_prefix(*kind)).unwrap_or(key));
        let is_named = |name: &str| name.contains(&metric) || metric.contains(name);
        let is_end = |end: f64| (end - value).abs() <= ROUNDED * value.abs();
        value.fract() != 0.0
            && curves.iter().any(|(name, ends)| is_named(name) && ends.iter().flatten().any(|end| is_end(*end)))
    };
    row.summary.iter().any(is_of_curve)
}

/// The name with `_` before, between and behind its words, so that `contains` finds whole words only.
fn delimited(name: &str) -> String {
    format!("_{}_", name.replace('/', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{Config, FileFormat, RunState, SourceFile};

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
    fn every_curve_that_two_files_share_is_equal_and_a_schedule_proves_nothing() {
        let joined = |columns: &[&str], more: &str, seed: u32| {
            let with = |file: &str, seed: u32| {
                let mut run = curve(file, columns, 0);
                let other = curve(file, &[more], seed);
                run.columns.extend(other.columns.into_iter().filter(|(key, _)| key == more));
                run.note_origins();
                run
            };
            join_runs(vec![with("a.csv", 0), with("b.csv", seed)]).len()
        };
        assert_eq!(join_runs(vec![curve("a.csv", &["train/lr"], 0), curve("b.csv", &["train/lr"], 0)]).len(), 2);
        let many: Vec<String> = (0..20).map(|number| format!("metric_{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(joined(&many[..], "reward", 0), 1);
        assert_eq!(joined(&many[..], "reward", 3), 2, "one of many is another");
    }

    #[test]
    fn runs_keep_their_order() {
        let unnamed = |file: &str| Run { name: String::new(), ..curve(file, &["length"], 0) };
        let of = |file: &str, seed: u32| curve(file, &["eval/reward"], seed);
        let runs = join_runs(vec![unnamed("z.csv"), of("b.csv", 0), unnamed("c.csv"), of("a.csv", 0), of("d.csv", 3)]);
        let files: Vec<&str> = runs.iter().map(|run| run.files[0].path.as_str()).collect();
        assert_eq!(files, ["z.csv", "b.csv", "c.csv", "d.csv"]);
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
        let mut other = row(highest);
        other.summary = Config::default();
        other.summary.insert("final_kl", ConfigValue::Number(highest));
        assert_eq!(join_runs(vec![history(), other]).len(), 2, "the value of another metric");
        assert_eq!(join_runs(vec![history(), row(highest), row(highest)]).len(), 3, "no unique name");
        assert_eq!(join_runs(vec![history(), curve("b.csv", &["eval/reward"], 3), row(highest)]).len(), 3);
    }
}
