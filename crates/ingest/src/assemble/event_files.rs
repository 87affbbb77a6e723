//! TensorBoard's event files of one folder: what a training that was resumed goes on with, what a second writer wrote
//! beside it, and trainings of their own that were started in the same folder.

use std::collections::BTreeMap;

use super::origin::path_of;
use super::{event_settings, run_names};
use crate::formats::tensorboard;
use crate::{join, path};
use rundown_run::{Run, RunWarning};

/// Rows that a start has at least before another one is a run of its own: what was broken off at once is laid over.
const MIN_ROWS: usize = 10;
/// Usual distances between rows within which the first row of a training lies that begins at zero. One that was resumed begins
/// behind a checkpoint, and the first checkpoint is a distance away: its first row is two away.
const NEAR_ZERO: f64 = 1.5;

/// The runs of each folder, in the order in which they were started.
#[derive(Default)]
pub(super) struct EventFiles {
    folders: BTreeMap<String, Vec<Run>>,
}

impl EventFiles {
    /// Adds a file, behind those of its folder that were written before.
    pub(super) fn add(&mut self, mut run: Run) {
        let begins = run.columns.remove(tensorboard::REPLACES_FROM).and_then(|column| column.last());
        let starts = self.folders.entry(path::folder(path_of(&run)).to_owned()).or_default();
        match starts.last_mut() {
            // Settings without a row are those of a training that logged nothing, unless the rows have none.
            Some(last) if run.row_steps.is_empty() && !last.config.is_empty() => {}
            Some(last) if last.row_steps.is_empty() && !run.config.is_empty() => *last = run,
            Some(last) if !is_new_start(last, &run) => append(last, run, begins),
            _ => starts.push(run),
        }
    }

    /// The runs.
    pub(super) fn into_runs(mut self) -> impl Iterator<Item = Run> {
        self.fold_hyperparameters();
        self.folders.into_values().flat_map(numbered)
    }

    /// torch writes hyperparameters into a folder of their own below the run's, with a point or two.
    fn fold_hyperparameters(&mut self) {
        let is_note = |run: &Run| !run.config.is_empty() && run.row_steps.len() <= 1;
        let is_of_folder = |folder: &str| !folder.is_empty() && self.folders.contains_key(path::folder(folder));
        let notes: Vec<String> = self
            .folders
            .iter()
            .filter(|(folder, starts)| starts.iter().all(is_note) && is_of_folder(folder))
            .map(|(folder, _)| folder.clone())
            .collect();
        for folder in notes {
            for note in self.folders.remove(&folder).into_iter().flatten() {
                let starts = self.folders.entry(path::folder(&folder).to_owned()).or_default();
                match starts.last_mut() {
                    Some(run) => append(run, note, None),
                    None => starts.push(note),
                }
            }
        }
    }
}

/// True for a file that logs the same metrics from the first step on again, after the last row of a training that had gone on
/// for a while, or while that one goes on: writers of one training that run side by side begin together. Also for one with
/// other settings, unless its steps go on where the other ended, as those of a training do that was resumed with a change.
fn is_new_start(run: &Run, later: &Run) -> bool {
    if event_settings::are_different(run, later) && !goes_on(run, later) {
        return true;
    }
    let began = least(&later.row_times);
    let is_behind = |time: Option<f64>| began.zip(time).is_some_and(|(began, time)| began >= time);
    run.row_steps.len() >= MIN_ROWS
        && has_common_metric(run, later)
        && begins_again(run, later)
        && (is_behind(greatest(&run.row_times))
            || (is_behind(run.row_times.get(MIN_ROWS - 1).copied()) && is_logged_alike(run, later)))
}

/// True for a file whose first step is not behind that of the run, or lies near zero where the run had gone past it: how far the
/// steps are apart may depend on a setting, such as the number of environments. What evaluates a training afterwards begins
/// near zero as well.
fn begins_again(run: &Run, later: &Run) -> bool {
    let Some(first) = least(&later.row_steps) else { return false };
    let is_near_zero = || {
        let distance = usual_distance(&later.row_steps).or_else(|| usual_distance(&run.row_steps));
        distance.is_some_and(|distance| first <= NEAR_ZERO * distance)
    };
    least(&run.row_steps).is_some_and(|own| first <= own)
        || (greatest(&run.row_steps).is_some_and(|last| first <= last) && is_near_zero() && is_logged_alike(run, later))
}

/// True for a file whose first step is at most two of the usual distances behind the last one of a training that had gone on
/// for a while.
fn goes_on(run: &Run, later: &Run) -> bool {
    let between = greatest(&run.row_steps).zip(least(&later.row_steps)).map(|(last, first)| first - last);
    let distance = usual_distance(&run.row_steps);
    let is_next = between.zip(distance).is_some_and(|(between, distance)| between > 0.0 && between <= 2.0 * distance);
    run.row_steps.len() >= MIN_ROWS && is_next
}

fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

fn greatest(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

fn usual_distance(steps: &[f64]) -> Option<f64> {
    rundown_stats::median_of(steps.iter().zip(steps.iter().skip(1)).map(|(step, next)| next - step))
}

/// True where both log nearly the same metrics, three in four: what evaluates a training beside it has few of them.
fn is_logged_alike(run: &Run, later: &Run) -> bool {
    let common = later.columns.keys().filter(|key| run.columns.contains_key(*key)).count();
    4 * common >= 3 * run.columns.len().max(later.columns.len())
}

fn has_common_metric(run: &Run, later: &Run) -> bool {
    later.columns.keys().any(|key| key != "step" && run.columns.contains_key(key))
}

/// Adds a later event file of the same folder. `begins` is the step from which it replaces what was logged.
fn append(run: &mut Run, later: Run, begins: Option<f64>) {
    if let Some(begins) = begins {
        let last = run.row_steps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if begins <= last {
            let kept = (0_u32..).zip(&run.row_steps).filter(|(_, step)| **step < begins).map(|(row, _)| row);
            let kept: Vec<u32> = kept.collect();
            run.keep_rows(&kept);
            run.warnings.push(RunWarning::Restarted { from: begins, to: last });
        }
    }
    // Two writers side by side share no tag; a restart logs the same ones again.
    if has_common_metric(run, &later) { join::append(run, later) } else { join::interleave(run, later) }
}

/// The starts with their numbers, where there are several.
fn numbered(mut starts: Vec<Run>) -> Vec<Run> {
    let of = starts.len();
    if of > 1 {
        for (run, start) in starts.iter_mut().zip(1..) {
            let stamp = written_at(path_of(run)).map(|stamp| format!(", tfevents.{stamp}")).unwrap_or_default();
            if !run.id.is_empty() {
                run.id = format!("{} (start {start})", run.id);
            }
            // A file in no folder has only its own name, and the stamp of the label is from there.
            if run.name.is_empty()
                && let (folder, 1..) = run_names::name_in(path_of(run))
            {
                run.name = folder.to_owned();
            }
            // The number in the name of the file, by which it is found among the others.
            let label = format!("start {start}{stamp}");
            run.name = if run.name.is_empty() { label } else { format!("{} ({label})", run.name) };
            run.warnings.push(RunWarning::OneOfStarts { start, of });
        }
    }
    starts
}

/// The time in the name of an event file, `events.out.tfevents.1767882915.host.34464.0`, in Unix seconds.
fn written_at(file: &str) -> Option<&str> {
    let (_, behind) = path::file_name(file).split_once("tfevents.")?;
    let stamp = behind.split('.').next()?;
    (!stamp.is_empty() && stamp.bytes().all(|byte| byte.is_ascii_digit())).then_some(stamp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{ConfigValue, FileFormat, SourceFile};

    /// A file with a row for each step, the first at a time, one a second.
    fn file(name: u32, time: f64, steps: std::ops::Range<u32>) -> Run {
        let source =
            SourceFile { path: format!("logs/events.{name}"), format: FileFormat::TensorBoard, bytes: 0, crc32: 0 };
        let mut run = Run { id: "logs".to_owned(), name: "logs".to_owned(), files: vec![source], ..Run::default() };
        for (step, second) in steps.zip(0..) {
            let row = run.push_row(f64::from(step), time + f64::from(second));
            run.push_value("reward", row, 0.5);
        }
        run
    }

    fn rows(files: impl IntoIterator<Item = Run>) -> Vec<(String, usize)> {
        let mut events = EventFiles::default();
        files.into_iter().for_each(|file| events.add(file));
        events.into_runs().map(|run| (run.id, run.row_steps.len())).collect()
    }

    #[test]
    fn a_training_that_begins_again_is_a_run_of_its_own() {
        let two = rows([file(1, 0.0, 1..51), file(2, 100.0, 1..21)]);
        assert_eq!(two, [("logs (start 1)".to_owned(), 50), ("logs (start 2)".to_owned(), 20)]);
    }

    /// The same with a row after this many steps.
    fn every(steps: f64, mut run: Run) -> Run {
        run.row_steps.iter_mut().for_each(|step| *step *= steps);
        run
    }

    #[test]
    fn one_that_begins_again_may_have_its_first_row_later() {
        let first = || every(8.0, file(1, 0.0, 1..51));
        assert_eq!(rows([first(), every(12.0, file(2, 100.0, 1..41))]).len(), 2);
        assert_eq!(rows([first(), every(12.0, file(2, 100.0, 1..2))]).len(), 2, "a row alone");
        assert_eq!(rows([first(), every(8.0, file(2, 100.0, 2..41))]).len(), 1, "resumed from the first checkpoint");
        let short = every(8.0, file(1, 0.0, 1..13));
        let later = every(100.0, file(2, 100.0, 1..41));
        assert_eq!(rows([short, later]).len(), 1, "the first training had not gone that far");
        let mut evaluation = every(12.0, file(2, 100.0, 1..41));
        evaluation.push_value("accuracy", 0, 0.5);
        assert_eq!(rows([first(), evaluation]).len(), 1, "what evaluates the first");
    }

    #[test]
    fn one_that_begins_while_another_goes_on_is_a_run_where_it_logs_the_same() {
        assert_eq!(rows([file(1, 0.0, 1..51), file(2, 20.0, 1..51)]).len(), 2);
        let mut beside = file(2, 20.0, 1..51);
        beside.push_value("accuracy", 0, 0.5);
        assert_eq!(rows([file(1, 0.0, 1..51), beside]).len(), 1, "what evaluates the first");
    }

    /// The same with a setting.
    fn with_rate(mut run: Run, rate: f64) -> Run {
        run.config.insert("learning_rate", ConfigValue::Number(rate));
        run
    }

    #[test]
    fn settings_belong_to_the_rows_of_their_file() {
        let of = |files: Vec<Run>| -> Vec<(usize, f64)> {
            let mut events = EventFiles::default();
            files.into_iter().for_each(|file| events.add(file));
            let rate = |run: &Run| run.config.number(&["learning_rate"]).map_or(0.0, |(_, rate)| rate);
            events.into_runs().map(|run| (run.row_steps.len(), rate(&run))).collect()
        };
        let (first, second) = (|| with_rate(file(1, 0.0, 1..51), 1.0), |steps| with_rate(file(2, 100.0, steps), 2.0));
        assert_eq!(of(vec![first(), second(1..1)]), [(50, 1.0)], "a start that logged nothing");
        assert_eq!(of(vec![second(1..1), first()]), [(50, 1.0)]);
        assert_eq!(of(vec![second(1..1), file(1, 0.0, 1..51)]), [(50, 2.0)], "a file of settings alone");
        assert_eq!(of(vec![with_rate(file(1, 0.0, 1..3), 1.0), second(1..51)]), [(2, 1.0), (50, 2.0)]);
        assert_eq!(of(vec![with_rate(file(1, 0.0, 1..3), 1.0), second(5..51)]).len(), 2);
        assert_eq!(of(vec![first(), second(51..61)]), [(60, 2.0)], "resumed with a change");
    }

    #[test]
    fn a_start_is_named_by_its_file() {
        let mut events = EventFiles::default();
        for (stamp, time) in [(1_767_882_915, 0.0), (1_767_883_086, 100.0)] {
            let mut run = file(1, time, 1..21);
            run.files[0].path = format!("logs/events.out.tfevents.{stamp}.host.34464.0");
            run.name.clear();
            events.add(run);
        }
        let names: Vec<String> = events.into_runs().map(|run| run.name).collect();
        assert_eq!(names, ["logs (start 1, tfevents.1767882915)", "logs (start 2, tfevents.1767883086)"]);
    }

    #[test]
    fn a_resumed_one_a_short_one_and_writers_side_by_side_are_not() {
        assert_eq!(rows([file(1, 0.0, 1..51), file(2, 100.0, 51..71)]), [("logs".to_owned(), 70)]);
        assert_eq!(rows([file(1, 0.0, 1..4), file(2, 100.0, 1..21)]).len(), 1);
        assert_eq!(rows([file(1, 0.0, 1..51), file(2, 1.0, 1..51)]).len(), 1);
    }
}
