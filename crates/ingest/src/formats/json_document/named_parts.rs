//! Lists of rows and tables that stand under names of their own, such as `{"train": […], "eval": […]}`: the longest is
//! the history, and the rows of the others that hold evaluations come between its rows. Parts with the same metrics, as in
//! `{"seed_1": {"reward": […]}, "seed_2": {"reward": […]}}`, are a run each.

use super::frame::JsonFrame;
use crate::budget::MemoryUse;
use crate::formats::listed_objects::ListedObjects;
use crate::join::interleave_by_step;
use crate::rows::metric_rows::MetricRows;
use crate::rows::metric_words;
use crate::rows::names::{evaluation_in_name, evaluation_name, has_coarse_counter};
use rundown_run::Run;
use rundown_stats::CompactCollect as _;

/// Fewest rows without any counter that are a history.
const ENOUGH_ROWS: usize = 3;
/// Parts that are kept until it is known which of them is the history.
const MAX_PARTS: usize = 64;

/// The parts of one document.
#[derive(Debug, Default)]
pub(super) struct NamedParts {
    lists: Vec<NamedList>,
    tables: Vec<(String, JsonFrame)>,
}

/// A list of objects: rows of metrics, or runs.
#[derive(Debug, Default)]
struct NamedList {
    name: String,
    rows: MetricRows,
    listed: ListedObjects,
}

/// What a part is.
struct Part {
    name: String,
    run: Run,
    are_samples: bool,
    has_step: bool,
    /// It is lists with steps of their own, between which those of other lists come.
    has_own_steps: bool,
}

impl Part {
    fn of_table(name: String, table: JsonFrame) -> Self {
        let (has_step, has_own_steps) = (table.has_history(), table.has_own_steps());
        Self { name, run: table.into_run(), are_samples: false, has_step, has_own_steps }
    }
}

impl NamedParts {
    /// Adds an object of a list with this name. False where it could not be understood.
    pub(super) fn row(&mut self, name: &str, value: &[u8]) -> bool {
        if self.lists.len() < MAX_PARTS && !self.lists.iter().any(|list| list.name == name) {
            self.lists.push(NamedList { name: name.to_owned(), ..NamedList::default() });
        }
        let Some(list) = self.lists.iter_mut().find(|list| list.name == name) else { return true };
        list.listed.add(value);
        list.rows.json_row(value).is_ok()
    }

    /// Takes out the lists with one row a run, and gives the runs of the first.
    pub(super) fn take_listed_runs(&mut self) -> Vec<Run> {
        let are_runs = |list: &mut NamedList| list.listed.are_runs();
        let mut runs = self.lists.extract_if(.., are_runs).map(|list| list.listed.finish());
        let first = runs.next().unwrap_or_default();
        runs.for_each(drop);
        first
    }

    /// Adds an object with this name, which may be a table.
    pub(super) fn object(&mut self, name: &str, value: &[u8]) {
        let mut table = JsonFrame::default();
        if self.tables.len() < MAX_PARTS && table.members(value).is_ok() && !table.is_empty() {
            self.tables.push((name.to_owned(), table));
        }
    }

    /// What the parts take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        let lists = self.lists.iter().map(|list| list.rows.memory_use() + list.listed.memory_use());
        lists.chain(self.tables.iter().map(|(_, table)| table.memory_use())).sum()
    }

    /// The histories, and whether their rows are samples; `None` where no part is one. `main` are rows of the document
    /// itself: the history where they name their step, or are more than those of each part.
    pub(super) fn into_histories(self, main: Option<JsonFrame>) -> Option<(bool, Vec<Run>)> {
        let lists = self.lists.into_iter().map(|NamedList { name, rows, .. }| {
            let (has_step, are_samples) = (rows.has_step(), rows.are_samples());
            Part { name, run: rows.finish(), are_samples, has_step, has_own_steps: false }
        });
        let tables = self.tables.into_iter().filter_map(|(name, table)| {
            let table = table.settle();
            (table.has_history() || table.has_training_rows()).then(|| Part::of_table(name, table))
        });
        let is_history = |part: &Part| !part.run.row_steps.is_empty() && (part.has_step || is_history(&part.run));
        let mut parts: Vec<Part> = lists.chain(tables).filter(is_history).collect();
        parts.extend(main.map(|main| Part::of_table(String::new(), main)));
        if let Some(runs) = runs_of_their_own(&mut parts) {
            return Some((false, runs));
        }
        let is_main = |part: &Part| part.name.is_empty() && part.has_step;
        let rank = |part: &Part| (is_main(part), part.run.row_steps.len());
        let longest = parts.iter().enumerate().max_by_key(|(_, part)| rank(part))?.0;
        let Part { mut run, are_samples, has_step, has_own_steps, .. } = parts.swap_remove(longest);
        for part in parts {
            if let (true, true, Some(prefix)) = (has_step, part.has_step, evaluation_in_name(&part.name)) {
                interleave_by_step(&mut run, prefixed(part.run, prefix));
            } else if has_own_steps && part.has_step && !part.are_samples && has_other_metrics(&run, &part.run) {
                interleave_by_step(&mut run, part.run);
            }
        }
        Some((are_samples, vec![run]))
    }
}

/// True where two parts have no metric in common but the step.
fn has_other_metrics(run: &Run, other: &Run) -> bool {
    !other.columns.keys().any(|key| key != "step" && run.columns.contains_key(key))
}

/// The runs that the parts are where all have the same metrics, none is of evaluations, and each is named.
fn runs_of_their_own(parts: &mut Vec<Part>) -> Option<Vec<Run>> {
    let [first, others @ ..] = &parts[..] else { return None };
    let is_run = |part: &Part| {
        let is_named = !part.name.is_empty() && evaluation_in_name(&part.name).is_none() && !part.are_samples;
        is_named && metric_words::are_of_training(part.run.columns.keys().map(String::as_str))
    };
    let are_same = others.iter().all(|part| part.run.columns.keys().eq(first.run.columns.keys()));
    if others.is_empty() || !are_same || !parts.iter().all(is_run) {
        return None;
    }
    let named = |part: Part| Run { name: part.name, ..part.run };
    Some(std::mem::take(parts).into_iter().map(named).collect())
}

/// True for rows without a step that are of a training all the same: something else counts them, or their metrics are
/// those that only a training has.
pub(super) fn is_history(run: &Run) -> bool {
    let is_training = || metric_words::are_of_training(run.columns.keys().map(String::as_str));
    has_coarse_counter(run) || (run.row_steps.len() >= ENOUGH_ROWS && is_training())
}

fn prefixed(mut run: Run, prefix: &'static str) -> Run {
    let name = |key: String| evaluation_name(&key, prefix).into_owned();
    run.columns =
        std::mem::take(&mut run.columns).into_iter().map(|(key, column)| (name(key), column)).compact_collect();
    run
}
