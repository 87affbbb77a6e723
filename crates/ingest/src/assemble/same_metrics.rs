//! Whether two pieces hold the same numbers, and the adding of what one of them lacks.
//!
//! Trainers write the same metrics to several places, under names that differ by a rule (transformers,
//! `rewrite_logs`: `loss` is `train/loss`, `eval_loss` is `eval/loss`). Folders alone do not prove that two files
//! are of one run: the numbers must agree.

mod of_logs;
mod rounding;

use std::cell::LazyCell;
use std::collections::BTreeMap;

use super::origin::{is_console_log, path_of};
use crate::rows::counting::are_whole;
use crate::rows::metric_words::is_learning_rate;
use crate::rows::names::is_count_name;
use rounding::Rounding;
use rundown_run::{Column, Run, RunWarning};
use rundown_stats::CompactSort as _;

/// Points compared before two files count as one run's, and how many of them are of one metric at most: a schedule is the
/// same in all runs of a sweep.
const MAX_COMPARED_POINTS: usize = 1_000;
const MAX_POINTS_OF_METRIC: usize = 250;
/// What a float32, or the last of six printed digits, loses.
const FLOAT_TOLERANCE: f64 = 1e-5;
/// What four printed digits lose, as consoles show them.
const PRINTED_TOLERANCE: f64 = 1e-3;

/// Numbers compared before those that only rounding makes equal count.
const MIN_ROUNDED: usize = 8;

/// Whether the two hold the same numbers at the same steps; `None` when nothing can be compared.
///
/// A metric that never changes proves nothing: two runs of one sweep share a learning rate. Nor does a counter, or one that
/// moves by less than four units of its last printed digit. Where one of the two is a console log, numbers agree that are the
/// same when they are rounded as one of them is; of few such numbers that is not enough. Two console logs have to agree in more
/// than what runs of one sweep share. A name with capitals and without the folder of a tracker may prove that they are the same, and
/// not that they differ: a loop may print the mean so far, or that of a batch.
pub(super) fn have_same_values(run: &Run, piece: &Run) -> Option<bool> {
    let equal = |key: &str| equal_column(run, key).map(|(_, known)| known);
    // Those with an equal name were compared by then.
    let printed = |key: &str| Some(printed_column(run, key)?.1).filter(|_| equal(key).is_none());
    compare(run, piece, &equal).or_else(|| compare(run, piece, &printed).filter(|same| *same))
}

/// The same of the metric with this name in both, and of no other.
pub(super) fn have_same_values_of(run: &Run, piece: &Run, name: &str) -> Option<bool> {
    compare(run, piece, &|key| run.columns.get(key).filter(|_| key == name))
}

/// `find` gives the column of the run for a key of the piece.
fn compare<'r>(run: &'r Run, piece: &Run, find: &dyn Fn(&str) -> Option<&'r Column>) -> Option<bool> {
    let is_printed = is_console_log(piece) || is_console_log(run);
    let are_logs = of_logs::are_two(run, piece);
    if are_logs && of_logs::contradict(run, piece) {
        return Some(false);
    }
    let relative = if is_printed { PRINTED_TOLERANCE } else { FLOAT_TOLERANCE };
    let (mut compared, mut equal, mut rounded, mut beside_most_frequent) = (0_usize, 0_usize, 0_usize, 0_usize);
    let counts = |key: &str, column: &Column| {
        // Runs of a sweep share the schedule of the learning rate.
        let is_shared = are_logs && is_learning_rate(key);
        is_shared || is_counter(piece, key) || is_count_name(key) || is_even(column.values())
    };
    for (key, column) in &piece.columns {
        // The name first: the other two go through all values.
        let Some(known) = find(key).filter(|_| !counts(key, column) && tells(column)) else { continue };
        // Consoles show shares in percent.
        let scaled = if is_printed { (as_share(column, known), as_share(known, column)) } else { (None, None) };
        let (column, known) = (scaled.0.as_ref().unwrap_or(column), scaled.1.as_ref().unwrap_or(known));
        let half_quanta = column.quantum().into_iter().chain(known.quantum()).fold(0.0, f64::max) * 0.51;
        // Most numbers are close, and need no rounding to be found.
        let rounding = LazyCell::new(|| if is_printed { Rounding::of(column, known) } else { Rounding::default() });
        let at = values_by_step(run, known);
        let (mut same, mut alike, mut different) = (0, 0, 0);
        let mut agreeing = Vec::new();
        for (row, value) in column.points().take(MAX_POINTS_OF_METRIC) {
            match step_of(piece, row).and_then(|step| at.get(&step)) {
                None => continue,
                Some(other) if is_close(value, *other, relative, half_quanta) => same += 1,
                Some(other) if (value - other).abs() <= rounding.half_unit => alike += 1,
                Some(_) => {
                    different += 1;
                    continue;
                }
            }
            if are_logs {
                agreeing.push(value);
            }
        }
        compared += different;
        // Numbers to which any similar ones would be rounded too are no evidence.
        if alike == 0 || rounding.tells {
            compared += same + alike;
            equal += same;
            rounded += alike;
            beside_most_frequent += of_logs::beside_most_frequent(agreeing);
        }
        if compared >= MAX_COMPARED_POINTS {
            break;
        }
    }
    if compared >= MIN_ROUNDED {
        equal += rounded;
    }
    let is_enough = !are_logs || beside_most_frequent >= of_logs::needed(run, piece);
    (compared > 0).then_some(is_enough && equal * 10 >= compared * 9)
}

/// Adds the series that the run does not have, in the rows of the same steps. `file` is the place of the piece's
/// first file in the run's list.
pub(super) fn add_series(run: &mut Run, piece: &Run, file: usize) {
    let mut row_at: BTreeMap<u64, u32> = BTreeMap::new();
    for (row, step) in run.axis.steps.iter().enumerate() {
        if let Some(step) = step_bits(*step) {
            row_at.insert(step, row as u32);
        }
    }
    let has_prefix = |run: &Run| run.columns.keys().any(|key| key.starts_with("train/"));
    let is_renamed = has_prefix(run) && !has_prefix(piece);
    let mut skipped = 0;
    for (key, column) in &piece.columns {
        if is_counter(piece, key) {
            continue;
        }
        let files = moved(piece.origins.get(key), file);
        if let Some((name, _)) = same_column(run, key) {
            // Both files hold it: what is shown comes from the run's own.
            let name = name.to_owned();
            add_origins(run, &name, files);
            continue;
        }
        let row_of = |row: u32| step_of(piece, row).and_then(|step| row_at.get(&step)).copied();
        let points: Vec<(u32, f64)> =
            column.points().filter_map(|(row, value)| row_of(row).map(|row| (row, value))).collect();
        skipped += column.len() - points.len();
        if !points.is_empty() {
            let name = if is_renamed { wandb_name(key) } else { key.clone() };
            add_origins(run, &name, files);
            if let Some(how) = piece.sampling_of(key) {
                run.note_sampling(Some(&name), how);
            }
            let into = run.columns.entry(name).or_default();
            into.extend_unordered(points);
            if let Some(quantum) = column.quantum() {
                into.set_quantum(quantum);
            }
        }
    }
    if skipped > 0 {
        run.warnings.push(RunWarning::ValuesWithoutRow { values: skipped, file: path_of(piece).to_owned() });
    }
}

/// Notes that a series also stands in `files`.
fn add_origins(run: &mut Run, key: &str, files: Vec<usize>) {
    let known = run.origins.entry(key.to_owned()).or_default();
    known.extend(files);
    known.compact_sort_by_key(|file| *file);
    known.dedup();
}

/// Places of files, moved behind those of another run.
pub(super) fn moved(places: Option<&Vec<usize>>, by: usize) -> Vec<usize> {
    places.map_or_else(|| vec![by], |places| places.iter().map(|place| place + by).collect())
}

/// True for the column that counts the steps of a piece, or its epochs.
pub(super) fn is_counter(piece: &Run, key: &str) -> bool {
    key == piece.axis.key || matches!(key, "step" | "epoch" | "train/epoch")
}

/// True for whole numbers at equal distances: they count rows.
fn is_even(values: &[f64]) -> bool {
    let mut changes = values.iter().zip(values.iter().skip(1)).map(|(before, after)| after - before);
    let first = changes.next();
    are_whole(values) && changes.all(|change| Some(change) == first)
}

/// True for a metric that moves by more than its last printed digits.
fn tells(column: &Column) -> bool {
    let finite = column.values().iter().copied().filter(|value| value.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    high - low > column.quantum().unwrap_or(0.0) * 4.0
}

/// The name that W&B and TensorBoard have for a key of the Trainer's log.
fn wandb_name(key: &str) -> String {
    if ["eval/", "val/", "test/"].iter().any(|folder| key.starts_with(folder)) {
        return key.to_owned();
    }
    for (prefix, folder) in [("eval_", "eval/"), ("test_", "test/")] {
        if let Some(rest) = key.strip_prefix(prefix) {
            return format!("{folder}{rest}");
        }
    }
    format!("train/{key}")
}

/// The name that the Trainer's log has for a key of W&B or TensorBoard.
fn trainer_name(key: &str) -> Option<String> {
    let under = |folder: &str| key.strip_prefix(folder);
    let evaluation =
        ["eval", "test"].into_iter().find_map(|kind| Some((kind, key.strip_prefix(kind)?.strip_prefix('/')?)));
    under("train/").map(str::to_owned).or_else(|| evaluation.map(|(kind, rest)| format!("{kind}_{rest}")))
}

/// The run's column for a key of the piece, with its name there.
pub(super) fn same_column<'r>(run: &'r Run, key: &str) -> Option<(&'r str, &'r Column)> {
    equal_column(run, key).or_else(|| printed_column(run, key))
}

/// The run's column that a console prints with capitals, and without the folder that a tracker has for it: `Reward` is `train/reward`.
fn printed_column<'r>(run: &'r Run, key: &str) -> Option<(&'r str, &'r Column)> {
    let name = wandb_name(key);
    only_column(run, &|known| known.eq_ignore_ascii_case(&name))
}

/// The run's column of the same name, of the name that the Trainer or a tracker has for it, or of the same words; whatever their case.
fn equal_column<'r>(run: &'r Run, key: &str) -> Option<(&'r str, &'r Column)> {
    let named = |name: &str| run.columns.get_key_value(name).map(|(name, column)| (name.as_str(), column));
    named(&wandb_name(key))
        .or_else(|| named(key))
        .or_else(|| named(&trainer_name(key)?))
        .or_else(|| only_column(run, &|name| name.eq_ignore_ascii_case(key)))
        .or_else(|| only_column(run, &|name| has_same_words(name, key)))
}

/// The only column whose name is wanted.
fn only_column<'r>(run: &'r Run, is_wanted: &dyn Fn(&str) -> bool) -> Option<(&'r str, &'r Column)> {
    let mut found = run.columns.iter().filter(|(name, _)| is_wanted(name));
    found.next().filter(|_| found.next().is_none()).map(|(name, column)| (name.as_str(), column))
}

/// True for names of the same words in another order: `reward mean` and `mean_reward`.
fn has_same_words(a: &str, b: &str) -> bool {
    let words = |name: &str| {
        let words = name.split([' ', '_']).filter(|word| !word.is_empty());
        let mut words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
        words.compact_sort_by(Ord::cmp);
        words
    };
    // Names of other lengths are spared the comparison.
    a.len() == b.len() && a.contains([' ', '_']) && words(a) == words(b)
}

/// Percentages as the shares that the other column holds; `None` where the two are of one unit.
fn as_share(column: &Column, other: &Column) -> Option<Column> {
    let greatest =
        |column: &Column| column.values().iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let is_percent = (1.0..=100.0).contains(&greatest(column)) && greatest(column) > 50.0 * greatest(other);
    let is_share = greatest(other) <= 1.0
        && other.values().iter().chain(column.values()).all(|value| value.is_nan() || *value >= 0.0);
    (is_percent && is_share).then(|| column.points().map(|(row, value)| (row, value / 100.0)).collect())
}

fn is_close(a: f64, b: f64, relative: f64, absolute: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= (relative * a.abs().max(b.abs())).max(absolute)
}

/// Later values win.
fn values_by_step(run: &Run, column: &Column) -> BTreeMap<u64, f64> {
    column.points().filter_map(|(row, value)| Some((step_of(run, row)?, value))).collect()
}

fn step_of(run: &Run, row: u32) -> Option<u64> {
    run.axis.steps.get(row as usize).copied().and_then(step_bits)
}

/// A key for finding equal steps.
fn step_bits(step: f64) -> Option<u64> {
    // Adding zero makes -0 to 0.
    step.is_finite().then(|| (step + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{FileFormat, SourceFile};

    fn run(key: &str, values: &[f64]) -> Run {
        let mut run = Run::default();
        for (step, value) in values.iter().enumerate() {
            let row = run.push_row(step as f64, f64::NAN);
            run.push_value(key, row, *value);
        }
        run.choose_axis();
        run
    }

    #[test]
    fn names_of_trackers_and_of_the_trainer_are_the_same_metric() {
        let values = [0.5, 0.25, 0.75];
        for (one, other) in
            [("train/loss", "loss"), ("loss", "train/loss"), ("eval/acc", "eval_acc"), ("eval_acc", "eval/acc")]
        {
            assert_eq!(have_same_values(&run(one, &values), &run(other, &values)), Some(true), "{one} {other}");
        }
        let mut known = run("train/reward", &values);
        assert_eq!(have_same_values(&known, &run("Reward", &values)), Some(true));
        assert_eq!(have_same_values(&known, &run("Reward", &[0.5, 0.375, 0.5])), None, "the mean so far");
        assert_eq!(have_same_values(&known, &run("reward", &[0.5, 0.375, 0.5])), Some(false));
        known.push_value("train/REWARD", 0, 0.5);
        assert_eq!(have_same_values(&known, &run("Reward", &values)), None, "two may be meant");
        assert_eq!(have_same_values(&run("loss", &values), &run("kl", &values)), None);
    }

    #[test]
    fn a_console_may_show_percent_and_words_in_another_order() {
        let shares: Vec<f64> = (0..20).map(|row| f64::from(row * row % 17) / 17.0).collect();
        let printed = |key: &str| {
            let mut log = run(key, &shares.iter().map(|share| (share * 1000.0).round() / 10.0).collect::<Vec<_>>());
            let format = FileFormat::ConsoleLog;
            log.files.push(SourceFile { path: "a.log".into(), format, bytes: 0, crc32: 0 });
            log
        };
        assert_eq!(have_same_values(&run("step_acc", &shares), &printed("step_acc")), Some(true));
        assert_eq!(have_same_values(&run("mean_acc", &shares), &printed("acc mean")), Some(true));
        assert_eq!(have_same_values(&run("acc_max", &shares), &printed("acc min")), None);
        assert_eq!(have_same_values(&run("acc", &[0.25; 20]), &printed("acc")), Some(false));
    }

    #[test]
    fn counters_and_schedules_prove_nothing() {
        let of = |loss: f64| {
            let mut run = Run::default();
            for step in 0..2_000_u32 {
                let (at, row) = (f64::from(step), run.push_row(f64::from(step), f64::NAN));
                let schedule = 1.0 - at / 2_000.0;
                let columns =
                    [("Epoch", at + 1.0), ("games", at * 8.0), ("lr", schedule), ("v_loss", loss + libm::sin(at))];
                columns.into_iter().for_each(|(key, value)| run.push_value(key, row, value));
            }
            run.choose_axis();
            run
        };
        assert_eq!(have_same_values(&of(0.5), &of(0.7)), Some(false));
        assert_eq!(have_same_values(&of(0.5), &of(0.5)), Some(true));
    }

    #[test]
    fn constants_prove_nothing_and_rounding_is_forgiven() {
        assert_eq!(have_same_values(&run("lr", &[0.5; 5]), &run("lr", &[0.5; 5])), None);
        let mut rounded = run("kl", &[0.123, 0.457, 0.9]);
        let exact = run("kl", &[0.1234, 0.4567, 0.8997]);
        assert_eq!(have_same_values(&exact, &rounded), Some(false));
        if let Some(column) = rounded.columns.get_mut("kl") {
            column.set_quantum(1e-3);
        }
        assert_eq!(have_same_values(&exact, &rounded), Some(true));
    }

    #[test]
    fn printed_numbers_agree_with_those_that_were_rounded() {
        let exact: Vec<f64> = (1..=20).map(|row| f64::from(row * row % 17) / 7.0).collect();
        let printed = |values: &[f64], digits: f64| {
            let mut log =
                run("Loss", &values.iter().map(|value| (value * digits).round() / digits).collect::<Vec<_>>());
            let format = FileFormat::ConsoleLog;
            log.files.push(SourceFile { path: "train.log".to_owned(), format, bytes: 1, crc32: 1 });
            log
        };
        assert_eq!(have_same_values(&run("loss", &exact), &printed(&exact, 100.0)), Some(true));
        assert_eq!(have_same_values(&printed(&exact, 100.0), &run("loss", &exact)), Some(true));
        let other: Vec<f64> = exact.iter().map(|value| value * 1.1).collect();
        assert_eq!(have_same_values(&run("loss", &other), &printed(&exact, 100.0)), Some(false));
        let few = &exact[..5];
        assert_eq!(have_same_values(&run("loss", few), &printed(few, 100.0)), Some(false), "too few");
        let slow: Vec<f64> = (0..20).map(|row| f64::from(row) / 177.0).collect();
        assert_ne!(have_same_values(&run("loss", &slow), &printed(&slow, 10.0)), Some(true), "any rise would do");
    }
}
