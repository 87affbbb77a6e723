//! Whether two console logs with equal numbers are of one run: of runs with one seed the first rows are equal, and those that
//! fail early, or whose reward stays at 0, have no others.

use crate::assemble::log_names;
use crate::assemble::origin::{is_console_log, path_of};
use crate::path;
use crate::setting_names::{has_word, is_no_metric, is_of_process};
use rundown_run::{ConfigValue, Run, SourceFile};
use rundown_stats::CompactSort as _;

/// Equal numbers beside the most frequent one of each metric, at least: three metrics of the few rows before an early crash
/// have fewer, and ten rows of one metric that moves have more.
const MIN_TELLING: usize = 8;
/// The same where the logs begin at different steps, as parts of one log do: behind the first steps hardly any number of
/// two runs is equal. And where names say that the logs are the streams of one job, which may be short.
const MIN_TELLING_OF_PARTS: usize = 3;
/// Seconds that the times between equal rows may differ by. Processes of one job print the same bar within a second or two;
/// two runs on the same machine differ by more within some steps.
const MAX_DRIFT: f64 = 10.0;
/// Times below this are seconds since a start: those of bars. Times of loggers may be those at which a buffer was written.
const FIRST_DATE: f64 = 1e9;

/// True for two console logs that are no copies of one file.
pub(super) fn are_two(run: &Run, piece: &Run) -> bool {
    let is_copy =
        |file: &SourceFile| piece.files.iter().any(|other| (file.bytes, file.crc32) == (other.bytes, other.crc32));
    is_console_log(run) && is_console_log(piece) && !run.files.iter().any(is_copy)
}

/// True where two logs have other settings, or took other times for the same steps.
pub(super) fn contradict(run: &Run, piece: &Run) -> bool {
    let differs = |(key, value): (&str, &ConfigValue)| {
        let is_other = |other: &ConfigValue| *other != *value && tells_runs_apart(key, value, other);
        piece.config.get(key).is_some_and(is_other)
    };
    run.config.iter().any(differs) || drift(run, piece) > MAX_DRIFT
}

/// Numbers that two logs have to have in common, beside the most frequent one of each metric.
pub(super) fn needed(run: &Run, piece: &Run) -> usize {
    let is_same_start = run.axis.steps.first() == piece.axis.steps.first();
    if is_same_start && !are_streams(run, piece) { MIN_TELLING } else { MIN_TELLING_OF_PARTS }
}

/// True for logs of one folder whose names differ in the stream alone: `job.out` and `job.err`.
fn are_streams(run: &Run, piece: &Run) -> bool {
    let (known, file) = (path_of(run), path_of(piece));
    known != file && path::folder(known) == path::folder(file) && log_names::is_of_name(run, file)
}

/// Numbers beside the most frequent one.
pub(super) fn beside_most_frequent(mut values: Vec<f64>) -> usize {
    values.compact_sort_by(f64::total_cmp);
    let most = values.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0);
    values.len() - most
}

/// True for a setting of the training whose values, which differ, are of two runs: numbers, switches, the names of what is
/// trained, and known settings. Other texts may be paths and times.
fn tells_runs_apart(key: &str, value: &ConfigValue, other: &ConfigValue) -> bool {
    let name = key.rsplit(['.', '/']).next().unwrap_or(key);
    match (value, other) {
        (ConfigValue::Number(_), ConfigValue::Number(_)) | (ConfigValue::Bool(_), ConfigValue::Bool(_)) => {
            !is_of_process(name)
        }
        (ConfigValue::Text(_), ConfigValue::Text(_)) => has_word(name) || is_no_metric(name),
        _ => false,
    }
}

/// By how many seconds the times between equal steps differ.
fn drift(run: &Run, piece: &Run) -> f64 {
    let times = |run: &Run| -> Vec<(f64, f64)> {
        let rows = run.axis.steps.iter().copied().zip(run.row_times.iter().copied());
        rows.filter(|(_, time)| *time < FIRST_DATE).collect()
    };
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let others = times(piece);
    let mut others = others.iter().peekable();
    for (step, time) in times(run) {
        while others.next_if(|(other, _)| *other < step).is_some() {}
        if let Some((_, other)) = others.next_if(|(other, _)| *other == step) {
            let apart = time - other;
            (low, high) = (low.min(apart), high.max(apart));
        }
    }
    high - low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::same_metrics::have_same_values;
    use rundown_run::FileFormat;

    /// A log in which each metric has these values, ten seconds a step.
    fn log(file: u32, first_step: usize, columns: &[(&str, &[f64])]) -> Run {
        let format = FileFormat::ConsoleLog;
        let files = vec![SourceFile { path: format!("{file}.log"), format, bytes: 9, crc32: file }];
        let mut run = Run { files, ..Run::default() };
        for at in 0..columns[0].1.len() {
            let step = (at + first_step) as f64;
            let row = run.push_row(step, 10.0 * step);
            run.push_value("step", row, step);
            columns.iter().for_each(|(key, values)| run.push_value(key, row, values[at]));
        }
        run.choose_axis();
        run
    }

    fn noisy(rows: std::ops::Range<u32>) -> Vec<f64> {
        rows.map(|row| f64::from(row * row % 17) / 7.0).collect()
    }

    #[test]
    fn logs_of_one_run_are_one_and_the_first_rows_of_two_are_not() {
        let values = noisy(0..20);
        let of = |file: u32| log(file, 1, &[("reward", &values[..])]);
        assert_eq!(have_same_values(&of(1), &of(2)), Some(true));
        let (lengths, rewards) = ([192.0, 190.5], [0.0, 0.1667]);
        let short = |file: u32| log(file, 1, &[("length", &lengths[..]), ("reward", &rewards[..])]);
        assert_eq!(have_same_values(&short(1), &short(2)), Some(false), "two rows are equal by their seed");
        assert_eq!(have_same_values(&short(1), &short(1)), Some(true), "a copy of the file");
        let part = noisy(10..40);
        assert_eq!(have_same_values(&of(1), &log(2, 11, &[("reward", &part[..])])), Some(true), "two parts");
    }

    #[test]
    fn streams_of_a_short_job_are_one_run() {
        let (rewards, lengths) = (noisy(1..4), noisy(5..8));
        let of = |file: u32, path: &str| {
            let mut run = log(file, 1, &[("reward", &rewards[..]), ("length", &lengths[..])]);
            run.files[0].path = path.to_owned();
            run
        };
        let are_one = |one: &str, two: &str| have_same_values(&of(1, one), &of(2, two)) == Some(true);
        assert!(are_one("a/job.out", "a/job.err"));
        assert!(!are_one("a/job-1.out", "a/job-2.out"), "jobs of one seed");
        assert!(!are_one("a/job.out", "b/job.err") && !are_one("a/train.log", "b/train.log"), "of two folders");
    }

    #[test]
    fn a_shared_schedule_and_a_reward_that_stays_at_zero_prove_nothing() {
        let schedule: Vec<f64> = (0..50).map(|row| 1e-4 - f64::from(row) * 2e-6).collect();
        let mut rewards = vec![0.0; 50];
        (rewards[7], rewards[31]) = (0.1667, 0.1667);
        let of = |file: u32| {
            log(file, 1, &[("learning_rate", &schedule[..]), ("actor/lr", &schedule[..]), ("reward", &rewards[..])])
        };
        assert_eq!(have_same_values(&of(1), &of(2)), Some(false));
    }

    #[test]
    fn other_settings_and_other_times_are_of_two_runs() {
        let values = noisy(0..20);
        let of = |file: u32, key: &str, setting: ConfigValue| {
            let mut run = log(file, 1, &[("reward", &values[..])]);
            run.config.insert(key, setting);
            run
        };
        let same = |key: &str, one: ConfigValue, two: ConfigValue| have_same_values(&of(1, key, one), &of(2, key, two));
        let number = ConfigValue::Number;
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        assert_eq!(same("seed", number(42.0), number(43.0)), Some(false));
        assert_eq!(same("model_name", text("a"), text("b")), Some(false));
        assert_eq!(same("local_rank", number(0.0), number(1.0)), Some(true));
        assert_eq!(same("lora_rank", number(8.0), number(16.0)), Some(false));
        assert_eq!(same("per_device_train_batch_size", number(4.0), number(8.0)), Some(false));
        assert_eq!(same("importance_sampling_level", text("token"), text("sequence")), Some(false));
        assert_eq!(same("output_dir", text("a"), text("b")), Some(true));
        let timed = |by: f64, factor: f64| {
            let mut run = log(2, 1, &[("reward", &values[..])]);
            run.row_times.iter_mut().for_each(|time| *time = by + factor * *time);
            have_same_values(&log(1, 1, &[("reward", &values[..])]), &run)
        };
        assert_eq!((timed(3.0, 1.0), timed(0.0, 1.2)), (Some(true), Some(false)));
        assert_eq!(timed(f64::NAN, 1.0), Some(true), "no times");
    }
}
