//! Tables: rows under a head (`| step | reward |` in Markdown or drawn by rich, `step | reward` over `-- | --` as GitHub
//! shows it, `step   reward` in columns), and boxes ([`Boxes`]).

use super::boxes::Boxes;
use super::labelled::{CounterKind, NumberToken};
use crate::budget::MemoryUse;
use crate::rows::metric_rows::MetricRows;
use crate::rows::names::is_step_name;
use rundown_run::Run;
use std::collections::BTreeSet;

/// Rows that prove that tables hold the metrics of a run: a table of settings is one row.
const ENOUGH_ROWS: usize = 3;
/// Longest line that is looked at, and most cells of it.
const MAX_LINE: usize = 4096;
const MAX_CELLS: usize = 200;
/// Fewest columns of a table without bars: two words above two numbers are often text.
const COLUMNS: usize = 3;
/// First columns of the table that TRL's trainers show in a notebook, and one by which the table of GRPO is told from that of a
/// supervised training.
const NOTEBOOK: [&str; 2] = ["Step", "Training Loss"];
const NOTEBOOK_REWARD: &str = "reward";
/// Bytes of the cells of a row of such a table, about: twenty numbers with six decimals.
const KNOWN_BYTES: usize = 256;
/// Signs between cells.
const BARS: [char; 4] = ['|', '│', '┃', '║'];

/// Collects the tables of a log.
#[derive(Debug, Default)]
pub(super) struct Tables {
    rows: MetricRows,
    /// Names of the columns of the table that is open.
    head: Vec<String>,
    /// The table that is open has no bars at its sides.
    is_bare: bool,
    /// The last line, where it may be the head of a table without bars at its sides.
    before: Option<String>,
    boxes: Boxes,
    /// Cells of the rows of tables that TRL's trainers show in a notebook: people paste a table again with more columns.
    known: BTreeSet<String>,
}

impl Tables {
    /// Adds a line when it is part of a table.
    pub(super) fn add(&mut self, line: &str) -> bool {
        if line.len() > MAX_LINE {
            return false;
        }
        let before = self.before.take();
        if is_border(line) {
            self.boxes.end();
            return before.is_some_and(|head| self.bare_head(&head, line)) || !self.head.is_empty();
        }
        let Some(cells) = cells(line) else {
            self.boxes.end();
            self.boxes.text(line);
            return if line.contains('|') { self.bare(line) } else { self.columns(line) };
        };
        self.is_bare = false;
        self.boxes.add(&cells, number) || self.row(&cells) || self.open(&cells)
    }

    /// Rows so far.
    pub(super) fn len(&self) -> usize {
        self.rows.len().max(self.boxes.len())
    }

    /// True for boxes whose steps are their titles: nothing else of the log is a row.
    pub(super) fn is_sure(&self) -> bool {
        self.boxes.is_titled() && self.boxes.len() >= ENOUGH_ROWS
    }

    /// True where rows are those that TRL's trainers show in a notebook.
    pub(super) fn is_of_trainer(&self) -> bool {
        self.known.len() >= ENOUGH_ROWS
    }

    /// What the rows take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        self.rows.memory_use() + self.boxes.memory_use() + MemoryUse::bytes(self.known.len() * KNOWN_BYTES)
    }

    /// The line above one of dashes, in a table without bars at its sides.
    fn bare_head(&mut self, head: &str, border: &str) -> bool {
        let head = bare_cells(head);
        self.is_bare = bare_cells(border).len() == head.len() && self.open(&head);
        self.is_bare
    }

    /// A line with bars between its cells alone: a row, or what may be a head.
    fn bare(&mut self, line: &str) -> bool {
        let cells = bare_cells(line);
        if self.is_bare && self.row(&cells) {
            return true;
        }
        self.head.clear();
        self.before = (cells.len() <= MAX_CELLS).then(|| line.to_owned());
        false
    }

    /// A line of a table whose columns only blanks separate: every cell of a row is a number.
    fn columns(&mut self, line: &str) -> bool {
        // Most lines of a log are neither: those with such a sign need no look at their words.
        let has_comma = line.contains(',');
        if line.contains([':', '=']) || (has_comma && self.head.is_empty()) {
            self.head.clear();
            return false;
        }
        let cells: Vec<&str> = line.split_whitespace().take(MAX_CELLS + 1).collect();
        let is_word = |cell: &&str| cell.starts_with(char::is_alphabetic);
        let is_row = cells.iter().all(|cell| number(cell).is_some());
        let is_head = !has_comma && cells.len() >= COLUMNS && cells.len() <= MAX_CELLS && cells.iter().all(is_word);
        if (is_row && self.row(&cells)) || (is_head && self.open(&cells)) {
            return is_row;
        }
        self.head.clear();
        false
    }

    /// The run that the rows make; none of too few, which are tables of settings.
    pub(super) fn finish(mut self) -> Run {
        self.boxes.end();
        let rows = if self.rows.len() < ENOUGH_ROWS { Run::default() } else { self.rows.finish() };
        let boxes = if self.boxes.len() < ENOUGH_ROWS { Run::default() } else { self.boxes.finish() };
        if boxes.columns.len() > rows.columns.len() { boxes } else { rows }
    }

    /// A row under the open head.
    fn row(&mut self, cells: &[&str]) -> bool {
        let read = |(place, cell): (usize, &&str)| {
            let counts = || self.head.get(place).is_some_and(|name| counts_steps(name));
            number(cell).or_else(|| range_end(cell).filter(|_| counts()))
        };
        let numbers: Vec<Option<f64>> = cells.iter().enumerate().map(read).collect();
        let many = numbers.iter().flatten().count();
        let counted = self.head.iter().zip(&numbers).any(|(name, number)| number.is_some() && counts_steps(name));
        if cells.len() != self.head.len() || 2 * many < cells.len() || !counted {
            return false;
        }
        // Rows of nothing but zeros, as runs begin with them, are alike without being copies.
        let is_telling = numbers.iter().skip(1).flatten().any(|number| number.abs() > 0.0);
        if is_telling && is_of_notebook(&self.head) && !self.is_new(cells) {
            return true;
        }
        for (name, number) in self.head.iter().zip(numbers) {
            if let Some(number) = number {
                self.rows.number(name, number);
            }
        }
        self.rows.end_row();
        true
    }

    /// False for a row of a notebook's table that was there already, as far as the narrower of both goes. Its numbers have six
    /// decimals, and are not all alike by chance.
    fn is_new(&mut self, cells: &[&str]) -> bool {
        let row: String = cells.iter().flat_map(|cell| [cell.trim(), "|"]).collect();
        let is_known = |(end, _): (usize, &str)| row.get(..=end).is_some_and(|part| self.known.contains(part));
        let is_part = || self.known.range(row.clone()..).next().is_some_and(|known| known.starts_with(&row));
        let is_new = !row.match_indices('|').any(is_known) && !is_part();
        is_new && self.known.insert(row)
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
}

/// True for the head of a table that TRL's trainers show in a notebook.
fn is_of_notebook(head: &[String]) -> bool {
    head.iter().take(NOTEBOOK.len()).eq(&NOTEBOOK) && head.iter().any(|name| name == NOTEBOOK_REWARD)
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

/// The cells between the bars of a line.
fn bare_cells(line: &str) -> Vec<&str> {
    line.trim().split('|').take(MAX_CELLS + 1).collect()
}

/// True for a line between rows: dashes and what crosses them.
fn is_border(line: &str) -> bool {
    let line = line.trim();
    let is_line = |c: char| "-=+|: \u{2502}\u{2503}\u{2551}".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
    line.chars().all(is_line) && line.chars().filter(|c| "-=─━═".contains(*c)).count() >= 3
}

/// A number in a cell, perhaps with commas between thousands or with a sign of per cent.
fn number(cell: &str) -> Option<f64> {
    let cell = cell.trim().trim_matches('*');
    match cell.strip_suffix('%') {
        Some(share) => plain(share.trim()).map(|share| share / 100.0),
        None => plain(cell),
    }
}

fn plain(cell: &str) -> Option<f64> {
    if !cell.contains(',') {
        return cell.parse().ok();
    }
    // `0,512` has a decimal comma.
    let is_grouped = |number: &NumberToken<'_>| number.length == cell.len() && !cell.starts_with('0');
    NumberToken::of(cell).filter(is_grouped).map(|number| number.value)
}

/// The end of a range of steps such as `1–50` or `51-100`: what the row says holds up to there.
fn range_end(cell: &str) -> Option<f64> {
    let (start, end) = cell.trim().trim_matches('*').split_once(['-', '–', '—'])?;
    let (start, end) = (start.trim().parse::<u32>().ok()?, end.trim().parse::<u32>().ok()?);
    (start < end).then_some(f64::from(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &str) -> Run {
        let mut tables = Tables::default();
        lines.lines().for_each(|line| _ = tables.add(line));
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
        let flat = |step: u32| {
            let box_line = "-".repeat(34);
            format!(
                "{box_line}\n| iterations | {step} |\n| total_timesteps | {} |\n| reward | 0.{step} |\n{box_line}\ntext\n",
                128 * step
            )
        };
        let run = read(&[flat(1), flat(2), flat(3)].concat());
        assert_eq!(values(&run, "step"), [128.0, 256.0, 384.0], "without sections");
    }

    #[test]
    fn commas_between_thousands_are_part_of_a_number() {
        let run =
            read("| Step | reward |\n|---|---|\n| 500 | 0.1 |\n| 1,000 | 0.2 |\n| 1,500 | 0.3 |\n| 1,2 | 0.4 |\n");
        assert_eq!(values(&run, "step"), [500.0, 1000.0, 1500.0]);
        let columns = "step reward kl\n999 0.1 1\n1,000 0.2 2\n1,001 0.3 3\nso, step 3\n1,002 0.3 3\n";
        assert_eq!(values(&read(columns), "step"), [999.0, 1000.0, 1001.0]);
        let one = |step: &str| format!("+---+\n│ total_timesteps │ {step} │\n│ reward │ 0.5 │\n+---+\n");
        let run = read(&[one("512"), one("1,024"), one("2,048")].concat());
        assert_eq!(values(&run, "step"), [512.0, 1024.0, 2048.0]);
    }

    #[test]
    fn a_time_is_no_step_and_the_line_above_names_it() {
        let one = |step: u32, seconds: &str| {
            format!(
                "12:01:10 INFO: Epoch 1/2 Step {}/9 Train step {step}/18 done.\n┌────┬────┐\n│ actor/reward/avg │ 0.{step} │\n\
                 │ timeperf/train_step │ {seconds} │\n└────┴────┘\n",
                step + 1
            )
        };
        let run = read(&[one(4, "3.0e+01"), one(5, "3.0e+01"), one(6, "3.1e+01"), one(7, "2.9e+01")].concat());
        assert_eq!(values(&run, "step"), [4.0, 5.0, 6.0, 7.0]);
        assert_eq!(values(&run, "timeperf/train_step").len(), 4);
    }

    #[test]
    fn beside_boxes_with_a_step_as_title_others_are_no_rows() {
        let one = |step: u32| {
            format!(
                "      Step {step}      \n┏━━━┳━━━┓\n┃ Metric ┃ Value ┃\n┡━━━╇━━━┩\n│ env/all/reward/total │ 0.{step} │\n\
                 │ entropy │ 0.5{step} │\n└───┴───┘\nwrote metrics\n| Aaron | 1 |\n| Bella | 2 |\n| Cara | 3 |\ntext\n"
            )
        };
        let run = read(&[one(4), one(5), one(6)].concat());
        assert_eq!(values(&run, "env/all/reward/total"), [0.4, 0.5, 0.6]);
        assert_eq!(values(&run, "step"), [4.0, 5.0, 6.0]);
        assert!(!run.columns.contains_key("Aaron"), "{:?}", run.columns.keys());
    }

    #[test]
    fn what_does_not_count_is_no_step() {
        let one = |step: &str| format!("+---+\n| loss | 0.5 |\n| optimizer/step | {step} |\n+---+\n");
        let run = read(&[one("0.5"), one("0.25"), one("0.75")].concat());
        assert!(values(&run, "step").is_empty(), "no whole numbers");
        let run = read(&[one("9"), one("5"), one("2")].concat());
        assert!(values(&run, "step").is_empty(), "they fall");
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
    fn a_line_of_dashes_makes_the_one_above_a_head() {
        let run = read(
            "text | more\nStep | reward | kl\n-- | :-: | --\n1 | 0.5 | 0.1\n2 | 0.6 | 0.2\n3 | 0.7 | 0.3\n4 | 0.\n",
        );
        assert_eq!((values(&run, "step"), values(&run, "reward")), (&[1.0, 2.0, 3.0][..], &[0.5, 0.6, 0.7][..]));
        let lines = "step | reward\n1 | 0.5\n2 | 0.6\n3 | 0.7\n";
        assert_eq!(read(lines).row_steps.len(), 0, "without the dashes it is text");
    }

    #[test]
    fn rows_of_a_notebook_that_are_shown_again_count_once() {
        let head = "Step | Training Loss | reward | kl\n-- | -- | -- | --\n";
        let row = |step: u32, end: &str| format!("{step} | -0.{step}000 | 1{step}.5 | nan{end}\n");
        let short: String = (1..=4).map(|step| row(step, "")).collect();
        let long: String = (1..=6).map(|step| row(step, " | 0")).collect();
        let more = "\nStep | Training Loss | reward | kl | entropy\n-- | -- | -- | -- | --\n";
        let run = read(&format!("{head}{short}{more}{long}"));
        assert_eq!(values(&run, "step"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let other = short.replace("-0.", "-2.");
        assert_eq!(read(&format!("{head}{short}{head}{other}")).row_steps.len(), 8, "of another run");
        let other = short.replace("nan", "0.5");
        assert_eq!(read(&format!("{head}{short}{head}{other}")).row_steps.len(), 8, "of one with another divergence");
        assert_eq!(read(&format!("{more}{long}{head}{short}")).row_steps.len(), 6, "the wider one first");
        let zeros: String = (1..=4).map(|step| format!("{step} | 0.000000 | 0.000000 | 0.000000\n")).collect();
        assert_eq!(read(&format!("{head}{zeros}{head}{zeros}")).row_steps.len(), 8, "it may have begun again");
    }

    #[test]
    fn columns_without_bars_are_rows_where_all_cells_are_numbers() {
        let run =
            read("  step  reward  kl\n   1   0.5  1e-3\n   2   0.6  2e-3\n   3   nan  3e-3\nthe step is done\n1 2 3\n");
        assert_eq!((values(&run, "kl").len(), values(&run, "step")), (3, &[1.0, 2.0, 3.0][..]));
        assert_eq!(read("one step more\n1 2 x\n1 2 3\n").row_steps.len(), 0, "text goes on");
    }

    #[test]
    fn the_step_of_a_range_is_its_end() {
        let run = read("| Steps | reward |\n|---|---|\n| 1–50 | 0.1 |\n| 51 - 100 | 0.2 |\n| **101-150** | 0.3 |\n");
        assert_eq!((values(&run, "step"), values(&run, "reward")), (&[50.0, 100.0, 150.0][..], &[0.1, 0.2, 0.3][..]));
        let other = read("| Step | tasks |\n|---|---|\n| 1 | 1-5 |\n| 2 | 6-9 |\n| 3 | 7-9 |\n");
        assert!(values(&other, "tasks").is_empty(), "{:?}", other.columns.keys());
        assert_eq!(read("| Step | loss |\n|---|---|\n| 9-1 | 1 |\n| 8-2 | 2 |\n| 7-3 | 3 |\n").row_steps.len(), 0);
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
