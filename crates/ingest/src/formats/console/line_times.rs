//! When the rows of a log were written: loggers put the time at the head of each line.
//!
//! A row has the time of its own line. Where that has none, it has the time of a line shortly before, which then is the
//! row's alone: many rows below one line with a time were not written at that time. Times without a date follow the last
//! one that is known: they go on past midnight, and past the end of a year. Where no line has a year, they count from one
//! long before any training: only what lies between two of them means something.

mod head;

use crate::rows::closing_row::note_duration;
use crate::time::day_start;
use head::{HeadTime, head_time};
use rundown_run::Run;

/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// Lines behind a line with a time at which a row may still stand, to have that time.
const NEAR: u32 = 60;
/// Times without a year are before this one (2001), and those with a year behind it; Unix seconds.
const FIRST_REAL: f64 = 1e9;
/// The year in which times without a year begin: one with a 29 February.
const MADE_UP_YEAR: i64 = 1972;
/// A time of the day that is so much earlier than the last one is one of the next day; seconds.
const HALF_A_DAY: f64 = DAY / 2.0;
/// The same for a day of the year.
const HALF_A_YEAR: f64 = 182.0 * DAY;
/// How much earlier than the row before it a row may be written, as where several processes write; seconds.
const MAX_FALL: f64 = 60.0;
/// Fewest times from which the time of the whole is known where few rows have theirs: loggers that write every tenth step give five in
/// fifty steps, and fewer may be of one part of the training.
const FEWEST_TIMES: usize = 5;
/// Of so many rows one may lie before the first time or behind the last one: the pace between these is taken for that of the others.
const ROWS_AT_ENDS: usize = 5;

/// The time that a line has: its own one, or that of a line shortly before.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineTime {
    /// Unix seconds, NaN where there is none.
    seconds: f64,
    /// Number of the line that had it at its head, from 1 on.
    line: u32,
}

impl Default for LineTime {
    fn default() -> Self {
        Self::NONE
    }
}

impl LineTime {
    /// Of a line of which nothing is known.
    pub(super) const NONE: Self = Self { seconds: f64::NAN, line: 0 };

    /// Of the state of a progress bar with this number, from 1 on, that shows the seconds since its start.
    pub(super) fn of_bar(seconds: u64, number: usize) -> Self {
        Self { seconds: seconds as f64, line: u32::try_from(number).unwrap_or(u32::MAX) }
    }
}

/// Reads the times at the heads of a log's lines.
#[derive(Debug, Clone)]
pub(super) struct LineTimes {
    line: u32,
    last: LineTime,
    year: i64,
    /// When the lines that follow were printed, where something else than their heads says it; seconds since the start.
    printed: Option<f64>,
}

impl Default for LineTimes {
    fn default() -> Self {
        Self { line: 0, last: LineTime::NONE, year: MADE_UP_YEAR, printed: None }
    }
}

impl LineTimes {
    /// Says when the lines that follow were printed, in seconds since the start.
    pub(super) fn set_printed(&mut self, seconds: f64) {
        self.printed = Some(seconds);
    }

    /// Reads the head of the next line, and gives the time that the line has.
    pub(super) fn read(&mut self, text: &str) -> LineTime {
        self.line = self.line.saturating_add(1);
        if let Some(seconds) = self.printed {
            self.last = LineTime { seconds, line: self.line };
            return self.last;
        }
        if let Some(seconds) = head_time(text).and_then(|time| self.in_order(time)) {
            self.last = LineTime { seconds, line: self.line };
        }
        if self.line - self.last.line <= NEAR { self.last } else { LineTime::NONE }
    }

    /// Unix seconds of a time, on the day and in the year in which it is next to the last one; `None` for a day that a year has not.
    fn in_order(&mut self, time: HeadTime) -> Option<f64> {
        let last = self.last.seconds;
        match time {
            HeadTime::Dated { year, seconds } => {
                self.year = year;
                Some(seconds)
            }
            HeadTime::OfYear { month, day, clock } => {
                let of = |year: i64| Some(day_start(year, month, day)? + clock);
                self.year += turns(of(self.year)?, last, HALF_A_YEAR);
                of(self.year)
            }
            HeadTime::OfDay { clock } => {
                let start = if last.is_nan() { day_start(self.year, 1, 1)? } else { DAY * (last / DAY).floor() };
                Some(start + clock + DAY * turns(start + clock, last, HALF_A_DAY) as f64)
            }
        }
    }
}

/// Whole days or years, half of which is `half`, by which a time is moved to be next to the last one.
fn turns(seconds: f64, last: f64, half: f64) -> i64 {
    i64::from(seconds < last - half) - i64::from(seconds > last + half)
}

/// Gives the times of lines to the rows in which the lines are, each time once.
#[derive(Debug, Default)]
pub(super) struct RowTimes {
    /// The last line whose time was given.
    given: u32,
}

impl RowTimes {
    /// The time of a row with such a line, in Unix seconds; `None` where it has none, or an earlier row has it.
    pub(super) fn give(&mut self, time: LineTime) -> Option<f64> {
        let is_new = time.line > self.given;
        self.given = self.given.max(time.line);
        is_new.then_some(time.seconds)
    }
}

/// Takes the times out of a run whose rows they do not tell: where few rows have one, where they fall, or where all are the same,
/// as when a log was written at once. Where some times have a year, those without one are dropped.
pub(super) fn settle_times(run: &mut Run) {
    if run.row_times.iter().any(|time| *time >= FIRST_REAL) {
        let are_made_up = |time: &&mut f64| **time < FIRST_REAL;
        run.row_times.iter_mut().filter(are_made_up).for_each(|time| *time = f64::NAN);
    }
    let known = || run.row_times.iter().copied().filter(|time| time.is_finite());
    let falls = known().zip(known().skip(1)).any(|(before, time)| time < before - MAX_FALL);
    let passes = known().next().zip(known().next_back()).is_some_and(|(first, last)| last > first);
    if falls || !passes || 2 * known().count() < run.row_times.len() {
        if let Some(seconds) = total_of_few(&run.row_times).filter(|_| !falls) {
            note_duration(run, seconds);
        }
        run.row_times.fill(f64::NAN);
    }
}

/// Seconds that all rows took at the pace between the first and the last time, where nearly all rows lie between them.
fn total_of_few(times: &[f64]) -> Option<f64> {
    let known: Vec<(usize, f64)> = times.iter().copied().enumerate().filter(|(_, time)| time.is_finite()).collect();
    let ((first, began), (last, ended)) = (known.first()?, known.last()?);
    let is_whole = known.len() >= FEWEST_TIMES && last - first + times.len() / ROWS_AT_ENDS >= times.len();
    let (all, between) = (times.len().saturating_sub(1) as f64, (last - first) as f64);
    (is_whole && ended > began).then_some((ended - began) * all / between)
}

/// Takes the times that a progress bar shows beside the rows, in seconds since the start, where the lines have none: what a
/// logger writes at the head of a line is more exact. Where few rows have one, the last state gives the time of the whole.
pub(super) fn settle_bar_times(run: &mut Run, times: Vec<f64>, total: f64) {
    settle_times(run);
    if run.row_times.iter().any(|time| time.is_finite()) {
        return;
    }
    let known = times.iter().filter(|time| time.is_finite()).count();
    if times.len() == run.row_times.len() && 10 * known >= 9 * times.len() {
        run.row_times = times;
    } else if total > 0.0 {
        note_duration(run, total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::console::LogMetrics;

    fn times(lines: &str) -> Vec<f64> {
        let mut metrics = LogMetrics::default();
        lines.lines().for_each(|line| metrics.add(line));
        let times = metrics.finish().row_times;
        let first = times.iter().copied().find(|time| time.is_finite()).unwrap_or_default();
        // -1 is a row without a time.
        times.into_iter().map(|time| if time.is_nan() { -1.0 } else { time - first }).collect()
    }

    /// A log of a row in each form, with one of these heads before it.
    fn logs(heads: &[&str]) -> [String; 3] {
        let log = |row: &dyn Fn(usize) -> String| {
            let lines = heads.iter().enumerate().map(|(at, head)| format!("{head}{}\n", row(at + 1)));
            lines.collect::<String>()
        };
        [
            log(&|step| format!("step:{step} - actor/kl:0.00{step} - critic/score/mean:0.5")),
            log(&|step| format!("{{'loss': 0.{step}, 'reward': 0.5, 'epoch': 0.0{step}}}")),
            log(&|step| format!("Step {step}/9 | loss: 0.{step} | reward: 0.{step} | kl: 0.00{step}")),
        ]
    }

    #[test]
    fn a_row_has_the_time_of_its_line() {
        let heads = |form: &str| ["03", "33", "59"].map(|seconds| form.replace("SS", seconds));
        for form in [
            "2026-01-01 12:00:SS,123 - INFO - ",
            "[2026-01-01 12:00:SS] ",
            "INFO:2026-01-01 12:00:SS ",
            "[2026-01-01 12:00:SS,123][main][INFO] - ",
            "INFO 01-01 12:00:SS [core.py:1] ",
            "12:00:SS ",
            "2026-01-01T12:00:SS.123456Z ",
            "2026/01/01 12:00:SS ",
            "[01/31/26 12:00:SS] INFO ",
            "[INFO|trainer.py:2409] 2026-01-01 12:00:SS,123 >> ",
            "2026-01-01 12:00:SS.890 | INFO | a:b:1 - ",
            "W0606 11:12:SS.781000 12152 a/b.py:1] ",
            "(TaskRunner pid=12) 2026-01-01 12:00:SS,123 - ",
        ] {
            let heads = heads(form);
            let heads = heads.each_ref().map(String::as_str);
            for log in logs(&heads) {
                let found: Vec<f64> = times(&log).into_iter().map(f64::round).collect();
                assert_eq!(found, [0.0, 30.0, 56.0], "{log}");
            }
        }
    }

    #[test]
    fn times_go_on_past_midnight_and_the_end_of_a_year() {
        for heads in [
            ["23:59:00 ", "00:01:00 ", "12:01:00 "],
            ["INFO 12-31 23:59:00 ", "INFO 01-01 00:01:00 ", "INFO 01-01 12:01:00 "],
            ["2025-12-31 23:59:00 ", "00:01:00 ", "INFO 01-01 12:01:00 "],
        ] {
            logs(&heads).iter().for_each(|log| assert_eq!(times(log), [0.0, 120.0, 43_320.0], "{log}"));
        }
    }

    #[test]
    fn a_time_shortly_before_is_of_the_first_row_behind_it() {
        let text = "2026-01-01 12:00:00 INFO update\n";
        let later = "2026-01-01 12:05:00 INFO update\n";
        for log in logs(&[text, later, "", "2026-01-01 12:09:00 "]) {
            assert_eq!(times(&log), [0.0, 300.0, -1.0, 540.0], "{log}");
        }
        let far = format!("{later}{}", "text\n".repeat(NEAR as usize));
        for log in logs(&[text, &far, "2026-01-01 12:09:00 "]) {
            assert_eq!(times(&log), [0.0, -1.0, 540.0], "{log}");
        }
    }

    #[test]
    fn a_row_of_several_lines_was_written_when_its_step_was_counted() {
        let at = |minute: usize| format!("2026-01-01 12:{minute:02}:00 ");
        let row = |step: usize| {
            format!("{}reward: 0.{step} loss: 0.5\n{}step {step} kl: 0.1\n", at(5 * step), at(5 * step + 4))
        };
        let log: String = (1..=4).map(row).collect();
        assert_eq!(times(&log), [0.0, 300.0, 600.0, 900.0]);
        let first = log.replacen("12:05", "10:05", 1);
        assert_eq!(times(&first), [0.0, 300.0, 600.0, 900.0], "a start that failed");
    }

    #[test]
    fn times_of_few_rows_tell_the_time_of_the_whole() {
        let total = |every: usize| {
            let mut metrics = LogMetrics::default();
            for step in 1..=30 {
                let head = if step % every == 1 { format!("2026-01-01 12:{step:02}:00 ") } else { String::new() };
                metrics.add(&format!("{head}step:{step} - actor/kl:0.00{step} - critic/score/mean:0.5"));
            }
            let run = metrics.finish();
            assert!(run.row_times.iter().all(|time| time.is_nan()), "{every}");
            run.summary.number(&["_runtime"]).map(|(_, seconds)| seconds)
        };
        assert_eq!([total(3), total(20)], [Some(29.0 * 60.0), None]);
    }

    #[test]
    fn times_that_tell_nothing_are_none() {
        for heads in [
            ["2026-01-01 12:00:00 ", "2026-01-01 11:00:00 ", "2026-01-01 13:00:00 "],
            ["2026-01-01 12:00:00 ", "2026-01-01 12:00:00 ", "2026-01-01 12:00:00 "],
            ["2026-01-01 12:00:00 ", "", ""],
            ["00:10:00<01:00:00 ", "00:20:00<01:00:00 ", "00:30:00<01:00:00 "],
        ] {
            logs(&heads).iter().for_each(|log| assert_eq!(times(log), [-1.0; 3], "{log}"));
        }
    }
}
