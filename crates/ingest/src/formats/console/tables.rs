//! Tables: rows under a head (`| step | reward |` in Markdown or drawn by rich, `step   reward` in columns), and boxes with
//! one name and one value a line, as Stable-Baselines3 and OpenAI's Baselines print them.

use super::labelled::CounterKind;
use crate::budget::Kept;
use crate::rows::metric_rows::MetricRows;
use crate::rows::names::is_step_name;
use rundown_run::Run;

/// Rows that prove that tables hold the metrics of a run: a table of settings is one row.
const ENOUGH_ROWS: usize = 3;
/// Longest line that is looked at, and most cells of it.
const MAX_LINE: usize = 4096;
const MAX_CELLS: usize = 200;
/// What the steps of a box are called, the first of them counts; lower case.
const BOX_STEPS: [&str; 3] = ["total_timesteps", "iterations", "nupdates"];
/// Fewest columns of a table without bars: two words above two numbers are often text.
const COLUMNS: usize = 3;
/// Signs between cells.
const BARS: [char; 4] = ['|', '│', '┃', '║'];
/// Blanks before a name that stands under a section.
const INDENT: usize = 3;
/// Sections of a box whose values are durations: `timeperf/train_step` is no counter. Lower case.
const DURATIONS: [&str; 6] = ["time", "times", "timing", "timings", "timeperf", "perf"];
/// What stands before the step that a line announces, whose metrics follow in a box (AReaL); lower case.
const ANNOUNCED: [&str; 3] = ["train step ", "training step ", "global step "];

/// Collects the tables of a log.
#[derive(Debug, Default)]
pub(super) struct Tables {
    rows: MetricRows,
    /// Names of the columns of the table that is open.
    head: Vec<String>,
    /// Names and values of the box that is open.
    pairs: Vec<(String, f64)>,
    /// Section of the box, with its slash.
    section: String,
    /// The step of the next box, by a line before it.
    announced: Option<f64>,
    /// The line before, where bars stand within it and none around it: the head of a table, if dashes follow.
    inner_bars: String,
    /// The open table has no bars around its rows.
    is_bare: bool,
}

impl Tables {
    /// Takes a line when it is part of a table.
    pub(super) fn take(&mut self, line: &str) -> bool {
        if line.len() > MAX_LINE {
            return false;
        }
        if is_border(line) {
            self.end_box();
            let before = std::mem::take(&mut self.inner_bars);
            if line.contains(BARS) && !line.trim_start().starts_with(BARS) {
                self.is_bare = bare_cells(&before).is_some_and(|head| self.open(&head));
            }
            return !self.head.is_empty();
        }
        let bare = if self.is_bare { bare_cells(line) } else { None };
        let Some(cells) = cells(line).or(bare) else {
            self.is_bare = false;
            self.inner_bars.clear();
            if line.contains(BARS) {
                line.clone_into(&mut self.inner_bars);
            }
            self.end_box();
            self.announced = announced_step(line).or(self.announced);
            return self.columns(line);
        };
        self.pair(&cells) || self.row(&cells) || self.open(&cells)
    }

    /// What the rows take.
    pub(super) fn kept(&self) -> Kept {
        self.rows.kept()
    }

    /// A line of a table whose columns only blanks separate: every cell of a row is a number.
    fn columns(&mut self, line: &str) -> bool {
        // Most lines of a log are neither: those with such a sign need no look at their words.
        if line.contains([':', '=', ',']) {
            self.head.clear();
            return false;
        }
        let cells: Vec<&str> = line.split_whitespace().take(MAX_CELLS + 1).collect();
        let is_word = |cell: &&str| cell.starts_with(char::is_alphabetic);
        let is_row = cells.iter().all(|cell| number(cell).is_some());
        let is_head = cells.len() >= COLUMNS && cells.len() <= MAX_CELLS && cells.iter().all(is_word);
        if (is_row && self.row(&cells)) || (is_head && self.open(&cells)) {
            return is_row;
        }
        self.head.clear();
        false
    }

    /// The run that the rows make; none of too few, which are tables of settings.
    pub(super) fn finish(mut self) -> Run {
        self.end_box();
        if self.rows.len() < ENOUGH_ROWS { Run::default() } else { self.rows.finish() }
    }

    /// A line of a box: a section, or a name and its value.
    fn pair(&mut self, cells: &[&str]) -> bool {
        let &[name, value] = cells else { return false };
        let is_indented = name.starts_with(&" ".repeat(INDENT));
        let name = name.trim();
        if value.trim().is_empty() && name.ends_with('/') {
            name.clone_into(&mut self.section);
            return true;
        }
        let Some(value) = number(value).filter(|_| name.contains(char::is_alphabetic)) else { return false };
        let key = if is_indented { format!("{}{name}", self.section) } else { name.to_owned() };
        if self.pairs.iter().any(|(known, _)| *known == key) {
            self.end_box();
        }
        self.pairs.push((key, value));
        true
    }

    /// A row under the open head.
    fn row(&mut self, cells: &[&str]) -> bool {
        let numbers: Vec<Option<f64>> = cells.iter().map(|cell| number(cell)).collect();
        let many = numbers.iter().flatten().count();
        let counted = self.head.iter().zip(&numbers).any(|(name, number)| number.is_some() && counts_steps(name));
        if cells.len() != self.head.len() || 2 * many < cells.len() || !counted {
            return false;
        }
        for (name, number) in self.head.iter().zip(numbers) {
            if let Some(number) = number {
                self.rows.number(name, number);
            }
        }
        self.rows.end_row();
        true
    }

    /// A head: names alone, one of which counts steps.
    fn open(&mut self, cells: &[&str]) -> bool {
        let is_name = |cell: &&str| number(cell).is_none();
        if cells.len() < 2 || !cells.iter().all(is_name) || !cells.iter().any(|cell| counts_steps(cell.trim())) {
            return false;
        }
        self.head = cells.iter().map(|cell| cell.trim().trim_matches(['*', '`']).to_owned()).collect();
        true
    }

    fn end_box(&mut self) {
        let pairs = std::mem::take(&mut self.pairs);
        self.section.clear();
        if pairs.len() < 2 {
            return;
        }
        let last = |key: &str| key.rsplit('/').next().unwrap_or(key).to_lowercase();
        let whole = || pairs.iter().filter(|(_, value)| value.fract() == 0.0);
        let step = BOX_STEPS.iter().find_map(|step| whole().find(|(key, _)| last(key) == *step));
        let step = step.or_else(|| whole().find(|(key, _)| is_step_name(&last(key)) && !is_duration(key)));
        if let Some(step) = step.map(|(_, step)| *step).or(self.announced.take()) {
            self.rows.number("step", step);
        }
        for (key, value) in &pairs {
            self.rows.number(key, *value);
        }
        self.rows.end_row();
    }
}

/// True for a name in a section of durations.
fn is_duration(key: &str) -> bool {
    key.rsplit_once('/').is_some_and(|(sections, _)| {
        sections.split('/').any(|section| DURATIONS.iter().any(|word| section.eq_ignore_ascii_case(word)))
    })
}

/// The step in `Epoch 1/10 Step 2/20 Train step 22/200 done.`
fn announced_step(line: &str) -> Option<f64> {
    let lower = line.to_ascii_lowercase();
    let (_, rest) = ANNOUNCED.iter().find_map(|words| lower.split_once(words))?;
    let (done, total) = rest.split_once('/')?;
    let is_counter = !done.is_empty() && done.len() < 16 && done.bytes().all(|byte| byte.is_ascii_digit());
    (is_counter && total.starts_with(|digit: char| digit.is_ascii_digit())).then(|| done.parse().ok())?
}

fn counts_steps(name: &str) -> bool {
    is_step_name(name) || CounterKind::of(name) != CounterKind::Other
}

/// The cells of a line that begins and ends with a bar, as they stand.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix(BARS)?.strip_suffix(BARS)?;
    let cells: Vec<&str> = inner.split(BARS).take(MAX_CELLS + 1).collect();
    (cells.len() <= MAX_CELLS).then_some(cells)
}

/// The cells of a line with bars between them alone, as GitHub writes tables of which a part is copied.
fn bare_cells(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = line.split(BARS).take(MAX_CELLS + 1).collect();
    (2..=MAX_CELLS).contains(&cells.len()).then_some(cells)
}

/// True for a line between rows: dashes and what crosses them.
fn is_border(line: &str) -> bool {
    let line = line.trim();
    let is_line = |c: char| "-=+|: \u{2502}\u{2503}\u{2551}".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
    line.chars().all(is_line) && line.chars().filter(|c| "-=─━═".contains(*c)).count() >= 3
}

/// A number in a cell, perhaps with a sign of per cent.
fn number(cell: &str) -> Option<f64> {
    let cell = cell.trim().trim_matches('*');
    match cell.strip_suffix('%') {
        Some(share) => share.trim().parse::<f64>().ok().map(|share| share / 100.0),
        None => cell.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &str) -> Run {
        let mut tables = Tables::default();
        lines.lines().for_each(|line| _ = tables.take(line));
        tables.finish()
    }

    fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
        run.columns.get(key).map_or(&[], |column| column.values())
    }

    #[test]
    fn boxes_of_names_and_values_are_rows() {
        let one = |step: u32| {
            format!(
                "----------------------------------\n| rollout/           |          |\n|    ep_rew_mean     | 1.5{step}     |\n\
                 | time/              |          |\n|    iterations      | {step}        |\n|    total_timesteps | {}     |\n\
                 ----------------------------------\ntext\n",
                2048 * step
            )
        };
        let run = read(&[one(1), one(2), one(3)].concat());
        assert_eq!(values(&run, "rollout/ep_rew_mean"), [1.51, 1.52, 1.53]);
        assert_eq!(values(&run, "step"), [2048.0, 4096.0, 6144.0]);
        assert_eq!(read(&one(1)).row_steps.len(), 0, "settings are printed once");
    }

    #[test]
    fn durations_are_no_steps_and_a_line_may_announce_the_step() {
        let one = |step: u32, announced: &str| {
            format!(
                "{announced}\n┌─────┬─────┐\n│ ppo_actor/reward/avg │ 1.{step}e-01 │\n│ timeperf/train_step │ {}.5 │\n\
                 │ perf/step │ 3 │\n└─────┴─────┘\ntext\n",
                30 + step
            )
        };
        let plain = read(&[one(1, ""), one(2, ""), one(3, "")].concat());
        assert!(!plain.columns.contains_key("step"), "{:?}", plain.columns.keys());
        let run = read(
            &(4..7)
                .map(|step| one(step, &format!("12:01 INFO: Epoch 1/9 Step 2/20 Train step {step}/90 done.")))
                .collect::<String>(),
        );
        assert_eq!(values(&run, "step"), [4.0, 5.0, 6.0]);
        assert_eq!(values(&run, "timeperf/train_step"), [34.5, 35.5, 36.5]);
    }

    #[test]
    fn rows_under_a_head_with_a_step_are_rows() {
        let markdown = "| Step | Training Loss | reward |\n|---|:-:|---:|\n| 10 | 0.5 | 1.0 |\n| 20 | 0.4 | 62.5% |\n| 30 | - | 1.2 |";
        let run = read(markdown);
        assert_eq!(values(&run, "reward"), [1.0, 0.625, 1.2]);
        assert_eq!((values(&run, "step"), values(&run, "Training Loss")), (&[10.0, 20.0, 30.0][..], &[0.5, 0.4][..]));
        let drawn =
            "┏━━━━━━┳━━━━━━┓\n┃ epoch ┃ acc ┃\n┡━━━━━━╇━━━━━━┩\n│ 1 │ 0.5 │\n│ 2 │ 0.6 │\n│ 3 │ 0.7 │\n└──────┴──────┘";
        assert_eq!(values(&read(drawn), "acc"), [0.5, 0.6, 0.7]);
    }

    #[test]
    fn a_table_may_lack_the_bars_around_it() {
        let rows =
            "text | more\nStep | reward | kl\n-- | -- | --\n1 | 0.5 | 0.1\n2 | 0.6 | 0.2\n3 | 0.7 | 0.3\n\n4 | 5 | 6\n";
        let run = read(rows);
        assert_eq!((values(&run, "step"), values(&run, "kl")), (&[1.0, 2.0, 3.0][..], &[0.1, 0.2, 0.3][..]));
        let run = read(&rows.replace("-- | -- | --\n", ""));
        assert_eq!(run.row_steps.len(), 0, "bars within text");
    }

    #[test]
    fn columns_without_bars_are_rows_where_all_cells_are_numbers() {
        let run =
            read("  step  reward  kl\n   1   0.5  1e-3\n   2   0.6  2e-3\n   3   nan  3e-3\nthe step is done\n1 2 3\n");
        assert_eq!((values(&run, "kl").len(), values(&run, "step")), (3, &[1.0, 2.0, 3.0][..]));
        assert_eq!(read("one step more\n1 2 x\n1 2 3\n").row_steps.len(), 0, "text goes on");
    }

    #[test]
    fn other_tables_are_none() {
        let models = "| model | size | score |\n|---|---|---|\n| a | 7 | 0.5 |\n| b | 13 | 0.6 |\n| c | 70 | 0.7 |\n";
        assert_eq!(read(models).row_steps.len(), 0);
        let settings = "| lr | 1e-6 |\n| batch | 64 |\n";
        assert_eq!(read(settings).row_steps.len(), 0);
        assert_eq!(read(&"|".repeat(5000)).row_steps.len(), 0);
    }
}
