//! The trainings of a log: one that holds several commands, each with settings of its own, holds several.
//!
//! Terminals are logged for a day, and scripts append. A command with other settings begins another training where rows of
//! metrics stand before it and the steps behind it begin again; otherwise it goes on, as from a checkpoint. One program may train
//! in stages: rows behind the Trainer's closing line and a heading with settings are those of the next one, with its settings and bar.

use super::command::CommandSettings;
use super::metrics::LogMetrics;
use crate::budget::{MemoryUse, bytes_of};
use crate::join::append;
use crate::rows::read_progress::ReadProgress;
use crate::syntax::json::{Json, flatten_into};
use rundown_run::{Config, Ending, Run, RunState};

/// Most trainings of a log that are told apart.
const MAX_STARTS: usize = 64;

/// What stands behind a command.
#[derive(Debug)]
struct LogPart {
    run: Run,
    /// Settings of its command where nothing says that it was run.
    unmarked: CommandSettings,
}

/// Reads the segments of a log into the runs that it holds.
#[derive(Debug, Default)]
pub(crate) struct LogStarts {
    before: Vec<LogPart>,
    /// What the runs before take.
    kept: MemoryUse,
    metrics: LogMetrics,
    /// What stands behind the closing line of a training so far: the beginning of another one, if rows follow.
    behind: Option<LogMetrics>,
    /// Whether one of them has rows of a framework's own form.
    has_framework_rows: bool,
}

impl LogStarts {
    /// Adds the next segment.
    pub(crate) fn add(&mut self, segment: &str) {
        if let Some(next) = self.next_stage(segment) {
            return self.begin(next);
        }
        self.metrics.add(segment);
        if self.before.len() < MAX_STARTS
            && let Some(next) = self.metrics.next_start()
        {
            self.begin(next);
        }
    }

    fn begin(&mut self, next: LogMetrics) {
        self.has_framework_rows |= self.metrics.has_framework_rows();
        let part = LogPart::of(std::mem::replace(&mut self.metrics, next));
        self.kept = self.kept + MemoryUse::bytes(bytes_of(&part.run) as usize);
        self.before.push(part);
    }

    /// Reads on behind a closing line beside what goes on: what has been read where this segment is the first row of a training
    /// whose heading has settings.
    fn next_stage(&mut self, segment: &str) -> Option<LogMetrics> {
        if !self.metrics.is_closed() || self.before.len() >= MAX_STARTS {
            self.behind = None;
            return None;
        }
        let behind = self.behind.get_or_insert_with(|| self.metrics.without_rows());
        behind.add(segment);
        let is_begun = behind.has_begun()?;
        // A row of anything else, such as an evaluation, is of the training before it; so are rows without a heading.
        let has_settings = behind.has_heading();
        self.behind.take().filter(|_| is_begun && has_settings)
    }

    /// Says how far the log has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.metrics.set_progress(progress);
        self.behind.iter_mut().for_each(|behind| behind.set_progress(progress));
    }

    /// Says when the segments that follow were printed, in seconds since the start.
    pub(super) fn set_printed(&mut self, seconds: f64) {
        self.metrics.set_printed(seconds);
        self.behind.iter_mut().for_each(|behind| behind.set_printed(seconds));
    }

    /// True where lines are rows by themselves, as a framework prints them.
    pub(crate) fn has_framework_rows(&self) -> bool {
        self.has_framework_rows || self.metrics.has_framework_rows()
    }

    /// True where the progress bar of a training without rows moved.
    pub(crate) fn has_progress(&self) -> bool {
        self.metrics.has_progress()
    }

    /// Lines that look like rows of metrics, whether they are enough for a run or not.
    pub(crate) fn likely_rows(&self) -> usize {
        self.metrics.likely_rows()
    }

    /// What the rows take, about.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        let behind: MemoryUse = self.behind.iter().map(LogMetrics::memory_use).sum();
        self.kept + self.metrics.memory_use() + behind
    }

    /// The runs, one at least; without rows where there are no metrics.
    pub(crate) fn finish(self) -> Vec<Run> {
        let mut parts: Vec<LogPart> = Vec::new();
        let mut without_rows = Run::default();
        for mut part in self.before.into_iter().chain([LogPart::of(self.metrics)]) {
            if part.run.row_steps.is_empty() {
                without_rows.config.replace_with(part.run.config);
                without_rows.ending = part.run.ending;
                continue;
            }
            // What a command set that trained nothing, such as one that prepared the data.
            let settings = std::mem::take(&mut without_rows).config;
            match parts.last_mut() {
                // The training went on with other settings, which count from now on.
                Some(before) if !begins_again(&before.run, &part.run) => append(&mut before.run, part.run),
                _ => {
                    part.run.config.add_missing(&settings);
                    parts.push(part);
                }
            }
        }
        // A command that stands before each of several trainings was run.
        let is_each = parts.len() > 1 && parts.iter().all(|part| !part.unmarked.is_empty());
        let settled = |part: LogPart| if is_each { part.with_unmarked() } else { part.run };
        let mut runs: Vec<Run> = parts.into_iter().map(settled).collect();
        match runs.last_mut() {
            None => runs.push(without_rows),
            // A command behind the last training, such as an evaluation, says how that ended where nothing else does.
            Some(last) if last.ending.state == RunState::Unknown && without_rows.ending != Ending::default() => {
                last.ending = without_rows.ending;
            }
            Some(_) => {}
        }
        runs
    }
}

impl LogPart {
    fn of(metrics: LogMetrics) -> Self {
        let unmarked = metrics.unmarked_command();
        Self { run: metrics.finish(), unmarked }
    }

    fn with_unmarked(mut self) -> Run {
        let mut nested = Json::default();
        for (key, value) in self.unmarked {
            nested.set(&key, value);
        }
        let mut settings = Config::default();
        flatten_into(&mut settings, "", nested);
        self.run.config.add_missing(&settings);
        self.run
    }
}

/// True where the steps of a run begin as those of a training do: not behind the first row and the distance of rows.
fn begins_again(before: &Run, run: &Run) -> bool {
    let steps = |run: &Run| run.columns.get("step").map(|column| column.values().to_vec()).unwrap_or_default();
    let (earlier, later) = (steps(before), steps(run));
    let (Some(first), Some(began)) = (later.first(), earlier.first()) else { return true };
    let distance = later.get(1).map_or(0.0, |second| second - first);
    *first <= distance.max(*began).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Run> {
        let mut starts = LogStarts::default();
        text.lines().for_each(|line| starts.add(line));
        starts.finish()
    }

    fn rows(steps: std::ops::RangeInclusive<u32>) -> String {
        steps.map(|step| format!("step:{step} - actor/kl:0.{step:03}\n")).collect()
    }

    fn rates(runs: &[Run]) -> Vec<Option<f64>> {
        runs.iter().map(|run| run.config.number(&["lr"]).map(|(_, rate)| rate)).collect()
    }

    #[test]
    fn a_command_with_other_settings_begins_another_run() {
        let log = format!("+ python a.py lr=1\n{}+ python b.py lr=2\n{}", rows(1..=4), rows(0..=3));
        let runs = read(&log);
        assert_eq!(rates(&runs), [Some(1.0), Some(2.0)]);
        assert_eq!(runs[1].columns["step"].values(), [0.0, 1.0, 2.0, 3.0]);
        let same = format!("+ python a.py lr=1\n{}+ python a.py lr=1\n{}", rows(1..=4), rows(1..=3));
        assert_eq!(read(&same).len(), 1, "the same command again may resume");
        let repeated = "epoch 0 loss=0.5\nepoch 1 loss=0.25\nepoch 2 loss=0.125\n";
        let log = format!("{repeated}python b.py \\\n --lr 2\n{repeated}");
        assert_eq!(rates(&read(&log)), [None, Some(2.0)]);
    }

    #[test]
    fn a_training_that_goes_on_with_other_settings_is_one_run() {
        let log = format!("+ python a.py lr=1\n{}+ python a.py lr=2 n=3\n{}", rows(1..=4), rows(5..=8));
        let runs = read(&log);
        assert_eq!((runs.len(), runs[0].columns["step"].len(), runs[0].row_steps.len()), (1, 8, 8));
        assert_eq!(rates(&runs), [Some(2.0)]);
    }

    #[test]
    fn an_unmarked_command_counts_where_each_training_has_one() {
        let rows = "[a] epoch 0 loss=0.5 n=1\n[a] epoch 1 loss=0.25 n=2\n[a] epoch 2 loss=0.125 n=3\n";
        let log = format!("python a.py --lr 1 --x 1\n{rows}text\npython a.py --lr 2 --x 1\n\n{rows}");
        assert_eq!(rates(&read(&log)), [Some(1.0), Some(2.0)]);
        let hint = format!("python a.py --lr 1 --x 1\n{rows}python eval.py --lr 2 --x 1\n");
        assert_eq!(rates(&read(&hint)), [None], "a hint what to run next is no setting");
        assert_eq!(rates(&read(&format!("{rows}python a.py --lr 2 --x 1\n{rows}"))), [None, None]);
    }

    #[test]
    fn each_training_of_a_script_that_announces_its_commands_has_its_own_settings() {
        let training = |rate: u32| {
            let rows: String = (1..=12).map(|step| format!("[Step {step}/12] loss=0.5 | reward=0.{step}\n")).collect();
            format!("[sweep] Starting {rate}\n  cmd: bin/python a.py --lr {rate}\n{rows}Training complete. Saved\n")
        };
        let runs = read(&[training(1), training(2), training(3)].concat());
        assert_eq!(rates(&runs), [Some(1.0), Some(2.0), Some(3.0)]);
        assert!(runs.iter().all(|run| run.row_steps.len() == 12 && run.ending.state == RunState::Finished));
    }

    #[test]
    fn each_stage_of_a_program_has_the_settings_and_the_bar_of_its_heading() {
        let stage = |heading: &str, every: u32, rows: u32, total: u32| {
            let bar = |step: u32| format!(" 1%|#  | {step}/{total} [01:00<09:00, 6.0s/it]\n");
            let row =
                |row: u32| format!("{}{{'loss': 0.5, 'reward': 0.{row}, 'epoch': 0.{row:02}}}\n", bar(row * every));
            format!("{heading}{}{}", bar(0), (1..=rows).map(row).collect::<String>())
        };
        let heading = |batch: u32, total: u32| {
            format!("Num Epochs = 2 | Total steps = {total}\nBatch size per device = {batch} | warmup_steps = 3\n")
        };
        let closing = "{'train_runtime': 9.5, 'epoch': 1.0}\n";
        let first = stage(&heading(1, 60), 5, 12, 60);
        let runs = read(&format!("{first}{closing}{}", stage(&heading(2, 1404), 10, 9, 1404)));
        let setting = |key: &str| runs.iter().map(|run| run.config.number(&[key]).unwrap().1).collect::<Vec<_>>();
        assert_eq!(
            (setting("per_device_train_batch_size"), setting("max_steps")),
            (vec![1.0, 2.0], vec![60.0, 1404.0])
        );
        assert_eq!(runs[1].columns["step"].values().first(), Some(&10.0));
        assert_eq!(runs[0].ending.state, RunState::Finished);
        assert_eq!(runs[1].ending.evidence, ["the progress bar ended at step 90 of 1404"]);
        let evaluated =
            read(&format!("{first}{closing}Batch size: 8 | lr: 1e-6\n{{'eval_loss': 0.5, 'epoch': 1.0}}\n"));
        assert_eq!((evaluated.len(), evaluated[0].row_steps.len()), (1, 13), "it is of the training before it");
        let bare = read(&format!("{first}{closing}{}", stage("", 10, 9, 1404)));
        assert_eq!((bare.len(), &bare[0].starts_at[..]), (1, &[12][..]), "the settings are common");
    }

    #[test]
    fn commands_without_rows_are_no_runs() {
        let log =
            format!("+ python data.py n=7 lr=3\nx\n+ python a.py lr=1\n{}+ python eval.py lr=2 t=0\ny", rows(1..=4));
        let runs = read(&log);
        assert_eq!(rates(&runs), [Some(1.0)]);
        assert!(runs[0].config.number(&["n"]).is_some() && runs[0].config.number(&["t"]).is_none());
        let none = read("+ python data.py n=7\n");
        assert!(none.len() == 1 && none[0].row_steps.is_empty() && none[0].config.number(&["n"]).is_some());
    }
}
