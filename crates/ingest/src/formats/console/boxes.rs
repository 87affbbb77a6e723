//! Boxes with one name and one value a line, as Stable-Baselines3, OpenAI's Baselines and AReaL print them.
//!
//! A box is a row. Its step is a counter in it, or the one that a line above it announces (`Train step 3/200 done.`).
//! Which of these counts is decided at the end, as a time may have the name of a step (`timeperf/train_step`). rich's tables have
//! their step as a title (tinker's `Step 3`): beside such boxes those without a title are of something else, such as tables that
//! a model wrote.

use super::labelled::{CounterKind, numbers};
use crate::budget::MemoryUse;
use crate::rows::counting::is_counter;
use crate::rows::metric_rows::MetricRows;
use crate::rows::names::is_step_name;
use rundown_run::{Column, Run};

/// What the steps of a box are called, and what counts updates where there are none; lower case.
const BOX_STEPS: &str = "total_timesteps";
const BOX_UPDATES: [&str; 2] = ["iterations", "nupdates"];
/// Sections whose numbers are times, whatever their names say; lower case.
const TIME_SECTIONS: [&str; 7] = ["time", "timing", "timings", "timer", "timeperf", "perf", "latency"];
/// Blanks before a name that stands under a section.
const INDENT: usize = 3;

/// Collects the boxes of a log.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    rows: MetricRows,
    /// For each row the step that the text above it announces.
    announced: Vec<Option<f64>>,
    /// The step that was announced last, since the last box.
    next: Option<f64>,
    /// The step that is the title of the next box: the line right above it.
    title: Option<f64>,
    /// True once a box had a title.
    is_titled: bool,
    /// Names and values of the box that is open.
    pairs: Vec<(String, f64)>,
    /// Section of the box, with its slash.
    section: String,
}

impl Boxes {
    /// Adds a line of a box: a section, or a name and its value.
    pub(super) fn add(&mut self, cells: &[&str], number: fn(&str) -> Option<f64>) -> bool {
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
            self.end();
        }
        self.pairs.push((key, value));
        true
    }

    /// Looks for a step in a line between boxes.
    pub(super) fn text(&mut self, line: &str) {
        let text = line.trim();
        if !text.is_empty() {
            self.title =
                text.strip_prefix("Step ").and_then(|step| step.parse().ok()).filter(|step: &f64| *step >= 0.0);
        }
        // Of several counters the last is the finest: `Epoch 1/10 Step 2/20 Train step 2/200`.
        let is_step = |name: &str| CounterKind::of(name) == CounterKind::Step;
        let step = || numbers(line).into_iter().rfind(|found| found.is_counter && is_step(found.name));
        if let Some(step) = has_step_counter(line).then(step).flatten() {
            self.next = Some(step.value);
        }
    }

    /// Ends the box that is open.
    pub(super) fn end(&mut self) {
        let pairs = std::mem::take(&mut self.pairs);
        self.section.clear();
        if pairs.len() < 2 {
            return;
        }
        let title = self.title.take();
        self.is_titled |= title.is_some();
        if self.is_titled && title.is_none() {
            return;
        }
        self.next = title.or(self.next);
        for (key, value) in &pairs {
            self.rows.number(key, *value);
        }
        let before = self.rows.len();
        self.rows.end_row();
        if self.rows.len() > before {
            self.announced.push(self.next.take());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// True once a box had its step as a title.
    pub(super) fn is_titled(&self) -> bool {
        self.is_titled
    }

    pub(super) fn memory_use(&self) -> MemoryUse {
        self.rows.memory_use() + MemoryUse::bytes(self.announced.len() * size_of::<Option<f64>>())
    }

    /// The run that the boxes make.
    pub(super) fn finish(self) -> Run {
        let mut run = self.rows.finish();
        let step = own_step(&run).cloned().or_else(|| {
            let steps: Vec<f64> = self.announced.iter().copied().collect::<Option<_>>()?;
            is_counter(&steps).then(|| (0..).zip(steps).collect())
        });
        if let Some(step) = step {
            run.columns.insert("step".to_owned(), step);
        }
        run
    }
}

/// The counter of steps in the boxes themselves.
fn own_step(run: &Run) -> Option<&Column> {
    let last = |key: &str| key.rsplit('/').next().unwrap_or(key).to_lowercase();
    let counts = |column: &Column| column.len() == run.row_steps.len() && is_counter(column.values());
    let of = |is_step: &dyn Fn(&str) -> bool| {
        run.columns.iter().find(|(key, column)| is_step(key) && counts(column)).map(|(_, column)| column)
    };
    let named = |name: &str| of(&|key| last(key) == name);
    // The rows may have settled it already.
    let settled = || run.columns.get("step").filter(|column| counts(column));
    let by_name = named(BOX_STEPS).or_else(settled).or_else(|| BOX_UPDATES.into_iter().find_map(named));
    by_name.or_else(|| of(&|key| is_step_name(&last(key)) && !is_in_time_section(key)))
}

/// True where a line may hold a counter of steps: spares the others a closer look.
fn has_step_counter(line: &str) -> bool {
    ["tep ", "tep:", "teration "].iter().any(|word| line.contains(word))
}

fn is_in_time_section(key: &str) -> bool {
    let is_time = |part: &str| TIME_SECTIONS.iter().any(|section| section.eq_ignore_ascii_case(part));
    key.rsplit('/').skip(1).any(is_time)
}
