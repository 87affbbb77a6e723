//! Rows grouped by the values that they have in some columns, and the runs that these groups are.

use std::borrow::Cow;

use super::{LabelColumn, MAX_LABELS, MIN_ROWS};
use crate::rows::plan::{SETTING as PLANNED_STEPS, step_column};
use crate::setting_names::setting_key;
use rundown_run::{Column, ConfigValue, Run};

/// Settings by which rows of one run differ: the process that wrote them, and what was asked of the model.
const OF_ROWS: [&str; 4] = ["batch", "dataset", "rank", "task"];

/// Fewest rows in which a setting that never changes is one of the run: of a few, a schedule may not have shown itself.
const ENOUGH_ROWS: usize = 10;
/// A setting of the whole run is missing in one of so many rows at the beginning, and at the end, at most: one of a stage is none.
const ROWS_AT_ENDS: usize = 10;
/// Part of the steps of the shortest run in which all runs of a table begin.
const COMMON_START_SHARE: f64 = 0.25;

/// True for a setting by which runs differ.
pub(super) fn is_setting(name: &str) -> bool {
    setting_key(name).is_some_and(|key| !OF_ROWS.contains(&key.as_ref()))
}

/// The key of the setting that the values of a column are.
pub(super) fn key(name: &str) -> String {
    setting_key(name).map_or_else(|| name.to_owned(), Cow::into_owned)
}

/// A column by which the rows of runs differ: for each row the number of one of its values.
pub(super) struct Grouping {
    pub(super) name: String,
    pub(super) values: Vec<ConfigValue>,
    pub(super) of_rows: Vec<u16>,
}

impl Grouping {
    pub(super) fn of_labels(column: LabelColumn) -> Option<Self> {
        let is_complete = column.is_complete();
        let values = column.labels.into_iter().map(ConfigValue::Text).collect();
        is_complete.then_some(Self { name: column.name, values, of_rows: column.of_rows })
    }

    /// The values of a column of numbers; `None` where they are too many, or no numbers.
    pub(super) fn of_numbers((name, column): (&String, &Column)) -> Option<Self> {
        let mut numbers: Vec<u64> = Vec::new();
        let mut of_rows = Vec::with_capacity(column.len());
        for value in column.values() {
            let bits = value.to_bits();
            let known = numbers.iter().position(|number| *number == bits);
            if known.is_none() {
                numbers.push(bits);
            }
            if numbers.len() > MAX_LABELS || !value.is_finite() {
                return None;
            }
            of_rows.push(u16::try_from(known.unwrap_or(numbers.len() - 1)).ok()?);
        }
        let values = numbers.into_iter().map(|bits| ConfigValue::Number(f64::from_bits(bits))).collect();
        Some(Self { name: name.clone(), values, of_rows })
    }

    fn value(&self, row: usize) -> Option<&ConfigValue> {
        self.values.get(usize::from(*self.of_rows.get(row)?))
    }

    fn words(&self, row: usize) -> Option<String> {
        self.value(row).map(|value| words(&self.name, value))
    }
}

/// The value of a column as it stands in the name of a run.
pub(in crate::rows) fn words(name: &str, value: &ConfigValue) -> String {
    match value {
        ConfigValue::Text(text) if !text.starts_with(|letter: char| letter.is_ascii_digit()) => text.clone(),
        value => format!("{name} {value}"),
    }
}

/// The rows with the same values in some columns.
pub(super) struct Groups {
    /// Number of the group of each row.
    of_rows: Vec<usize>,
    /// First row of each group.
    pub(super) first_rows: Vec<usize>,
}

impl Groups {
    /// Groups so many rows by their values in all of these columns, as long as the groups are not too many.
    pub(super) fn by(groupings: &[&Grouping], rows: usize) -> Self {
        let mut groups = Self { of_rows: Vec::with_capacity(rows), first_rows: Vec::new() };
        for row in 0..rows {
            let is_same =
                |first: &usize| groupings.iter().all(|values| values.of_rows.get(row) == values.of_rows.get(*first));
            // Mostly it is that of the row before.
            let before =
                groups.of_rows.last().copied().filter(|group| groups.first_rows.get(*group).is_some_and(is_same));
            let known = before.or_else(|| groups.first_rows.iter().position(is_same));
            groups.of_rows.push(known.unwrap_or(groups.first_rows.len()));
            if known.is_none() {
                groups.first_rows.push(row);
            }
            if groups.first_rows.len() > MAX_LABELS {
                break;
            }
        }
        groups
    }

    /// True where in each of several groups the steps rise, from a first step that is the same for all. With labels that are
    /// texts it is enough that the groups stand one below the other and all begin early: one that begins where another ends
    /// goes on with it.
    pub(super) fn explain(&self, steps: &[f64], goes_back: bool, is_labelled: bool) -> bool {
        let groups = self.first_rows.len();
        let first = self.first_rows.first().and_then(|row| steps.get(*row));
        if !(2..=MAX_LABELS).contains(&groups) || groups * MIN_ROWS > steps.len() {
            return false;
        }
        let mut last = vec![f64::NEG_INFINITY; groups];
        let rises = self.of_rows.iter().zip(steps).all(|(group, step)| {
            let before = last.get_mut(*group).map_or(f64::NAN, |last| std::mem::replace(last, *step));
            before < *step || (goes_back && before == *step)
        });
        let is_same_start = || self.first_rows.iter().all(|row| steps.get(*row) == first);
        // Groups are numbered as they appear: sorted, they stand one below the other.
        rises && (is_same_start() || (is_labelled && self.of_rows.is_sorted() && self.begin_early(steps, &last)))
    }

    /// True where each group begins within the first quarter of the shortest one's steps.
    fn begin_early(&self, steps: &[f64], last: &[f64]) -> bool {
        let firsts = || self.first_rows.iter().filter_map(|row| steps.get(*row)).copied();
        let earliest = firsts().fold(f64::INFINITY, f64::min);
        let shortest = last.iter().copied().fold(f64::INFINITY, f64::min);
        firsts().all(|first| first - earliest <= COMMON_START_SHARE * (shortest - earliest))
    }

    /// True where all rows of a group have the same value.
    pub(super) fn have_one_value(&self, grouping: &Grouping) -> bool {
        let first = |group: &usize| grouping.of_rows.get(*self.first_rows.get(*group)?);
        self.of_rows.iter().zip(&grouping.of_rows).all(|(group, value)| first(group) == Some(value))
    }

    /// The rows of each group as a run, with its settings, and a name of those that are needed to tell it from the others.
    pub(super) fn runs(&self, run: Run, groupings: &[Grouping], needed: &[usize]) -> Vec<Run> {
        let mut places = vec![0; self.first_rows.len()];
        let place_of: Vec<u32> = self
            .of_rows
            .iter()
            .map(|group| places.get_mut(*group).map_or(0, |place| std::mem::replace(place, *place + 1)))
            .collect();
        let mut runs: Vec<Run> = self.first_rows.iter().map(|row| new_run(&run, groupings, needed, *row)).collect();
        let steps_and_times = run.row_steps.iter().zip(&run.row_times);
        for (group, (step, time)) in self.of_rows.iter().zip(steps_and_times) {
            if let Some(run) = runs.get_mut(*group) {
                run.row_steps.push(*step);
                run.row_times.push(*time);
            }
        }
        let is_label = |name: &String| groupings.iter().any(|grouping| grouping.name == *name);
        for (name, column) in run.columns.into_iter().filter(|(name, _)| !is_label(name)) {
            let mut parts = vec![Column::default(); runs.len()];
            for (row, value) in column.points() {
                let group = self.of_rows.get(row as usize);
                let part = group.and_then(|group| parts.get_mut(*group));
                if let (Some(part), Some(place)) = (part, place_of.get(row as usize)) {
                    part.push(*place, value);
                }
            }
            for (run, part) in runs.iter_mut().zip(parts).filter(|(_, part)| !part.is_empty()) {
                run.columns.insert(name.clone(), part);
            }
        }
        runs
    }
}

/// A run without rows, with the settings and the name of the group that begins with this row.
fn new_run(of: &Run, groupings: &[Grouping], needed: &[usize], row: usize) -> Run {
    let words: Vec<String> =
        needed.iter().filter_map(|place| groupings.get(*place)).filter_map(|grouping| grouping.words(row)).collect();
    let mut run = Run { name: words.join(", "), config: of.config.clone(), ..Run::default() };
    for grouping in groupings {
        if let Some(value) = grouping.value(row) {
            run.config.insert(key(&grouping.name), value.clone());
        }
    }
    run
}

/// True for what stands in so many of the rows, from the first of these to the last: in all of them, or in those of one kind, such
/// as the updates between rollouts.
pub(super) fn is_of_whole_run(count: usize, first: Option<u32>, last: Option<u32>, rows: usize) -> bool {
    let (Some(first), Some(last)) = (first, last) else { return false };
    let missing = [first as usize, rows.saturating_sub(last as usize + 1)];
    count >= ENOUGH_ROWS && missing.into_iter().all(|missing| missing * ROWS_AT_ENDS <= rows)
}

/// Adds settings that stand in the rows of a run and never change to its own. A 0 may be what a few decimals left of a small one, and
/// fewer planned steps than the run took are those of something else, such as an episode.
pub(in crate::rows) fn note_constants(run: &mut Run) {
    let rows = run.row_steps.len();
    let last_step = step_column(run).and_then(Column::last);
    for (name, column) in &run.columns {
        let Some(key) = setting_key(name).filter(|_| is_setting(name)) else { continue };
        let is_constant = |value: &f64| *value != 0.0 && column.values().iter().all(|other| other == value);
        let Some(value) = column.last().filter(is_constant) else { continue };
        let is_of_run = is_of_whole_run(column.len(), column.rows().first(), column.rows().last(), rows);
        let is_passed = key == PLANNED_STEPS && last_step.is_some_and(|last| last > value);
        if is_of_run && !is_passed && run.config.get(&key).is_none() {
            run.config.insert(key, ConfigValue::Number(value));
        }
    }
}

/// The columns without which there would be fewer groups, the first ones where several say the same.
pub(super) fn needed(groupings: &[Grouping], groups: usize, rows: usize) -> Vec<usize> {
    let mut needed: Vec<usize> = (0..groupings.len()).collect();
    for place in (0..groupings.len()).rev() {
        let others: Vec<usize> = needed.iter().copied().filter(|other| *other != place).collect();
        let left: Vec<&Grouping> = others.iter().filter_map(|other| groupings.get(*other)).collect();
        if Groups::by(&left, rows).first_rows.len() == groups {
            needed = others;
        }
    }
    needed
}
