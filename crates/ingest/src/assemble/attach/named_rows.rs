//! Rows of a file that names the runs that they are of, put to these runs: a study writes its results into one table beside the
//! folders of its runs.

use std::collections::BTreeMap;

use super::add;
use crate::assemble::axiom_events::is_events;
use crate::assemble::origin::path_of;
use crate::assemble::same_metrics::have_same_values;
use crate::rows::names::{evaluation, evaluation_name};
use crate::setting_names::setting_key;
use crate::{join, path};
use rundown_run::{Column, ConfigValue, Run};
use rundown_stats::CompactCollect as _;

/// Joins what a file names after a run to the only run of that name in its folder or below it: settings and final values where no
/// known setting differs, rows where their numbers are those of the run. The first `shown` runs stay, as they were shown.
#[inline(never)]
pub(in crate::assemble) fn join_runs(mut runs: Vec<Run>, shown: usize) -> Vec<Run> {
    if !runs.iter().skip(shown).any(is_named_in_file) {
        return runs;
    }
    let mut owners: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut rows: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        if is_named_in_file(run) {
            *rows.entry(row_of(run)).or_default() += 1;
        } else if !run.row_steps.is_empty() {
            owners.entry(words_of(&run.name)).or_default().push(place);
        }
    }
    // Of two rows of one name neither is known to be the run.
    rows.retain(|_, count| *count == 1);
    let mut is_joined = vec![false; runs.len()];
    for (place, is_joined) in is_joined.iter_mut().enumerate().skip(shown) {
        let is_row = |run: &&Run| is_named_in_file(run) && rows.contains_key(&row_of(run));
        let owner = runs.get(place).filter(is_row).and_then(|row| owner_of(row, &runs, &owners));
        let Some(owner) = owner else { continue };
        let Some(piece) = runs.get_mut(place).map(std::mem::take) else { continue };
        let left = match runs.get_mut(owner) {
            Some(run) => join_piece(run, piece),
            None => Some(piece),
        };
        match (left, runs.get_mut(place)) {
            (Some(piece), Some(slot)) => *slot = piece,
            _ => *is_joined = true,
        }
    }
    runs.into_iter().zip(is_joined).filter(|(_, is_joined)| !is_joined).map(|(run, _)| run).collect()
}

/// True for a run that its file names, and that has no id of a tracker: its id is the file with the name behind it. Events join the
/// run of their name elsewhere.
fn is_named_in_file(run: &Run) -> bool {
    !is_events(run) && run.id.strip_prefix(path_of(run)).is_some_and(|behind| behind.starts_with('#'))
}

/// What tells a row of a file: the file, and the words of its name.
fn row_of(run: &Run) -> (String, String) {
    (path_of(run).to_owned(), words_of(&run.name))
}

/// The place of the only run of the name of a row that lies in the folder of its file or below it.
fn owner_of(row: &Run, runs: &[Run], owners: &BTreeMap<String, Vec<usize>>) -> Option<usize> {
    let folder = path::folder(path_of(row));
    let is_inside = |owner: &&usize| {
        let file = runs.get(**owner).map_or("", path_of);
        folder.is_empty() || file.strip_prefix(folder).is_some_and(|below| below.starts_with('/'))
    };
    let mut found = owners.get(&words_of(&row.name))?.iter().filter(is_inside);
    found.next().filter(|_| found.next().is_none()).copied()
}

/// A name as a folder may be called after it: `clip 0.2/0.28 (e2)` is `clip_0.2_0.28_(e2)` there.
fn words_of(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric() && letter != '.').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Adds a piece to the run of its name; gives it back where it may be of another one.
fn join_piece(run: &mut Run, mut piece: Run) -> Option<Run> {
    if differ_in_settings(run, &piece) {
        return Some(piece);
    }
    if piece.row_steps.is_empty() {
        join::add_missing(run, piece);
        return None;
    }
    if have_same_values(run, &piece) != Some(true) {
        // A table of evaluations need not call them so.
        let logged = piece.columns.clone();
        let named = |(key, column): (&String, &Column)| {
            let name = evaluation_name(key, evaluation("eval").unwrap_or_default()).into_owned();
            let is_free = run.columns.contains_key(&name) && !logged.contains_key(&name);
            let name = if is_free { name } else { key.clone() };
            (name, column.clone())
        };
        piece.columns = logged.iter().map(named).compact_collect();
        if have_same_values(run, &piece) != Some(true) {
            return Some(Run { columns: logged, ..piece });
        }
    }
    add(run, piece);
    None
}

/// True where both record a known setting, with other values.
fn differ_in_settings(run: &Run, piece: &Run) -> bool {
    let differs = |(key, value): (&str, &ConfigValue)| {
        let own = run.config.get(key).filter(|_| setting_key(key).is_some());
        own.is_some_and(|own| own.to_string() != value.to_string())
    };
    piece.config.iter().any(differs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{FileFormat, SourceFile};

    fn run(path: &str, name: &str, of_table: bool) -> Run {
        let file = SourceFile { path: path.to_owned(), format: FileFormat::Table, bytes: 1, crc32: path.len() as u32 };
        let id = if of_table { format!("{path}#{name}") } else { path.to_owned() };
        Run { id, name: name.to_owned(), files: vec![file], ..Run::default() }
    }

    /// Forty rows of these metrics, each told from the others by its factor.
    fn with_rows(mut run: Run, metrics: &[(&str, u32)]) -> Run {
        for step in 1..=40_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("step", row, f64::from(step));
            for (key, factor) in metrics {
                run.push_value(key, row, f64::from(step * factor % 17) / 7.0);
            }
        }
        run.choose_axis();
        run
    }

    fn set(mut run: Run, rate: f64) -> Run {
        run.config.insert("learning_rate", ConfigValue::Number(rate));
        run
    }

    fn names(runs: &[Run]) -> Vec<&str> {
        runs.iter().map(|run| run.name.as_str()).collect()
    }

    #[test]
    fn final_values_of_a_table_go_to_the_run_of_their_name() {
        let owner = || {
            set(with_rows(run("study/runs/clip_0.2_(e2)/metrics.jsonl", "clip_0.2_(e2)", false), &[("loss", 3)]), 1e-5)
        };
        let row = |path: &str, rate: f64| {
            let mut row = set(run(path, "clip 0.2 (e2)", true), rate);
            row.summary.insert("final_accuracy", ConfigValue::Number(0.7));
            row.config.insert("phase", ConfigValue::Text("broad".to_owned()));
            row
        };
        let joined = join_runs(vec![owner(), row("study/summary.csv", 1e-5)], 0);
        assert_eq!(names(&joined), ["clip_0.2_(e2)"]);
        assert!(joined[0].summary.get("final_accuracy").is_some() && joined[0].config.get("phase").is_some());
        assert_eq!((joined[0].files.len(), joined[0].row_steps.len()), (2, 40));
        for (rows, shown) in [
            (vec![owner(), row("study/summary.csv", 1e-4)], 0),
            (vec![owner(), row("other/summary.csv", 1e-5)], 0),
            (vec![owner(), row("study/summary.csv", 1e-5)], 2),
            (vec![row("study/summary.csv", 1e-5), row("study/list.json", 1e-5)], 0),
        ] {
            assert_eq!(join_runs(rows, shown).len(), 2, "another setting, another folder, shown, no history");
        }
        let two = vec![owner(), Run { id: "study/b".to_owned(), ..owner() }, row("study/summary.csv", 1e-5)];
        assert_eq!(join_runs(two, 0).len(), 3, "two runs of that name");
        let twice = Run { id: "study/summary.csv#clip 0.2 (e2) (2)".to_owned(), ..row("study/summary.csv", 1e-5) };
        assert_eq!(
            join_runs(vec![owner(), row("study/summary.csv", 1e-5), twice], 0).len(),
            3,
            "two rows of that name"
        );
    }

    #[test]
    fn rows_of_a_table_go_to_the_run_with_the_same_numbers() {
        let owner =
            || with_rows(run("runs/amber/metrics.jsonl", "amber", false), &[("accuracy", 3), ("eval/accuracy", 5)]);
        let rows = |metrics: &[(&str, u32)]| with_rows(run("points.csv", "amber", true), metrics);
        let joined = join_runs(vec![owner(), rows(&[("accuracy", 5), ("minutes", 7)])], 0);
        assert_eq!(joined.len(), 1, "evaluations under the name of the training's");
        assert_eq!(joined[0].columns.keys().collect::<Vec<_>>(), ["accuracy", "eval/accuracy", "minutes", "step"]);
        let joined = join_runs(vec![owner(), rows(&[("accuracy", 3)])], 0);
        assert_eq!(joined.len(), 1);
        let both = rows(&[("accuracy", 4), ("eval/accuracy", 5)]);
        let apart = join_runs(vec![owner(), both], 0);
        assert_eq!(apart.len(), 2, "one of two accuracies has other numbers, and is not lost");
        let apart = join_runs(vec![owner(), rows(&[("accuracy", 4)])], 0);
        assert_eq!(names(&apart), ["amber", "amber"]);
        assert!(apart[1].columns.contains_key("accuracy"));
    }
}
