//! The metrics of a log: which family of lines it has, and the run that they make.
//!
//! A verl line or a dictionary of the Trainer is a row by itself. Of a log without any of these, tables, progress bars or
//! lines that repeat with numbers under the same words make the run, whichever hold the most metrics.

mod bar_plan;
mod heading;
mod outer_evaluations;
mod stage;

use super::bar_rows::BarRows;
use super::command::{Command, CommandSettings};
use super::dicts::Dicts;
use super::ending::EndingDetector;
use super::head_settings::HeadSettings;
use super::line_times::{LineTime, LineTimes, settle_times};
use super::progress::cut_behind_bar;
use super::repeated::RepeatedLines;
use super::segments::{cut_at_mark, without_ray_mark};
use super::settings::LogSettings;
use super::tables::Tables;
use super::verl::{self, VerlPlan, VerlRows};
use crate::budget::MemoryUse;
use crate::rows::closing_row::note_duration;
use crate::rows::read_progress::ReadProgress;
use crate::syntax::json::flatten_into;
pub(crate) use outer_evaluations::OuterEvaluations;
use rundown_run::{Run, RunState};

/// Rows that prove that a log has rows of a kind.
const ENOUGH_ROWS: usize = 3;

/// Lines with numbers under words that may be rows.
const MIN_LINES: usize = 3;

/// Reads the segments of a log.
#[derive(Debug, Default)]
pub(crate) struct LogMetrics {
    settings: LogSettings,
    head: HeadSettings,
    /// The heading as it was before the first row of a loop.
    head_before_loop: Option<HeadSettings>,
    dicts: Dicts,
    verl: VerlRows,
    verl_plan: VerlPlan,
    tables: Tables,
    bars: BarRows,
    repeated: RepeatedLines,
    ending: EndingDetector,
    times: LineTimes,
    evaluations: OuterEvaluations,
    /// Settings of a command behind rows, which may begin another training.
    next: Option<Command>,
    /// The training began, though its rows are shown elsewhere.
    is_begun: bool,
}

impl LogMetrics {
    /// Adds the next segment.
    pub(crate) fn add(&mut self, segment: &str) {
        let mut rest = Some(self.verl.without_cut_field(segment.trim_start_matches('\u{feff}')));
        while let Some(segment) = rest {
            let (first, behind) = cut_at_mark(segment);
            let (mark, text) = without_ray_mark(first);
            let (text, printed) = if mark.is_empty() { cut_behind_bar(text) } else { (text, None) };
            self.add_part(mark, text);
            printed.into_iter().for_each(|printed| self.add_part(mark, printed));
            rest = behind;
        }
    }

    /// Says how far the log has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.verl.set_progress(progress);
        self.dicts.set_progress(progress);
    }

    /// Says when the segments that follow were printed, in seconds since the start.
    pub(super) fn set_printed(&mut self, seconds: f64) {
        self.times.set_printed(seconds);
    }

    /// What the rows take, about.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        let rows = self.verl.memory_use() + self.dicts.memory_use() + self.tables.memory_use();
        rows + self.bars.memory_use() + self.repeated.memory_use()
    }

    /// True where a trainer is known by its rows.
    pub(crate) fn has_framework_rows(&self) -> bool {
        self.verl.len() > 0 || self.dicts.len() > 0 || self.tables.is_of_trainer()
    }

    /// True where the rows are certainly those of a trainer.
    fn has_sure_rows(&self) -> bool {
        self.verl.len() > 0 || self.dicts.is_sure()
    }

    /// True where the progress bar of a training without rows moved.
    pub(crate) fn has_progress(&self) -> bool {
        self.ending.has_progress()
    }

    /// Lines that look like rows of metrics, whether they are enough for a run or not.
    pub(crate) fn likely_rows(&self) -> usize {
        self.tables.len().max(self.repeated.likely_rows())
    }

    /// Adds what one worker wrote; `mark` is what Ray put before it.
    fn add_part(&mut self, mark: &str, text: &str) {
        let time = self.times.read(text);
        // First, as most of a long log is of these; within a block of settings such a line may end the block.
        let may_go_on = self.settings.is_open();
        if may_go_on || !self.add_verl_row(text, time) {
            self.add_other(mark, text, time, may_go_on);
        }
    }

    #[inline(never)]
    fn add_other(&mut self, mark: &str, text: &str, time: LineTime, may_go_on: bool) {
        if self.settings.add_line(mark, text) {
            if text.starts_with('+') {
                self.ending.begin_command();
            }
            if let Some(command) = self.settings.take_next() {
                match self.has_lines() {
                    true => self.next = Some(command),
                    false => self.settings.begin(command),
                }
            }
            // A dictionary over several lines may be a row.
            if let Some(dictionary) = self.settings.take_other() {
                if self.dicts.add(&dictionary, time) {
                    self.ending.row();
                    self.evaluations.row();
                } else if self.is_head() {
                    self.head.add_object(&dictionary);
                }
            }
            return;
        }
        if may_go_on && self.add_verl_row(text, time) {
            return;
        }
        self.ending.add(mark, text);
        self.verl.count(text);
        self.verl_plan.add(text);
        let closings = self.dicts.closings();
        let is_row = self.dicts.add(text, time);
        if is_row {
            self.ending.row();
            self.evaluations.row();
        }
        let is_evaluation = !is_row && self.evaluations.add(text);
        if self.dicts.closings() > closings {
            self.ending.totals();
        }
        let is_free = !is_row && !self.has_sure_rows();
        let is_in_table = is_free && self.tables.add(text);
        if is_in_table {
            self.evaluations.row();
        }
        if is_free && !is_in_table && !self.bars.add(text) && self.repeated.add(text, time) {
            self.ending.goes_on();
            if !is_evaluation {
                self.evaluations.row();
            }
            self.begin_loop();
        } else if is_free && self.is_head() {
            self.head.add(text);
        }
    }

    /// Adds a segment that is a line of verl's metrics; false for others.
    fn add_verl_row(&mut self, text: &str, time: LineTime) -> bool {
        let Some(line) = verl::line(text) else { return false };
        self.verl.begin(line.step as f64, self.ending.is_done());
        self.verl.add(&line, time);
        self.ending.row();
        self.evaluations.row();
        true
    }

    /// What reads on behind a command with other settings than those of the rows before it; `None` where there was none.
    pub(crate) fn next_start(&mut self) -> Option<Self> {
        let mut next = self.without_rows();
        next.settings.begin(self.next.take()?);
        Some(next)
    }

    /// The settings of the command before these rows where nothing says that it was run.
    pub(crate) fn unmarked_command(&self) -> CommandSettings {
        self.settings.unmarked()
    }

    /// True when there may be rows; so few lines of numbers are not rows.
    fn has_lines(&self) -> bool {
        let rows = self.verl.len() + self.dicts.len() + self.dicts.closings() as usize;
        let is_any = |kept: MemoryUse| kept.bytes > 0;
        rows > 0
            || is_any(self.tables.memory_use())
            || is_any(self.bars.memory_use())
            || self.repeated.len() >= MIN_LINES
    }

    /// The run that the lines make: without rows when there are no metrics, perhaps with settings.
    pub(crate) fn finish(mut self) -> Run {
        if let Some(command) = self.next.take() {
            self.settings.begin(command);
        }
        let bars = self.dicts.bars();
        let has_sure_rows = self.has_sure_rows();
        let is_loop = !has_sure_rows && !self.tables.is_sure();
        let mut config = self.settings.into_json();
        self.head_before_loop.filter(|_| is_loop).unwrap_or(self.head).add_to(&mut config);
        let every = config.metric_at("logging_steps");
        let mut run = if self.verl.len() > 0 {
            self.verl.finish()
        } else if self.dicts.is_sure() {
            self.dicts.finish(every, config.metric_at("max_steps"))
        } else if self.tables.is_sure() {
            self.tables.finish()
        } else {
            // Text may look like lines of numbers beside a bar that names all metrics, or a small table or a dictionary of results
            // stand among them.
            let size = |run: &Run| (run.row_steps.len() >= ENOUGH_ROWS, run.columns.len());
            let richer = |a: Run, b: Run| if size(&b) > size(&a) { b } else { a };
            let dicts = self.dicts.finish(every, None);
            let lines = richer(self.tables.finish(), self.repeated.finish());
            richer(richer(dicts, lines), self.bars.finish())
        };
        settle_times(&mut run);
        flatten_into(&mut run.config, "", config);
        if let Some(seconds) = self.ending.seconds().filter(|_| !run.row_steps.is_empty()) {
            note_duration(&mut run, seconds);
        }
        let ending = self.ending.finish();
        // What the log says of its end counts before a counter that reached its total.
        if run.ending.state == RunState::Unknown || ending.state != RunState::Unknown {
            run.ending = ending;
        }
        self.verl_plan.note(&mut run);
        bar_plan::note_plan(&mut run, &bars, has_sure_rows);
        if self.evaluations.stand_around(&run) {
            self.evaluations.add_to(&mut run);
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{RowNumbers, RunWarning};

    fn read(text: &str) -> Run {
        let mut metrics = LogMetrics::default();
        text.lines().for_each(|line| metrics.add(line));
        metrics.finish()
    }

    fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
        run.columns.get(key).map_or(&[], |column| column.values())
    }

    #[test]
    fn rounded_numbers_keep_their_resolution() {
        let run = read(
            "(T pid=1) step:0 - val/x:0.250\n(T pid=1) step:1 - kl:0.001 - training/global_step:1.000\n\
             (T pid=1) step:2 - kl:0.004 - training/global_step:2.000",
        );
        assert_eq!((values(&run, "step"), values(&run, "kl")), (&[0.0, 1.0, 2.0][..], &[0.001, 0.004][..]));
        assert!((run.columns["kl"].quantum().unwrap() - 1e-3).abs() < 1e-12);
        assert!(!run.columns.contains_key("training/global_step"));
        assert_eq!(read("step:1 - kl:0.001 - n:3\nstep:2 - kl:0.0042").columns["kl"].quantum(), None);
    }

    #[test]
    fn counts_of_the_rollouts_belong_to_the_next_row() {
        let run =
            read("round 1 invalid 3/16\nstep:1 - kl:0.001\nstep:2 - kl:0.002\nround 1 invalid 8/16\nstep:3 - kl:0.003");
        let shares = &run.columns["round1_invalid_rate"];
        assert_eq!((shares.rows(), shares.values()), (RowNumbers::List(&[0, 2]), &[0.1875, 0.5][..]));
        assert!(shares.quantum().is_none() && run.columns["kl"].quantum().is_some());
    }

    #[test]
    fn a_small_table_does_not_hide_the_lines_of_a_loop() {
        let table = "| step | time |\n|---|---|\n| 1 | 2 |\n| 2 | 3 |\n| 3 | 4 |\n";
        let lines: String =
            (1..=40).map(|step| format!("step {step}: reward={}.5 kl=0.0{step} length={step}\n", step % 3)).collect();
        let run = read(&format!("{table}{lines}"));
        assert_eq!(values(&run, "reward").len(), 40, "{:?}", run.columns.keys());
        assert_eq!(values(&read(table), "time"), [2.0, 3.0, 4.0], "alone the table is the run");
    }

    #[test]
    fn a_dictionary_of_results_does_not_hide_the_lines_of_a_loop() {
        let lines: String = (1..=40).map(|step| format!("Step {step}/40 | reward=0.{step} | kl=0.0{step}\n")).collect();
        let (before, behind) =
            ("Baseline: {'loss': 2.31, 'accuracy': 0.12}", "Final: {'loss': 0.21, 'accuracy': 0.87}");
        for text in [format!("{before}\n{lines}"), format!("{lines}{behind}"), format!("{before}\n{lines}{behind}")] {
            let run = read(&text);
            assert_eq!(values(&run, "reward").len(), 40, "{:?}", run.columns.keys());
        }
        assert_eq!(values(&read(behind), "accuracy"), [0.87], "alone the dictionary is the run");
    }

    #[test]
    fn a_training_that_was_resumed_in_the_same_log_is_a_restart() {
        let bar = |step: u32| format!(" {}%|#  | {step}/500 [01:00<09:00, 6.0s/it]", step / 5);
        let row = |step: u32| format!("{}{{'loss': 0.5, 'epoch': {:.3}}}\n", bar(step), f64::from(step) / 500.0);
        let part = |steps: std::ops::RangeInclusive<u32>| steps.map(|step| row(10 * step)).collect::<String>();
        let mut run = read(&format!("{}{}\n{}", part(1..=25), bar(0), part(21..=50)));
        run.choose_axis();
        let restarts: Vec<_> = run.axis.restarts.iter().map(|restart| (restart.left_at, restart.resumed_at)).collect();
        assert_eq!((restarts, run.row_steps.len()), (vec![(250.0, 210.0)], 55));
        assert!(run.starts_at.is_empty() && run.warnings.is_empty(), "{:?}", run.warnings);
    }

    #[test]
    fn a_row_ends_where_another_worker_begins() {
        let run = read(
            "(T pid=1) step:1 - kl:0.1 - n:3(W_0 W pid=2, ip=10.0.0.1) loading\n(T pid=1) step:2 - kl:0.2 - n:4(W pid=2)",
        );
        assert_eq!((values(&run, "kl"), values(&run, "n")), (&[0.1, 0.2][..], &[3.0, 4.0][..]));
        let run =
            read("(T pid=1) {'actor': {'a': 1,(W pid=2) loading\n(T pid=1)  'b': 2},\n(T pid=1)  'data': {'c': 3}}");
        assert_eq!(run.config.len(), 3);
    }

    #[test]
    fn pairs_count_from_three_rows_on() {
        let lines = "step: 1 loss: 3\nsaved\nstep: 2 loss: 2\n";
        assert_eq!(read(lines).row_steps.len(), 0);
        assert_eq!(values(&read(&format!("{lines}step: 3 loss: 1")), "loss"), [3.0, 2.0, 1.0]);
        let blocks = "Step 1\n  loss: 3\n  kl: 0.5\n\nStep 2\n  loss: 2\ntext\nStep 3/9\n  loss: 1\n";
        let run = read(blocks);
        assert_eq!((values(&run, "step"), values(&run, "loss")), (&[1.0, 2.0, 3.0][..], &[3.0, 2.0, 1.0][..]));
        assert_eq!(run.columns["kl"].rows(), [0]);
    }

    #[test]
    fn what_looks_like_a_pair_beside_real_rows_is_text() {
        let run = read("{'loss': 1.0, 'epoch': 0.1}\nstep: 1 x: 2\nstep: 2 x: 2\nstep: 3 x: 2");
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["epoch", "loss", "step"]);
    }

    #[test]
    fn an_end_counts_unless_the_run_goes_on() {
        let row = "step:1 - kl:0.1\n";
        let end = format!("{row}Training Progress: 100%|##| 2/2 [00:01<00:00]\n");
        assert_eq!(read(&end).ending.state, RunState::Finished);
        assert_eq!(read(&format!("{end}{row}")).ending.state, RunState::Unknown);
        let trainer = "{'loss': 1, 'epoch': 1}\n{'train_runtime': 2.0, 'epoch': 1}\n";
        assert_eq!(read(trainer).ending.state, RunState::Finished);
    }

    #[test]
    fn a_loop_may_say_at_its_end_how_long_it_took() {
        let rows: String = (1..=9).map(|step| format!("step {step}: reward=0.{step} kl=0.1\n")).collect();
        let run = read(&format!("{rows}Training completed in 90.5s"));
        assert_eq!(run.summary.number(&["_runtime"]), Some(("_runtime", 90.5)));
    }

    #[test]
    fn a_training_behind_one_that_is_done_is_another_one() {
        let rows: String = (0..4).map(|step| format!("step:{step} - kl:0.00{step}\n")).collect();
        let starts = |between: &str| read(&format!("{rows}{between}\n{rows}")).starts_at;
        assert_eq!(starts("Training Progress: 100%|##| 3/3 [00:01<00:00]"), [4]);
        assert_eq!(starts("saved"), [0_u32; 0], "it may have been started again");
    }

    #[test]
    fn an_episode_counts_printed_rows_where_nothing_else_does() {
        let row = |episode: u32| {
            let epoch = f64::from(episode) / 1000.0;
            format!("{{'objective/kl': 6.5, 'loss': 0.5, 'episode': {episode}, 'epoch': {epoch}}}\n")
        };
        let rows = [96, 112, 672].map(row).concat();
        let run = read(&rows);
        assert_eq!(values(&run, "step"), [96.0, 112.0, 672.0]);
        assert!(matches!(&run.warnings[..], [RunWarning::StepsFromCounter { counter }] if counter == "episode"));
        let bar = " 50%|##  | 6/12 [00:01<00:09, 1.0s/it]\n";
        assert_ne!(values(&read(&format!("{rows}{bar}")), "step"), [96.0, 112.0, 672.0], "the bar counts");
        let settings = "GRPOConfig(\nbeta=0.04,\nlogging_steps=5,\n)\n";
        assert_eq!(values(&read(&format!("{settings}{rows}")), "step"), [5.0, 10.0, 15.0]);
    }

    #[test]
    fn settings_that_were_printed_are_the_config() {
        let run =
            read("GRPOConfig(\nbeta=0.04,\nlogging_steps=5,\n)\n{'loss': 1, 'epoch': 1}\n{'loss': 1, 'epoch': 1}");
        assert_eq!(run.config.number(&["beta"]), Some(("beta", 0.04)));
        assert_eq!(values(&run, "step"), [5.0, 10.0]);
    }
}
