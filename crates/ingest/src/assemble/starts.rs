//! Several starts of a training in one file, as logs that are appended to hold them: each becomes a run. And two stages of one
//! program in a tracker's run, of which only the one with a reward counts: the run keeps its id, by which its other files find it.

use crate::rows::plan;
use rundown_run::{Column, Ending, FileFormat, Log, RowNumbers, Run, RunWarning};

/// Formats of files that programs append to, whatever training writes; a JSON document is read, extended and written again.
const APPENDED_FORMATS: [FileFormat; 4] =
    [FileFormat::ConsoleLog, FileFormat::JsonLines, FileFormat::Table, FileFormat::JsonDocument];

/// The Trainer's counter, as its callbacks for trackers name it.
const STEP: &str = "train/global_step";
/// A metric that TRL's supervised fine-tuning logs (`SFTTrainer`) and its trainers with a reward do not.
const TOKEN_ACCURACY: &str = "train/mean_token_accuracy";
/// The metric of those with a reward.
const REWARD: &str = "train/reward";

/// Rows that a start of a few steps does not have.
const LONGEST_SHORT_START: usize = 10;
/// How often a counter goes back, at least, before it is reported.
const MIN_SHORT_STARTS: usize = 2;

/// Leaves the rows of a supervised fine-tuning out of a run in which a training with a reward follows it: its loss, learning rate and
/// steps stand under the same names. Where the rows of both are mixed they are of one training.
#[inline(never)]
pub(super) fn leave_out_fine_tuning(run: &mut Run) {
    let rows = |key: &str| run.columns.get(key).map(Column::rows);
    let (end, reward) = (rows(TOKEN_ACCURACY).and_then(RowNumbers::last), rows(REWARD).and_then(RowNumbers::first));
    let Some((end, reward)) = end.zip(reward).filter(|(end, reward)| end < reward) else { return };
    // Until the next training logs a step of its own, a tracker may repeat the last one with other metrics.
    let steps = || run.columns.get(STEP).into_iter().flat_map(|column| column.points());
    let left_at = steps().take_while(|(row, _)| *row <= end).last().map(|(_, step)| step);
    let next = steps().find(|(row, step)| *row > end && Some(*step) != left_at);
    let begin = next.map_or(reward, |(row, _)| row.min(reward));
    keep_from(run, begin);
    run.warnings.push(RunWarning::FineTuningLeftOut { rows: begin as usize });
}

fn is_left_out(run: &Run) -> bool {
    run.warnings.iter().any(|warning| matches!(warning, RunWarning::FineTuningLeftOut { .. }))
}

/// True where a piece holds nothing but the fine-tuning that was left out of the run, such as a copy of the file from before the first
/// reward.
pub(super) fn has_only_left_out(piece: &Run, run: &Run) -> bool {
    let has = |key: &str| piece.columns.contains_key(key);
    is_left_out(run) && has(TOKEN_ACCURACY) && !has(REWARD) && piece.row_steps.first() < run.row_steps.first()
}

/// Leaves the fine-tuning out of the log of such a run too: the rows before the start that has the first reward.
pub(super) fn leave_out_as_in(run: &Run, log: &mut Run) {
    if !is_left_out(run) {
        return;
    }
    let reward = log.columns.get("reward").map(Column::rows).and_then(RowNumbers::first);
    if let Some(begin) = reward.and_then(|reward| log.starts_at.iter().copied().rfind(|start| *start <= reward)) {
        keep_from(log, begin);
        log.choose_axis();
    }
}

/// Keeps the rows from this one on.
fn keep_from(run: &mut Run, begin: u32) {
    let kept: Vec<u32> = (begin..run.row_steps.len() as u32).collect();
    run.keep_rows(&kept);
}

/// The runs, with each start of a run as a run of its own. Settings are those of the file; how it ended, its last lines
/// and its final values are those of the last start.
#[inline(never)]
pub(super) fn split(runs: Vec<Run>) -> Vec<Run> {
    runs.into_iter().flat_map(starts_of).collect()
}

/// The run, with a note where its counter begins again and again: starts too short to be runs, and too many to go unreported.
fn with_short_starts(mut run: Run) -> Run {
    let Some((first, highest)) = run.step_range() else { return run };
    let restarts = &run.axis.restarts;
    let times = restarts.len();
    let mut ends = restarts.iter().map(|restart| restart.row as usize).chain([run.row_steps.len()]);
    let mut from = 0;
    let is_short = |end: usize| std::mem::replace(&mut from, end) + LONGEST_SHORT_START > end;
    let is_again = restarts.iter().all(|restart| restart.resumed_at == first);
    let is_known = run.warnings.iter().any(|warning| matches!(warning, RunWarning::ShortStarts { .. }));
    let is_file = run.files.first().is_some_and(|file| APPENDED_FORMATS.contains(&file.format));
    if is_file && times >= MIN_SHORT_STARTS && is_again && !is_known && ends.all(is_short) {
        run.warnings.push(RunWarning::ShortStarts { times, first, highest });
    }
    run
}

fn starts_of(run: Run) -> Vec<Run> {
    let begins = if is_appended(&run) { run.starts() } else { Vec::new() };
    if begins.is_empty() {
        return vec![with_short_starts(run)];
    }
    let of = begins.len() + 1;
    let ends = begins.iter().copied().chain([run.row_steps.len() as u32]);
    let mut from = 0;
    let mut starts = Vec::with_capacity(of);
    for (place, end) in ends.enumerate() {
        let start = place + 1;
        let mut part = run.rows(from..end);
        from = end;
        part.id = format!("{} (start {start})", run.id);
        part.name = format!("{} (start {start})", run.name);
        part.warnings.push(RunWarning::OneOfStarts { start, of });
        if start < of {
            part.ending = ending(&part);
            part.log = Log::default();
            part.summary = Default::default();
        }
        part.choose_axis();
        starts.push(part);
    }
    starts
}

/// True where all files with rows are of such formats: settings that lie beside them have none.
fn is_appended(run: &Run) -> bool {
    let mut with_rows =
        run.files.iter().map(|file| file.format).filter(|format| *format != FileFormat::Sidecar).peekable();
    with_rows.peek().is_some() && with_rows.all(|format| APPENDED_FORMATS.contains(&format))
}

/// How a start ended that another one follows: known only where it took the steps that were planned.
fn ending(part: &Run) -> Ending {
    let mut run = Run::default();
    let last = part.columns.get("step").and_then(|steps| steps.last());
    let planned = part.config.number(&[plan::SETTING]).map(|(_, planned)| planned);
    if let Some(total) = planned.filter(|planned| Some(*planned) == last) {
        plan::finish(&mut run, total);
    }
    run.ending
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{ConfigValue, RunState, SourceFile};

    fn run(steps: &[f64]) -> Run {
        let format = FileFormat::JsonLines;
        let files = vec![SourceFile { path: "a.jsonl".to_owned(), format, bytes: 0, crc32: 0 }];
        let mut run = Run { files, ..Run::default() };
        for step in steps {
            let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
            run.push_value("step", row, *step);
            run.push_value("loss", row, f64::from(row % 3));
        }
        run.choose_axis();
        run
    }

    fn warnings(steps: &[f64]) -> Vec<RunWarning> {
        split(vec![run(steps)]).into_iter().flat_map(|run| run.warnings).collect()
    }

    #[test]
    fn a_start_that_took_its_planned_steps_is_done() {
        let states = |planned: f64| -> Vec<RunState> {
            let mut run = run(&(0..24).map(|row| f64::from(row % 12 + 1)).collect::<Vec<_>>());
            run.starts_at = vec![12];
            run.config.insert(plan::SETTING, ConfigValue::Number(planned));
            run.choose_axis();
            split(vec![run]).into_iter().map(|run| run.ending.state).collect()
        };
        assert_eq!(states(12.0), [RunState::Finished, RunState::Unknown], "the last one's end is the file's");
        assert_eq!(states(20.0), [RunState::Unknown, RunState::Unknown]);
    }

    #[test]
    fn a_fine_tuning_before_the_training_with_a_reward_is_left_out() {
        let read = |last: &str| {
            let mut run = Run::default();
            let rows = [TOKEN_ACCURACY, TOKEN_ACCURACY, "profiling/x", "eval/reward", REWARD, last];
            for (key, step) in rows.into_iter().zip([10.0, 31.0, 31.0, 0.0, 10.0, 20.0]) {
                let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
                [STEP, key, "train/loss"].into_iter().for_each(|key| run.push_value(key, row, step));
            }
            leave_out_fine_tuning(&mut run);
            (run.columns[STEP].values().to_vec(), run.columns["train/loss"].len(), run.warnings)
        };
        assert_eq!(read(REWARD), (vec![0.0, 10.0, 20.0], 3, vec![RunWarning::FineTuningLeftOut { rows: 3 }]));
        assert_eq!((read(TOKEN_ACCURACY).1, read("eval/reward").1), (6, 3), "mixed rows are of one training");
    }

    #[test]
    fn the_log_of_such_a_run_has_the_rows_of_its_last_stage() {
        let log = |is_left_out: bool| {
            let mut log = run(&[10.0, 20.0, 30.0, 10.0, 20.0]);
            (0..3).for_each(|row| log.push_value("mean_token_accuracy", row, 0.5));
            (3..5).for_each(|row| log.push_value("reward", row, 0.5));
            log.starts_at = vec![3];
            let warnings = if is_left_out { vec![RunWarning::FineTuningLeftOut { rows: 3 }] } else { Vec::new() };
            leave_out_as_in(&Run { warnings, ..Run::default() }, &mut log);
            (log.axis.steps.clone(), log.columns.contains_key("mean_token_accuracy"))
        };
        assert_eq!(log(true), (vec![10.0, 20.0], false));
        assert_eq!(log(false).0.len(), 5);
    }

    #[test]
    fn settings_beside_the_file_change_nothing() {
        let mut run = run(&(0..24).map(|row| f64::from(row % 12 + 1)).collect::<Vec<_>>());
        run.starts_at = vec![12];
        let beside = SourceFile { path: "config.json".to_owned(), format: FileFormat::Sidecar, bytes: 0, crc32: 0 };
        run.files.push(beside);
        assert_eq!(split(vec![run]).len(), 2);
    }

    #[test]
    fn short_starts_are_said() {
        let said = warnings(&[1.0, 1.0, 2.0, 1.0, 2.0, 3.0, 1.0]);
        assert_eq!(said, [RunWarning::ShortStarts { times: 2, first: 1.0, highest: 3.0 }]);
        for steps in [&[1.0, 2.0, 3.0, 1.0, 2.0][..], &[1.0, 2.0, 3.0, 2.0, 3.0, 2.0, 3.0], &[3.0, 0.0, 4.0, 1.0, 5.0]]
        {
            assert_eq!(warnings(steps), [], "{steps:?}");
        }
        let long: Vec<f64> = (0..40).map(|row| f64::from(row % 13)).collect();
        assert_eq!(warnings(&long), [], "longer ones are told by the restarts");
    }
}
